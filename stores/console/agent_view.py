"""A memory as an agent gets it, drawn so that nothing in it can hide (pure)."""

from typing import Any

import msgspec

from stores.console import formats, text
from stores.domain.tool_view import VIEW_CHARACTERS, tool_path, view_file
from stores.models.statements.rows import MemoryRow

MARKS_A_BLOCK = 3_000


def by_tool(memory: MemoryRow, *, first: int) -> dict[str, Any]:
    """What the memory tool's `view` answers, from line `first` on."""
    content = memory.content or ""
    shown = view_file(memory.path, content, start=first)
    if first > shown.total:
        first = shown.total
        shown = view_file(memory.path, content, start=first)
    rest = shown.last + 1 if shown.is_cut and shown.last < shown.total else None
    return {
        "path": text.show(tool_path(memory.path)),
        "block": block(shown.text),
        "first": first,
        "lines": f"lines {formats.count(shown.first)} to {formats.count(shown.last)}"
        f" of {formats.count(shown.total)}",
        "is_cut": shown.is_cut,
        "most": formats.count(VIEW_CHARACTERS),
        "next": rest,
        "has_before": first > 1,
    }


def by_api(memory: MemoryRow) -> dict[str, Any]:
    """The body of GET /v1/memory_stores/…/memories/…, to the byte (a test holds it against the API)."""
    body = {
        "type": "memory",
        "id": memory.id,
        "memory_store_id": memory.store_id,
        "memory_version_id": memory.head_version_id,
        "path": memory.path,
        "content": memory.content,
        "content_size_bytes": memory.content_size_bytes,
        "content_sha256": memory.content_sha256,
        "created_at": memory.created_at,
        "updated_at": memory.updated_at,
    }
    shown = msgspec.json.encode(body)
    return {
        "address": f"/v1/memory_stores/{memory.store_id}/memories/{memory.id}",
        "block": block(shown.decode()),
        "size": formats.size(len(shown)),
    }


def block(shown: str) -> dict[str, Any]:
    """A text with its line ends, in pieces for a template; hidden characters are marks, up to a number."""
    found: list[text.Piece] = []
    marks = 0
    for number, line in enumerate(shown.split("\n")):
        pieces = text.pieces(line) if marks <= MARKS_A_BLOCK else None
        if marks > MARKS_A_BLOCK:
            line = text.CANDIDATE.sub("", line)
        end = "\n" if number else ""
        if pieces is None:
            found.append({"text": end + line})
            continue
        marks += sum("mark" in piece for piece in pieces)
        found += [{"text": end}, *pieces]
    return {
        "pieces": found,
        "hidden": marks,
        "left_out": marks > MARKS_A_BLOCK,
    }
