import random
import time

import pytest
from django.test import SimpleTestCase
from hypothesis import given
from hypothesis import strategies as st

from stores.domain.alignment import split_lines
from stores.domain.errors import InvalidInput
from stores.domain.merge import Choice, HunkKind, merge

pytestmark = pytest.mark.once

TEXTS = st.builds(
    lambda lines, end: "".join(lines) + end,
    st.lists(st.sampled_from(["a\n", "b\n", "c\n", "\n", "a\r\n", "b\r", "a longer line\n"]), max_size=10),
    st.sampled_from(["", "", "end", "a"]),
)


@st.composite
def edited(draw, base):
    lines = split_lines(base)
    for _ in range(draw(st.integers(0, 3))):
        start = draw(st.integers(0, len(lines)))
        end = draw(st.integers(start, min(len(lines), start + 2)))
        lines[start:end] = draw(st.lists(st.sampled_from(["new\n", "other\r\n", "a\n", "last"]), max_size=2))
    return "".join(lines)


@st.composite
def threes(draw):
    base = draw(TEXTS)
    return base, draw(edited(base)), draw(edited(base))


def kinds(found):
    return [hunk.kind.value for hunk in found.hunks]


class MergeTest(SimpleTestCase):
    BASE = "one\ntwo\nthree\nfour\nfive\n"

    def test_changes_of_different_lines(self):
        found = merge(self.BASE, self.BASE.replace("one", "ONE"), self.BASE.replace("four", "FOUR"))
        self.assertEqual(kinds(found), ["mine", "same", "theirs", "same"])
        self.assertEqual((found.text, found.conflicts), ("ONE\ntwo\nthree\nFOUR\nfive\n", 0))
        hunk = found.hunks[2]
        self.assertEqual((hunk.base, hunk.mine, hunk.theirs), (["four\n"], ["four\n"], ["FOUR\n"]))

    def test_neighbouring_lines_do_not_clash(self):
        found = merge(self.BASE, self.BASE.replace("two", "TWO"), self.BASE.replace("three", "THREE"))
        self.assertEqual(found.text, "one\nTWO\nTHREE\nfour\nfive\n")
        found = merge(self.BASE, self.BASE.replace("two\n", ""), self.BASE.replace("three", "THREE"))
        self.assertEqual(found.text, "one\nTHREE\nfour\nfive\n")

    def test_the_same_line_clashes(self):
        found = merge(self.BASE, self.BASE.replace("two", "2"), self.BASE.replace("two", "zwei"))
        self.assertEqual((kinds(found), found.text, found.conflicts), (["same", "conflict", "same"], None, 1))

    def test_the_same_change_does_not_clash(self):
        both = self.BASE.replace("two", "2")
        found = merge(self.BASE, both, both.replace("five", "5"))
        self.assertEqual(kinds(found), ["same", "both", "same", "theirs"])
        self.assertEqual(found.text, "one\n2\nthree\nfour\n5\n")

    def test_lines_added_at_the_same_place_clash(self):
        found = merge(self.BASE, self.BASE + "mine\n", self.BASE + "theirs\n")
        self.assertEqual(kinds(found), ["same", "conflict"])
        self.assertEqual(found.resolve({1: Choice.MINE_THEN_THEIRS}), self.BASE + "mine\ntheirs\n")
        self.assertEqual(found.resolve({1: Choice.THEIRS_THEN_MINE}), self.BASE + "theirs\nmine\n")
        self.assertEqual(merge(self.BASE, self.BASE + "x\n", self.BASE + "x\n").text, self.BASE + "x\n")

    def test_lines_added_where_the_other_changed_or_removed_clash(self):
        for theirs in (self.BASE.replace("two", "2"), self.BASE.replace("two\n", "")):
            for place in ("two\nnew\n", "new\ntwo\n"):
                mine = self.BASE.replace("two\n", place)
                self.assertEqual(kinds(merge(self.BASE, mine, theirs)), ["same", "conflict", "same"])
                self.assertEqual(kinds(merge(self.BASE, theirs, mine)), ["same", "conflict", "same"])

    def test_one_long_change_takes_in_all_that_it_touches(self):
        found = merge(self.BASE, "one\nall\nnew\nfive\n", "ONE\nTWO\nthree\nFOUR\nfive\n")
        self.assertEqual(kinds(found), ["conflict", "same"])
        self.assertEqual(found.hunks[0].mine, ["one\n", "all\n", "new\n"])
        self.assertEqual(found.hunks[0].theirs, ["ONE\n", "TWO\n", "three\n", "FOUR\n"])

    def test_numbers_are_those_of_each_text(self):
        found = merge(self.BASE, "zero\n" + self.BASE, self.BASE.replace("one\ntwo\n", "one\n1\ntwo\n"))
        self.assertEqual(
            [(h.kind.value, h.base_number, h.mine_number, h.theirs_number) for h in found.hunks],
            [("mine", 1, 1, 1), ("same", 1, 2, 1), ("theirs", 2, 3, 2), ("same", 2, 3, 3)],
        )

    def test_endings_are_kept_byte_for_byte(self):
        base = "one\r\ntwo\r\nthree"
        self.assertEqual(merge(base, "ONE\r\ntwo\r\nthree", base + "\r\n").text, "ONE\r\ntwo\r\nthree\r\n")
        found = merge(base, base.replace("\r\n", "\n"), base.replace("two", "2"))
        self.assertEqual(kinds(found), ["conflict", "same"])

    def test_a_text_without_a_newline_at_its_end_does_not_run_into_the_next(self):
        found = merge("a\r\n", "a\r\nmine", "a\r\ntheirs\r\n")
        self.assertEqual(found.resolve({1: Choice.MINE_THEN_THEIRS}), "a\r\nmine\r\ntheirs\r\n")
        self.assertEqual(found.resolve({1: Choice.THEIRS_THEN_MINE}), "a\r\ntheirs\r\nmine")
        self.assertEqual(merge("", "mine", "theirs").resolve({0: Choice.MINE_THEN_THEIRS}), "mine\ntheirs")
        self.assertEqual(
            merge("", "mine", "theirs\r\n").resolve({0: Choice.MINE_THEN_THEIRS}), "mine\r\ntheirs\r\n"
        )

    def test_empty_texts(self):
        self.assertEqual((merge("", "", "").text, merge("", "", "").hunks), ("", []))
        self.assertEqual(merge("a\n", "", "a\n").text, "")
        self.assertEqual(merge("a\n", "", "b\n").conflicts, 1)

    def test_a_clash_needs_a_choice_and_any_part_may_be_chosen(self):
        found = merge(
            self.BASE, self.BASE.replace("two", "2"), self.BASE.replace("two", "zwei").replace("five", "5")
        )
        self.assertEqual(kinds(found), ["same", "conflict", "same", "theirs"])
        self.assertEqual(found.resolve({1: Choice.BASE, 3: Choice.MINE}), self.BASE)
        self.assertEqual(found.resolve({1: Choice.THEIRS}), "one\nzwei\nthree\nfour\n5\n")
        self.assertEqual(
            [hunk.default for hunk in found.hunks], [Choice.BASE, None, Choice.BASE, Choice.THEIRS]
        )
        for choices in (
            {},
            {3: Choice.MINE},
            {1: Choice.MINE, 4: Choice.MINE},
            {1: Choice.WORDS},
            {-1: Choice.MINE},
        ):
            with self.assertRaises(InvalidInput):
                found.resolve(choices)

    @given(threes())
    def test_parts_joined_are_each_of_the_three_texts(self, three):
        found = merge(*three)
        for name, text in zip(("base", "mine", "theirs"), three, strict=True):
            lines = [getattr(hunk, name) for hunk in found.hunks]
            self.assertEqual("".join("".join(part) for part in lines), text)
            number = 1
            for hunk, part in zip(found.hunks, lines, strict=True):
                self.assertEqual(getattr(hunk, f"{name}_number"), number)
                number += len(part)
        for choice, text in ((Choice.BASE, three[0]), (Choice.MINE, three[1]), (Choice.THEIRS, three[2])):
            self.assertEqual(found.resolve(dict.fromkeys(range(len(found.hunks)), choice)), text)

    @given(threes())
    def test_kinds_are_what_they_say(self, three):
        for hunk in merge(*three).hunks:
            sides = (hunk.mine == hunk.base, hunk.theirs == hunk.base, hunk.mine == hunk.theirs)
            expected = {
                HunkKind.SAME: (True, True, True),
                HunkKind.MINE: (False, True, False),
                HunkKind.THEIRS: (True, False, False),
                HunkKind.BOTH: (False, False, True),
                HunkKind.CONFLICT: (False, False, False),
            }
            self.assertEqual(sides, expected[hunk.kind])

    @given(threes())
    def test_one_side_alone_and_equal_sides_merge_by_themselves(self, three):
        base, mine, _ = three
        self.assertEqual(merge(base, mine, base).text, mine)
        self.assertEqual(merge(base, base, mine).text, mine)
        self.assertEqual(merge(base, mine, mine).text, mine)

    @given(threes())
    def test_sides_may_trade_places(self, three):
        base, mine, theirs = three
        there, back = merge(base, mine, theirs), merge(base, theirs, mine)
        self.assertEqual(
            [(h.base, h.mine, h.theirs) for h in there.hunks],
            [(h.base, h.theirs, h.mine) for h in back.hunks],
        )
        self.assertEqual(there.text, back.text)

    @given(threes())
    def test_no_line_that_somebody_wrote_is_lost(self, three):
        base, mine, theirs = three
        text = merge(base, mine, theirs).text
        if text is None:
            return
        result, known = split_lines(text), set(split_lines(base))
        for line in [*split_lines(mine), *split_lines(theirs)]:
            self.assertTrue(line in known or line in result, line)


class WordsTest(SimpleTestCase):
    BASE = "- Refund period: 30 days from delivery, not from the order date.\n"

    def words(self, mine, theirs, base=BASE):
        (hunk,) = merge(base, mine, theirs).hunks
        self.assertEqual(hunk.kind, HunkKind.CONFLICT)
        return hunk.words

    def test_a_clash_about_different_words_of_a_line_can_be_merged_by_words(self):
        mine = self.BASE.replace("30 days", "30 days, in Switzerland 14,")
        theirs = self.BASE.replace("order date", "day of the order")
        merged = (
            "- Refund period: 30 days, in Switzerland 14, from delivery, not from the day of the order.\n"
        )
        self.assertEqual(self.words(mine, theirs), merged)
        self.assertEqual(merge(self.BASE, mine, theirs).resolve({0: Choice.WORDS}), merged)
        self.assertIsNone(merge(self.BASE, mine, theirs).text)

    def test_a_clash_about_the_same_word_cannot(self):
        self.assertIsNone(self.words(self.BASE.replace("30", "90"), self.BASE.replace("30", "14")))
        self.assertIsNone(self.words("mine\n", "theirs\n", base=""))
        self.assertIsNone(self.words("", self.BASE.replace("30", "14")))


@pytest.mark.parametrize("kind", ["edited", "alternating", "rewritten"])
def test_the_worst_texts_stay_within_bounds(kind):
    random.seed(7)
    lines = [f"line {number} {random.random()}\n" for number in range(3_500)]
    rewritten = "".join(random.choice("abcdefghij") + "\n" for _ in range(51_000))
    texts = {
        "edited": ["".join(line if random.random() < 0.9 else "new\n" for line in lines) for _ in range(3)],
        "alternating": ["a\nb\n" * 25_500, "b\na\n" * 25_500, "b\n" * 51_000],
        "rewritten": ["a\nb\n" * 25_500, rewritten, rewritten[::-1]],
    }[kind]
    start = time.process_time()
    merge(*texts)
    assert time.process_time() - start < 5
