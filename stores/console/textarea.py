r"""A text on its way through a browser's form and back, byte for byte (pure).

A browser knows one kind of line break. It reads CRLF and CR as LF, and sends each back as CRLF, whatever the
text had; so what comes back says where lines end, never how. How is taken from the text that was sent: a
line that is still there keeps its ending, a new one gets that of the line before. (The leading newline that
an HTML parser swallows is the template's business: it puts one in front of every text.)
"""

import re

from stores.domain.alignment import Block, match, split_endings

BREAK = re.compile(r"\r\n|\r")


def with_line_feeds(text: str) -> str:
    """The text as a browser holds it."""
    return BREAK.sub("\n", text)


def read_back(sent_back: str, *, like: str) -> str:
    """What a browser sent, with the line endings of the text that it was given."""
    typed = with_line_feeds(sent_back)
    if "\r" not in like:
        return typed
    if typed == with_line_feeds(like):
        return like
    lines, breaks = split_endings(typed)
    endings = _endings(lines, *split_endings(like))
    return "".join(
        line + (end if is_broken else "") for line, is_broken, end in zip(lines, breaks, endings, strict=True)
    )


def _endings(lines: list[str], old_lines: list[str], old_endings: list[str]) -> list[str]:
    """What each line should end with."""
    kept = [""] * len(lines)
    old = new = 0
    for block in [*match(old_lines, lines), Block(len(old_lines), len(lines), 0)]:
        # Lines that were changed where they stood, one for one.
        changed = min(block.old - old, block.new - new)
        kept[new : new + changed] = old_endings[old : old + changed]
        old, new = block.old + block.size, block.new + block.size
        kept[block.new : new] = old_endings[block.old : old]
    before = next((ending for ending in [*kept, *old_endings] if ending), "\n")
    for place, ending in enumerate(kept):
        kept[place] = before = ending or before
    return kept


def line_break(text: str) -> str:
    """The name of what most lines of a text end with, for the count of bytes while typing."""
    crlf = text.count("\r\n")
    return "CRLF" if crlf * 2 > text.count("\n") else "LF"


def with_one_line(text: str) -> str:
    """The text as a browser holds it in a field of one line, which has no line breaks at all."""
    return text.replace("\r", "").replace("\n", "")
