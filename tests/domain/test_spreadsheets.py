"""What agents write must be text to a spreadsheet, and exact to a program."""

import csv
import io
import json

from django.test import SimpleTestCase

from stores.domain.spreadsheets import safe_cell, to_csv, to_json_lines

HOSTILE = [
    "=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", " =1", "\u00a0=1", "＝1", "＋1", "－1", "＠x",
    '=HYPERLINK("http://x","y")', "=cmd|' /C calc'!A0", "-2+3+cmd|' /C calc'!A0",
]  # fmt: skip


class SafeCellTest(SimpleTestCase):
    def test_what_could_be_a_formula_is_text(self):
        for text in HOSTILE:
            with self.subTest(text):
                self.assertEqual(safe_cell(text), "'" + text)

    def test_everything_else_stays(self):
        for text in ("", "a=1", "/notes/a.md", "2026-11-30", "'quoted", "a\tb", "ä", '"', "a,b;c"):
            with self.subTest(text):
                self.assertEqual(safe_cell(text), text)
        self.assertEqual([safe_cell(value) for value in (None, -5, 1.5, True)], ["", "-5", "1.5", "True"])


class LinesTest(SimpleTestCase):
    def test_csv_reads_back_as_the_safe_cells(self):
        rows = [{"path": text, "size": -1, "none": None} for text in [*HOSTILE, 'a"b', "a,b", "a\r\nb"]]
        text = "".join(to_csv(rows, ["path", "size", "none", "missing"]))
        found = list(csv.reader(io.StringIO(text, newline="")))
        self.assertEqual(found[0], ["path", "size", "none", "missing"])
        self.assertEqual(found[1:], [[safe_cell(row["path"]), "-1", "", ""] for row in rows])

    def test_json_lines_are_exact(self):
        rows = [{"path": text, "size": 1, "none": None} for text in [*HOSTILE, "a\r\nb\u2028"]]
        lines = "".join(to_json_lines(rows)).split("\n")
        self.assertEqual(([json.loads(line) for line in lines[:-1]], lines[-1]), (rows, ""))
