import unicodedata

from django.test import SimpleTestCase
from hypothesis import example, given
from hypothesis import strategies as st

from stores.domain.errors import PathInvalid
from stores.domain.paths import after_folder, ancestors, check_path, check_path_prefix, is_inside

VALID = [
    "/a",
    "/notes/todo.md",
    "/café.md",
    "/Site Roadmap.md",
    "/site-roadmap.md",
    "/ ",
    "/ a /b ",
    "/a\\b",
    "/100%/x",
    "/my_project/x",
    "/*?[]{}",
    "/a:b.md",
    "/CON.md",
    "/end. ",
    "/.hidden.md",
    "/..foo.txt",
    "/...",
    "/a..b/..c/d..",
    "/<b>x.md",
    "/😀",
    "/👩\u200d💻".replace("\u200d", ""),
    "/日本/語",
    "/شهر",
    "/\u00a0",
    "/\u2027",
    "/\ue000",
    "/" + "/".join("s" * 20),
    "/" + "x" * 1023,
    "/" + "é" * 511 + "x",
    "/" + "日" * 341,
    "/" + "😀" * 255 + "abc",
]
INVALID = [
    ("", "start with '/'"),
    ("a", "start with '/'"),
    ("notes/todo.md", "start with '/'"),
    (" /a", "start with '/'"),
    ("\\a", "start with '/'"),
    ("\ufeff/a", "start with '/'"),
    ("/", "name something below '/'"),
    ("//", "empty segment"),
    ("//a", "empty segment"),
    ("/a/", "empty segment"),
    ("/a//b", "empty segment"),
    ("/.", "'.' segment"),
    ("/a/./b", "'.' segment"),
    ("/..", "'..' segment"),
    ("/a/..", "'..' segment"),
    ("/a/../b.md", "'..' segment"),
    ("/a\0b", "control character (U+0000)"),
    ("/a\nb", "control character (U+000A)"),
    ("/a\r", "control character (U+000D)"),
    ("/a\tb", "control character (U+0009)"),
    ("/a\x1f", "control character (U+001F)"),
    ("/a\x7f", "control character (U+007F)"),
    ("/a\x80", "control character (U+0080)"),
    ("/a\x9f", "control character (U+009F)"),
    ("/a\u00adb", "format character (U+00AD)"),
    ("/a\u200b", "format character (U+200B)"),
    ("/a\u200c", "format character (U+200C)"),
    ("/👩\u200d💻", "format character (U+200D)"),
    ("/a\u200e", "format character (U+200E)"),
    ("/a\u200fb", "format character (U+200F)"),
    ("/a\u202eb", "format character (U+202E)"),
    ("/a\u2066b", "format character (U+2066)"),
    ("/a\ufeffb", "format character (U+FEFF)"),
    ("/a\U000e0041", "format character (U+E0041)"),
    ("/a\u2028b", "line separator (U+2028)"),
    ("/a\u2029b", "paragraph separator (U+2029)"),
    ("/a\ud83d", "surrogate pair (U+D83D)"),
    ("/a\udc00b", "surrogate pair (U+DC00)"),
    ("/cafe\u0301.md", "Normalization Form C (NFC)"),
    ("/\u212b", "NFC"),  # the Ångström sign
    ("/\uf900", "NFC"),  # a compatibility ideograph
    ("/" + "/".join("s" * 21), "at most 20 segments"),
    ("/" + "x" * 1024, "at most 1024 bytes of UTF-8; this has 1025"),
    ("/" + "é" * 512, "at most 1024 bytes of UTF-8; this has 1025"),
    ("/" + "日" * 342, "at most 1024 bytes of UTF-8; this has 1027"),
]


class CheckPathTest(SimpleTestCase):
    def test_accepts(self):
        for path in VALID:
            with self.subTest(path=path):
                self.assertEqual(check_path(path), path)

    def test_refuses_and_names_the_rule(self):
        for path, rule in INVALID:
            with self.subTest(path=path):
                with self.assertRaises(PathInvalid) as caught:
                    check_path(path)
                self.assertIn(rule, caught.exception.message)
                self.assertTrue(caught.exception.message.startswith("path "))

    def test_the_message_can_always_be_sent(self):
        for path, _rule in INVALID:
            with self.subTest(path=path):
                with self.assertRaises(PathInvalid) as caught:
                    check_path(path)
                caught.exception.message.encode()


class CheckPathPrefixTest(SimpleTestCase):
    def test_accepts(self):
        for prefix, folder in (
            ("", ""),
            ("/", ""),
            ("/notes/", "/notes/"),
            ("/a b/%_*/", "/a b/%_*/"),
            ("/" + "/".join("s" * 20) + "/", "/" + "/".join("s" * 20) + "/"),
            ("/" + "x" * 1022 + "/", "/" + "x" * 1022 + "/"),
        ):
            with self.subTest(prefix=prefix):
                self.assertEqual(check_path_prefix(prefix), folder)

    def test_refuses_and_names_the_rule(self):
        for prefix, rule in (
            ("notes/", "start with '/'"),
            ("/notes", "end with '/'"),
            ("//", "empty segment"),
            ("/a//", "empty segment"),
            ("/../", "'..' segment"),
            ("/a/./", "'.' segment"),
            ("/a\0/", "control character"),
            ("/a\u200b/", "format character"),
            ("/e\u0301/", "NFC"),
            ("/\ud800/", "surrogate"),
            ("/" + "/".join("s" * 21) + "/", "at most 20 segments"),
            ("/" + "x" * 1023 + "/", "at most 1024 bytes"),
        ):
            with self.subTest(prefix=prefix):
                with self.assertRaises(PathInvalid) as caught:
                    check_path_prefix(prefix)
                self.assertIn(rule, caught.exception.message)
                self.assertTrue(caught.exception.message.startswith("path_prefix "))


class NeighboursTest(SimpleTestCase):
    def test_ancestors(self):
        for path, above in (("/a", []), ("/a/b", ["/a"]), ("/a/b/c", ["/a", "/a/b"])):
            with self.subTest(path=path):
                self.assertEqual(ancestors(path), above)

    def test_after_folder_parts_what_lies_inside_from_the_rest(self):
        after = after_folder("/a/")
        for path in ("/a/!", "/a/b", "/a/b/c", "/a/\U0010ffff", "/a/~"):
            self.assertTrue("/a/" <= path < after, path)
        for path in ("/a", "/a!", "/a-b", "/a.md", "/a0", "/a00", "/ab", "/b", "/A/x"):
            self.assertFalse("/a/" <= path < after, path)

    def test_is_inside(self):
        for path, folder, inside in (
            ("/a/b", "/a/", True),
            ("/a/b/c", "/a/", True),
            ("/ab", "/a/", False),
            ("/a", "/a/", False),
            ("/a", "", True),
        ):
            with self.subTest(path=path, folder=folder):
                self.assertEqual(is_inside(path, folder), inside)


def is_path(text: str) -> bool:
    """The rules of contract/memory_stores_api.md, 4.2, once more in the order of that page."""
    if text[:1] != "/":
        return False
    segments = text.split("/")[1:]
    if not 1 <= len(segments) <= 20:
        return False
    if "" in segments or "." in segments or ".." in segments:
        return False
    for character in text:
        if unicodedata.category(character) in ("Cc", "Cf") or character in "\u2028\u2029":
            return False
        if 0xD800 <= ord(character) <= 0xDFFF:
            return False
    return unicodedata.normalize("NFC", text) == text and len(text.encode("utf-8")) <= 1024


SEGMENTS = st.one_of(
    st.sampled_from(["", ".", "..", "...", "a", "e\u0301", "é", "\u1100\u1161", "x" * 300, "日" * 100]),
    st.text(st.characters(codec="utf-8"), min_size=1, max_size=6),
    st.text(st.characters(categories=["L", "N", "P", "S", "Zs"]), min_size=1, max_size=6),
    st.text(st.characters(categories=["Cc", "Cf", "Cs", "Mn", "Zl", "Zp", "Cn", "Co"]), max_size=2),
)
TEXTS = st.one_of(
    st.lists(SEGMENTS, max_size=22).map(lambda segments: "/" + "/".join(segments)),
    st.text(max_size=12),
    st.text(st.characters(categories=["L"]), min_size=1, max_size=4).map(lambda text: "/" + text * 120),
)


class CheckPathPropertyTest(SimpleTestCase):
    @given(TEXTS)
    @example("/\u0958")
    @example("/a\u0f71\u0f72")
    def test_accepts_exactly_what_the_rules_allow(self, text):
        try:
            accepted = check_path(text) == text
        except PathInvalid:
            accepted = False
        self.assertEqual(accepted, is_path(text))

    @given(TEXTS)
    def test_a_folder_is_a_path_with_a_slash_behind_it(self, text):
        try:
            accepted = check_path_prefix(text + "/") == text + "/"
        except PathInvalid:
            accepted = False
        size = len(text.encode("utf-8", "surrogatepass")) + 1
        self.assertEqual(accepted, is_path(text) and size <= 1024)

    @given(st.lists(st.sampled_from(["a", "b", "a-", "a0", "é"]), min_size=1, max_size=5))
    def test_ancestors_are_the_folders_that_hold_the_path(self, segments):
        path = "/" + "/".join(segments)
        above = ancestors(path)
        self.assertEqual(len(above), len(segments) - 1)
        for folder in above:
            self.assertTrue(is_inside(path, folder + "/"))
            self.assertTrue(folder + "/" <= path < after_folder(folder + "/"))
