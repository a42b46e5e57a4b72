"""Which version wrote each line of a text (pure).

Versions are read once, oldest first, and only what lies between the common beginning and end of two
neighbours is looked at. A line that moved counts as written anew where it does not keep its order among
the others; a line that was taken out and came back (a restore) counts as written by the version that brought
it back.
"""

from collections.abc import Callable, Iterable

import msgspec

from stores.domain.alignment import ENDING, match, split_lines, squeeze

# Versions come by the thousand: for each the exact step is kept small (see alignment.CELLS).
CELLS = 2**22
KNOWN_CHARACTERS = 2**22


class BlamedLine(msgspec.Struct, frozen=True, gc=False):
    """`version` is the place of the version that wrote the line among those given.

    Where texts before that one are gone, the line may be as old as the version at `earliest`.
    """

    number: int
    text: str
    ending: str
    version: int
    earliest: int

    @property
    def is_after_gap(self) -> bool:
        return self.earliest < self.version


def blame(texts: Iterable[str | None], *, ignore_space: bool = False) -> list[BlamedLine]:
    """The lines of the newest text that is there, each with the version that wrote it.

    `texts` are all versions, oldest first, None where the text is gone (redacted or pruned). A line that is
    on both sides of such a gap keeps its author. With `ignore_space` a version that only changed white space
    or line endings in a line did not write it; without, a newline added to the last line because more follows
    is no change either.
    """
    text = ""
    lines: list[str] = []
    authors: list[tuple[int, int]] = []
    earliest = 0
    keys = _Squeezed() if ignore_space else _ended
    for version, newer in enumerate(texts):
        if newer is None:
            continue
        if newer != text:
            head, tail = _common_ends(text, newer)
            head_lines = _count_lines(text, 0, head)
            tail_lines = _count_lines(text, len(text) - tail, len(text))
            middle = split_lines(newer[head : len(newer) - tail])
            end = len(lines) - tail_lines
            middle_authors = [(version, earliest)] * len(middle)
            before = lines[head_lines:end]
            for block in match(keys(before, middle), keys(middle, before), cells=CELLS):
                start = head_lines + block.old
                middle_authors[block.new : block.new + block.size] = authors[start : start + block.size]
            lines[head_lines:end] = middle
            authors[head_lines:end] = middle_authors
            text = newer
        earliest = version + 1
    return [
        _line(number, line, *author)
        for number, (line, author) in enumerate(zip(lines, authors, strict=True), 1)
    ]


def _line(number: int, line: str, version: int, earliest: int) -> BlamedLine:
    text = line.rstrip("\r\n")
    return BlamedLine(number, text, line[len(text) :], version, earliest)


class _Squeezed:
    """Lines without white space, each worked out once: versions of a text share most of their lines.

    Lives no longer than one call, for text that is redacted must not stay in memory.
    """

    def __init__(self) -> None:
        self.known: dict[str, str] = {}
        self.characters = 0

    def __call__(self, lines: list[str], others: list[str]) -> list[str]:
        known = self.known
        if self.characters > KNOWN_CHARACTERS:
            known.clear()
            self.characters = 0
        for line in lines:
            if line not in known:
                known[line] = squeeze(line)
                self.characters += len(line)
        return [known[line] for line in lines]


def _ended(lines: list[str], others: list[str]) -> list[str]:
    """The lines, the last one with the ending that it has on the other side if it has none."""
    if not lines or lines[-1].endswith(("\n", "\r")):
        return lines
    last = lines[-1]
    known = set(others)
    ending = next((ending for ending in ("\n", "\r\n", "\r") if last + ending in known), "")
    return [*lines[:-1], last + ending] if last not in known else lines


def _common_ends(old: str, new: str) -> tuple[int, int]:
    """How many characters are whole equal lines at the start, and of the rest how many at the end.

    Found on the texts, without splitting them: nearly all of a version is like the one before.
    """
    shorter = min(len(old), len(new))
    head = _longest(shorter, lambda start, end: old.startswith(new[start:end], start))
    head = _line_start(old, new, head)
    tail = _longest(
        shorter - head,
        lambda start, end: old.endswith(new[len(new) - end : len(new) - start], 0, len(old) - start),
    )
    return head, len(old) - _line_end(old, len(old) - tail)


def _longest(limit: int, is_equal: Callable[[int, int], bool]) -> int:
    """The largest length up to which everything is equal; asks for a part of it only where all before is."""
    low, high = 0, limit
    while low < high:
        middle = (low + high + 1) // 2
        if is_equal(low, middle):
            low = middle
        else:
            high = middle - 1
    return low


def _line_start(old: str, new: str, place: int) -> int:
    """The last place, up to this one, where a line starts in both texts, which are equal up to here."""
    while place:
        place = max(old.rfind("\n", 0, place), old.rfind("\r", 0, place)) + 1
        if (
            not place
            or old[place - 1] == "\n"
            or "\n" not in (old[place : place + 1], new[place : place + 1])
        ):
            break
        place -= 1  # between the two halves of a CRLF
    return place


def _line_end(text: str, place: int) -> int:
    """Where the first line that ends after this place has ended, or the text."""
    found = ENDING.search(text, place)
    return found.end() if found else len(text)


def _count_lines(text: str, start: int, end: int) -> int:
    """Lines in text[start:end], which begins and ends with whole ones."""
    count = text.count("\n", start, end)
    carriage_returns = text.count("\r", start, end)
    if carriage_returns:
        count += carriage_returns - text.count("\r\n", start, end)
    return count + (end > start and text[end - 1] not in "\r\n")
