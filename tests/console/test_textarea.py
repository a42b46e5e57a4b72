"""What a browser sends back of a text is that text, byte for byte."""

import re

from django.test import SimpleTestCase
from hypothesis import given
from hypothesis import strategies as st

from stores.console.textarea import read_back, with_line_feeds
from tests.console import hostile

LINES = st.lists(
    st.tuples(st.text(st.sampled_from("ab \t"), max_size=3), st.sampled_from(["\n", "\r\n", "\r"])),
    max_size=12,
)


def sent_by_a_browser(held: str) -> str:
    return re.sub(r"\r\n|\r|\n", "\r\n", held)


def text_of(lines, end=""):
    return "".join(text + ending for text, ending in lines) + end


class ReadBack(SimpleTestCase):
    @given(LINES, st.sampled_from(["", "x", " "]))
    def test_unchanged_text_is_what_it_was(self, lines, end):
        text = text_of(lines, end)
        self.assertEqual(read_back(sent_by_a_browser(with_line_feeds(text)), like=text), text)

    def test_also_of_hostile_text(self):
        for text in [*hostile.TEXTS.values(), "\n", "\n\nx", "\r\n", "\r", "x \t\n\n\n", ""]:
            self.assertEqual(read_back(sent_by_a_browser(with_line_feeds(text)), like=text), text)

    @given(LINES, LINES)
    def test_what_was_typed_is_kept_in_any_case(self, lines, others):
        typed = with_line_feeds(text_of(others))
        result = read_back(sent_by_a_browser(typed), like=text_of(lines))
        self.assertEqual(with_line_feeds(result), typed)

    def test_changed_text_keeps_the_endings_of_its_lines(self):
        for before, typed, after in [
            ("a\r\nb\r\n", "a\nB\n", "a\r\nB\r\n"),
            ("a\r\nb\r\n", "a\nb\nc\n", "a\r\nb\r\nc\r\n"),
            ("a\r\nb\nc\r\n", "a\nb\nnew\nc\n", "a\r\nb\nnew\nc\r\n"),
            ("a\r\nb", "a\nb\nc", "a\r\nb\r\nc"),
            ("a\r\nb\r\n", "a\nb", "a\r\nb"),
            ("a\rb\r", "first\na\nb\n", "first\ra\rb\r"),
            ("a\nb\n", "a\nB\n", "a\nB\n"),
            ("a\r\n", "", ""),
        ]:
            with self.subTest(before=before, typed=typed):
                self.assertEqual(read_back(sent_by_a_browser(typed), like=before), after)
