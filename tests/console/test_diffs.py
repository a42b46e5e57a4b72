"""Two versions compared."""

from stores.domain.memories import delete_memory, update_memory
from stores.domain.redaction import redact_span
from stores.domain.stores import delete_store
from stores.domain.versions import redact_version
from stores.models import MemoryVersion
from tests.console.cases import HTMX, ConsoleTestCase, Page
from tests.factories import make_actor, make_memory, make_store, make_version

FAMILY = "\U0001f469\u200d\U0001f4bb"
SCIENTIST = "\U0001f469\u200d\U0001f52c"


class DiffTestCase(ConsoleTestCase):
    def url(self, to: str, from_: str | None = None, **options: str) -> str:
        asked = {"from": from_, "to": to, **options}
        return f"{self.store_url}diff/?" + "&".join(f"{k}={v}" for k, v in asked.items() if v)

    def diff_of(self, old: str, new: str, **options: str) -> Page:
        memory = make_memory(actor=self.actor, store=self.store, content=old)
        version = make_version(actor=self.actor, memory=memory, content=new)
        return self.page(self.url(version.id, **options))


class Diff(DiffTestCase):
    def test_marks_the_words_that_changed_side_by_side_and_unified(self):
        version = make_version(actor=self.actor, memory=self.memory, content="# Refunds\n\n90 days.\n")
        split = self.page(self.url(version.id))
        self.assertIn("<del>30</del> days.", split.html)
        self.assertIn("<ins>90</ins> days.", split.html)
        self.assertIn("+1 −1 lines, 1 change", split.text)
        self.assertIn("v1 to v2", split.text)
        unified = self.page(self.url(version.id, view="unified"))
        self.assertLess(unified.html.index("<del>30</del>"), unified.html.index("<ins>90</ins>"))
        self.assertEqual(len(unified.all("col")), 3)

    def test_puts_what_was_removed_before_what_was_added_in_the_unified_view(self):
        page = self.diff_of("a 1 x\nb 1 x\nend\n", "a 2 x\nb 2 x\nend\n", view="unified")
        places = [page.html.index(word) for word in ("a <del>1", "b <del>1", "a <ins>2", "b <ins>2")]
        self.assertEqual(places, sorted(places))
        self.assertEqual([r["data-change"] for r in page.all("tr") if "data-change" in r], ["1"])

    def test_without_a_first_version_is_of_the_one_before(self):
        make_version(actor=self.actor, memory=self.memory, content="2\n")
        third = make_version(actor=self.actor, memory=self.memory, content="3\n")
        self.assertIn("v2 to v3", self.page(self.url(third.id)).text)
        older = [a["href"] for a in self.page(self.url(third.id)).all("a") if a.get("rel") == "prev"]
        self.assertIn("v1 to v2", self.page(older[0]).text)

    def test_offers_what_the_text_offers_on_every_tab(self):
        for tab in ("history/", "blame/"):
            with self.subTest(tab):
                page = self.page(self.memory_url + tab)
                keys = [a.get("data-key") for a in page.all("a")]
                self.assertEqual(keys.count("e"), 1)
                self.assertIn(f"{self.memory_url}move/", page.links())

    def test_of_the_first_version_is_with_nothing(self):
        page = self.page(self.url(self.memory.head_version_id))
        self.assertIn("what v1 added", page.text)
        self.assertIn("Nothing: the memory was not there yet", page.text)
        self.assertIn("+3 −0", page.text)

    def test_is_of_two_memories_too(self):
        other = make_memory(actor=self.actor, store=self.store, path="/other.md", content="30 days.\n")
        page = self.page(self.url(other.head_version_id, self.memory.head_version_id))
        self.assertIn("Two memories: /policies/refunds.md before, /other.md after.", page.text)

    def test_is_of_two_stores_of_the_workspace_too(self):
        second = make_store(actor=self.actor, name="Second")
        elsewhere = make_memory(actor=self.actor, store=second, path="/there.md", content="30 days.\n")
        page = self.page(self.url(elsewhere.head_version_id, self.memory.head_version_id))
        self.assertIn(
            "Two memories: /policies/refunds.md of Support before, /there.md of Second after.", page.text
        )
        self.assertIn(f"/stores/{second.id}/memories/{elsewhere.id}/", page.links())
        self.assertEqual([link for link in page.links() if "/restore/" in link], [])
        page = self.page(self.url(self.memory.head_version_id, elsewhere.head_version_id))
        self.assertIn("/there.md of Second before, /policies/refunds.md of Support after.", page.text)
        # A step from the version before is a page of its own store.
        self.assertEqual(self.get(self.url(elsewhere.head_version_id, None)).status_code, 404)

    def test_is_never_of_a_store_of_others(self):
        stranger = make_actor()
        foreign = make_memory(actor=stranger, store=make_store(actor=stranger))
        deleted_store = make_store(actor=self.actor)
        deleted = make_memory(actor=self.actor, store=deleted_store)
        delete_store(actor=self.actor, store_id=deleted_store.id)
        for other in (foreign, deleted):
            for to, from_ in (
                (other.head_version_id, self.memory.head_version_id),
                (self.memory.head_version_id, other.head_version_id),
            ):
                with self.subTest(to=to, from_=from_):
                    self.assertEqual(self.get(self.url(to, from_)).status_code, 404)

    def test_does_not_exist_for_what_is_no_version(self):
        for query in ("", "?to=", "?to=x", "?to=memver_%00", "?to=memver_01", "?from=memver_01"):
            with self.subTest(query):
                self.assertEqual(self.get(f"{self.store_url}diff/{query}").status_code, 404)

    def test_of_equal_texts_says_so(self):
        version = update_memory(
            actor=self.actor, store_id=self.store.id, memory_id=self.memory.id, path="/r.md"
        )
        page = self.page(self.url(version.head_version_id))
        self.assertIn("The two texts are the same, byte for byte.", page.text)
        self.assertIn("Renamed from /policies/refunds.md to /r.md.", page.text)

    def test_says_that_only_line_endings_differ_and_shows_them_on_wish(self):
        page = self.diff_of("one\ntwo\n", "one\r\ntwo\r\n")
        self.assertIn("Line endings only", page.text)
        self.assertIn("2 lines: LF became CRLF", page.text)
        self.assertEqual([r for r in page.all("tr") if "data-change" in r], [])
        [anyway] = [link for link in page.links() if "space=show" in link and "view" not in link]
        shown = self.page(anyway)
        self.assertEqual(len([s for s in shown.all("span") if s.get("class") == "eol"]), 4)
        self.assertEqual(len([r for r in shown.all("tr") if "data-change" in r]), 1)

    def test_says_that_only_white_space_differs_and_ignores_it_on_wish(self):
        page = self.diff_of("a b\n", "a  b\n")
        self.assertIn("White space only", page.text)
        [ignore] = [link for link in page.links() if "space=ignore" in link]
        ignored = self.page(ignore)
        self.assertIn("+0 −0 lines, no change", ignored.text)
        self.assertIn("White space ignored", ignored.text)

    def test_says_that_a_newline_at_the_end_came_or_went(self):
        page = self.diff_of("a\nb", "a\nc\n")
        self.assertIn("A newline at the end was added", page.text)
        self.assertIn("no newline", page.text)

    def test_keeps_pictures_of_several_characters_whole(self):
        page = self.diff_of(f"{FAMILY} ready\n", f"{SCIENTIST} ready\n")
        self.assertIn(f"<del>{FAMILY}</del> ready", page.html)
        self.assertIn(f"<ins>{SCIENTIST}</ins> ready", page.html)
        self.assertNotIn("hid", [s.get("class") for s in page.all("span")])

    def test_marks_hidden_characters_and_counts_them(self):
        page = self.diff_of("pay now\n", "pay\u200b now\n")
        self.assertIn("ZERO WIDTH SPACE, U+200B", page.html)
        self.assertNotIn("\u200b", page.html)
        self.assertIn("Hidden characters in the changed lines: 0 before, 1 after", page.text)

    def test_flags_no_ordinary_writing(self):
        page = self.diff_of("שלום (abc)\n", "שלום\u200f (xyz)\n")
        self.assertNotIn("hid", [s.get("class") for s in page.all("span")])

    def test_links_the_two_places_of_a_moved_block(self):
        block = "This paragraph goes elsewhere.\nAnd so does its second line.\n"
        rest = "".join(f"Line {number} stays where it is.\n" for number in range(9))
        page = self.diff_of(block + rest, rest + block)
        self.assertIn("moved to line 10", page.text)
        self.assertIn("moved from line 1", page.text)
        self.assertIn("2 lines moved", page.text)
        for target in ("#n10", "#o1"):
            self.assertIn(target, page.links())
            self.assertIn(target[1:], [cell.get("id") for cell in page.all("td")])

    def test_shows_markup_as_text(self):
        page = self.diff_of("<b>\n", "<img src=x onerror=alert(1)>\n{{ 7|add:7 }}\n")
        self.assertIn("&lt;", page.html)
        self.assertEqual(page.all("img") + page.all("b"), [])
        self.assertEqual(page.inline_code(), [])
        self.assertIn("{{ 7|add:7 }}", page.text)

    def test_takes_the_same_queries_for_small_and_large(self):
        small = make_version(actor=self.actor, memory=self.memory, content="2\n")
        self.client.force_login(self.owner)
        with self.assertNumQueries(9):
            self.client.get(self.url(small.id))
        large = make_version(actor=self.actor, memory=self.memory, content="x\n" * 5000)
        with self.assertNumQueries(9):
            self.client.get(self.url(large.id))


class Restoring(DiffTestCase):
    def test_is_offered_to_those_who_may_write_and_never_of_the_live_text(self):
        version = make_version(actor=self.actor, memory=self.memory, content="90 days.\n")
        restore = f"{self.version_url}restore/"
        self.assertIn(restore, self.page(self.url(version.id)).links())
        self.assertNotIn(restore, self.page(self.url(version.id), user=self.colleague).links())
        swapped = self.page(self.url(self.memory.head_version_id, version.id))
        self.assertEqual([link for link in swapped.links() if link.endswith("/restore/")], [])


class Folds(DiffTestCase):
    def setUp(self):
        lines = [f"line {number}\n" for number in range(1, 1201)]
        memory = make_memory(actor=self.actor, store=self.store, content="".join(lines))
        self.version = make_version(actor=self.actor, memory=memory, content="".join(["first\n", *lines[1:]]))
        self.address = self.url(self.version.id)

    def test_open_by_a_swap(self):
        page = self.page(self.address)
        [fold] = [a for a in page.all("a") if a.get("hx-target") == "closest tr"]
        self.assertIn("1,196 unchanged lines", page.text)
        part = self.page(fold["hx-get"], **HTMX)
        self.assertEqual([len(part.all(tag)) for tag in ("html", "h1", "table")], [0, 0, 1])
        self.assertEqual(len(part.all("tr")), 501)
        self.assertIn("696 unchanged lines", part.text)
        self.assertIn("line 5 5 line 5", part.text)
        [fold] = [a for a in part.all("a") if a.get("hx-target") == "closest tr"]
        self.assertIn("196 unchanged lines", self.page(fold["hx-get"], **HTMX).text)

    def test_open_without_script(self):
        page = self.page(self.address)
        [fold] = [a for a in page.all("a") if a.get("hx-target") == "closest tr"]
        opened = self.page(fold["href"].partition("#")[0])
        self.assertIn("line 500", opened.text)
        self.assertIn(fold["href"].partition("#")[2], [cell.get("id") for cell in opened.all("td")])

    def test_that_are_not_there_are_refused(self):
        for fold in ("1.1.5", "5.5.999999", "0.0.0", "x"):
            with self.subTest(fold):
                status = self.get(f"{self.address}&fold={fold}", **HTMX).status_code
                self.assertEqual(status, 404 if fold in ("1.1.5", "5.5.999999") else 200)
                self.assertEqual(self.get(f"{self.address}&open={fold}").status_code, 200)


class LargeDiff(DiffTestCase):
    def test_comes_in_parts(self):
        old = "".join(f"{number}\n" for number in range(12_000))
        new = "".join(f"{number}{'x' if number % 10 == 0 else ''}\n" for number in range(12_000))
        memory = make_memory(actor=self.actor, store=self.store, content=old)
        version = make_version(actor=self.actor, memory=memory, content=new)
        page = self.page(self.url(version.id))
        self.assertEqual(len(page.all("tr")), 2000)
        self.assertIn("Rows 1 to 2000 of", page.text)
        [later] = [a["href"] for a in page.all("a") if "data-rows-after" in a]
        second = self.page(later)
        self.assertIn("Rows 2001 to 4000 of", second.text)
        changes = [int(r["data-change"]) for p in (page, second) for r in p.all("tr") if "data-change" in r]
        self.assertEqual(changes, list(range(1, len(changes) + 1)))
        self.assertEqual(self.get(self.url(version.id, row="9999999")).status_code, 200)

    def test_of_one_long_line_marks_the_word(self):
        page = self.diff_of("word " * 20_000, "word " * 10_000 + "other " + "word " * 9_000)
        self.assertIn("<ins>", page.html)
        self.assertLess(len(page.html), 400_000)


class WithoutText(DiffTestCase):
    SECRET = "The number is 0176 5550100"

    def setUp(self):
        self.person = make_memory(
            actor=self.actor, store=self.store, path="/people/lina.md", content=f"a\n{self.SECRET}\n"
        )
        self.second = make_version(actor=self.actor, memory=self.person, content="a\nNo number.\n")
        self.third = make_version(actor=self.actor, memory=self.person, content="a\nNone.\n")

    def test_a_redacted_side_is_said_and_shows_nothing(self):
        redact_version(actor=self.actor, store_id=self.store.id, version_id=self.person.head_version_id)
        page = self.page(self.url(self.second.id))
        self.assertIn("v1 is redacted", page.text)
        self.assertIn("There is nothing to compare: the text of v1 is gone", page.text)
        for leak in (self.SECRET, "No number", self.person.content_sha256):
            self.assertNotIn(leak, page.html)

    def test_another_version_is_offered_instead(self):
        redact_version(actor=self.actor, store_id=self.store.id, version_id=self.second.id)
        page = self.page(self.url(self.third.id))
        self.assertIn("Compare with v1 instead", page.text)
        [instead] = [link for link in page.links() if self.person.head_version_id in link]
        self.assertIn("v1 to v3", self.page(instead).text)

    def test_redacted_passages_are_left_out_of_what_is_compared(self):
        redact_span(
            actor=self.actor, store_id=self.store.id, version_id=self.person.head_version_id,
            start=2, end=2 + len(self.SECRET),
        )  # fmt: skip
        page = self.page(self.url(self.second.id))
        self.assertIn("Passages of v1 are redacted", page.text)
        self.assertNotIn("5550100", page.html)
        self.assertIn("No number.", page.text)

    def test_a_deletion_is_compared_as_nothing(self):
        delete_memory(actor=self.actor, store_id=self.store.id, memory_id=self.person.id)
        last = MemoryVersion.objects.get(memory_id=self.person.id, operation="deleted")
        page = self.page(self.url(last.id))
        self.assertIn("v4 records a deletion", page.text)
        self.assertIn("+0 −2", page.text)

    def test_versions_that_are_no_longer_kept_are_counted(self):
        MemoryVersion.objects.filter(id=self.second.id).delete()
        page = self.page(self.url(self.third.id))
        self.assertIn("The version before is no longer kept. Shown is what changed since v1.", page.text)
