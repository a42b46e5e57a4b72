"""The statements of the search index against plain twins."""

import random

from django.db import connection, transaction
from django.test import TestCase, TransactionTestCase

from stores.domain import memories, search_index
from stores.domain.search_words import fold, words_of
from stores.models import Memory, MemoryVersion, SearchEntry
from stores.models.statements import search
from tests.factories import make_actor, make_memory, make_store, make_version

WORDS = ["tea", "té", "green", "日本", "x1", "and", "not"]


class StatementsTest(TestCase):
    @classmethod
    def setUpTestData(cls):
        chance = random.Random(1)
        cls.actor = make_actor()
        cls.stores = [make_store(actor=cls.actor) for _ in range(3)]
        cls.memories = []
        for number in range(40):
            content = " ".join(chance.choices(WORDS, k=chance.randint(1, 6)))
            store = cls.stores[number % 3]
            path = f"/{chance.choice(WORDS)}/{number}.md"
            cls.memories.append(make_memory(actor=cls.actor, store=store, path=path, content=content))
        search_index.index_memories(seconds=60)
        for memory in cls.memories[:5]:
            make_version(actor=cls.actor, memory=memory, content="green tea and more")
        for memory in cls.memories[5:8]:
            memories.delete_memory(actor=cls.actor, store_id=memory.store_id, memory_id=memory.id)

    def find(self, words, stores, *, below=2**62, limit=100, **filters):
        return search.find(
            words=words,
            scope=[search.store_word(store.id) for store in stores],
            filters=search.Filters(**filters),
            below=below,
            limit=limit,
        )

    def twin(self, words, stores, *, below=2**62, limit=100, **filters):
        found = []
        for entry in SearchEntry.objects.filter(
            store_id__in=[store.id for store in stores], id__lt=below
        ).order_by("-id"):
            version = MemoryVersion.objects.get(id=entry.version_id)
            has = set(words_of(fold(version.path))) | set(words_of(fold(version.content)))
            memory = Memory.objects.get(id=entry.memory_id)
            if not set(words) <= has:
                continue
            if "path_from" in filters and not filters["path_from"] <= memory.path < filters["path_below"]:
                continue
            found.append((entry.id, entry.version_id, memory.is_indexed))
        return found[:limit]

    def test_find(self):
        for words in (["tea"], ["te"], ["green", "tea"], ["日", "本"], ["and", "not"], ["md"], ["none"]):
            for stores in (self.stores, self.stores[:1]):
                for filters in (
                    {},
                    {"limit": 3},
                    {"below": SearchEntry.objects.order_by("id")[20].id},
                    {"path_from": "/tea/", "path_below": "/tea0"},
                ):
                    with self.subTest(words=words, stores=len(stores), **filters):
                        found = self.find(words, stores, **filters)
                        self.assertEqual(
                            [(each.entry_id, each.version_id, each.is_live) for each in found],
                            self.twin(words, stores, **filters),
                        )
                        self.assertTrue(all(each.score > 0 for each in found))

    def test_filters_by_author_and_time(self):
        entry = SearchEntry.objects.order_by("id")[10]
        for filters, expected in (
            ({"actor_id": self.actor.id}, 37),
            ({"actor_id": "apikey_none"}, 0),
            ({"until": entry.written_at, "since": entry.written_at}, 1),
        ):
            with self.subTest(**filters):
                found = self.find(["md"], self.stores, **filters)
                self.assertEqual(len(found), expected)

    def test_read_unindexed(self):
        stale = {memory.id for memory in self.memories[:5]}
        self.assertEqual({text.memory_id for _, text in search.read_unindexed(limit=100)}, stale)
        self.assertEqual(len(search.read_unindexed(limit=2)), 2)
        ids = [store.id for store in self.stores]
        self.assertEqual(search.count_unindexed(store_ids=ids, limit=100), 5)
        self.assertEqual(search.count_unindexed(store_ids=ids, limit=3), 3)
        newest = search.read_newest_unindexed(store_ids=ids, filters=search.Filters(), limit=100)
        expected = Memory.objects.filter(is_indexed=False).order_by("-head_version_id")
        self.assertEqual([text.memory_id for text in newest], [memory.id for memory in expected])
        self.assertEqual({text.content for text in newest}, {"green tea and more"})

    def test_live_texts_in_the_order_of_paths(self):
        store = self.stores[0]
        expected = sorted(
            Memory.objects.filter(store=store).values_list("path", flat=True), key=lambda path: path.encode()
        )
        for what in ("texts", "contents", "authors", "paths"):
            found = search.read_live_texts(store_id=store.id, after="", path_below=None, limit=100, what=what)
            self.assertEqual([text.path for text in found], expected)
            self.assertEqual(all(text.content for text in found), what in ("texts", "contents"))
            self.assertEqual(all(text.actor_id for text in found), what in ("texts", "authors"))
            rest = search.read_live_texts(
                store_id=store.id, after=expected[3], path_below=expected[6], limit=100, what=what
            )
            self.assertEqual([text.path for text in rest], expected[4:6])

    def test_a_stale_text_is_found_by_the_partial_index(self):
        statement = search._newest_unindexed(())
        ids = search.text_list([store.id for store in self.stores])
        with connection.cursor() as cursor:
            if connection.vendor == "postgresql":
                cursor.execute("SET LOCAL enable_seqscan = off")
                cursor.execute("EXPLAIN " + statement.sql, {"store_ids": ids, "limit": 10})
            else:
                cursor.execute("EXPLAIN QUERY PLAN " + statement.sql, {"store_ids": ids, "limit": 10})
            self.assertIn("memory_not_indexed", str(cursor.fetchall()))


class LockingTest(TransactionTestCase):
    def test_a_failed_transaction_leaves_the_index_as_it_was(self):
        actor = make_actor()
        store = make_store(actor=actor)
        memory = make_memory(actor=actor, store=store, content="tea")
        search_index.index_memories(seconds=60)
        with self.assertRaises(ZeroDivisionError), transaction.atomic():
            memories.delete_memory(actor=actor, store_id=store.id, memory_id=memory.id)
            raise ZeroDivisionError
        found = search.find(
            words=["tea"],
            scope=[search.workspace_word(actor.workspace_id)],
            filters=search.Filters(),
            below=2**62,
            limit=10,
        )
        self.assertEqual([each.memory_id for each in found], [memory.id])
