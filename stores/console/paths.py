"""Paths as rows show them: folders dimmed, the name plain, neither able to reorder the page (pure)."""

from typing import Any

from stores.console import text

ShownPath = dict[str, Any]


def show_path(path: str) -> ShownPath:
    """For components/_path.html. Nearly every path is printable ASCII and needs no isolation."""
    folder, _, name = path.rpartition("/")
    if path.isascii() and path.isprintable() and "/ " not in path and " /" not in path and path[-1] != " ":
        return {"folder": f"{folder}/", "name": name, "segments": None}
    return {
        "folder": "",
        "name": "",
        "segments": [show_segment(segment) for segment in folder.split("/")[1:]],
        "last": show_segment(name),
    }


def show_segment(segment: str) -> text.Shown:
    """One name; a blank at its edge is drawn, for it cannot be seen otherwise.

    Always from left to right, so that the extension of a Hebrew name stands at its end.
    """
    inner = segment.strip(" ")
    if inner == segment:
        return {**text.show(segment), "dir": "ltr"}
    begin = len(segment) - len(segment.lstrip(" "))
    found: list[text.Piece] = []
    found += [BLANK] * begin
    found += text.pieces(inner) or [{"text": inner}]
    found += [BLANK] * (len(segment) - begin - len(inner))
    return {"text": segment, "pieces": found, "dir": "ltr"}


BLANK: text.Piece = {"text": "", "mark": "SP", "title": "SPACE, U+0020"}


def parent(path: str) -> str:
    """The folder a path lies in, "/" for the top."""
    return path[: path.rstrip("/").rfind("/") + 1]


def chain(folder: str) -> list[str]:
    """A folder with all above it, from the top: `/a/b/` → `/`, `/a/`, `/a/b/`."""
    pieces = folder.split("/")[1:-1]
    return ["/", *("/" + "/".join(pieces[:end]) + "/" for end in range(1, len(pieces) + 1))]


def just_before(path: str) -> str:
    """A text below a path in byte order with as good as nothing between: where a page that is to begin with
    the path begins after.
    """
    stem = path.rstrip("/")
    code = ord(stem[-1]) - 1
    if 0xD800 <= code <= 0xDFFF:  # no text holds these
        code = 0xD7FF
    return stem[:-1] + chr(code) + "\U0010ffff"
