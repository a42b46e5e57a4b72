"""Hidden characters, lines, paths, numbers and times (pure)."""

from datetime import UTC, datetime, timedelta

from django.test import SimpleTestCase, override_settings

from stores.console import formats, paths, text


def drawn(source: str) -> str:
    """The text with its marks in brackets."""
    return "".join(p["text"] or f"[{p['mark']}]" for p in text.pieces(source) or [{"text": source}])


class HiddenCharacters(SimpleTestCase):
    def test_are_marked_where_they_hide_something(self):
        for source, expected in (
            ("pay\u200bpal", "pay[ZWSP]pal"),
            ("a\u200b\u200b\u200bb", "a[ZWSP ×3]b"),
            ("\u202eabc\u202c", "[RLO]abc[PDF]"),
            ("\u2066a\u2069", "[LRI]a[PDI]"),
            ("in\u200cvisible", "in[ZWNJ]visible"),
            ("in\u200dvisible", "in[ZWJ]visible"),
            ("a\u200eb", "a[LRM]b"),
            ("soft\xadhyphen", "soft[SHY]hyphen"),
            ("\ufeffbegin", "[BOM]begin"),
            ("a\u2028b", "a[LSEP]b"),
            ("a\x00b\x1b[0m\x7f", "a[NUL]b[ESC][0m[DEL]"),
            ("a\rb", "a[CR]b"),
            ("x\U000e0041\U000e0042", "x[TAG ×2]"),
            ("x\ufe0e\ufe0f", "x[VS ×2]"),
            ("é\ufe0f\U000e0101\U000e0102", "é\ufe0f[VS ×2]"),
            ("a\u3164b", "a[HF]b"),
            ("a\u2061b", "a[U+2061]b"),
            ("\uffff", "[U+FFFF]"),
            # Direction marks without a right-to-left letter, and runs of them beside one.
            ("a\u200fb", "a[RLM]b"),
            ("a\u061cb", "a[ALM]b"),
            ("\u200e\u200f", "[LRM][RLM]"),
            ("א\u200f\u200f", "א[RLM ×2]"),
            ("\U0001f3f4\U000e006f\U000e006b", "\U0001f3f4[TAG ×2]"),
        ):
            with self.subTest(ascii(source)):
                self.assertEqual(drawn(source), expected)

    def test_are_left_alone_in_ordinary_writing(self):
        for source in (
            "plain ASCII\twith a tab",
            "café, naïve, Ελληνικά, Русский",
            "می‌خواهم",
            "کتاب‌ها را",
            "क्‍ष",
            "👨‍👩‍👧‍👦 and 🏳️‍🌈 and 👍🏽",
            "❤️ 1️⃣ #️⃣ ©️",
            "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",
            "שלום\u200f (abc)",
            "日本語　全角",
            "10\xa0€",
            "",
        ):
            with self.subTest(source):
                self.assertIsNone(text.pieces(source))

    def test_are_drawn_up_to_a_number_and_then_left_out(self):
        found = text.pieces("a\u200b" * (text.MARKS_A_LINE + 7))
        self.assertEqual(found[-2]["mark"], "7 MORE")
        self.assertEqual(found[-1]["text"], "a" * 7)
        self.assertEqual(len(found), 2 * text.MARKS_A_LINE + 2)

    def test_end_a_page_of_lines(self):
        lines = "\x1b[1mbold\x1b[0m\n" * 2000
        page = text.lines_page(lines, first=1, markdown=False)
        self.assertLess(len(page["rows"]), 1000)
        self.assertEqual(page["next"], page["last"] + 1)
        following = text.lines_page(lines, first=page["next"], markdown=False)
        self.assertEqual(following["rows"][0]["n"], page["next"])

    def test_make_up_a_name_that_shows_as_nothing(self):
        for source, marks in (
            (" ", ["SP"]),
            ("\u2800\u2800", ["BRAILLE BLANK ×2"]),
            ("\xa0 ", ["NBSP", "SP"]),
        ):
            with self.subTest(ascii(source)):
                self.assertEqual([piece["mark"] for piece in text.show(source)["pieces"]], marks)
        self.assertIsNone(text.show("a b")["pieces"])

    def test_spell_out_what_tags_say(self):
        [_, mark] = text.pieces("x" + "".join(chr(0xE0000 + ord(c)) for c in "obey <me>")) or []
        self.assertEqual(mark["title"], "9 invisible tag characters that spell: obey <me>")

    def test_are_words_in_a_title(self):
        self.assertEqual(text.plain("a\u202eb"), "a[RLO]b")
        self.assertEqual(text.plain("ab"), "ab")


class Lines(SimpleTestCase):
    def facts(self, content: str) -> tuple[list[str], str]:
        page = text.lines_page(content, first=1, markdown=False)
        return [row["text"] for row in page["rows"]], page["facts"]

    def test_are_what_newlines_end(self):
        for content, lines, facts in (
            ("", [], "no lines"),
            ("a", ["a"], "1 line, no newline at the end"),
            ("a\n", ["a"], "1 line, LF"),
            ("\n", [""], "1 line, LF"),
            ("\n\n", ["", ""], "2 lines, LF"),
            ("a\n\nb", ["a", "", "b"], "3 lines, LF, no newline at the end"),
            ("a\r\nb\r\n", ["a", "b"], "2 lines, CRLF"),
            ("a\r\nb\n", ["a", "b"], "2 lines, 1 of 2 line ends are CRLF"),
            ("a\u2028b\x0bc\x85d\n", ["a\u2028b\x0bc\x85d"], "1 line, LF"),
        ):
            with self.subTest(content):
                self.assertEqual(self.facts(content), (lines, facts))

    def test_show_line_ends_only_where_they_differ(self):
        for content, ends in (("a\r\nb\r\n", ["", ""]), ("a\r\nb\n", ["CRLF", ""]), ("a\nb\r", ["", ""])):
            with self.subTest(content):
                page = text.lines_page(content, first=1, markdown=False)
                self.assertEqual([row["eol"] for row in page["rows"]], ends)

    def test_of_an_ordinary_crlf_text_are_not_marked(self):
        page = text.lines_page("a\r\nb\r\n", first=1, markdown=False)
        self.assertEqual([row["pieces"] for row in page["rows"]], [None, None])

    def test_mark_a_carriage_return_that_ends_no_line(self):
        page = text.lines_page("a\rb\nc\r", first=1, markdown=False)
        self.assertEqual([bool(row["pieces"]) for row in page["rows"]], [True, True])

    def test_that_are_headings_are_so_in_markdown_only(self):
        for markdown in (True, False):
            page = text.lines_page("# a\n#b\n####### c\n", first=1, markdown=markdown)
            self.assertEqual([row["heading"] for row in page["rows"]], [markdown, False, False])

    def test_come_in_pages(self):
        content = "x\n" * 4500
        for first, last, previous, following in (
            (1, 2000, None, 2001), (2001, 4000, 1, 4001), (4001, 4500, 2001, None), (9999, 9998, 7999, None),
        ):  # fmt: skip
            with self.subTest(first):
                page = text.lines_page(content, first=first, markdown=False)
                self.assertEqual((page["last"], page["previous"], page["next"]), (last, previous, following))


class Paths(SimpleTestCase):
    def test_have_their_folders_apart(self):
        self.assertEqual(paths.show_path("/a/b/c.md"), {"folder": "/a/b/", "name": "c.md", "segments": None})
        shown = paths.show_path("/é/x ")
        self.assertEqual([s["text"] for s in shown["segments"]], ["é"])
        self.assertEqual(shown["last"]["pieces"][-1]["mark"], "SP")

    def test_have_parents_and_chains(self):
        self.assertEqual(paths.parent("/a.md"), "/")
        self.assertEqual(paths.parent("/a/b.md"), "/a/")
        self.assertEqual(paths.parent("/a/b/"), "/a/")
        self.assertEqual(paths.chain("/"), ["/"])
        self.assertEqual(paths.chain("/a/b/"), ["/", "/a/", "/a/b/"])

    def test_just_before_is_below_the_path_and_above_its_siblings(self):
        for path, sibling in (
            ("/a/b.md", "/a/b.mc"), ("/a/x/", "/a/w/zzz"), ("/a/0", "/a/."), ("/a/\ue000", "/a/\ud7ff"),
            ("/é", "/è"), ("/ ", "/"),
        ):  # fmt: skip
            with self.subTest(path):
                bound = paths.just_before(path).encode() + b"\x01"
                self.assertLess(bound, path.encode())
                self.assertGreater(bound, sibling.encode())


class Formats(SimpleTestCase):
    def test_sizes_have_units(self):
        for size, expected in (
            (0, "0 B"), (9_999, "9,999 B"), (10_000, "9.8 kB"), (102_400, "100.0 kB"),
            (999 * 1024, "999.0 kB"), (10_000 * 102_400, "976.6 MB"), (5 * 1024**3, "5.0 GB"),
        ):  # fmt: skip
            with self.subTest(size):
                self.assertEqual(formats.size(size), expected)

    def test_changes_have_signs(self):
        self.assertEqual([formats.change(n) for n in (1200, 0, -5)], ["+1,200 B", "±0 B", "−5 B"])

    def test_shares_never_round_to_nothing_or_all(self):
        self.assertEqual(
            [formats.share(n, 10_000) for n in (0, 1, 99, 100, 150, 9_999, 10_000)],
            ["0 %", "< 1 %", "< 1 %", "1 %", "2 %", "99 %", "100 %"],
        )

    def test_times_are_relative_to_now(self):
        now = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
        for age, expected in (
            (timedelta(seconds=3), "just now"),
            (timedelta(seconds=50), "1 min ago"),
            (timedelta(minutes=59), "59 min ago"),
            (timedelta(hours=3), "3 h ago"),
            (timedelta(days=2), "Sat 12:00"),
            (timedelta(days=20), "10 Nov 12:00"),
            (timedelta(days=400), "26 Oct 2025"),
            (timedelta(minutes=-5), "30 Nov 12:05"),
        ):
            with self.subTest(age):
                self.assertEqual(formats.instant(now - age, now=now)["relative"], expected)

    @override_settings(TIME_ZONE="Europe/Berlin")
    def test_times_are_exact_in_their_zone(self):
        now = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
        shown = formats.instant("2026-07-01T10:00:00.000000Z", now=now)
        self.assertEqual(shown["exact"], "2026-07-01 12:00:00 Europe/Berlin (UTC+0200)")
        self.assertEqual(shown["iso"], "2026-07-01T12:00:00+02:00")

    def test_initials_are_of_the_first_and_last_word(self):
        for name, expected in (
            ("Ada Lovett", "AL"), ("Ada", "A"), ("Ada van der Berg", "AB"), ("ada@example.com", "A"),
            ("", "?"), ("\u202e!", "?"),
        ):  # fmt: skip
            with self.subTest(name):
                self.assertEqual(formats.initials(name), expected)
