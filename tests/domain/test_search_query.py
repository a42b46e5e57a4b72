"""What a text in the search field means, and what of a text is shown (no database)."""

import unicodedata

import pytest
from django.test import SimpleTestCase
from hypothesis import given
from hypothesis import strategies as st

from stores.domain.search_query import inside_words, parse_query
from stores.domain.search_snippet import make_snippet, mark_path
from stores.domain.search_words import FORM, fold, fold_with_places, is_letter, words_of

pytestmark = pytest.mark.once

# (query, text, whether it matches by words)
WORDS = [
    ("tea", "Green TEA.", True),
    ("tea", "teapot", False),
    ("tea", "snake_tea_case", True),
    ("green tea", "tea\nthat is green", True),
    ("green tea", "tea", False),
    ('"green tea"', "green tea", True),
    ('"green tea"', "GREEN\r\n\ttea", True),
    ('"green tea"', "tea, green", False),
    ('"green tea"', "evergreen teapot", False),
    ('"a a"', "b a-a a", True),
    ("cafe", "Café", True),
    ("CAFÉ", "cafe\u0301", True),
    ("strasse", "Straße", True),
    ("İstanbul", "istanbul", True),
    ("σοφος", "ΣΟΦΟΣ", True),
    ("fin", "ﬁn", True),
    ("POL-358", "see pol-358.", True),
    ("POL-358", "see POL 358", False),
    ("POL-358", "see POL-3589", False),
    ("POL-358", "see POL\u2011358", True),
    ("don't", "I don't", True),
    ("don't", "I don\u2019t", True),
    ("don't", "I dont", False),
    ("a/b", "either a/b or", True),
    ("a/b", "data/base", False),
    ("C++", "C++17 and C", True),
    ("C++", "only C", False),
    ('"--error', 'it says "--error"', True),
    ('"--error', "it says --error", False),
    ('"', 'a "quote"', True),
    ("AND", "salt and pepper", True),
    ("NOT tea", "tea", False),
    ("tea*", "teapot", False),
    ("*", "2 * 2", True),
    ("*", "2 x 2", False),
    ("content:tea", "tea", False),
    ("(tea", "(tea)", True),
    ("東京", "今日は東京です", True),
    ("京東", "今日は東京です", False),
    ("か", "が", False),
    ("が", "か\u3099", True),
    ("ภาษา", "พูดภาษาไทย", True),
    ("हिन्दी", "यह हिन्दी है", True),
    ("कि", "कु", False),
    ("한국", "한국어", False),
    ("שלום", "שָׁלוֹם", True),
    ("مرحبا", "مَرْحَبًا", True),
    ("می‌خواهم", "میخواهم", True),
    ("👩‍💻", "by 👩‍💻 done", True),
    ("👩‍💻", "by 👩‍🔬 done", False),
    ("🏳️‍🌈", "🏳️‍🌈", True),
    ("a\0b", "a b", False),
    ("\ud83d", "\ufffd", False),
    ("\u200d", "anything", False),
    ("\u0301", "é", False),
    ("%", "100%", True),
    ("_", "100%", False),
    ("\\", "C:\\x", True),
]
SUBSTRINGS = [
    # The sign of the kelvin is a k in another case.
    ("3 km", "273 \u212am", True),
    ("3 \u212aM", "273 km", True),
    ("STRASSE", "Hauptstra\u00dfe", True),
    ("ea po", "Tea Pots", True),
    ("  tea ", "teapot", True),
    ("cafe", "café", False),
    ("CAFÉ", "cafe\u0301", True),
    ('"tea"', "tea", False),
    ('"tea"', 'say "tea"', True),
    ("a  b", "a b", False),
    ("ß", "STRASSE", True),
    ("京で", "東京です", True),
]
PATHS = [
    ("notes tea", "/notes/green/teapot.md", True),
    ("NÖTES", "/notes/x.md", True),
    ("/100%/", "/1000/x.md", False),
    ("my_project", "/myXproject/a.md", False),
    (".md", "/a.md", True),
    ("content", "/a.md", False),
]
ODD = [
    "", " ", "\n", '"', '""', '" "', '"""', "'", "\\", "*", "+", "(", "[", "{", "^", "$", "a" * 10_000,
    "a " * 5_000, '"' * 5_000, "\0", "\ud83d", "\udfff\ud800", "👩‍💻" * 100, "東" * 3_000, "\u202e\u200f",
    "AND OR NOT NEAR(", "store:x", "a:b", "-a", "^a", "tea*", "\u0301", "\ufeff", "\U0010ffff", "%", "_",
    "'; DROP TABLE x; --",
]  # fmt: skip
LETTERS = st.text(
    alphabet=st.sampled_from("aAbé\u0301ßſK東がか\u3099한ᄒ ᅡ\u200d👩'\"-_/*.\n\r \0\ud83d"), max_size=30
)


class MatchingTest(SimpleTestCase):
    def test_words(self):
        for query, text, expected in WORDS:
            with self.subTest(query=query, text=text):
                self.assertIs(parse_query(query, "words").matches("/x", text), expected)

    def test_substrings(self):
        for query, text, expected in SUBSTRINGS:
            with self.subTest(query=query, text=text):
                self.assertIs(parse_query(query, "substring").matches("/x", text), expected)

    def test_paths(self):
        for query, path, expected in PATHS:
            with self.subTest(query=query, path=path):
                self.assertIs(parse_query(query, "path").matches(path, "content"), expected)

    def test_terms_may_be_split_over_path_and_text(self):
        self.assertTrue(parse_query("tea green", "words").matches("/tea.md", "green"))

    def test_inside_words(self):
        query = parse_query("ea reen", "words")
        self.assertFalse(query.matches("/x", "green tea"))
        self.assertTrue(inside_words(query).matches("/x", "green tea"))

    def test_no_query_is_wrong(self):
        for text in ODD:
            for mode in ("words", "substring", "path"):
                with self.subTest(text=text[:20], mode=mode):
                    query = parse_query(text, mode)
                    self.assertIsInstance(query.matches("/a.md", "some text " + text), bool)
                    make_snippet(query, "some text " + text)
                    self.assertLessEqual(len(query.words()), 12)

    @given(LETTERS, LETTERS)
    def test_the_index_has_every_word_of_what_matches(self, text, content):
        query = parse_query(text, "words")
        if query.terms and query.matches("/", content):
            self.assertLessEqual(set(query.words()), set(words_of(fold(content))), (text, content))

    @given(LETTERS, LETTERS)
    def test_the_index_is_enough_where_it_is_said_to_be(self, text, content):
        query = parse_query(text, "words")
        if query.terms and not query.needs_text():
            found = set(query.words()) <= set(words_of(fold(content)))
            self.assertIs(query.matches("/", content), found, (text, content))


class FoldingTest(SimpleTestCase):
    @given(LETTERS)
    def test_folding_twice_is_folding_once(self, text):
        self.assertEqual(fold(fold(text)), fold(text))

    @given(LETTERS)
    def test_line_feeds_stay(self, text):
        self.assertEqual(fold(text).count("\n"), text.count("\n"))

    @given(LETTERS)
    def test_canonically_equal_texts_fold_alike(self, text):
        self.assertEqual(fold(unicodedata.normalize("NFD", text)), fold(text))

    @given(LETTERS)
    def test_places_lead_back_into_the_text(self, text):
        folded, places = fold_with_places(text, exact=False)
        self.assertEqual(folded, fold(text))
        if places is not None:
            self.assertEqual(len(places), len(folded) + 1)
            self.assertEqual(places, sorted(places))
            self.assertEqual(places[-1], len(text))

    def test_every_character(self):
        """Words can stand in quotes in a query of either database, parted by blanks."""
        for code in range(1, 0x110000):
            character = chr(code)
            folded = fold(character)
            for word in words_of(folded):
                if not all(letter.isalnum() or letter > "\x7f" for letter in word):
                    self.fail(f"U+{code:04X} gives the word {word!r}")
            if character != "\n" and "\n" in folded:
                self.fail(f"U+{code:04X} folds to a line feed")

    def test_words(self):
        for text, expected in [
            ("Tea, not coffee_shop x2", ["tea", "not", "coffee", "shop", "x2"]),
            ("tea日本", ["tea", "日", "本"]),
            ("a" * 300, ["a" * 100]),
            ("", []),
        ]:
            with self.subTest(text=text[:20]):
                self.assertEqual(words_of(fold(text)), expected)
        self.assertTrue(is_letter("é"))
        self.assertFalse(is_letter("日"))

    def test_the_form_names_the_edition_of_unicode(self):
        self.assertIn(unicodedata.unidata_version, FORM)


class SnippetTest(SimpleTestCase):
    def show(self, query, text, mode="words"):
        snippet = make_snippet(parse_query(query, mode), text)
        shown = "".join(f"[{piece}]" if marked else piece for piece, marked in snippet.pieces)
        return snippet.line, shown

    def test_marks(self):
        for query, text, expected in [
            ("tea", "a\r\nGreen Tea, tea, teapot\r\nc", (2, "Green [Tea], [tea], teapot")),
            (
                "cafe strasse",
                "x\nthe Café in the cafe\u0301, Straße",
                (2, "the [Café] in the [cafe\u0301], [Straße]"),
            ),
            ("one two", "one\ntwo\none two", (3, "[one] [two]")),
            ("one two", "one\ntwo", (1, "[one]")),
            ('"green tea"', "some\nvery green\r\ntea", (2, "very [green]")),
            ("東京", "今日は東京です", (1, "今日は[東京]です")),
            ("👩‍💻", "by 👩‍💻 done", (1, "by [👩‍💻] done")),
            ("👍", "ok 👍🏽!", (1, "ok [👍🏽]!")),
            ("nothing", "\n\n  \nfirst\nsecond", (4, "first")),
            ("nothing", "", (1, "")),
            ("aa", "aaaa", (1, "aaaa")),
            ("fin", "ﬁn", (1, "[ﬁn]")),
            ("f", "a ﬁn", (1, "a ﬁn")),
        ]:
            with self.subTest(query=query, text=text):
                self.assertEqual(self.show(query, text), expected)
        self.assertEqual(self.show("A  b", "xa  B", "substring"), (1, "x[a  B]"))

    def test_long_lines_are_cut_around_the_first_find(self):
        text = "before " * 5_000 + "here" + " after" * 5_000
        snippet = make_snippet(parse_query("here", "words"), text)
        shown = "".join(piece for piece, _ in snippet.pieces)
        self.assertIn(shown, text)
        self.assertIn(("here", True), snippet.pieces)
        self.assertLess(len(shown), 260)
        self.assertEqual((snippet.cut_before, snippet.cut_after), (True, True))

    def test_a_cut_never_parts_a_character(self):
        text = "👩\u200d💻" * 200 + "!" + "e\u0301" * 400
        snippet = make_snippet(parse_query("!", "words"), text)
        shown = "".join(piece for piece, _ in snippet.pieces)
        self.assertTrue(shown.startswith(("👩", "!")), shown[:5])
        self.assertTrue(shown.endswith("e\u0301"))

    @given(LETTERS, LETTERS)
    def test_a_snippet_is_a_line(self, query, text):
        lines = text.split("\n")
        snippet = make_snippet(parse_query(query, "words"), text)
        shown = "".join(piece for piece, _ in snippet.pieces)
        self.assertEqual(shown, lines[snippet.line - 1].removesuffix("\r"))
        self.assertTrue(all(piece for piece, _ in snippet.pieces))

    def test_paths(self):
        self.assertEqual(
            mark_path(parse_query("tea md", "path"), "/teas/x.md"),
            [("/", False), ("tea", True), ("s/x.", False), ("md", True)],
        )


PIECES = st.sampled_from(
    ["day", "Tag", "é", "\u0301", "\u200b", " ", "-", "_", "\n", "30", "日", "ß", "İ", "’", "a"]
)


class WholeWords(SimpleTestCase):
    def test_are_those_between_the_ends(self):
        for text, words in {
            "arewor": [],
            "ote 432": [],
            "und 30 days fro": ["30", "days"],
            "(30 days.": ["30", "days"],
            "日本": ["日", "本"],
        }.items():
            with self.subTest(text):
                self.assertEqual(set(parse_query(text, "substring").words()), set(words))

    @given(st.lists(PIECES, max_size=12), st.data())
    def test_stand_in_every_text_with_the_substring(self, pieces, data):
        text = "".join(pieces)
        begin = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(begin, len(text)))
        query = parse_query(text[begin:end], "substring")
        if query.terms and query.matches("/p", text):
            self.assertLessEqual(set(query.words()), set(words_of(fold(text))) | {"p"})
