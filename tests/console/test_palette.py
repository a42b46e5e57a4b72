"""What the command palette offers, and the list of keys."""

import re
from pathlib import Path
from urllib.parse import quote

from django.conf import settings

from stores.console.views.keys import GROUPS
from stores.domain.stores import archive_store, update_store
from stores.models import Role
from tests.console import hostile
from tests.console.cases import HTMX, ConsoleTestCase, Page
from tests.factories import make_actor, make_member, make_memory, make_store, make_user

QUERIES = 5
QUERIES_IN_A_STORE = 6
QUERIES_WITHOUT_WORDS = 5


class PaletteTestCase(ConsoleTestCase):
    def offered(self, words: str = "", *, user=None, store: str = "") -> Page:
        return self.page(f"/palette/?q={quote(words)}&store={store}", user=user, **HTMX)


class Palette(PaletteTestCase):
    def test_begins_with_pages_actions_and_the_stores_written_last(self):
        make_store(actor=self.actor, name="Never written")
        page = self.offered()
        links = page.links()
        for there in ("/", "/stores/", "/activity/", "/search/", "/connect/", "/keys/", "/stores/new/"):
            self.assertIn(there, links)
        self.assertIn("Stores written last Support Never written", page.text)

    def test_finds_stores_by_name_those_with_such_a_word_first(self):
        for name in ("SUPPORT desk", "Unsupported", "Other"):
            make_store(actor=self.actor, name=name)
        page = self.offered("support")
        self.assertIn("Stores SUPPORT desk Support Unsupported ", page.text)
        self.assertNotIn("Other", page.text)

    def test_puts_memories_before_stores_that_have_it_inside_a_word(self):
        make_store(actor=self.actor, name="Preferences")
        self.assertRegex(self.offered("ref").text, "Memories refunds.md .* Stores Preferences ")
        self.assertRegex(self.offered("pref").text, "Stores Preferences ")

    def test_finds_pages_and_actions_by_how_their_words_begin(self):
        self.assertIn("Pages Activity ", self.offered("act").text)
        self.assertIn("Pages Connect an agent ", self.offered("ag con").text)
        self.assertNotIn("Pages", self.offered("tores").text)

    def test_says_which_store_is_archived_and_puts_it_last(self):
        old = make_store(actor=self.actor, name="Support of old")
        archive_store(actor=self.actor, store_id=old.id)
        self.assertIn("Stores Support Support of old archived", self.offered("supp").text)

    def test_finds_memories_by_any_part_of_their_path(self):
        for words in ("refunds", "REFUNDS.MD", "polic", "cies/ref", "md policies"):
            with self.subTest(words):
                page = self.offered(words)
                self.assertIn(self.memory_url, page.links())
                self.assertIn("Memories refunds.md /policies Support", page.text)

    def test_lists_this_store_before_the_others(self):
        other = make_store(actor=self.actor, name="Other")
        make_memory(actor=self.actor, store=other, path="/refunds-too.md")
        page = self.offered("refunds", store=self.store.id)
        self.assertIn(
            "Memories in Support refunds.md /policies Memories in other stores refunds-too.md Other",
            page.text,
        )

    def test_prefers_names_to_folders(self):
        for path in ("/tea/a.md", "/b/of-tea.md", "/long/folder/tea.md"):
            make_memory(actor=self.actor, store=self.store, path=path)
        self.assertIn(
            "tea.md /long/folder Support of-tea.md /b Support a.md /tea Support", self.offered("tea").text
        )

    def test_ignores_the_case_of_all_letters(self):
        make_memory(actor=self.actor, store=self.store, path="/Über.md")
        for words in ("über", "ÜBER"):
            self.assertIn("Über.md", self.offered(words).text)

    def test_always_offers_to_search_the_texts(self):
        self.assertIn("/search/?q=a%26b+%3C", self.offered("a&b <").links())

    def test_takes_every_text_as_it_stands(self):
        make_memory(actor=self.actor, store=self.store, path="/100%_sure\\'\".md")
        for words in ("%", "_", "\\", "'", '"', "100%_sure", "\\'\""):
            with self.subTest(words):
                self.assertIn("Memories 100%_sure", self.offered(words).text)
                self.assertNotIn("refunds.md", self.offered(words).text)
        for words in ("\0", "\ufffd", "*", "(", "NEAR(a b)", "x" * 999, "a " * 99, "\u202e", "'; --"):
            with self.subTest(words):
                page = self.offered(words)
                self.assertNotIn("refunds.md", page.text)
                self.assertEqual(page.inline_code(), [])

    def test_takes_the_same_queries_for_one_and_for_many(self):
        self.client.force_login(self.owner)
        make_store(actor=self.actor, name="Other")
        for _ in range(2):
            with self.assertNumQueries(QUERIES_WITHOUT_WORDS):
                self.client.get("/palette/", headers=HTMX)
            with self.assertNumQueries(QUERIES):
                self.client.get("/palette/?q=refunds", headers=HTMX)
            with self.assertNumQueries(QUERIES_IN_A_STORE):
                self.client.get(f"/palette/?q=refunds&store={self.store.id}", headers=HTMX)
            for number in range(9):
                store = make_store(actor=self.actor, name=f"Refunds {number}")
                make_memory(actor=self.actor, store=store, path=f"/refunds-{number}.md")

    def test_is_no_page_of_its_own(self):
        self.assertRedirects(self.get("/palette/?q=30+days"), "/search/?q=30+days")

    def test_asks_to_sign_in(self):
        response = self.client.get(
            "/palette/", headers=HTMX | {"HX-Current-URL": f"http://testserver{self.memory_url}"}
        )
        self.assertEqual(response["HX-Redirect"], f"/login/?next={quote(self.memory_url, safe='')}")

    def test_is_never_kept_in_a_cache_and_takes_no_other_method(self):
        response = self.get("/palette/", **HTMX)
        self.assertIn("no-store", response["Cache-Control"])
        self.assertIn("HX-Request", response["Vary"])
        self.assertEqual(self.client.post("/palette/").status_code, 405)


class Rights(PaletteTestCase):
    def acts(self, role: str) -> list[str]:
        user = make_user()
        make_member(workspace=self.workspace, user=user, role=role)
        return [
            link for link in self.offered("new", user=user, store=self.store.id).links() if "new/" in link
        ]

    def test_decide_what_is_offered(self):
        new_memory = f"{self.store_url}memories/new/"
        self.assertEqual(self.acts(Role.VIEWER), [])
        self.assertEqual(self.acts(Role.EDITOR), [new_memory])
        self.assertEqual(self.acts(Role.REVIEWER), [new_memory])
        self.assertEqual(self.acts(Role.ADMIN), [new_memory, "/stores/new/"])

    def test_nothing_is_written_to_an_archived_store(self):
        archive_store(actor=self.actor, store_id=self.store.id)
        self.assertEqual(self.acts(Role.EDITOR), [])

    def test_other_workspaces_are_absent(self):
        theirs = make_store(actor=make_actor(), name="Support of others")
        make_memory(actor=make_actor(workspace=theirs.workspace), store=theirs, path="/refunds-of-others.md")
        for store in ("", theirs.id, self.store.id):
            for words in ("support", "refunds", ""):
                with self.subTest(words, store=store):
                    self.assertNotIn("of others", self.offered(words, store=store).text)
                    self.assertNotIn("refunds-of", self.offered(words, store=store).text)
        self.assertNotIn("Support", self.offered("supp", user=self.stranger).text)

    def test_a_store_that_is_not_there_is_as_good_as_none(self):
        theirs = make_store(actor=make_actor())
        none = self.offered("refunds").html
        for store in (theirs.id, "memstore_0", "\0", "x" * 500, "memstore_" + "0" * 64):
            with self.subTest(store):
                self.assertEqual(self.offered("refunds", store=quote(store)).html, none)


class Hostile(PaletteTestCase):
    def test_names_and_paths_are_text(self):
        update_store(actor=self.actor, store_id=self.store.id, name=hostile.NAME)
        hostile.make_hostile_memories(actor=self.actor, store=self.store)
        for words in ("", "img", "b", "onmouse", "קובץ", "d" * 50, "end", "load", hostile.NAME):
            for store in ("", self.store.id):
                with self.subTest(words, store=store):
                    page = self.offered(words, store=store)
                    self.assertEqual(page.inline_code(), [])
                    self.assertEqual(page.all("img") + page.all("b") + page.all("script"), [])
                    shown = re.sub('href="[^"]*"', "", page.html)
                    for character in "\u202d\u202e\u2066\u200b\ufeff\x07\x1b":
                        self.assertNotIn(character, shown)
                    self.assertNotIn("{{ 14 }}", page.text)


class Keys(ConsoleTestCase):
    def test_are_a_page_and_a_part_for_the_dialog(self):
        page = self.page("/keys/")
        self.assertIn("Go to a store, a memory, a page or an action", page.text)
        part = self.page("/keys/", **HTMX)
        self.assertEqual([len(part.all(tag)) for tag in ("html", "title", "h1")], [0, 0, 0])
        self.assertEqual(len(part.all("dt")), len(page.all("dt")))
        self.assertIn("/keys/", self.page("/stores/").links())

    def test_every_key_on_a_page_is_in_the_list(self):
        listed = {key["when"] for group in GROUPS for key in group["keys"]}
        marked = set()
        for path in Path(settings.BASE_DIR, "templates").rglob("*.html"):
            marked |= set(re.findall(r'data-key="([^"]+)"', path.read_text()))
        self.assertGreater(len(marked), 7)
        self.assertEqual({f'[data-key="{key}"]' for key in marked} - listed, set())
