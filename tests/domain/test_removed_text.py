"""Which pieces went from a text, and what stands where they were."""

from django.test import SimpleTestCase

from stores.domain.removed_text import MOST, find_spans, masked, removed_pieces


class RemovedPiecesTest(SimpleTestCase):
    def test_cases(self):
        for name, before, after, expected in (
            ("a number out of a sentence", "Call 030-5550100 at noon.\n", "Call at noon.\n", ["030-5550100"]),
            ("words in a row", "Key: sk live 4711x\nend\n", "Key:\nend\n", ["sk live 4711x"]),
            ("a whole line", "one\nsecret line\n", "one\n", ["secret line"]),
            ("nothing", "one\ntwo\n", "two\none\n", []),
            ("moved into another line", "one\nLina Beispiel\n", "one Lina Beispiel\n", []),
            ("too short", "a b c d\n", "\n", ["a b c d"]),
            ("short words apart", "x one y two z\n", "one two\n", []),
            ("no later text", "one\n  two three\n\nfour\n", None, ["two three", "four"]),
        ):
            with self.subTest(name):
                self.assertEqual(removed_pieces(before, after), expected)

    def test_keeps_the_longest(self):
        before = "\n".join(f"word{number:04} and" for number in range(200))
        self.assertEqual(len(removed_pieces(before, "and")), MOST)


class MaskedTest(SimpleTestCase):
    def test_cases(self):
        for name, text, spans, expected in (
            ("one", "Call 030 now", [(5, 8)], "Call [x] now"),
            ("several, in any order", "abcdef", [(4, 5), (1, 2)], "a[x]cd[x]f"),
            ("overlapping", "abcdef", [(1, 3), (2, 5)], "a[x]f"),
            ("touching", "abcdef", [(1, 2), (2, 3)], "a[x]def"),
            ("all", "abc", [(0, 3)], "[x]"),
            ("line ends stay", "ab\r\ncd\n\nef", [(1, 9)], "a[x]\r\n[x]\n\n[x]f"),
            ("characters, not bytes", "ä😀b", [(1, 2)], "ä[x]b"),
        ):
            with self.subTest(name):
                self.assertEqual(masked(text, spans, "[x]"), expected)

    def test_finds_every_place(self):
        self.assertEqual(find_spans("aXaXXaa", "Xa"), [(1, 3), (4, 6)])
        self.assertEqual(masked("aaaa", find_spans("aaaa", "aaa"), "[x]"), "[x]")
