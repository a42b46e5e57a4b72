"""Two texts as the rows of a diff, to be drawn side by side or unified (pure).

Text is handed on raw, byte for byte: the page draws hidden characters and line endings as marks. Equal lines
are found first, then blocks that went elsewhere; what is left of a change is paired by likeness, and only
such pairs are compared by words. Every step is bounded, so that the worst 100 kB cost well under a second;
past a bound the diff is as true as before and only says less (one line removed and one added, not changed).

Totals are the same when the two texts trade places, because pairs are always sought in the same direction.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum
from typing import NamedTuple

import msgspec
from rapidfuzz import fuzz

from stores.domain.alignment import Block, common_ends, joined, match, split_endings, squeeze
from stores.domain.errors import InvalidInput
from stores.domain.words import Segment, Segments, mark_words, whole

CONTEXT = 3
# A fold takes a row itself: one line is shown instead.
FOLDED_LINES = 2
# A block counts as moved with at least so many lines, and letters or digits as in git's --color-moved.
MOVED_LINES = 2
MOVED_CHARACTERS = 20
# Percent of likeness (rapidfuzz's ratio) from which two lines are one line that changed.
LIKE = 45
# Pairs of lines whose likeness is looked at, in one block of changed lines and in all.
PAIRS_A_BLOCK = 4_000
PAIRS = 40_000
# Longer lines are judged by their beginning and end.
JUDGED_CHARACTERS = 1_000
# Pairs of lines that are compared by words, and characters in all of them; then the whole line is marked.
WORD_LINES = 6_000
WORD_CHARACTERS = 400_000
# How far an added or removed block is moved among equal lines to begin where a reader would say it begins.
SLIDE = 200

NOT_LETTERS = re.compile(r"[\W\d_]+")
WORD_CHARACTER = re.compile(r"[^\W_]")


class Kind(StrEnum):
    SAME = "same"
    CHANGED = "changed"  # both sides, with words marked
    SPACE = "space"  # both sides, only white space differs
    ENDING = "ending"  # both sides, only the line ending differs
    REMOVED = "removed"
    ADDED = "added"
    MOVED = "moved"  # one side; `other` is the line's number on the other side
    FOLD = "fold"


class Line(msgspec.Struct, frozen=True, gc=False):
    """`ending` is "\n", "\r\n", "\r", or "" where the text ends without one."""

    number: int
    text: str
    ending: str
    marks: Segments = ()

    @property
    def segments(self) -> Segments:
        """The text in pieces, marked where a changed line differs; no piece for an empty line."""
        return self.marks or ((Segment(self.text, False),) if self.text else ())


class Fold(NamedTuple):
    """`lines` equal lines that are not shown, from these numbers on (see `folded_rows`)."""

    old: int
    new: int
    lines: int


class Row(msgspec.Struct, frozen=True, gc=False):
    """`change` counts the changes, from 1, and is 0 where nothing changed: rows of one change share it."""

    kind: Kind
    old: Line | None = None
    new: Line | None = None
    change: int = 0
    other: int = 0
    fold: Fold | None = None

    @property
    def is_ending_changed(self) -> bool:
        """Whether both line endings should be drawn as marks."""
        return self.old is not None and self.new is not None and self.old.ending != self.new.ending


class EndingChange(NamedTuple):
    """`lines` lines that end in `old` on one side and in `new` on the other."""

    old: str
    new: str
    lines: int


class Diff(msgspec.Struct, frozen=True):
    """`changed` counts every line with both sides and a difference, `moved` lines that only went elsewhere.

    `only_line_endings` and `only_space` speak of the texts, whatever the rows ignore; the first also covers
    a newline gained or lost at the end, and implies the second.
    """

    rows: list[Row]
    added: int
    removed: int
    changed: int
    moved: int
    changes: int
    ending_changes: list[EndingChange]
    identical: bool
    only_line_endings: bool
    only_space: bool
    old_lines: int
    new_lines: int
    old_newline_at_end: bool
    new_newline_at_end: bool

    @property
    def plus(self) -> int:
        """Lines on the new side that are not the old ones in their old order: the `+7` above a diff."""
        return self.added + self.changed + self.moved

    @property
    def minus(self) -> int:
        return self.removed + self.changed + self.moved


class _Side:
    """One text, taken apart. Lines with equal keys are the same line."""

    def __init__(self, text: str, *, ignore_space: bool) -> None:
        self.texts, self.endings = split_endings(text)
        self.lines = [line + ending for line, ending in zip(self.texts, self.endings, strict=True)]
        self.ignores_space = ignore_space
        self.keys = [squeeze(line) for line in self.texts] if ignore_space else self.texts

    def line(self, place: int, marks: Segments = ()) -> Line:
        return Line(place + 1, self.texts[place], self.endings[place], marks)


Pairs = list[tuple[int, int]]


class _Gap(NamedTuple):
    """Lines between two blocks of equal ones: old_start..old_end against new_start..new_end."""

    old_start: int
    old_end: int
    new_start: int
    new_end: int

    @property
    def pairs(self) -> int:
        return (self.old_end - self.old_start) * (self.new_end - self.new_start)


def compare(old: str, new: str, *, ignore_space: bool = False, context: int | None = CONTEXT) -> Diff:
    """The rows of a diff and the facts about it; `context` None folds nothing.

    With `ignore_space` lines that differ only in white space or in their endings are the same, and such a
    row holds both.
    """
    old_side, new_side = _Side(old, ignore_space=ignore_space), _Side(new, ignore_space=ignore_space)
    if old <= new:
        pairs, moves = _plan(old_side, new_side)
    else:
        back, back_moves = _plan(new_side, old_side)
        pairs, moves = [(x, y) for y, x in back], [(x, y) for y, x in back_moves]
    kinds = [_kind(old_side, new_side, x, y) for x, y in pairs]
    builder = _Rows(old_side, new_side, context=context)
    rows = builder.build(pairs, kinds, moves)
    changed = len(kinds) - kinds.count(Kind.SAME)
    only_line_endings = old != new and old_side.texts == new_side.texts
    return Diff(
        rows=rows,
        added=len(new_side.texts) - len(pairs) - len(moves),
        removed=len(old_side.texts) - len(pairs) - len(moves),
        changed=changed,
        moved=len(moves),
        changes=builder.changes,
        ending_changes=_ending_changes(old_side, new_side, pairs),
        identical=old == new,
        only_line_endings=only_line_endings,
        only_space=only_line_endings or (old != new and squeeze(old) == squeeze(new)),
        old_lines=len(old_side.texts),
        new_lines=len(new_side.texts),
        old_newline_at_end=bool(old_side.endings) and old_side.endings[-1] != "",
        new_newline_at_end=bool(new_side.endings) and new_side.endings[-1] != "",
    )


def folded_rows(old: str, new: str, fold: Fold, *, ignore_space: bool = False) -> list[Row]:
    """The rows that a fold of `compare` hides; raises InvalidInput where there is no such fold."""
    old_side, new_side = _Side(old, ignore_space=ignore_space), _Side(new, ignore_space=ignore_space)
    x, y, count = fold.old - 1, fold.new - 1, fold.lines
    fits = x >= 0 and y >= 0 and count > 0
    fits = fits and x + count <= len(old_side.lines) and y + count <= len(new_side.lines)
    if not fits or any(_kind(old_side, new_side, x + step, y + step) != Kind.SAME for step in range(count)):
        raise InvalidInput("There are no such equal lines in these two texts.")
    return [Row(Kind.SAME, old_side.line(x + step), new_side.line(y + step)) for step in range(count)]


def _kind(old: _Side, new: _Side, x: int, y: int) -> Kind:
    if old.lines[x] == new.lines[y] or (old.ignores_space and old.keys[x] == new.keys[y]):
        return Kind.SAME
    if old.texts[x] == new.texts[y]:
        return Kind.ENDING
    return Kind.SPACE if squeeze(old.texts[x]) == squeeze(new.texts[y]) else Kind.CHANGED


def _ending_changes(old: _Side, new: _Side, pairs: Pairs) -> list[EndingChange]:
    found = Counter((old.endings[x], new.endings[y]) for x, y in pairs if old.endings[x] != new.endings[y])
    return [EndingChange(before, after, count) for (before, after), count in sorted(found.items())]


# Which lines belong together


def _plan(old: _Side, new: _Side) -> tuple[Pairs, Pairs]:
    """The lines that stand on both sides, in order, equal or changed; and those that moved."""
    blocks = _slide(_equal_blocks(old, new), old, new)
    gaps = _gaps(blocks, old, new)
    moves = _find_moves(old, new, gaps)
    gaps = _join_gaps(gaps, old)
    pairing = _Pairing(old, new, moves)
    pairs: Pairs = []
    x = y = 0
    for gap in [*gaps, _Gap(len(old.lines), len(old.lines), len(new.lines), len(new.lines))]:
        pairs += zip(range(x, gap.old_start), range(y, gap.new_start), strict=True)
        pairs += pairing.pairs(gap)
        x, y = gap.old_end, gap.new_end
    return pairs, moves


def _equal_blocks(old: _Side, new: _Side) -> list[Block]:
    # Lines that are equal with their endings first: of "a" with LF and "a" with CRLF the right one is kept.
    head, tail = common_ends(old.lines, new.lines)
    old_end, new_end = len(old.lines) - tail, len(new.lines) - tail
    middle = match(old.keys[head:old_end], new.keys[head:new_end])
    return joined(
        [
            Block(0, 0, head),
            *(Block(head + block.old, head + block.new, block.size) for block in middle),
            Block(old_end, new_end, tail),
        ]
    )


def _slide(blocks: list[Block], old: _Side, new: _Side) -> list[Block]:
    """The same blocks, but so that what was added or removed between two of them begins where it reads well.

    A paragraph put between two others can be told in many ways, all equally short.
    """
    result = [Block(0, 0, 0)]
    for block in [*blocks, Block(len(old.lines), len(new.lines), 0)]:
        before = result[-1]
        x, y = before.old + before.size, before.new + before.size
        shift = 0
        if x == block.old and y < block.new:
            shift = _best_shift(new.lines, y, block.new, before.size, block.size)
        elif y == block.new and x < block.old:
            shift = _best_shift(old.lines, x, block.old, before.size, block.size)
        result[-1] = Block(before.old, before.new, before.size + shift)
        result.append(Block(block.old + shift, block.new + shift, block.size - shift))
    return joined(result)


def _best_shift(lines: Sequence[str], start: int, end: int, most_up: int, most_down: int) -> int:
    up = 0
    while up < min(most_up, SLIDE) and lines[start - up - 1] == lines[end - up - 1]:
        up += 1
    down = 0
    while down < min(most_down, SLIDE) and lines[start + down] == lines[end + down]:
        down += 1
    # The lowest of equally good places, as git does.
    return max(
        range(-up, down + 1), key=lambda shift: (_reads_well(lines, start + shift, end + shift), shift)
    )


def _reads_well(lines: Sequence[str], start: int, end: int) -> tuple[int, int]:
    """Set off by blank lines first, then the less indented its first line the better."""
    is_set_off = (start == 0 or lines[start - 1].isspace()) + (end == len(lines) or lines[end - 1].isspace())
    first = lines[start]
    indent = len(first) - len(first.lstrip()) if not first.isspace() else SLIDE
    return is_set_off, -indent


def _gaps(blocks: Iterable[Block], old: _Side, new: _Side) -> list[_Gap]:
    gaps: list[_Gap] = []
    x = y = 0
    for block in [*blocks, Block(len(old.lines), len(new.lines), 0)]:
        if block.old > x or block.new > y:
            gaps.append(_Gap(x, block.old, y, block.new))
        x, y = block.old + block.size, block.new + block.size
    return gaps


def _join_gaps(gaps: list[_Gap], old: _Side) -> list[_Gap]:
    """Gaps that only lines without a word keep apart become one, so that lines are paired across those.

    Else a blank line that happens to be equal would decide which paragraph is compared with which.
    """
    result: list[_Gap] = []
    for gap in gaps:
        if result:
            last = result[-1]
            both = _Gap(last.old_start, gap.old_end, last.new_start, gap.new_end)
            between = old.texts[last.old_end : gap.old_start]
            if both.pairs <= PAIRS_A_BLOCK and not any(WORD_CHARACTER.search(line) for line in between):
                result[-1] = both
                continue
        result.append(gap)
    return result


def _find_moves(old: _Side, new: _Side, gaps: list[_Gap]) -> Pairs:
    """Blocks that were removed in one place and added in another, told by a line that is in each but once."""
    old_free = {x for gap in gaps for x in range(gap.old_start, gap.old_end)}
    new_free = {y for gap in gaps for y in range(gap.new_start, gap.new_end)}
    old_count = Counter(old.keys[x] for x in old_free)
    new_count = Counter(new.keys[y] for y in new_free)
    place = {new.keys[y]: y for y in new_free if new_count[new.keys[y]] == 1}
    moves: Pairs = []

    def fits(x: int, y: int) -> bool:
        if x not in old_free or y not in new_free or old.keys[x] != new.keys[y]:
            return False
        endings = {old.endings[x], new.endings[y]} - {""}
        return old.ignores_space or len(endings) <= 1

    for x in sorted(old_free):
        key = old.keys[x]
        if x not in old_free or old_count[key] != 1 or key not in place or not fits(x, place[key]):
            continue
        y = place[key]
        up = down = 0
        while fits(x - up - 1, y - up - 1):
            up += 1
        while fits(x + down + 1, y + down + 1):
            down += 1
        block = [(x + step, y + step) for step in range(-up, down + 1)]
        if _is_distinctive(old.texts[x - up : x + down + 1]):
            moves += block
            old_free.difference_update(range(x - up, x + down + 1))
            new_free.difference_update(range(y - up, y + down + 1))
    return moves


def _is_distinctive(lines: Sequence[str]) -> bool:
    words = [len(WORD_CHARACTER.findall(line)) for line in lines]
    return sum(map(bool, words)) >= MOVED_LINES and sum(words) >= MOVED_CHARACTERS


class _Pairing:
    """Pairs the lines of a gap that are versions of each other, within a budget for the whole diff."""

    def __init__(self, old: _Side, new: _Side, moves: Pairs) -> None:
        self.old, self.new = old, new
        self.moved_old, self.moved_new = {x for x, _ in moves}, {y for _, y in moves}
        self.left = PAIRS

    def pairs(self, gap: _Gap) -> Pairs:
        xs = [x for x in range(gap.old_start, gap.old_end) if x not in self.moved_old]
        ys = [y for y in range(gap.new_start, gap.new_end) if y not in self.moved_new]
        return self._pair(xs, ys, (squeeze, _letters))

    def _pair(self, xs: list[int], ys: list[int], ways: tuple[Callable[[str], str], ...]) -> Pairs:
        if not xs or not ys:
            return []
        looked_at = len(xs) * len(ys)
        if looked_at <= min(PAIRS_A_BLOCK, self.left):
            self.left -= looked_at
            return self._pair_by_likeness(xs, ys)
        if ways:
            return self._pair_by_key(xs, ys, ways)
        if len(xs) == len(ys):
            return [(x, y) for x, y in zip(xs, ys, strict=True) if self._likeness(x, y)]
        return []

    def _pair_by_key(self, xs: list[int], ys: list[int], ways: tuple[Callable[[str], str], ...]) -> Pairs:
        """Too many lines to look at each pair: those first that only differ in blanks, then in numbers."""
        key, *other_ways = ways
        # A line that leaves nothing is like no other: its own number stands for it, on each side another one.
        old_keys = [key(self.old.texts[x]) or x for x in xs]
        new_keys = [key(self.new.texts[y]) or -1 - y for y in ys]
        pairs: Pairs = []
        x = y = 0
        for block in [*match(old_keys, new_keys), Block(len(xs), len(ys), 0)]:
            pairs += self._pair(xs[x : block.old], ys[y : block.new], tuple(other_ways))
            x, y = block.old + block.size, block.new + block.size
            pairs += zip(xs[block.old : x], ys[block.new : y], strict=True)
        return pairs

    def _pair_by_likeness(self, xs: list[int], ys: list[int]) -> Pairs:
        """The pairs, in order, with the highest sum of likeness."""
        if len(xs) == len(ys) == 1:
            return [(xs[0], ys[0])] if self._likeness(xs[0], ys[0]) else []
        likeness = [[self._likeness(x, y) for y in ys] for x in xs]
        # best[a][b]: the highest sum that xs[a:] and ys[b:] can reach.
        best = [[0.0] * (len(ys) + 1) for _ in range(len(xs) + 1)]
        for a in range(len(xs) - 1, -1, -1):
            row, below, like = best[a], best[a + 1], likeness[a]
            for b in range(len(ys) - 1, -1, -1):
                row[b] = max(below[b], row[b + 1], below[b + 1] + like[b] if like[b] else 0.0)
        pairs: Pairs = []
        a = b = 0
        while a < len(xs) and b < len(ys):
            like_here = likeness[a][b]
            if like_here and best[a][b] == best[a + 1][b + 1] + like_here:
                pairs.append((xs[a], ys[b]))
                a, b = a + 1, b + 1
            elif best[a][b] == best[a + 1][b]:
                a += 1
            else:
                b += 1
        return pairs

    def _likeness(self, x: int, y: int) -> float:
        """0 for lines that are not like each other."""
        old, new = self.old.texts[x], self.new.texts[y]
        if old == new:
            # Equal lines of words count more than equal rules and blank lines.
            return 101 - LIKE if WORD_CHARACTER.search(old) else 1
        if len(old) > 2 * JUDGED_CHARACTERS:
            old = old[:JUDGED_CHARACTERS] + old[-JUDGED_CHARACTERS:]
        if len(new) > 2 * JUDGED_CHARACTERS:
            new = new[:JUDGED_CHARACTERS] + new[-JUDGED_CHARACTERS:]
        ratio = fuzz.ratio(old, new, score_cutoff=LIKE)
        if ratio:
            return ratio - LIKE + 1
        return 1 if squeeze(old) == squeeze(new) else 0


def _letters(text: str) -> str:
    return NOT_LETTERS.sub("", text)


# Rows


class _Words:
    """Compares lines by words until the budget of the diff is spent, then marks them whole."""

    def __init__(self) -> None:
        self.lines = WORD_LINES
        self.characters = WORD_CHARACTERS

    def mark(self, old: str, new: str) -> tuple[Segments, Segments]:
        self.lines -= 1
        self.characters -= len(old) + len(new)
        if self.lines < 0 or self.characters < 0:
            return whole(old), whole(new)
        return mark_words(old, new)


class _Rows:
    def __init__(self, old: _Side, new: _Side, *, context: int | None) -> None:
        self.old, self.new, self.context = old, new, context
        self.words = _Words()
        self.rows: list[Row] = []
        self.changes = 0
        self.is_in_change = False

    def build(self, pairs: Pairs, kinds: list[Kind], moves: Pairs) -> list[Row]:
        to_new = dict(moves)
        to_old = {y: x for x, y in moves}
        x = y = same = 0
        for (pair_x, pair_y), kind in zip(pairs, kinds, strict=True):
            if pair_x > x or pair_y > y:
                self._add_same(x, y, same)
                same = 0
                self._add_one_sided(range(x, pair_x), range(y, pair_y), to_new, to_old)
            x, y = pair_x + 1, pair_y + 1
            if kind is Kind.SAME:
                same += 1
            else:
                self._add_same(pair_x, pair_y, same)
                same = 0
                self._add_two_sided(kind, pair_x, pair_y)
        rest_x, rest_y = range(x, len(self.old.lines)), range(y, len(self.new.lines))
        self._add_same(x, y, same, is_last=not rest_x and not rest_y)
        self._add_one_sided(rest_x, rest_y, to_new, to_old)
        return self.rows

    def _change(self) -> int:
        if not self.is_in_change:
            self.changes += 1
            self.is_in_change = True
        return self.changes

    def _add_one_sided(self, xs: range, ys: range, to_new: dict[int, int], to_old: dict[int, int]) -> None:
        for x in xs:
            kind, other = (Kind.MOVED, to_new[x] + 1) if x in to_new else (Kind.REMOVED, 0)
            self.rows.append(Row(kind, self.old.line(x), None, self._change(), other))
        for y in ys:
            kind, other = (Kind.MOVED, to_old[y] + 1) if y in to_old else (Kind.ADDED, 0)
            self.rows.append(Row(kind, None, self.new.line(y), self._change(), other))

    def _add_two_sided(self, kind: Kind, x: int, y: int) -> None:
        old_marks: Segments = ()
        new_marks: Segments = ()
        if kind is not Kind.ENDING:
            old_marks, new_marks = self.words.mark(self.old.texts[x], self.new.texts[y])
        self.rows.append(Row(kind, self.old.line(x, old_marks), self.new.line(y, new_marks), self._change()))

    def _add_same(self, x: int, y: int, count: int, *, is_last: bool = False) -> None:
        """The `count` equal lines that end before x and y, those far from any change as a fold."""
        if not count:
            return
        x, y = x - count, y - count
        lead = trail = 0
        hidden = 0
        if self.context is not None:
            lead = self.context if self.rows else 0
            trail = 0 if is_last else self.context
            hidden = count - lead - trail
        if hidden < FOLDED_LINES:
            lead, hidden, trail = count, 0, 0
        self._add_equal(x, y, lead)
        if hidden:
            self.rows.append(Row(Kind.FOLD, fold=Fold(x + lead + 1, y + lead + 1, hidden)))
        self._add_equal(x + count - trail, y + count - trail, trail)
        self.is_in_change = False

    def _add_equal(self, x: int, y: int, count: int) -> None:
        self.rows += [
            Row(Kind.SAME, self.old.line(x + step), self.new.line(y + step)) for step in range(count)
        ]
