"""The memory tool's view of a file: contract/memory_tool.md, V07 to V16, and how long answers are cut."""

import pytest
from django.test import SimpleTestCase
from hypothesis import given
from hypothesis import strategies as st

from stores.domain.tool_view import VIEW_CHARACTERS, view_file

pytestmark = pytest.mark.once

THREE = "one\ntwo\nthree\n"
TWELVE = "".join(f"r{number}\n" for number in range(1, 13))


class ViewOfAFile(SimpleTestCase):
    def test_is_the_contracts_text_to_the_letter(self):
        cases = [
            ("V07", "/a.txt", THREE, {}, "     1\tone\n     2\ttwo\n     3\tthree"),
            ("V08", "/e.md", "", {}, "     1\t"),
            ("V09", "/n.md", "x\n\n", {}, "     1\tx\n     2\t"),
            ("V10", "/w.md", "a\r\nb", {}, "     1\ta\r\n     2\tb"),
            ("V11", "/.secret", "x", {}, "     1\tx"),
            ("V12", "/l.md", TWELVE, {"start": 9, "end": 11}, "     9\tr9\n    10\tr10\n    11\tr11"),
            ("V13", "/a.txt", THREE, {"start": 2, "end": -1}, "     2\ttwo\n     3\tthree"),
            ("V14", "/a.txt", THREE, {"start": 0, "end": 1}, "     1\tone"),
            ("V15", "/a.txt", THREE, {"start": 3, "end": 99}, "     3\tthree"),
            ("V16", "/a.txt", THREE, {"start": 7, "end": 9}, ""),
            ("end before start", "/a.txt", THREE, {"start": 3, "end": 2}, ""),
        ]
        for name, path, content, wanted, body in cases:
            with self.subTest(name):
                header = f"Here's the content of /memories{path} with line numbers:\n"
                found = view_file(path, content, **wanted)
                self.assertEqual(found.text, header + body)
                self.assertFalse(found.is_cut or found.is_error)

    def test_shows_whole_lines_up_to_16_000_characters_and_says_where_it_stopped(self):
        content = ("x" * 99 + "\n") * 400
        found = view_file("/long.md", content)
        self.assertEqual((found.first, found.last, found.total, found.is_cut), (1, 160, 400, True))
        self.assertTrue(
            found.text.endswith(
                "x\n[Truncated at 16000 characters: lines 1-160 of 400 shown. "
                "Use view_range to read the rest.]"
            )
        )
        self.assertEqual(view_file("/long.md", content, start=161).first, 161)
        whole = "x" * 99 + "\n" + "y" * (VIEW_CHARACTERS - 100)
        self.assertFalse(view_file("/fits.md", whole).is_cut)
        self.assertTrue(view_file("/one too many.md", whole + "y").is_cut)

    def test_of_a_line_that_is_too_long_shows_the_beginning(self):
        found = view_file("/one.json", "x" * 20_000 + "\nrest\n")
        self.assertIn("     1\t" + "x" * VIEW_CHARACTERS + "\n[Truncated", found.text)
        self.assertIn("lines 1-1 of 2 shown", found.text)

    def test_refuses_more_lines_than_the_number_column_holds(self):
        found = view_file("/l.md", "\n" * 1_000_000)
        self.assertEqual(found.text, "File /memories/l.md exceeds maximum line limit of 999,999 lines.")
        self.assertTrue(found.is_error)
        self.assertFalse(view_file("/l.md", "\n" * 999_999).is_error)

    @given(st.text(alphabet="ab\n\r\t\u2028", max_size=200))
    def test_holds_every_character_of_the_text(self, content):
        found = view_file("/a", content)
        body = found.text.split("\n", 1)[1]
        lines = [row[7:] for row in body.split("\n")]
        self.assertEqual("\n".join(lines), content.removesuffix("\n"))
