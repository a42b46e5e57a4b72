from hashlib import sha256

from django.test import SimpleTestCase

from stores.domain.content import check_content
from stores.domain.errors import ContentInvalid

KEPT = [
    "",
    "\n",
    "a\r\nb\rc\n",
    " \t trailing \x0b\x0c\n\n",
    "\x01\x1b\x7f\x9f",
    "\ufeffBOM",
    "e\u0301 and é",
    "\u200b\u200d\u202e\u2028\u2029",
    "😀 \U0010ffff \ufffe \uffff",
    "%s %(x)s :name ' \" \\ \\u0000 ",
    "<img src=x onerror=alert(1)>",
]


class CheckContentTest(SimpleTestCase):
    def test_keeps_every_text_as_it_is(self):
        for text in KEPT:
            with self.subTest(text=text):
                content = check_content(text)
                self.assertEqual((content.text, content.data), (text, text.encode()))
                self.assertEqual(content.sha256, sha256(text.encode()).hexdigest())
                self.assertEqual(content.size_bytes, len(text.encode()))

    def test_knows_the_hash_of_nothing(self):
        self.assertEqual(
            check_content("").sha256, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        )

    def test_counts_bytes_and_not_characters(self):
        for fits, too_long in (
            ("x" * 102_400, "x" * 102_401),
            ("é" * 51_200, "é" * 51_200 + "x"),
            ("日" * 34_133 + "x", "日" * 34_133 + "xx"),
            ("😀" * 25_600, "😀" * 25_601),
        ):
            with self.subTest(fits[:1]):
                self.assertEqual(check_content(fits).size_bytes, 102_400)
                with self.assertRaisesMessage(ContentInvalid, "at most 102400 bytes of UTF-8; this has"):
                    check_content(too_long)

    def test_refuses_what_a_database_could_not_keep(self):
        for text, rule in (
            ("\0", "U+0000"),
            ("a\0b", "U+0000"),
            ("\ud83d", "half a surrogate pair"),
            ("a\udc00", "half a surrogate pair"),
        ):
            with self.subTest(text=text), self.assertRaisesMessage(ContentInvalid, rule):
                check_content(text)
