"""What an agent reads when it looks at a memory with the memory tool's `view` (pure).

Rules: contract/memory_tool.md, 4 (file view) and 6 (the store's `/a.md` is `/memories/a.md` to the tool), the
profile R; its examples V07 to V16 are the tests.
"""

import msgspec

ROOT = "/memories"
VIEW_CHARACTERS = 16_000
VIEW_LINES = 999_999


class FileView(msgspec.Struct, frozen=True):
    """`text` is the result to the letter; it shows the lines `first` to `last` of `total`. `is_cut` where the
    last of them, or what follows it, did not fit; `is_error` where the tool answers with an error.
    """

    text: str
    first: int
    last: int
    total: int
    is_cut: bool = False
    is_error: bool = False


def tool_path(path: str) -> str:
    return ROOT + path


def view_file(path: str, content: str, *, start: int = 1, end: int = -1) -> FileView:
    """The answer to `view` of a memory, of the whole or of a `view_range`; `path` is that of the store."""
    # Only LF parts lines, and one at the very end parts nothing.
    lines = content.removesuffix("\n").split("\n")
    total = len(lines)
    if total > VIEW_LINES:
        error = f"File {tool_path(path)} exceeds maximum line limit of {VIEW_LINES:,} lines."
        return FileView(error, 0, 0, total, is_error=True)
    first = max(1, start)
    wanted = lines[first - 1 :] if end == -1 else lines[first - 1 : max(0, end)]
    shown = _fitting(wanted)
    last = first - 1 + len(shown)
    is_cut = len(shown) < len(wanted) or (shown != wanted[: len(shown)])
    rows = [f"{number:6}\t{line}" for number, line in enumerate(shown, first)]
    if is_cut:
        rows.append(
            f"[Truncated at {VIEW_CHARACTERS} characters: lines {first}-{last} of {total} shown. "
            "Use view_range to read the rest.]"
        )
    body = "\n".join(rows)
    text = f"Here's the content of {tool_path(path)} with line numbers:\n{body}"
    return FileView(text, first, last, total, is_cut=is_cut)


def _fitting(lines: list[str]) -> list[str]:
    """The whole lines that fit; of a first one that alone is too long, its beginning."""
    room = VIEW_CHARACTERS
    for number, line in enumerate(lines):
        # All but the first have an LF before them.
        room -= len(line) + (number > 0)
        if room < 0:
            return lines[:number] or [line[:VIEW_CHARACTERS]]
    return lines
