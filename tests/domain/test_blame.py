import random
import time

import pytest
from django.test import SimpleTestCase
from hypothesis import example, given
from hypothesis import strategies as st

from stores.domain.alignment import match, split_lines
from stores.domain.blame import blame

pytestmark = pytest.mark.once

LINES = st.lists(st.sampled_from(["a\n", "b\n", " b\n", "\n", "a\r\n", "b\r", "\r", "longer\n"]), max_size=8)
TEXTS = st.builds(lambda lines, end: "".join(lines) + end, LINES, st.sampled_from(["", "", "a", "end"]))


def versions(texts, **options):
    return [line.version for line in blame(texts, **options)]


class BlameTest(SimpleTestCase):
    def test_names_the_version_that_wrote_each_line(self):
        texts = ["one\ntwo\n", "one\nTWO\n", "zero\none\nTWO\nthree\n"]
        self.assertEqual(
            [(line.number, line.text, line.ending, line.version) for line in blame(texts)],
            [(1, "zero", "\n", 2), (2, "one", "\n", 0), (3, "TWO", "\n", 1), (4, "three", "\n", 2)],
        )

    def test_takes_texts_one_by_one(self):
        self.assertEqual(versions(iter(["a\n", "a\nb\n"])), [0, 1])

    def test_nothing_to_blame(self):
        for texts in ([], [None, None], [""], ["a\n", ""]):
            self.assertEqual(blame(texts), [])

    def test_what_was_restored_is_written_by_the_restore(self):
        self.assertEqual(versions(["a\nb\n", "a\n", "a\nb\n"]), [0, 2])
        self.assertEqual(versions(["a\nb\n", "", "a\nb\n"]), [2, 2])

    def test_equal_lines_keep_their_authors_around_a_new_one(self):
        self.assertEqual(sorted(versions(["x\n" * 5, "x\n" * 6])), [0, 0, 0, 0, 0, 1])

    def test_a_version_of_line_endings_only(self):
        texts = ["a\nb\n", "a\r\nb\r\n"]
        self.assertEqual(versions(texts), [1, 1])
        self.assertEqual(versions(texts, ignore_space=True), [0, 0])
        self.assertEqual([line.ending for line in blame(texts, ignore_space=True)], ["\r\n", "\r\n"])

    def test_a_version_of_white_space_only(self):
        texts = ["a b\n  c\n", "a  b\nc\nd\n"]
        self.assertEqual(versions(texts), [1, 1, 1])
        self.assertEqual(versions(texts, ignore_space=True), [0, 0, 1])

    def test_a_newline_because_more_follows_changes_no_author(self):
        for ending in ("\n", "\r\n", "\r"):
            texts = ["a", f"a{ending}b", f"a{ending}b{ending}", "a"]
            self.assertEqual(versions(texts[:2]), [0, 1])
            self.assertEqual(versions(texts[:3]), [0, 1])
            self.assertEqual(versions(texts), [0])

    def test_lines_first_seen_after_a_gap_may_be_as_old_as_the_gap(self):
        found = blame(["a\n", None, None, "a\nb\n", "a\nb\nc\n"])
        self.assertEqual(
            [(line.text, line.version, line.earliest, line.is_after_gap) for line in found],
            [("a", 0, 0, False), ("b", 3, 1, True), ("c", 4, 4, False)],
        )

    def test_pruned_from_the_beginning(self):
        found = blame([None, None, "a\n", "a\nb\n"])
        self.assertEqual([(line.version, line.earliest) for line in found], [(2, 0), (3, 3)])

    def test_the_newest_text_that_is_there(self):
        self.assertEqual(versions(["a\n", "a\nb\n", None]), [0, 1])

    @given(st.lists(TEXTS, min_size=1, max_size=6), st.booleans())
    @example(["a\r", "a\r\n", "a\r\n\n"], False)
    @example(["\r\n", "\r", "\n\r"], False)
    @example(["a\n\rb", "a\n\r\nb", "\rb"], False)
    def test_is_what_comparing_whole_texts_says(self, texts, ignore_space):
        found = blame(texts, ignore_space=ignore_space)
        self.assertEqual("".join(line.text + line.ending for line in found), texts[-1])
        self.assertEqual([line.number for line in found], list(range(1, len(found) + 1)))
        for line in found:
            self.assertIn(
                "".join((line.text + line.ending).split()),
                ["".join(one.split()) for one in split_lines(texts[line.version])],
            )
            self.assertFalse(line.is_after_gap)

    @given(TEXTS, TEXTS)
    def test_keeps_as_many_authors_as_there_are_lines_in_common(self, old, new):
        common = sum(block.size for block in match(split_lines(old), split_lines(new)))
        self.assertGreaterEqual(versions([old, new]).count(0), common)


def a_line():
    return " ".join(f"word{random.randrange(2000)}" for _ in range(9)) + "\n"


def history(*, lines, count, changes):
    current = [a_line() for _ in range(lines)]
    for _ in range(count):
        for _ in range(changes):
            current[random.randrange(lines)] = a_line()
        yield "".join(current)


@pytest.mark.parametrize("ignore_space", [False, True])
@pytest.mark.parametrize(("lines", "changes"), [(100, 1), (1_500, 3), (1_500, 1_500)])
def test_a_thousand_versions(lines, changes, ignore_space):
    random.seed(7)
    count = 1_000 if changes < 100 else 100
    texts = list(history(lines=lines, count=count, changes=changes))
    start = time.process_time()
    found = blame(texts, ignore_space=ignore_space)
    assert time.process_time() - start < 5
    assert len(found) == lines


def test_hostile_versions():
    texts = ["a\nb\n" * 25_500, "b\na\na\n" * 17_000] * 3
    start = time.process_time()
    blame(texts)
    assert time.process_time() - start < 5
