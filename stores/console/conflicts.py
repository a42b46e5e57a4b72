"""The parts of a merge as the conflict page draws them, and what was chosen on it."""

import re
from collections.abc import Mapping
from typing import Any

from django.utils.html import escape

from stores.console import formats
from stores.console.drawing import INSERTED, draw_ending, draw_segments, join
from stores.domain.errors import InvalidInput
from stores.domain.merge import Choice, Hunk, HunkKind, Merge
from stores.domain.words import Segment, Segments, mark_words

# More parts than this are shown, and chosen, as a whole: a page with thousands of them helps nobody.
MOST_PARTS = 200
# Longer passages are not compared by words, and of longer ones the beginning is shown.
WORD_CHARACTERS = 20_000
SHOWN_CHARACTERS = 4_000

BREAK = re.compile(r"(\r\n|\r|\n)")
NEWLINE = escape("\n")

WORDS = {
    Choice.THEIRS: "Theirs",
    Choice.MINE: "Yours",
    Choice.THEIRS_THEN_MINE: "Theirs, then yours",
    Choice.MINE_THEN_THEIRS: "Yours, then theirs",
    Choice.WORDS: "Both, word by word",
    Choice.BASE: "As it was",
}
DONE = {
    HunkKind.MINE: "Merged: yours",
    HunkKind.THEIRS: "Merged: theirs",
    HunkKind.BOTH: "The same change",
}


def field(place: int) -> str:
    return f"part-{place}"


def show(merged: Merge, chosen: Mapping[str, str]) -> dict[str, Any]:
    parts = [(place, hunk) for place, hunk in enumerate(merged.hunks) if hunk.kind is not HunkKind.SAME]
    clashes = [(place, hunk) for place, hunk in parts if hunk.kind is HunkKind.CONFLICT]
    shown = parts if len(parts) <= MOST_PARTS else clashes[:MOST_PARTS]
    return {
        "parts": [show_part(place, hunk, chosen.get(field(place), "")) for place, hunk in shown],
        "clashes": len(clashes),
        "clashes_text": formats.count(len(clashes)),
        "merged_text": formats.count(len(parts) - len(clashes)),
        "hidden": formats.count(len(parts) - len(shown)) if len(shown) < len(parts) else "",
        "is_too_much": len(clashes) > MOST_PARTS,
        "rest": chosen.get("rest", ""),
    }


def show_part(place: int, hunk: Hunk, chosen: str) -> dict[str, Any]:
    base, mine, theirs = ("".join(lines) for lines in (hunk.base, hunk.mine, hunk.theirs))
    offered = [Choice.THEIRS, Choice.MINE]
    if hunk.kind is HunkKind.CONFLICT:
        if mine and theirs:
            offered += [Choice.THEIRS_THEN_MINE, Choice.MINE_THEN_THEIRS]
        if hunk.words is not None:
            offered.append(Choice.WORDS)
    if hunk.kind is HunkKind.BOTH:
        offered = [Choice.MINE]
    offered.append(Choice.BASE)
    picked = chosen if chosen in offered else (hunk.default or "")
    return {
        "name": field(place),
        "number": place + 1,
        "lines": lines_word(hunk),
        "is_clash": hunk.kind is HunkKind.CONFLICT,
        "done": DONE.get(hunk.kind, ""),
        "offered": [{"value": c.value, "word": WORDS[c], "picked": c == picked} for c in offered],
        "base": draw(plain(base)),
        "theirs": draw(marked(base, theirs)),
        "mine": draw(marked(base, mine)),
        "words": draw(marked(base, hunk.words)) if hunk.words is not None else None,
    }


def lines_word(hunk: Hunk) -> str:
    first = hunk.base_number
    last = first + len(hunk.base) - 1
    if last < first:
        return f"Added before line {first:,}"
    return f"Line {first:,}" if first == last else f"Lines {first:,} to {last:,}"


def plain(passage: str) -> Segments:
    return (Segment(passage, False),)


def marked(before: str, after: str) -> Segments:
    if before == after or len(before) + len(after) > WORD_CHARACTERS:
        return plain(after)
    return mark_words(before, after)[1]


def draw(segments: Segments) -> dict[str, Any]:
    """A passage; endings other than LF as marks, for two passages may differ in nothing else."""
    whole = "".join(segment.text for segment in segments)
    if len(whole) > SHOWN_CHARACTERS:
        segments = plain(whole[:SHOWN_CHARACTERS])
    drawn = []
    for line, ending in lines_of(segments):
        drawn.append(draw_segments(line, INSERTED))
        if "\r" in ending:
            drawn.append(draw_ending(ending))
        if ending:
            drawn.append(NEWLINE)
    more = len(whole) - SHOWN_CHARACTERS
    return {"body": join(*drawn), "is_empty": not whole, "more": formats.count(more) if more > 0 else ""}


def lines_of(segments: Segments) -> list[tuple[list[Segment], str]]:
    """The segments of each line, and what the line ends with."""
    lines: list[tuple[list[Segment], str]] = []
    line: list[Segment] = []
    for segment in segments:
        # The line breaks are the odd ones.
        for number, piece in enumerate(BREAK.split(segment.text)):
            if number % 2:
                lines.append((line, piece))
                line = []
            elif piece:
                line.append(Segment(piece, segment.marked))
    return [*lines, (line, "")] if line else lines


def choices(merged: Merge, posted: Mapping[str, str]) -> dict[int, Choice]:
    """What was chosen; raises InvalidInput for what is not on offer."""
    found: dict[int, Choice] = {}
    rest = posted.get("rest", "")
    for place, hunk in enumerate(merged.hunks):
        value = posted.get(field(place), "")
        if not value and hunk.kind is HunkKind.CONFLICT:
            value = rest
        if value:
            try:
                found[place] = Choice(value)
            except ValueError:
                raise InvalidInput("There is no such choice.") from None
    return found
