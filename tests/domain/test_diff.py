import random
import resource
import time
from collections import Counter

import pytest
from django.test import SimpleTestCase
from hypothesis import example, given
from hypothesis import strategies as st

from stores.domain import diff
from stores.domain.diff import EndingChange, Fold, Kind, compare, folded_rows
from stores.domain.errors import InvalidInput

pytestmark = pytest.mark.once

# Processor time, so that a busy machine says nothing about the code.
SECONDS = 5
MEGABYTES = 200

LINES = st.lists(
    st.tuples(
        st.sampled_from(
            [
                "",
                "  ",
                "a",
                "b",
                "- pay in 30 days",
                "- pay in 90 days",
                "-  pay in 30 days ",
                "## Window of the refunds",
                "👩‍💻 ready",
                "👩‍🔬 ready",
                "e\u0301\u202e\u200b",
                "漢字",
                "one two three four",
                "five six seven eight",
            ]
        ),
        st.sampled_from(["\n", "\n", "\n", "\r\n", "\r"]),
    ),
    max_size=14,
)
TEXTS = st.builds(
    lambda lines, end: "".join(text + ending for text, ending in lines) + end,
    LINES,
    st.sampled_from(["", "", "x", "a"]),
)


@st.composite
def edits(draw):
    """Two texts of which one was made from the other, by taking out, putting in and moving lines."""
    old = draw(TEXTS)
    lines = old.splitlines(keepends=True)
    for _ in range(draw(st.integers(0, 3))):
        start = draw(st.integers(0, len(lines)))
        end = draw(st.integers(start, len(lines)))
        block = lines[start:end]
        del lines[start:end]
        place = draw(st.integers(0, len(lines)))
        lines[place:place] = draw(st.sampled_from([block, [], ["new line\n"], [*block, "another\r\n"]]))
    return old, "".join(lines)


PAIRS = st.one_of(st.tuples(TEXTS, TEXTS), edits())


def side(rows, name):
    lines = [getattr(row, name) for row in rows if getattr(row, name) is not None]
    assert [line.number for line in lines] == list(range(1, len(lines) + 1))
    return "".join(line.text + line.ending for line in lines)


def drawn(rows):
    """A diff for the eye: one text per row."""
    signs = {
        Kind.SAME: " ",
        Kind.CHANGED: "~",
        Kind.SPACE: "_",
        Kind.ENDING: "$",
        Kind.REMOVED: "-",
        Kind.ADDED: "+",
        Kind.MOVED: ">",
    }

    def text(line):
        return "".join(f"[{s.text}]" if s.marked else s.text for s in line.segments)

    result = []
    for row in rows:
        if row.kind == Kind.FOLD:
            result.append(f"… {row.fold.lines}")
        elif row.kind in (Kind.CHANGED, Kind.SPACE):
            result.append(f"{signs[row.kind]}{text(row.old)} → {text(row.new)}")
        else:
            sign = ("<" if row.old else ">") if row.kind == Kind.MOVED else signs[row.kind]
            result.append(sign + text(row.old or row.new) + (f" @{row.other}" if row.other else ""))
    return result


class CompareTest(SimpleTestCase):
    def rows(self, old, new, **options):
        return drawn(compare(old, new, **options).rows)

    def test_marks_words_in_lines_that_changed(self):
        found = compare("# T\n- in 30 days\n- x\n", "# T\n- in 90 days\n- x\n")
        self.assertEqual(drawn(found.rows), [" # T", "~- in [30] days → - in [90] days", " - x"])
        self.assertEqual(
            (found.added, found.removed, found.changed, found.moved, found.plus, found.minus, found.changes),
            (0, 0, 1, 0, 1, 1, 1),
        )

    def test_pairs_lines_by_likeness(self):
        old = "Frames with a customs stamp go to Basel.\nApologise once, at most.\n"
        new = "Say the date.\nFrames with a stamp go to Basel.\n"
        self.assertEqual(
            self.rows(old, new),
            [
                "+Say the date.",
                "~Frames with a [customs ]stamp go to Basel. → Frames with a stamp go to Basel.",
                "-Apologise once, at most.",
            ],
        )

    def test_blank_lines_do_not_decide_what_is_compared_with_what(self):
        old = "the first paragraph\n\nand the second one\n"
        new = "something quite else\n\nthe first paragraph!\n\nand the second one!\n"
        self.assertEqual(
            self.rows(old, new),
            [
                "+something quite else",
                "+",
                "~the first paragraph → the first paragraph[!]",
                " ",
                "~and the second one → and the second one[!]",
            ],
        )

    def test_a_paragraph_put_between_two_begins_at_its_heading(self):
        old = "## A\na\n\n## C\nc\n"
        new = "## A\na\n\n## B\nb\n\n## C\nc\n"
        self.assertEqual(self.rows(old, new), [" ## A", " a", " ", "+## B", "+b", "+", " ## C", " c"])
        self.assertEqual(self.rows(new, old), [" ## A", " a", " ", "-## B", "-b", "-", " ## C", " c"])

    def test_removing_everything_is_a_removal(self):
        found = compare("a\nb", "")
        self.assertEqual(drawn(found.rows), ["-a", "-b"])
        self.assertEqual((found.removed, found.added, found.new_lines), (2, 0, 0))
        self.assertEqual(drawn(compare("", "\n").rows), ["+"])

    def test_identical_texts(self):
        found = compare("a\n" * 9, "a\n" * 9)
        self.assertEqual((drawn(found.rows), found.identical, found.changes), (["… 9"], True, 0))
        self.assertEqual((found.only_space, found.only_line_endings), (False, False))
        self.assertEqual(compare("", "").rows, [])

    def test_two_long_lines_with_one_word_changed(self):
        words = [f"word{number}" for number in range(130)]
        old, new = " ".join(words), " ".join([*words[:60], "other", *words[61:]])
        (row,) = compare(old, new).rows
        self.assertEqual([s.text for s in row.old.segments if s.marked], ["word60"])
        self.assertEqual([s.text for s in row.new.segments if s.marked], ["other"])

    def test_pictures_are_never_cut(self):
        self.assertEqual(self.rows("👩‍💻 ready", "👩‍🔬 ready"), ["~[👩‍💻] ready → [👩‍🔬] ready"])
        self.assertEqual(self.rows("flag 🏳️‍🌈 here", "flag here"), ["~flag [🏳️‍🌈 ]here → flag here"])

    def test_rows_of_one_change_share_its_number(self):
        found = compare("a\nb\nx\nc\n", "1\n2\nx\nd\n")
        self.assertEqual([row.change for row in found.rows], [1, 1, 1, 1, 0, 2, 2])
        self.assertEqual(found.changes, 2)

    @given(PAIRS, st.booleans())
    @example(("a\r", "a\r\n"), False)
    @example(("\n\n", "\n"), True)
    def test_rows_hold_both_texts_and_agree_with_the_counts(self, pair, ignore_space):
        old, new = pair
        found = compare(old, new, ignore_space=ignore_space, context=None)
        self.assertEqual((side(found.rows, "old"), side(found.rows, "new")), (old, new))
        kinds = Counter((row.kind, row.old is not None, row.new is not None) for row in found.rows)
        self.assertEqual(kinds[Kind.ADDED, False, True], found.added)
        self.assertEqual(kinds[Kind.REMOVED, True, False], found.removed)
        self.assertEqual(kinds[Kind.MOVED, True, False], found.moved)
        self.assertEqual(kinds[Kind.MOVED, False, True], found.moved)
        two_sided = [kinds[kind, True, True] for kind in (Kind.CHANGED, Kind.SPACE, Kind.ENDING)]
        self.assertEqual(sum(two_sided), found.changed)
        same = kinds[Kind.SAME, True, True]
        self.assertEqual(same + found.plus, found.new_lines)
        self.assertEqual(same + found.minus, found.old_lines)
        self.assertEqual(
            sum(kinds.values()), same + sum(two_sided) + found.added + found.removed + 2 * found.moved
        )
        self.assertEqual(max([row.change for row in found.rows], default=0), found.changes)
        self.assertEqual(found.identical, old == new)

    @given(PAIRS, st.booleans())
    def test_rows_are_what_their_kind_says(self, pair, ignore_space):
        for row in compare(*pair, ignore_space=ignore_space, context=None).rows:
            for line in (row.old, row.new):
                if line is not None:
                    self.assertEqual("".join(segment.text for segment in line.segments), line.text)
                    self.assertTrue(row.kind in (Kind.CHANGED, Kind.SPACE) or not line.marks)
            self.assertEqual(row.change > 0, row.kind != Kind.SAME)
            if row.kind == Kind.SAME and not ignore_space:
                self.assertEqual((row.old.text, row.old.ending), (row.new.text, row.new.ending))
            elif row.kind == Kind.ENDING:
                self.assertEqual(row.old.text, row.new.text)
                self.assertTrue(row.is_ending_changed)
            elif row.kind in (Kind.CHANGED, Kind.SPACE):
                self.assertNotEqual(row.old.text, row.new.text)
                self.assertTrue(any(s.marked for line in (row.old, row.new) for s in line.segments))

    @given(PAIRS, st.booleans())
    def test_totals_are_the_same_when_the_texts_trade_places(self, pair, ignore_space):
        there = compare(*pair, ignore_space=ignore_space)
        back = compare(*pair[::-1], ignore_space=ignore_space)
        self.assertEqual(
            (there.added, there.removed, there.changed, there.moved),
            (back.removed, back.added, back.changed, back.moved),
        )


class FoldTest(SimpleTestCase):
    OLD = "".join(f"{number}\n" for number in range(1, 31))

    def test_hides_equal_lines_far_from_a_change(self):
        new = self.OLD.replace("15\n", "x\n")
        found = compare(self.OLD, new, context=2)
        self.assertEqual(drawn(found.rows), ["… 12", " 13", " 14", "-15", "+x", " 16", " 17", "… 13"])
        self.assertEqual([row.fold for row in found.rows if row.fold], [Fold(1, 1, 12), Fold(18, 18, 13)])
        self.assertEqual(drawn(compare(self.OLD, new, context=0).rows), ["… 14", "-15", "+x", "… 15"])

    def test_never_hides_a_single_line(self):
        new = self.OLD.replace("5\n", "y\n", 1)
        self.assertEqual(drawn(compare(self.OLD, new, context=3).rows)[0], " 1")
        self.assertEqual(len(compare(self.OLD, new, context=None).rows), 31)

    def test_folded_rows_refuses_what_is_no_fold(self):
        new = self.OLD.replace("15\n", "x\n")
        self.assertEqual(drawn(folded_rows(self.OLD, new, Fold(2, 2, 2))), [" 2", " 3"])
        for fold in [
            (0, 1, 1),
            (1, 0, 1),
            (1, 1, 0),
            (1, 1, -1),
            (15, 15, 1),
            (1, 2, 1),
            (30, 30, 2),
            (31, 31, 1),
        ]:
            with self.assertRaises(InvalidInput):
                folded_rows(self.OLD, new, Fold(*fold))

    @given(PAIRS, st.integers(0, 3), st.booleans())
    def test_unfolded_it_is_the_whole_diff(self, pair, context, ignore_space):
        whole = compare(*pair, ignore_space=ignore_space, context=None)
        rows = []
        for row in compare(*pair, ignore_space=ignore_space, context=context).rows:
            rows += folded_rows(*pair, row.fold, ignore_space=ignore_space) if row.fold else [row]
        self.assertEqual(rows, whole.rows)


class SpaceAndEndingTest(SimpleTestCase):
    def test_line_endings_are_a_change_of_their_own(self):
        found = compare("a\nb\n", "a\r\nb\r\n")
        self.assertEqual(drawn(found.rows), ["$a", "$b"])
        self.assertEqual(found.ending_changes, [EndingChange("\n", "\r\n", 2)])
        self.assertEqual((found.only_line_endings, found.only_space, found.changed), (True, True, 2))
        self.assertTrue(all(row.is_ending_changed for row in found.rows))

    def test_a_newline_at_the_end_is_a_line_ending(self):
        found = compare("a\nb", "a\nb\n")
        self.assertEqual(drawn(found.rows), [" a", "$b"])
        self.assertEqual(
            (found.only_line_endings, found.old_newline_at_end, found.new_newline_at_end), (True, False, True)
        )

    def test_a_line_may_change_together_with_its_ending(self):
        found = compare("in 30 days\r\n", "in 90 days\n")
        self.assertEqual(drawn(found.rows), ["~in [30] days → in [90] days"])
        self.assertTrue(found.rows[0].is_ending_changed)
        self.assertFalse(found.only_space)

    def test_of_equal_lines_the_one_with_the_same_ending_is_kept(self):
        self.assertEqual(drawn(compare("a\n", "a\r\na\n").rows), ["+a", " a"])

    def test_white_space_is_recognised(self):
        found = compare("- a\n  - b\n\t\n", "- a\n    - b\n\n")
        self.assertEqual(drawn(found.rows), [" - a", "_[  ]- b → [    ]- b", "_[\t] → "])
        self.assertEqual((found.only_space, found.only_line_endings, found.changed), (True, False, 2))

    def test_lines_wrapped_otherwise_differ_in_white_space_only(self):
        self.assertTrue(compare("one two three\n", "one two\nthree\n").only_space)
        self.assertFalse(compare("one two\n", "one two.\n").only_space)
        self.assertFalse(compare("one two\n", "one \u200btwo\n").only_space)

    def test_is_ignored_on_wish(self):
        old, new = "- a\r\n  - b\nx\n", "- a\n    -  b\ny\n"
        found = compare(old, new, ignore_space=True)
        self.assertEqual(drawn(found.rows), [" - a", "   - b", "-x", "+y"])
        self.assertEqual((found.rows[1].old.text, found.rows[1].new.text), ("  - b", "    -  b"))
        self.assertEqual(compare("a b", "a  b\n", ignore_space=True).changed, 0)

    @given(TEXTS)
    def test_other_line_endings_are_the_only_change(self, old):
        new = old.replace("\r\n", "\n").replace("\r", "\n").replace("\n", "\r\n")
        found = compare(old, new, context=None)
        self.assertEqual(found.only_line_endings, old != new)
        self.assertLessEqual({row.kind for row in found.rows}, {Kind.SAME, Kind.ENDING})
        self.assertEqual(compare(old, new, ignore_space=True).changes, 0)


class MovedTest(SimpleTestCase):
    BLOCK = "## Tone of the answers\n- Apologise once, at most.\n- Say the date.\n\n"
    REST = "".join(f"rule {number} about refunds and returns\n" for number in range(6))

    def test_a_block_that_went_elsewhere(self):
        found = compare(self.BLOCK + self.REST, self.REST + self.BLOCK)
        self.assertEqual(
            drawn(found.rows)[:5] + drawn(found.rows)[-4:],
            [
                "<## Tone of the answers @7",
                "<- Apologise once, at most. @8",
                "<- Say the date. @9",
                "< @10",
                " rule 0 about refunds and returns",
                ">## Tone of the answers @1",
                ">- Apologise once, at most. @2",
                ">- Say the date. @3",
                "> @4",
            ],
        )
        self.assertEqual((found.moved, found.added, found.removed, found.plus, found.minus), (4, 0, 0, 4, 4))

    def test_one_line_or_little_text_did_not_move(self):
        for block in ("- Say the date, not the number of days.\n", "a\nb\n", "---\n\n---\n"):
            self.assertEqual(compare(block + self.REST, self.REST + block).moved, 0, block)

    def test_a_block_that_is_there_twice_did_not_move(self):
        self.assertEqual(compare(self.BLOCK * 2 + self.REST, self.REST + self.BLOCK).moved, 0)

    def test_a_block_with_other_endings_did_not_move(self):
        crlf = self.BLOCK.replace("\n", "\r\n")
        self.assertEqual(compare(self.BLOCK + self.REST, self.REST + crlf).moved, 0)
        self.assertEqual(compare(self.BLOCK + self.REST, self.REST + crlf, ignore_space=True).moved, 4)
        self.assertEqual(compare(self.BLOCK + self.REST, self.REST + self.BLOCK.rstrip("\n")).moved, 3)


def words_of(number, *, of=2000):
    return " ".join(f"word{random.randrange(of)}" for _ in range(number))


def random_lines(number, alphabet):
    return "".join(random.choice(alphabet) + "\n" for _ in range(number))


def numbered_lines():
    return [f"it {number % 97}" for number in range(12_000)]


def paragraphs():
    return [words_of(9) for _ in range(1_600)]


def edited_line():
    words = words_of(12_000)[:100_000].split(" ")
    return " ".join(words), " ".join("new" if not place % 30 else word for place, word in enumerate(words))


def every_tenth_line():
    lines = numbered_lines()
    return "\n".join(lines), "\n".join(x + "!" if not place % 10 else x for place, x in enumerate(lines))


def shuffled():
    lines = paragraphs()
    return "\n".join(lines), "\n".join(random.sample(lines, len(lines)))


def han():
    return "".join(chr(random.randrange(0x4E00, 0x9000)) for _ in range(34_000))


WORST_CASES = {
    "one line, edited": edited_line,
    "one line, rewritten": lambda: (words_of(12_000)[:100_000], words_of(12_000)[:100_000]),
    "one line of signs": lambda: tuple("".join(random.choices("!@#$%^&*()", k=100_000)) for _ in "ab"),
    "one line of short words": lambda: tuple(" ".join(random.choices("abcdef", k=50_000)) for _ in "ab"),
    "one line of Han": lambda: (han(), han()),
    "one line of Han, edited": lambda: ("".join(["早", *"漢字かな" * 8_000]), "漢字かナ" * 8_000),
    "every tenth line": every_tenth_line,
    "every line": lambda: ("\n".join(numbered_lines()), "!\n".join(numbered_lines())),
    "every line indented": lambda: ("\n".join(numbered_lines()), "\n ".join(numbered_lines())),
    "every line, renumbered": lambda: (
        "\n".join(f"x{number}" for number in range(12_000)),
        "new\n" + "\n".join(f"x{number + 7}" for number in range(12_000)),
    ),
    "full rewrite": lambda: ("\n".join(paragraphs()), "\n".join(paragraphs())),
    "shuffled": shuffled,
    "reversed": lambda: ("\n".join(map(str, range(17_000))), "\n".join(map(str, range(17_000, 0, -1)))),
    "ten thousand equal lines and one": lambda: ("x\n" * 10_000, "x\n" * 10_001),
    "one among ten thousand equal lines": lambda: ("x\n" * 10_000, "x\n" * 5_000 + "y\n" + "x\n" * 5_000),
    "one character a line": lambda: (random_lines(51_000, "abcdefghij"), random_lines(51_000, "abcdefghij")),
    "empty lines": lambda: ("\n" * 102_400, "\r" * 102_400),
    "alternating": lambda: ("a\nb\n" * 25_500, "b\na\n" * 25_500),
    "alternating against equal": lambda: ("a\n" * 51_000, "a\nb\n" * 25_500),
    "alternating, half of it changed": lambda: ("a\nc\n" * 17_000, "ab\nc\n" * 17_000),
    "blank lines between": lambda: ("a\n\n" * 25_000, "b\n\n" * 25_000),
    "emoji": lambda: ("👩‍💻" * 9_000, "👩‍🔬" * 9_000),
    "flags": lambda: ("🇩🇪" * 12_500, "🇫🇷🇩🇪" * 6_250),
    "half flags": lambda: ("🇩\n" * 20_000, "🇩🇪\n" * 11_000),
    "marks": lambda: ("a" + "\u0301" * 50_000, "a" + "\u0301" * 49_000 + "\u0302"),
    "joiners": lambda: ("\u200d" * 34_000, "\u200d" * 33_000 + "a"),
    "directions": lambda: ("\u202e" * 34_000, "\u202e\u202d" * 17_000),
    "number signs": lambda: ("\u0600" * 50_000, "\u0600" * 49_999 + "a"),
    "conjuncts": lambda: ("क्ष" * 11_000, "क्त" * 11_000),
}


@pytest.mark.parametrize("name", WORST_CASES)
def test_the_worst_texts_stay_within_bounds(name):
    random.seed(7)
    old, new = WORST_CASES[name]()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.process_time()
    found = compare(old, new)
    assert time.process_time() - start < SECONDS
    assert (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024 < MEGABYTES
    assert found.changes > 0


def test_past_the_budget_of_words_lines_are_marked_whole(monkeypatch):
    monkeypatch.setattr(diff, "WORD_LINES", 1)
    rows = compare("pay in 30 days\npay in 31 days\n", "pay in 90 days\npay in 91 days\n").rows
    assert drawn(rows) == ["~pay in [30] days → pay in [90] days", "~[pay in 31 days] → [pay in 91 days]"]


def test_past_the_budget_of_pairs_lines_are_paired_by_blanks_numbers_and_place(monkeypatch):
    monkeypatch.setattr(diff, "PAIRS_A_BLOCK", 0)
    rows = compare("a b\npay in 30 days\nthe end of it\n", "ab\nnew\npay in 90 days\nthe ends of it\n").rows
    assert drawn(rows) == [
        "_[a b] → [ab]",
        "+new",
        "~pay in [30] days → pay in [90] days",
        "~the [end] of it → the [ends] of it",
    ]
