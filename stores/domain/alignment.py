"""Lines of a text, and which items of two sequences belong together, in bounded time and memory (pure).

What comparing, merging and blaming have in common. The longest common subsequence is found exactly up to
CELLS pairs of items; above that the sequences are first cut at items that stand once on both sides, and what
is still too large is matched through a window that moves along, which is never wrong but may match less.
"""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import NamedTuple

from rapidfuzz.distance import LCSseq

# The exact step takes a bit per pair, hence 16 MB and some milliseconds.
CELLS = 2**27
WINDOW = 8192

LINE = re.compile("[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
ENDING = re.compile("(\r\n|\r|\n)")
# What divides words on a line or ends it. Controls and separators that look like nothing are not in here:
# whoever ignores white space does not mean those.
WHITE = re.compile("[ \t\v\f\r\n\xa0\u1680\u2000-\u200a\u202f\u205f\u3000]+")


class Block(NamedTuple):
    """`size` items from `old` on in one sequence equal those from `new` on in the other."""

    old: int
    new: int
    size: int


def split_lines(text: str) -> list[str]:
    """The lines with their endings, which may be LF, CRLF or CR; joined they are the text."""
    return LINE.findall(text)


def split_endings(text: str) -> tuple[list[str], list[str]]:
    """The lines without their endings, and the endings; the last one is "" where the text just stops."""
    parts = ENDING.split(text)
    texts, endings = parts[::2], parts[1::2]
    if texts[-1]:
        endings.append("")
    else:
        texts.pop()
    return texts, endings


def squeeze(text: str) -> str:
    """The text without any white space: equal when two texts differ in nothing else."""
    return WHITE.sub("", text)


def common_ends(old: Sequence[Hashable], new: Sequence[Hashable]) -> tuple[int, int]:
    """How many items are equal at the start, and of the rest how many at the end."""
    shorter = min(len(old), len(new))
    head = 0
    while head < shorter and old[head] == new[head]:
        head += 1
    tail = 0
    shorter -= head
    while tail < shorter and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    return head, tail


def match(old: Sequence[Hashable], new: Sequence[Hashable], *, cells: int = CELLS) -> list[Block]:
    """The blocks that both sequences hold in the same order: in order, never touching on both sides."""
    head, tail = common_ends(old, new)
    blocks = [Block(0, 0, head)]
    blocks += _match_middle(old, new, range(head, len(old) - tail), range(head, len(new) - tail), cells)
    blocks.append(Block(len(old) - tail, len(new) - tail, tail))
    return joined(blocks)


def joined(blocks: Iterable[Block]) -> list[Block]:
    """The blocks without empty ones, those that continue each other made one."""
    result: list[Block] = []
    for block in blocks:
        if not block.size:
            continue
        if result:
            last = result[-1]
            if last.old + last.size == block.old and last.new + last.size == block.new:
                result[-1] = Block(last.old, last.new, last.size + block.size)
                continue
        result.append(block)
    return result


def _match_middle(
    old: Sequence[Hashable], new: Sequence[Hashable], old_range: range, new_range: range, cells: int
) -> list[Block]:
    # What stands on one side only can match nothing. Leaving it out is what makes a full rewrite cheap.
    common = {old[place] for place in old_range}.intersection(new[place] for place in new_range)
    if not common:
        return []
    # One character per distinct item: rapidfuzz is quickest with strings.
    codes = {item: chr(number) for number, item in enumerate(common)}
    old_places = [place for place in old_range if old[place] in codes]
    new_places = [place for place in new_range if new[place] in codes]
    a = "".join([codes[old[place]] for place in old_places])
    b = "".join([codes[new[place]] for place in new_places])
    return [
        block
        for x, y, size in _match_codes(a, b, cells)
        for block in _in_place(old_places, new_places, x, y, size)
    ]


def _in_place(old_places: list[int], new_places: list[int], x: int, y: int, size: int) -> Iterator[Block]:
    """A block of the items that were left, as blocks of all: between two of those, others may stand."""
    last = size - 1
    old, new = old_places[x], new_places[y]
    if old_places[x + last] - old == new_places[y + last] - new == last:
        yield Block(old, new, size)
        return
    half = size // 2
    yield from _in_place(old_places, new_places, x, y, half)
    yield from _in_place(old_places, new_places, x + half, y + half, size - half)


def _match_codes(a: str, b: str, cells: int) -> list[Block]:
    if len(a) * len(b) <= cells:
        return _match_exactly(a, b)
    blocks: list[Block] = []
    x = y = 0
    for anchor_x, anchor_y in [*_anchors(a, b), (len(a), len(b))]:
        if anchor_x > x and anchor_y > y:
            inner_a, inner_b = a[x:anchor_x], b[y:anchor_y]
            small = len(inner_a) * len(inner_b) <= cells
            inner = _match_exactly(inner_a, inner_b) if small else _match_in_windows(inner_a, inner_b, cells)
            blocks += [Block(x + block.old, y + block.new, block.size) for block in inner]
        if anchor_x < len(a):
            blocks.append(Block(anchor_x, anchor_y, 1))
        x, y = anchor_x + 1, anchor_y + 1
    return blocks


def _match_exactly(a: str, b: str) -> list[Block]:
    if a == b:
        return [Block(0, 0, len(a))] if a else []
    found = LCSseq.editops(a, b).as_matching_blocks()
    return [Block(block.a, block.b, block.size) for block in found if block.size]


def _anchors(a: str, b: str) -> list[tuple[int, int]]:
    """Places of items that stand once on both sides, the longest chain that rises on both (patience)."""
    count_a, count_b = Counter(a), Counter(b)
    place_in_b = {code: y for y, code in enumerate(b) if count_b[code] == 1}
    pairs = [(x, place_in_b[code]) for x, code in enumerate(a) if count_a[code] == 1 and code in place_in_b]
    ends: list[int] = []  # the lowest y that a chain of each length can end with
    chain_ends: list[int] = []  # which pair that is
    before: list[int] = []
    for number, (_, y) in enumerate(pairs):
        length = bisect_left(ends, y)
        before.append(chain_ends[length - 1] if length else -1)
        ends[length : length + 1] = [y]
        chain_ends[length : length + 1] = [number]
    chain: list[tuple[int, int]] = []
    number = chain_ends[-1] if chain_ends else -1
    while number >= 0:
        chain.append(pairs[number])
        number = before[number]
    return chain[::-1]


def _match_in_windows(a: str, b: str, cells: int) -> list[Block]:
    """Matches window against window and goes on from where the match has passed the middle of both."""
    window = min(WINDOW, int(cells**0.5))
    half = window // 2
    blocks: list[Block] = []
    x = y = 0
    while x < len(a) and y < len(b):
        is_last = x + window >= len(a) and y + window >= len(b)
        # Where the match has got to, counted from x and y.
        end_x = end_y = 0
        for block in _match_exactly(a[x : x + window], b[y : y + window]):
            if not is_last and block.old >= half and block.new >= half:
                end_x, end_y = block.old, block.new
                break
            blocks.append(Block(x + block.old, y + block.new, block.size))
            end_x, end_y = block.old + block.size, block.new + block.size
        if is_last:
            break
        if max(end_x, end_y) < half:
            end_x = end_y = half
        x += end_x
        y += end_y
    return blocks
