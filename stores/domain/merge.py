"""Two changes of one text become one, where they do not clash (pure).

Lines are merged, byte for byte with their endings. Changes clash when they touch the same line, or when one
adds lines right where the other changes or adds some: in which order, or whether they still belong there,
only a person can say. Changes of neighbouring lines do not clash (git takes the other side here): a memory
is mostly a list of facts with a line each, and the page shows every merged part before anything is saved.
"""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

import msgspec

from stores.domain.alignment import Block, match, split_lines
from stores.domain.errors import InvalidInput
from stores.domain.words import tokens

# A clash with more characters than this is not merged by words.
WORD_CHARACTERS = 20_000


class HunkKind(StrEnum):
    SAME = "same"  # nobody changed these lines
    MINE = "mine"
    THEIRS = "theirs"
    BOTH = "both"  # the same change on both sides
    CONFLICT = "conflict"


class Choice(StrEnum):
    BASE = "base"
    MINE = "mine"
    THEIRS = "theirs"
    MINE_THEN_THEIRS = "mine_then_theirs"
    THEIRS_THEN_MINE = "theirs_then_mine"
    WORDS = "words"  # both, merged word by word; only where `Hunk.words` is not None


class Hunk(msgspec.Struct, frozen=True):
    """Lines of all three texts with their endings, and the number that the first of each has or would have.

    `words` is what a clash could become when both changed different words of the same lines: something to
    offer, never taken by itself.
    """

    kind: HunkKind
    base: list[str]
    mine: list[str]
    theirs: list[str]
    base_number: int
    mine_number: int
    theirs_number: int
    words: str | None = None

    @property
    def default(self) -> Choice | None:
        """What is taken when nobody chooses; None for a clash."""
        return DEFAULTS[self.kind]

    def lines(self, choice: Choice) -> list[str]:
        match choice:
            case Choice.BASE:
                return self.base
            case Choice.MINE:
                return self.mine
            case Choice.THEIRS:
                return self.theirs
            case Choice.MINE_THEN_THEIRS:
                return self.mine + self.theirs
            case Choice.THEIRS_THEN_MINE:
                return self.theirs + self.mine
            case Choice.WORDS:
                if self.words is None:
                    raise InvalidInput("These lines cannot be merged word by word.")
                return split_lines(self.words)


DEFAULTS = {
    HunkKind.SAME: Choice.BASE,
    HunkKind.MINE: Choice.MINE,
    HunkKind.THEIRS: Choice.THEIRS,
    HunkKind.BOTH: Choice.MINE,
    HunkKind.CONFLICT: None,
}


class Merge(msgspec.Struct, frozen=True):
    hunks: list[Hunk]

    @property
    def conflicts(self) -> int:
        return sum(hunk.kind is HunkKind.CONFLICT for hunk in self.hunks)

    @property
    def text(self) -> str | None:
        """The merged text; None while something clashes."""
        return None if self.conflicts else self.resolve({})

    def resolve(self, choices: Mapping[int, Choice]) -> str:
        """The text by the choice made for each hunk, by its place in `hunks`, or by its default.

        Raises InvalidInput for a clash without a choice and for a hunk that is not there.
        """
        if not all(0 <= place < len(self.hunks) for place in choices):
            raise InvalidInput("A choice was made for a part that this merge does not have.")
        lines: list[str] = []
        for place, hunk in enumerate(self.hunks):
            choice = choices.get(place, hunk.default)
            if choice is None:
                raise InvalidInput(f"Part {place + 1} clashes and needs a choice.")
            lines += hunk.lines(choice)
        return _text(lines)


def merge(base: str, mine: str, theirs: str) -> Merge:
    """The parts of the three texts in order; joined, each of the three is byte for byte what it was."""
    parts = _merge(split_lines(base), split_lines(mine), split_lines(theirs))
    return Merge([_with_words(hunk) for hunk in parts])


def _with_words(hunk: Hunk) -> Hunk:
    texts = ["".join(hunk.base), "".join(hunk.mine), "".join(hunk.theirs)]
    if hunk.kind is not HunkKind.CONFLICT or not all(texts) or sum(map(len, texts)) > WORD_CHARACTERS:
        return hunk
    parts = _merge(*map(tokens, texts))
    if any(part.kind is HunkKind.CONFLICT for part in parts):
        return hunk
    words = "".join("".join(part.lines(part.default or Choice.BASE)) for part in parts)
    return msgspec.structs.replace(hunk, words=words)


class _Change(NamedTuple):
    """base[base_start:base_end] became side[start:end]."""

    base_start: int
    base_end: int
    start: int
    end: int


def _changes(base: Sequence[str], side: Sequence[str]) -> list[_Change]:
    changes: list[_Change] = []
    x = y = 0
    for block in [*match(base, side), Block(len(base), len(side), 0)]:
        if block.old > x or block.new > y:
            changes.append(_Change(x, block.old, y, block.new))
        x, y = block.old + block.size, block.new + block.size
    return changes


class _Side:
    """What is left of one side's changes while the base is walked through."""

    def __init__(self, base: Sequence[str], items: list[str]) -> None:
        self.items = items
        self.changes = _changes(base, items)[::-1]
        # How much further this side is than the base, outside of changes.
        self.offset = 0

    def next_start(self) -> tuple[float, float]:
        return self.changes[-1][:2] if self.changes else (float("inf"), float("inf"))

    def touches(self, start: int, end: int) -> bool:
        if not self.changes:
            return False
        change = self.changes[-1]
        is_addition = start == end or change.base_start == change.base_end
        return change.base_start < end or (change.base_start == end and is_addition)

    def items_for(self, start: int, end: int, changes: list[_Change]) -> tuple[int, list[str]]:
        """Where base[start:end] is on this side, which `changes` lie in, and what is there."""
        first = start + self.offset
        if changes:
            self.offset = changes[-1].end - changes[-1].base_end
        return first, self.items[first : end + self.offset]


def _merge(base: list[str], mine: list[str], theirs: list[str]) -> list[Hunk]:
    sides = (_Side(base, mine), _Side(base, theirs))
    hunks: list[Hunk] = []

    def add(start: int, end: int, mine_changes: list[_Change], their_changes: list[_Change]) -> None:
        mine_first, mine_items = sides[0].items_for(start, end, mine_changes)
        their_first, their_items = sides[1].items_for(start, end, their_changes)
        base_items = base[start:end]
        kind = _kind(base_items, mine_items, their_items)
        if base_items or mine_items or their_items:
            numbers = (start + 1, mine_first + 1, their_first + 1)
            hunks.append(Hunk(kind, base_items, mine_items, their_items, *numbers))

    place = 0
    while sides[0].changes or sides[1].changes:
        first = min(sides, key=_Side.next_start)
        start, end = first.changes[-1][:2]
        add(place, start, [], [])
        taken: tuple[list[_Change], list[_Change]] = ([], [])
        grows = True
        while grows:
            grows = False
            for side, changes in zip(sides, taken, strict=True):
                while side.touches(start, end) or (side is first and not changes):
                    changes.append(side.changes.pop())
                    end = max(end, changes[-1].base_end)
                    grows = True
        add(start, end, *taken)
        place = end
    add(place, len(base), [], [])
    return hunks


def _kind(base: list[str], mine: list[str], theirs: list[str]) -> HunkKind:
    if mine == theirs:
        return HunkKind.SAME if mine == base else HunkKind.BOTH
    if theirs == base:
        return HunkKind.MINE
    return HunkKind.THEIRS if mine == base else HunkKind.CONFLICT


def _text(lines: list[str]) -> str:
    """The lines as a text. One that ended its own text without an ending must not run into the next."""
    before = ""
    for place, line in enumerate(lines[:-1]):
        if not line.endswith(("\n", "\r")):
            lines[place] = line + (_ending(before) or _ending(lines[place + 1]) or "\n")
        before = lines[place]
    return "".join(lines)


def _ending(line: str) -> str:
    return "\r\n" if line.endswith("\r\n") else line[-1:] if line.endswith(("\n", "\r")) else ""
