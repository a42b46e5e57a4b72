"""Rows for spreadsheets and for programs (pure).

A spreadsheet takes a cell that begins with = + - @, or with a tab or a carriage return, for a formula, and a
formula can send data away. Paths, names and reasons are written by agents, so every such cell gets an
apostrophe in front, which to a spreadsheet means "this is text". Blanks in front do not hide a formula from
all programs, so they do not count; full-width forms count like the plain ones. JSON lines hold every value as
it is.
"""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

DANGEROUS = "=+-@\t\r\n＝＋－＠"
NOTE = "Cells that a spreadsheet would take for a formula have an apostrophe in front; JSON lines are exact."


def safe_cell(value: object) -> str:
    """A value as the text of a cell that no program runs. None is an empty cell, numbers are themselves."""
    if value is None:
        return ""
    if isinstance(value, bool | int | float):
        return str(value)
    text = str(value)
    if text[:1] in ("\t", "\r", "\n") or text.lstrip()[:1] in tuple(DANGEROUS):
        return "'" + text
    return text


def to_csv(rows: Iterable[Mapping[str, Any]], columns: Sequence[str]) -> Iterator[str]:
    """The lines of a CSV file (RFC 4180), a head line first; every text in quotes."""
    yield _line(columns)
    for row in rows:
        yield _line([safe_cell(row.get(column)) for column in columns])


def _line(cells: Sequence[str]) -> str:
    buffer = io.StringIO()
    csv.writer(buffer, quoting=csv.QUOTE_ALL).writerow(cells)
    return buffer.getvalue()


def to_json_lines(rows: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """One JSON object a line."""
    for row in rows:
        yield msgspec.json.encode(row).decode() + "\n"
