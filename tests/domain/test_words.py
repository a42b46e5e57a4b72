from itertools import pairwise

import pytest
from django.test import SimpleTestCase
from hypothesis import given
from hypothesis import strategies as st

from stores.domain import words
from stores.domain.words import Segment, mark_words, tokens

pytestmark = pytest.mark.once

# Each is seen as one character.
CLUSTERS = [
    "👩‍💻",
    "👨‍👩‍👧‍👦",
    "🏳️‍🌈",
    "🇩🇪",
    "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
    "👍🏽",
    "❤️‍🔥",
    "1️⃣",
    "e\u0301",
    "각",
    "\u1112\u1161\u11ab",
    "क्षि",
    "र्\u200dक",
    "நி",
    "ก\u0e33",
    "か\u3099",
    ".\u0301",
    "\u06001",
]
HOSTILE = st.text(
    alphabet=st.one_of(
        st.sampled_from(
            "ab1 .\t\u0301\u200d\u200c\ufe0f\u200b\u202e\u0600🇩🇪👩💻🏽漢か한\u1100\u1161क\u094dष\U000e0067"
        ),
        st.characters(exclude_categories=["Cs"]),
    ),
    max_size=30,
)


class TokensTest(SimpleTestCase):
    def test_are_words_blanks_and_single_characters(self):
        self.assertEqual(tokens("a_b1  C++ don't"), ["a_b1", "  ", "C", "+", "+", " ", "don", "'", "t"])
        self.assertEqual(tokens("naïve  Größe — été"), ["naïve", "  ", "Größe", " ", "—", " ", "été"])
        self.assertEqual(tokens("한국어 नमस्ते می‌خواهم"), ["한국어", " ", "नमस्ते", " ", "می‌خواهم"])

    def test_of_scripts_without_blanks_are_characters(self):
        self.assertEqual(tokens("漢字かな、สวัสดี"), ["漢", "字", "か", "な", "、", "ส", "วั", "ส", "ดี"])

    def test_never_cut_what_is_seen_as_one(self):
        for cluster in CLUSTERS:
            for text in (cluster, cluster * 2, f"—{cluster}—", f"漢{cluster}漢", f"x {cluster} x"):
                found = tokens(text)
                self.assertEqual("".join(found), text)
                whole = [token for token in found if cluster in token]
                self.assertEqual(
                    sum(token.count(cluster) for token in whole), text.count(cluster), (cluster, text, found)
                )

    def test_hidden_characters_are_tokens(self):
        self.assertEqual(tokens("a\u200bb\u202ec\u2066"), ["a", "\u200b", "b", "\u202e", "c", "\u2066"])

    @given(HOSTILE)
    def test_joined_are_the_text_and_none_begins_with_what_joins(self, text):
        found = tokens(text)
        self.assertEqual("".join(found), text)
        for token in found[1:]:
            self.assertNotIn(token[0], "\u0301\u200d\u200c\ufe0f🏽\u094d\U000e0067")


class MarkWordsTest(SimpleTestCase):
    def marked(self, old, new):
        return ["".join(f"[{s.text}]" if s.marked else s.text for s in side) for side in mark_words(old, new)]

    def test_marks_what_differs(self):
        self.assertEqual(
            self.marked("pay in 30 days", "pay in 90 days"), ["pay in [30] days", "pay in [90] days"]
        )
        self.assertEqual(self.marked("to Basel.", "to Basel, now."), ["to Basel.", "to Basel[, now]."])
        self.assertEqual(mark_words("", "a"), ((), (Segment("a", True),)))
        self.assertEqual(mark_words("a", "a"), ((Segment("a", False),), (Segment("a", False),)))

    def test_marks_a_blank_between_two_marked_words_with_them(self):
        self.assertEqual(self.marked("one two x", "three four x"), ["[one two] x", "[three four] x"])

    def test_marks_a_picture_as_a_whole(self):
        self.assertEqual(self.marked("👩‍💻 ready", "👩‍🔬 ready"), ["[👩‍💻] ready", "[👩‍🔬] ready"])
        self.assertEqual(self.marked("a 🏳️‍🌈🇩🇪", "a 🇩🇪"), ["a [🏳️‍🌈]🇩🇪", "a 🇩🇪"])
        self.assertEqual(self.marked("🇩🇪🇫🇷", "🇫🇷🇩🇪"), ["🇩🇪[🇫🇷]", "[🇫🇷]🇩🇪"])
        self.assertEqual(self.marked(".e\u0301.", ".e\u0300."), [".[e\u0301].", ".[e\u0300]."])

    def test_marks_a_hidden_character_alone(self):
        self.assertEqual(self.marked("a custom", "a \u200bcustom"), ["a custom", "a [\u200b]custom"])

    def test_marks_all_of_lines_with_too_many_tokens(self):
        old = "! " * (words.TOKENS_A_LINE // 2)
        self.assertEqual(mark_words(old, old + "."), ((Segment(old, True),), (Segment(old + ".", True),)))

    @given(HOSTILE, HOSTILE)
    def test_segments_joined_are_the_line(self, old, new):
        for text, segments in zip((old, new), mark_words(old, new), strict=True):
            self.assertEqual("".join(segment.text for segment in segments), text)
            self.assertTrue(all(segment.text for segment in segments))
            self.assertTrue(all(one.marked != other.marked for one, other in pairwise(segments)))
