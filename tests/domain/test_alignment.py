import random
from itertools import pairwise

import pytest
from django.test import SimpleTestCase
from hypothesis import example, given
from hypothesis import strategies as st

from stores.domain import alignment
from stores.domain.alignment import Block, match, split_endings, split_lines, squeeze

pytestmark = pytest.mark.once

ITEMS = st.lists(st.sampled_from("abcdefgh"), max_size=40)


def longest_common(old, new):
    """The length of the longest common subsequence, the plain way."""
    row = [0] * (len(new) + 1)
    for item in old:
        before = row
        row = [0]
        for place, other in enumerate(new):
            row.append(before[place] + 1 if item == other else max(before[place + 1], row[place]))
    return row[-1]


def check_blocks(old, new, blocks):
    for block in blocks:
        assert block.size > 0
        assert old[block.old : block.old + block.size] == new[block.new : block.new + block.size]
    for one, other in pairwise(blocks):
        assert one.old + one.size <= other.old
        assert one.new + one.size <= other.new
        assert (one.old + one.size, one.new + one.size) != (other.old, other.new)


class SplitTest(SimpleTestCase):
    def test_lines_end_in_lf_crlf_or_cr_and_nothing_else(self):
        text = "a\nb\r\nc\r\rd\u2028\x0b\x85e"
        self.assertEqual(split_lines(text), ["a\n", "b\r\n", "c\r", "\r", "d\u2028\x0b\x85e"])
        self.assertEqual(
            split_endings(text), (["a", "b", "c", "", "d\u2028\x0b\x85e"], ["\n", "\r\n", "\r", "\r", ""])
        )

    def test_an_empty_text_has_no_line(self):
        self.assertEqual((split_lines(""), split_endings("")), ([], ([], [])))

    @given(st.text(alphabet="a \n\r\u2028"))
    def test_both_ways_agree_and_keep_every_byte(self, text):
        lines = split_lines(text)
        self.assertEqual("".join(lines), text)
        self.assertEqual(["".join(line) for line in zip(*split_endings(text), strict=True)], lines)

    def test_what_hides_is_no_white_space(self):
        self.assertEqual(squeeze(" a\t\u00a0b\u3000\r\n"), "ab")
        for hidden in "\u200b\u2028\x1c\x85\ufeff":
            self.assertEqual(squeeze(hidden), hidden)


class MatchTest(SimpleTestCase):
    def test_names_the_blocks(self):
        self.assertEqual(match("abcxyz", "abyz"), [Block(0, 0, 2), Block(4, 2, 2)])
        self.assertEqual(match("", "a"), [])

    @given(ITEMS, ITEMS)
    @example(list("ab"), list("ba"))
    def test_is_the_longest_common_subsequence(self, old, new):
        blocks = match(old, new)
        check_blocks(old, new, blocks)
        self.assertEqual(sum(block.size for block in blocks), longest_common(old, new))

    @given(ITEMS, ITEMS, st.integers(4, 100))
    def test_past_the_bound_it_is_still_common(self, old, new, cells):
        check_blocks(old, new, match(old, new, cells=cells))

    def test_past_the_bound_a_few_edits_are_still_found(self):
        random.seed(5)
        old = [random.randrange(30) for _ in range(20_000)]
        new = list(old)
        for _ in range(200):
            new[random.randrange(len(new))] = -1
        new[9000:9000] = [-2] * 500
        del new[3000:3100]
        blocks = match(old, new, cells=2**22)
        check_blocks(old, new, blocks)
        self.assertGreater(sum(block.size for block in blocks), 19_600)

    def test_past_the_bound_lines_that_stand_once_hold_the_sides_together(self):
        old = list(range(50_000))
        new = old[:20] + list(range(-30_000, 0)) + old[20:]
        self.assertEqual(match([-1, *old, -2], [-3, *new, -4]), [Block(1, 1, 20), Block(21, 30_021, 49_980)])

    def test_window_and_bound_fit(self):
        self.assertLessEqual(alignment.WINDOW**2, alignment.CELLS)
