"""Searching, with the index and without; the same on both databases."""

import random
from datetime import UTC, datetime, timedelta

from django.db import connection
from django.test import TestCase, TransactionTestCase
from django.test.utils import CaptureQueriesContext

from stores.domain import errors, memories, rollback, search, search_index, stores, versions
from stores.domain.search_query import parse_query
from stores.models import Memory, MemoryStore, MemoryVersion, SearchEntry, SearchRemoval
from tests.domain.test_search_query import ODD, PATHS, SUBSTRINGS, WORDS
from tests.factories import make_actor, make_memory, make_store, make_version, make_workspace
from tests.on_file import OnFileTestCase

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


def index_all():
    search_index.index_memories(seconds=60)


class SearchTestCase(TestCase):
    @classmethod
    def setUpTestData(cls):
        cls.actor = make_actor()
        cls.store = make_store(actor=cls.actor)

    def make(self, content, path="", **fields):
        store = fields.pop("store", self.store)
        return make_memory(actor=self.actor, store=store, path=path, content=content, **fields)

    def search(self, text, **fields):
        return search.search(**{"actor": self.actor, "text": text, **fields})

    def found(self, text, **fields):
        """Paths, in the order of the page."""
        return [hit.path for hit in self.search(text, **fields).hits]

    def all_pages(self, text, limit, **fields):
        pages, after = [], None
        while True:
            page = self.search(text, limit=limit, after=after, **fields)
            pages.append(page)
            after = page.next
            if after is None:
                return pages
            self.assertLess(len(pages), 500)


class MatchingTest(SearchTestCase):
    """The table of cases on the database, by index and by scan."""

    def check(self, cases, mode, path):
        made = {}
        for number, (_, text, _) in enumerate(cases):
            if "\ud83d" not in text:
                made[number] = self.make(text, path=f"/{mode}/{number}.md")
        for indexed in (False, True):
            if indexed:
                index_all()
            for number, (query, text, expected) in enumerate(cases):
                if number not in made:
                    continue
                with self.subTest(query=query, text=text, indexed=indexed):
                    found = self.found(query, mode=mode, limit=100)
                    self.assertIs(made[number].path in found, expected)

    def test_words(self):
        self.check(WORDS, "words", "/x")

    def test_substrings(self):
        self.check(SUBSTRINGS, "substring", "/x")

    def test_paths(self):
        for path in {path for _, path, _ in PATHS}:
            self.make("content", path=path)
        for query, path, expected in PATHS:
            with self.subTest(query=query, path=path):
                self.assertIs(path in self.found(query, mode="path"), expected)

    def test_no_query_fails(self):
        self.make("some text")
        index_all()
        for text in ODD:
            for mode in ("auto", "words", "substring", "path"):
                for fields in ({}, {"include_history": True, "include_deleted": True}):
                    with self.subTest(text=text[:20], mode=mode):
                        self.search(text, mode=mode, **fields)

    def test_odd_filters_match_nothing(self):
        self.make("some text")
        for fields in (
            {"actor_id": "\0"},
            {"actor_id": "\ud83d"},
            {"store_ids": ["\0", "\ud83d", "memstore_none"]},
            {"store_ids": []},
        ):
            self.assertEqual(self.found("text", **fields), [])
        for after in ("x", "\0", "e30", "eyJwIjoiaW5kZXgifQ", "é"):
            self.assertEqual(len(self.search("text", after=after).hits), 1)
        with self.assertRaises(errors.PathInvalid):
            self.search("text", path_prefix="no folder")

    def test_random_texts_and_queries(self):
        chance = random.Random(7)
        words = [
            "tea",
            "Tea",
            "té",
            "green",
            "a/b",
            "c++",
            "東京",
            "京",
            "don't",
            "don’t",
            "x-1",
            "👩‍💻",
            "*",
            "\n",
        ]
        texts = {}
        for number in range(60):
            text = " ".join(chance.choices(words, k=chance.randint(0, 8)))
            texts[self.make(text, path=f"/{number}.md").path] = text
            if number == 40:
                index_all()
        for _ in range(150):
            query = " ".join(chance.choices(words, k=chance.randint(1, 3)))
            if chance.random() < 0.3:
                query = f'"{query}"'
            for mode in ("words", "substring"):
                parsed = parse_query(query, mode)
                expected = {
                    path for path, text in texts.items() if parsed.terms and parsed.matches(path, text)
                }
                with self.subTest(query=query, mode=mode):
                    page = self.search(query, mode=mode, limit=100)
                    self.assertEqual({hit.path for hit in page.hits}, expected)
                    self.assertEqual((page.facets.total, page.next), (len(expected), None))


class FreshnessTest(SearchTestCase):
    def test_found_right_after_a_write_and_the_old_text_no_more(self):
        for indexed in (False, True):
            with self.subTest(indexed=indexed):
                memory = self.make("first words")
                if indexed:
                    index_all()
                self.assertEqual(self.found("first", mode="words"), [memory.path])
                make_version(actor=self.actor, memory=memory, content="second words")
                self.assertEqual(self.found("second"), [memory.path])
                self.assertEqual(self.found("first"), [])
                index_all()
                self.assertEqual(self.found("second"), [memory.path])
                self.assertEqual(self.found("first"), [])
                memories.delete_memory(actor=self.actor, store_id=self.store.id, memory_id=memory.id)
                self.assertEqual(self.found("second"), [])

    def test_a_rename_is_found_by_the_new_path(self):
        memory = self.make("words", path="/old-place.md")
        index_all()
        make_version(actor=self.actor, memory=memory, path="/new-place.md", content="words")
        self.assertEqual(self.found("new-place"), ["/new-place.md"])
        self.assertEqual(self.found("old-place"), [])

    def test_indexing_changes_nothing_that_is_seen(self):
        self.make("tea")
        before = list(Memory.objects.values_list("id", "head_version_id", "updated_at", "last_read_at"))
        index_all()
        self.assertEqual(
            list(Memory.objects.values_list("id", "head_version_id", "updated_at", "last_read_at")), before
        )
        self.assertTrue(Memory.objects.get().is_indexed)
        self.assertEqual(search_index.index_memories(seconds=1), 0)

    def test_a_search_is_no_read(self):
        agent = make_actor(workspace=self.store.workspace, access="read_only")
        self.make("tea")
        index_all()
        self.assertEqual(len(search.search(actor=agent, text="tea").hits), 1)
        self.assertIsNone(Memory.objects.get().last_read_at)

    def test_many_that_are_missing_are_indexed_first(self):
        for number in range(search.UNINDEXED_FEW + 1):
            self.make("tea", path=f"/{number}.md")
        self.assertEqual(self.search("tea").facets.total, search.UNINDEXED_FEW + 1)
        self.assertTrue(SearchEntry.objects.exists())


class RemovalTest(SearchTestCase):
    def entries(self):
        return set(SearchEntry.objects.values_list("version_id", flat=True))

    def words_left(self):
        """How many rows the words themselves still find."""
        with connection.cursor() as cursor:
            if connection.vendor == "sqlite":
                cursor.execute("SELECT count(*) FROM stores_searchtext WHERE stores_searchtext MATCH 'zaun'")
            else:
                cursor.execute("SELECT count(*) FROM stores_searchentry WHERE words @@ 'zaun'::tsquery")
            return cursor.fetchone()[0]

    def test_deleting_a_memory(self):
        memory = self.make("Zaun")
        index_all()
        self.assertEqual((self.entries(), self.words_left()), ({memory.head_version_id}, 1))
        memories.delete_memory(actor=self.actor, store_id=self.store.id, memory_id=memory.id)
        self.assertEqual((self.entries(), self.words_left()), (set(), 0))

    def test_redacting_what_the_index_still_holds(self):
        memory = self.make("Zaun")
        index_all()
        make_version(actor=self.actor, memory=memory, content="clean")
        self.assertEqual(self.words_left(), 1)
        versions.redact_version(actor=self.actor, store_id=self.store.id, version_id=memory.head_version_id)
        self.assertEqual((self.entries(), self.words_left()), (set(), 0))
        index_all()
        self.assertEqual(self.found("clean"), [memory.path])

    def test_a_refused_redaction_takes_nothing_out(self):
        memory = self.make("Zaun")
        other = make_store(actor=self.actor)
        index_all()
        for store_id in (self.store.id, other.id):
            with self.assertRaises(errors.DomainError):
                versions.redact_version(
                    actor=self.actor, store_id=store_id, version_id=memory.head_version_id
                )
        self.assertEqual((self.entries(), self.words_left()), ({memory.head_version_id}, 1))
        self.assertFalse(SearchRemoval.objects.exists())

    def test_deleting_a_store(self):
        doomed = make_store(actor=self.actor)
        self.make("Zaun", store=doomed)
        memory = self.make("Zaun")
        index_all()
        stores.delete_store(actor=self.actor, store_id=doomed.id)
        self.assertEqual((self.entries(), self.words_left()), ({memory.head_version_id}, 1))

    def test_a_store_that_is_marked_as_deleted_is_gone_at_once(self):
        self.make("Zaun")
        index_all()
        self.make("Zaun")
        MemoryStore.objects.filter(id=self.store.id).update(deleted_at=NOON)
        self.assertEqual(self.found("zaun", include_history=True, include_deleted=True), [])

    def test_a_change_that_comes_while_a_text_is_indexed(self):
        memory = self.make("Zaun")
        texts = search.statements.read_unindexed(limit=10)
        make_version(actor=self.actor, memory=memory, content="other")
        self.assertEqual(search_index._index(texts), 0)
        self.assertEqual((self.entries(), self.words_left()), (set(), 0))

    def test_entries_made_by_other_rules_are_made_anew(self):
        memory = self.make("Zaun")
        index_all()
        SearchEntry.objects.update(form="0/1.0")
        index_all()
        self.assertEqual((self.entries(), self.words_left()), ({memory.head_version_id}, 1))
        SearchEntry.objects.update(form="0/1.0")
        memories.delete_memory(actor=self.actor, store_id=self.store.id, memory_id=memory.id)
        self.assertEqual((self.entries(), self.words_left()), (set(), 0))

    def test_nothing_is_left_after_many_random_changes(self):
        chance = random.Random(3)
        live = []
        for step in range(150):
            act = chance.random()
            if act < 0.4 or not live:
                live.append(self.make(f"zaun {step}"))
            elif act < 0.7:
                memory = chance.choice(live)
                make_version(actor=self.actor, memory=memory, content=f"zaun {step}")
            elif act < 0.85:
                search_index.index_memories(seconds=60)
            else:
                memory = live.pop(chance.randrange(len(live)))
                memories.delete_memory(actor=self.actor, store_id=self.store.id, memory_id=memory.id)
        index_all()
        self.assertEqual(self.words_left(), len(live))
        for memory in live:
            memories.delete_memory(actor=self.actor, store_id=self.store.id, memory_id=memory.id)
        self.assertEqual((self.entries(), self.words_left()), (set(), 0))
        if connection.vendor == "sqlite":
            self.make("other")
            index_all()
            search_index.note_removal()
            search_index.rewrite_index()
            with connection.cursor() as cursor:
                cursor.execute("INSERT INTO stores_searchtext(stores_searchtext) VALUES ('integrity-check')")


class RightsTest(SearchTestCase):
    def test_only_what_the_actor_reaches(self):
        archived = make_store(actor=self.actor, name="Archived")
        stranger = make_actor()
        foreign = make_store(actor=stranger)
        self.make("tea", path="/here")
        self.make("tea", path="/archived", store=archived)
        make_memory(actor=stranger, store=foreign, path="/foreign", content="tea")
        stores.archive_store(actor=self.actor, store_id=archived.id)
        limited = make_actor(workspace=self.store.workspace, store_ids=[self.store.id])
        everything = {"include_history": True, "include_deleted": True}
        for indexed in (False, True):
            if indexed:
                index_all()
            for mode in ("words", "substring"):
                with self.subTest(indexed=indexed, mode=mode):
                    fields = {"mode": mode, **everything}
                    self.assertEqual(set(self.found("tea", **fields)), {"/here", "/archived"})
                    self.assertEqual(self.found("tea", actor=limited, **fields), ["/here"])
                    self.assertEqual(self.found("tea", actor=stranger, **fields), ["/foreign"])
                    ids = [archived.id, foreign.id, "memstore_none"]
                    self.assertEqual(self.found("tea", store_ids=ids, **fields), ["/archived"])
                    self.assertEqual(self.found("tea", store_ids=ids, actor=limited, **fields), [])

    def test_many_stores_are_named_by_their_workspace(self):
        chosen = [make_store(actor=self.actor) for _ in range(search.STORES_NAMED + 1)]
        for store in [*chosen, self.store]:
            self.make("tea", store=store)
        index_all()
        page = self.search("tea", store_ids=[store.id for store in chosen], limit=100)
        self.assertEqual({hit.store_id for hit in page.hits}, {store.id for store in chosen})


class FiltersTest(SearchTestCase):
    def test_each_alone(self):
        other = make_actor(workspace=self.store.workspace)
        early, late = NOON, NOON + timedelta(days=40)
        self.make("tea", path="/a/1", now=early)
        self.make("tea", path="/a-b/2", now=late)
        make_memory(actor=other, store=self.store, path="/100%/3", content="tea", now=late)
        self.make("tea", path="/1000/4", now=late)
        cases = [
            ({}, {"/a/1", "/a-b/2", "/100%/3", "/1000/4"}),
            ({"path_prefix": "/a/"}, {"/a/1"}),
            ({"path_prefix": "/100%/"}, {"/100%/3"}),
            ({"actor_id": other.id}, {"/100%/3"}),
            ({"actor_id": "apikey_none"}, set()),
            ({"until": early}, {"/a/1"}),
            ({"since": early + timedelta(microseconds=1)}, {"/a-b/2", "/100%/3", "/1000/4"}),
            ({"since": late, "until": late, "path_prefix": "/1000/"}, {"/1000/4"}),
        ]
        for indexed in (False, True):
            if indexed:
                index_all()
            for mode, text in (("words", "tea"), ("substring", "tea"), ("path", "/")):
                for fields, expected in cases:
                    with self.subTest(mode=mode, indexed=indexed, **fields):
                        page = self.search(text, mode=mode, **fields)
                        self.assertEqual({hit.path for hit in page.hits}, expected)
                        self.assertEqual(page.facets.total, len(expected))

    def test_facets(self):
        other = make_actor(workspace=self.store.workspace, name="Other")
        second = make_store(actor=self.actor, name="Second")
        self.make("tea", now=NOON)
        make_memory(actor=other, store=self.store, content="tea", now=NOON + timedelta(days=40))
        self.make("tea", store=second, now=NOON + timedelta(days=40))
        self.make("coffee")
        for mode in ("words", "substring"):
            for indexed in (False, True):
                if indexed:
                    index_all()
                facets = self.search("tea", mode=mode, limit=1).facets
                with self.subTest(mode=mode, indexed=indexed):
                    self.assertEqual((facets.total, facets.is_complete), (3, True))
                    self.assertEqual(
                        [(each.value, each.label, each.count) for each in facets.stores],
                        [(self.store.id, "Notes", 2), (second.id, "Second", 1)],
                    )
                    self.assertEqual(
                        {(each.value, each.label, each.count) for each in facets.actors},
                        {(self.actor.id, "Agent", 2), (other.id, "Other", 1)},
                    )
                    self.assertEqual(
                        [(each.value, each.count) for each in facets.months], [("2027-01", 2), ("2026-11", 1)]
                    )


class OrderTest(SearchTestCase):
    def test_better_ones_first(self):
        for number in range(10):
            self.make("of something else", path=f"/none/{number}")
        self.make("once tea" + " and very much else" * 20, path="/1")
        self.make("tea tea tea", path="/2")
        self.make("of something else", path="/tea")
        index_all()
        self.assertEqual(self.found("tea"), ["/tea", "/2", "/1"])

    def test_words_that_stand_together_before_words_apart(self):
        self.make("90 apples, 90 pears and 90 plums in days and days", path="/days/apart")
        self.make("of old it was, at that time and on the whole, 90\ndays", path="/together")
        self.make("days 90", path="/turned")
        index_all()
        page = self.search("90 days")
        self.assertEqual(page.hits[0].path, "/together")
        self.assertEqual(len(page.hits), 3)
        self.assertTrue(page.is_ranked)
        self.assertEqual([hit.path for hit in self.search("90 days", limit=1).hits], ["/together"])

    def test_the_best_alone_are_read_for_words_that_stand_together(self):
        self.make("tea, tea and cups", path="/1")
        self.make("now and then when it is late tea cups and much else", path="/2")
        index_all()
        bound, search.TOGETHER_BYTES = search.TOGETHER_BYTES, 30
        try:
            self.assertEqual(self.found("tea cups"), ["/1", "/2"])
        finally:
            search.TOGETHER_BYTES = bound
        self.assertEqual(self.found("tea cups"), ["/2", "/1"])

    def test_just_written_ones_before_all(self):
        self.make("tea tea tea", path="/old")
        index_all()
        self.make("a little tea among much else", path="/new")
        self.assertEqual(self.found("tea"), ["/new", "/old"])

    def test_auto_looks_inside_words_when_nothing_has_the_words(self):
        self.make("teapots and saucers", path="/1")
        self.make("tea", path="/2")
        self.assertEqual(self.found("tea"), ["/2"])
        page = self.search("eapot")
        self.assertEqual([hit.path for hit in page.hits], ["/1"])
        self.assertIn("inside", page.notes[0])
        self.assertEqual(self.found("eapot", mode="words"), [])


class PagesTest(SearchTestCase):
    def check_pages(self, pages, expected, limit):
        paths = [hit.path for page in pages for hit in page.hits]
        self.assertEqual((len(paths), set(paths)), (len(expected), expected))
        self.assertTrue(all(len(page.hits) <= limit for page in pages))

    def setUp(self):
        second = make_store(actor=self.actor)
        self.expected = set()
        for number in range(45):
            memory = self.make(
                f"tea {number} teapot.", path=f"/{number}", store=(self.store, second)[number % 2]
            )
            self.expected.add(memory.path)
            if number == 30:
                index_all()

    def test_all_are_reached_once(self):
        for mode, text in (
            ("words", "tea"),
            ("words", "tea teapot"),
            ("words", "teapot tea"),
            ("substring", "tea"),
            ("path", "/"),
            ("auto", "eapo"),
        ):
            for limit in (1, 7, 45):
                with self.subTest(mode=mode, limit=limit):
                    pages = self.all_pages(text, limit, mode=mode)
                    self.check_pages(pages, self.expected, limit)
                    self.assertEqual(len(pages), -(-45 // limit))
                    self.assertEqual(pages[0].facets.total, 45)

    def test_indexing_between_pages_shows_nothing_twice(self):
        first = self.search("tea", limit=20)
        index_all()
        second = self.search("tea", limit=100, after=first.next)
        self.check_pages([first, second], self.expected, 100)

    def test_more_than_are_ranked_at_once(self):
        index_all()
        for text in ("tea", "tea 4 teapot", "teapot."):
            with self.subTest(text=text):
                whole = set(self.found(text, limit=100))
                ranked, search.RANKED = search.RANKED, 10
                try:
                    for limit in (3, 10, 17):
                        self.check_pages(self.all_pages(text, limit), whole, limit)
                    facets = self.search("tea").facets
                    self.assertEqual((facets.total, facets.is_complete), (10, False))
                finally:
                    search.RANKED = ranked

    def test_a_scan_that_meets_its_bound_says_so_and_goes_on(self):
        index_all()
        for mode, text in (("substring", "tea"), ("words", "teapot."), ("auto", "eapo")):
            with self.subTest(mode=mode):
                whole = set(self.found(text, mode=mode, limit=100))
                bound, search.SCANNED_BYTES = search.SCANNED_BYTES, 100
                try:
                    pages = self.all_pages(text, 20, mode=mode)
                finally:
                    search.SCANNED_BYTES = bound
                self.check_pages(pages, whole, 20)
                self.assertGreater(len(pages), 3)
                self.assertFalse(pages[0].facets.is_complete)
                self.assertIn("stopped", " ".join(pages[0].notes))


class HistoryTest(SearchTestCase):
    def setUp(self):
        self.memory = self.make("tea one", path="/m")
        make_version(actor=self.actor, memory=self.memory, content="tea two", path="/n")
        make_version(actor=self.actor, memory=self.memory, content="tea three")
        self.gone = self.make("tea four", path="/gone")
        memories.delete_memory(actor=self.actor, store_id=self.store.id, memory_id=self.gone.id)

    def hits(self, text="tea", **fields):
        return [(hit.path, hit.is_live, hit.is_deleted) for hit in self.search(text, **fields).hits]

    def test_old_and_deleted_versions_on_wish(self):
        live, old = [("/n", True, False)], [("/n", False, False), ("/m", False, False)]
        gone = [("/gone", False, True)]
        for indexed in (False, True):
            if indexed:
                index_all()
            self.assertEqual(self.hits(), live)
            self.assertEqual(self.hits(include_history=True), live + old)
            self.assertEqual(self.hits(include_deleted=True), live + gone)
            self.assertEqual(self.hits(include_history=True, include_deleted=True), live + gone + old)
            self.assertEqual(self.hits("four"), [])
            self.assertEqual(self.hits("four", include_deleted=True), gone)

    def test_pages(self):
        pages = self.all_pages("tea", 1, include_history=True, include_deleted=True)
        versions_found = [hit.version_id for page in pages for hit in page.hits]
        self.assertEqual((len(versions_found), len(set(versions_found))), (4, 4))

    def test_redacted_ones_never_match(self):
        versions.redact_version(
            actor=self.actor, store_id=self.store.id, version_id=self.memory.head_version_id
        )
        self.assertEqual(self.hits("one", include_history=True), [])

    def test_a_restored_text_is_live_again(self):
        rollback.restore_version(
            actor=self.actor, store_id=self.store.id, version_id=self.memory.head_version_id
        )
        self.assertEqual(self.hits("one"), [("/m", True, False)])

    def test_is_read_in_few_queries(self):
        for number in range(60):
            make_version(actor=self.actor, memory=self.memory, content=f"milk {number}")
        sizes = search.SCANNED_AT_ONCE, search.MOST_AT_ONCE
        search.SCANNED_AT_ONCE, search.MOST_AT_ONCE = 4, 32
        try:
            with CaptureQueriesContext(connection) as queries:
                hits = self.hits("milk 7", mode="substring", include_history=True)
        finally:
            search.SCANNED_AT_ONCE, search.MOST_AT_ONCE = sizes
        self.assertEqual(hits, [("/n", False, False)])
        # 4, 8, 16, 32 and the rest.
        walks = [query for query in queries if "LEFT JOIN stores_memory m" in query["sql"]]
        self.assertEqual(len(walks), 5)

    def test_large_texts_are_read_few_at_once(self):
        text = self.make("x" * 90_000, path="/large")
        large = [search.statements.Text("", "", "", text.path, 90_000, "", "", "")] * 400
        self.assertEqual(search._next_size(400, large), 88)
        self.assertEqual(search._next_size(400, [None] * 400), 800)

    def test_the_bound_is_said_and_gone_on_from(self):
        bound, search.SCANNED_VERSIONS = search.SCANNED_VERSIONS, 2
        try:
            pages = self.all_pages("one", 20, include_history=True)
        finally:
            search.SCANNED_VERSIONS = bound
        self.assertEqual([len(page.hits) for page in pages], [0, 0, 1][: len(pages)])
        self.assertIn("Only a part of the history", pages[0].notes[0])


class HitTest(SearchTestCase):
    def test_what_a_hit_shows(self):
        memory = self.make("first\n<b>Tea</b> & more", path="/tea/x.md", now=NOON)
        index_all()
        (hit,) = self.search("tea").hits
        self.assertEqual(
            hit,
            search.SearchHit(
                store_id=self.store.id,
                memory_id=memory.id,
                version_id=memory.head_version_id,
                path="/tea/x.md",
                path_pieces=[("/", False), ("tea", True), ("/x.md", False)],
                snippet=[("<b>", False), ("Tea", True), ("</b> & more", False)],
                line=2,
                cut_before=False,
                cut_after=False,
                is_live=True,
                is_deleted=False,
                actor_id=self.actor.id,
                written_at="2026-11-30T12:00:00.000000Z",
            ),
        )

    def test_the_same_number_of_queries_whatever_is_found(self):
        def count():
            with CaptureQueriesContext(connection) as queries:
                self.search("tea", mode="words")
            return len(queries)

        self.make("tea")
        index_all()
        one = count()
        for _ in range(10):
            self.make("tea")
        index_all()
        self.assertEqual((count(), one), (7, 7))


class ConcurrencyTest(TransactionTestCase):
    def test_outside_a_transaction(self):
        workspace = make_workspace()
        actor = make_actor(workspace=workspace)
        store = make_store(actor=actor)
        make_memory(actor=actor, store=store, content="tea")
        index_all()
        make_memory(actor=actor, store=store, content="tea")
        self.assertEqual(len(search.search(actor=actor, text="tea").hits), 2)


MARKER = "zaunkonig4711"


class RemovedBytesTest(OnFileTestCase):
    def setUp(self):
        super().setUp()
        for number in range(30):
            make_memory(actor=self.actor, store=self.store, content=f"other text {number} " * 50)
            if number % 7 == 0:
                index_all()

    def is_in_a_file(self):
        return any(MARKER.encode() in file.read_bytes() for file in self.folder.iterdir())

    def test_redaction_of_a_text_that_left_the_index_long_ago(self):
        memory = make_memory(actor=self.actor, store=self.store, content=f"Call {MARKER} now")
        index_all()
        make_version(actor=self.actor, memory=memory, content="clean")
        index_all()
        self.redact(memory.head_version_id)

    def test_redaction_of_a_text_that_the_index_still_holds(self):
        memory = make_memory(actor=self.actor, store=self.store, path=f"/{MARKER}", content="x")
        index_all()
        make_version(actor=self.actor, memory=memory, content="clean", path="/clean")
        self.redact(memory.head_version_id)

    def redact(self, version_id):
        self.assertTrue(self.is_in_a_file())
        versions.redact_version(actor=self.actor, store_id=self.store.id, version_id=version_id)
        index_all()
        self.assertTrue(search_index.rewrite_index())
        self.assertFalse(self.is_in_a_file())
        self.assertFalse(search_index.rewrite_index())
        self.assertEqual(len(search.search(actor=self.actor, text="clean", mode="words").hits), 1)
        self.assertEqual(search.search(actor=self.actor, text="other").facets.total, 30)

    def test_deleting_the_store(self):
        doomed = make_store(actor=self.actor)
        make_memory(actor=self.actor, store=doomed, content=f"Call {MARKER} now")
        index_all()
        self.assertTrue(self.is_in_a_file())
        stores.delete_store(actor=self.actor, store_id=doomed.id)
        self.assertTrue(search_index.rewrite_index())
        self.assertFalse(self.is_in_a_file())
        self.assertFalse(MemoryVersion.objects.filter(store_id=doomed.id).exists())
