"""The search page."""

from urllib.parse import quote

from stores.domain.actors import session_actor
from stores.domain.memories import delete_memory
from stores.domain.stores import update_store
from stores.domain.versions import redact_version
from tests.console import hostile
from tests.console.cases import ConsoleTestCase, Page
from tests.factories import make_actor, make_memory, make_store, make_version

QUERIES = 10
QUERIES_WITH_HITS = 11


class SearchTestCase(ConsoleTestCase):
    def find(self, text: str, query: str = "") -> Page:
        return self.page(f"/search/?q={quote(text)}{query}")


class Search(SearchTestCase):
    def setUp(self):
        self.other_store = make_store(actor=self.actor, name="Project log")
        self.agent = session_actor(
            session_id="sesn_01" + "k" * 22, label="agent", workspace_id=self.workspace.id
        )
        self.other = make_memory(
            actor=self.agent,
            store=self.other_store,
            path="/log.md",
            content="One\n\nRefunds after 30 days.\n",
        )

    def test_begins_with_what_can_be_found(self):
        page = self.page("/search/")
        self.assertIn("What can be found", page.text)
        self.assertEqual([i["name"] for i in page.all("input") if "autofocus" in i], ["q"])

    def test_finds_in_all_stores_and_marks_the_words(self):
        page = self.find("refunds days")
        self.assertIn("2 live memories", page.text)
        self.assertIn("<mark>Refunds</mark> after 30 <mark>days</mark>.", page.html)
        self.assertIn("Project log v1 by session agent…kkkk", page.text)
        memory = f"/stores/{self.other_store.id}/memories/{self.other.id}/"
        self.assertIn(f"{memory}#L3", page.links())

    def test_says_how_hits_are_ordered(self):
        for query, words in (
            ("refunds days", "First where the words stand together, then where"),
            ("refunds", "First where they stand in the path"),
            ("efund", "In the order of paths."),
        ):
            with self.subTest(query):
                self.assertIn(words, self.find(query).text)

    def test_counts_old_hits_apart(self):
        make_version(actor=self.actor, memory=self.memory, content="Refunds after 90 days.\n")
        page = self.find("30", "&history=1")
        self.assertIn("1 live memory and 1 old or deleted version.", page.text)
        self.assertIn("Old and deleted versions come last", page.text)
        for number in range(25):
            make_memory(actor=self.actor, store=self.store, content=f"30 {number}\n")
        page = self.find("30", "&history=1")
        self.assertIn("26 live memories, old and deleted versions follow behind them.", page.text)
        [more] = [link for link in page.links() if "after=" in link]
        self.assertIn("1 old or deleted version on this page.", self.page(more).text)

    def test_marks_finds_in_paths(self):
        page = self.find("policies refunds", "&mode=path")
        self.assertIn('<bdi dir="ltr"><mark>policies</mark></bdi>/', page.html)

    def test_narrows_by_facets_that_can_be_taken_away(self):
        page = self.find("30 days")
        [store] = [link for link in page.links() if f"store={self.other_store.id}" in link]
        narrowed = self.page(store)
        self.assertIn("1 live memory", narrowed.text)
        self.assertIn("Remove store Project log", narrowed.text)
        self.assertIn("2 live memories", self.page([x for x in narrowed.links() if "/search/" in x][1]).text)
        [by] = [link for link in page.links() if f"actor={self.agent.id}" in link]
        self.assertIn("1 live memory", self.page(by).text)

    def test_finds_old_and_deleted_texts_on_wish(self):
        make_version(actor=self.actor, memory=self.memory, content="90 days.\n")
        delete_memory(actor=self.actor, store_id=self.other_store.id, memory_id=self.other.id)
        self.assertIn("Nothing has “30 days”", self.find("30 days", "&mode=words").text)
        page = self.find("30 days", "&mode=words&history=1&deleted=1")
        self.assertIn("Old version", page.text)
        self.assertIn("Deleted", page.text)
        self.assertIn(f"{self.version_url}#L3", page.links())

    def test_without_a_hit_offers_ways_on(self):
        page = self.find("nowhere", f"&mode=words&store={self.store.id}")
        for words in (
            "Search without filters",
            "Look inside words too",
            "Look into old and deleted versions",
        ):
            self.assertIn(words, page.text)

    def test_takes_every_text_as_it_stands(self):
        lone_surrogate = "\ud83d".encode("utf-8", "surrogatepass").decode("latin-1")
        for words in (
            *("POL-358", "don't", "a/b", "C++", '"--error', "AND", "*", "%", "_", "\\", "'", '"', "\0", "("),
            *("NEAR(a b)", "\u202e", lone_surrogate, "x" * 999),
        ):
            for mode in ("auto", "words", "substring", "path"):
                with self.subTest(words, mode=mode):
                    page = self.find(words, f"&mode={mode}&history=1&deleted=1")
                    self.assertEqual(page.inline_code(), [])

    def test_ignores_what_is_no_filter_and_refuses_what_is_no_id(self):
        for query in (
            "mode=x",
            "month=2026-13",
            "month=2026-12",
            "since=x",
            "after=x",
            "after=%00",
            "history=2",
        ):
            with self.subTest(query):
                self.assertEqual(self.get(f"/search/?q=days&{query}").status_code, 200)
        for query in ("store=x", "actor=x"):
            with self.subTest(query):
                self.assertEqual(self.get(f"/search/?q=days&{query}").status_code, 404)

    def test_goes_on_by_pages(self):
        for number in range(30):
            make_memory(actor=self.actor, store=self.store, content=f"Lantern {number}\n")
        page = self.find("lantern")
        self.assertIn("30 live memories", page.text)
        [more] = [link for link in page.links() if "after=" in link]
        self.assertEqual(len([h for h in self.page(more).links() if "#L1" in h]), 5)

    def test_takes_the_same_queries_for_one_and_for_many(self):
        self.client.force_login(self.owner)
        with self.assertNumQueries(QUERIES):
            self.client.get("/search/?q=lantern")
        with self.assertNumQueries(QUERIES_WITH_HITS):
            self.client.get("/search/?q=refunds")
        for number in range(9):
            make_memory(actor=self.actor, store=self.store, content=f"Refunds {number}\n")
        with self.assertNumQueries(QUERIES_WITH_HITS):
            self.client.get("/search/?q=refunds")


class OfOthers(SearchTestCase):
    def test_finds_nothing(self):
        stranger = make_actor(name="Stranger")
        theirs = make_store(actor=stranger)
        make_memory(actor=stranger, store=theirs, path="/secret.md", content="Refunds of others\n")
        page = self.find("others", "&history=1&deleted=1")
        self.assertNotIn("Refunds of", page.text)
        self.assertEqual(self.page(f"/search/?q=others&store={theirs.id}").all("mark"), [])
        self.assertNotIn("30 days", self.page("/search/?q=days", user=self.stranger).text)

    def test_finds_no_redacted_text(self):
        old = self.memory.head_version_id
        make_version(actor=self.actor, memory=self.memory, content="Nothing\n")
        self.assertEqual(len(self.find("30 days", "&mode=words&history=1").all("mark")), 2)
        redact_version(actor=self.actor, store_id=self.store.id, version_id=old)
        self.assertEqual(self.find("30 days", "&mode=words&history=1").all("mark"), [])


class Hostile(SearchTestCase):
    def test_texts_paths_and_names_are_text(self):
        update_store(actor=self.actor, store_id=self.store.id, name=hostile.NAME)
        hostile.make_hostile_memories(actor=self.actor, store=self.store)
        make_memory(
            actor=self.actor, store=make_store(actor=self.actor, name=hostile.NAME), content="img onerror\n"
        )
        texts = ("img", "harmless", "previous", "load x", "שלום", "0123", hostile.NAME)
        in_paths = ("b", "onmouseover", "קובץ", "d" * 50, "line")
        for words, query in [
            ("alert(1)", "&mode=substring"),
            *((words, "") for words in texts),
            *((words, "&mode=path") for words in in_paths),
        ]:
            with self.subTest(words):
                page = self.find(words, query)
                self.assertEqual(page.inline_code(), [])
                self.assertEqual(page.all("img") + page.all("i") + page.all("u"), [])
                shown = page.html[page.html.index("<main") :].replace('value="', "")
                for character in "\u202d\u2066\u200b\ufeff\x07\x1b\U000e0069":
                    self.assertNotIn(character, shown)
                self.assertNotIn("{{ 14 }}", page.text)
