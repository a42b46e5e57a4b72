"""contract/memory_stores_api.md, 4.1."""

from datetime import UTC, datetime, timedelta

from django.test import TestCase, TransactionTestCase

from stores.domain import memories, stores, versions
from stores.domain.errors import InvalidInput, StoreArchived, StoreNotFound
from stores.models import Memory, MemoryStore, MemoryVersion
from tests.cases import all_rows
from tests.factories import make_actor, make_memory, make_person, make_store, make_version, make_workspace

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
LATER = NOON + timedelta(hours=1)
PAIRS = {f"k{number}": "v" for number in range(16)}

GOOD = [
    {"name": "x"},
    {"name": " "},
    {"name": "x" * 255},
    {"name": "😀" * 255},
    {"name": "\u200d\u202e <b>"},
    {"name": "n", "description": ""},
    {"name": "n", "description": "😀" * 1024},
    {"name": "n", "description": "two\r\nlines\t\x1b"},
    {"name": "n", "metadata": PAIRS},
    {"name": "n", "metadata": {"k" * 64: "v" * 512}},
    {"name": "n", "metadata": {"😀" * 64: "😀" * 512, "empty": ""}},
]
BAD = [
    ({"name": ""}, "name must have 1 to 255 characters"),
    ({"name": "x" * 256}, "name must have 1 to 255 characters"),
    ({"name": "a\nb"}, "name must not hold control characters"),
    ({"name": "a\x00b"}, "name must not hold control characters"),
    ({"name": "a\x7f"}, "name must not hold control characters"),
    ({"name": "a\x85"}, "name must not hold control characters"),
    ({"name": "a\ud83d"}, "name must not hold half a surrogate pair"),
    ({"name": "n", "description": "x" * 1025}, "description must have at most 1024 characters"),
    ({"name": "n", "description": "a\0"}, "description must not hold the character U+0000"),
    ({"name": "n", "description": "\udc00"}, "description must not hold half a surrogate pair"),
    ({"name": "n", "metadata": PAIRS | {"one": "more"}}, "metadata must have at most 16 pairs"),
    ({"name": "n", "metadata": {"": "v"}}, "metadata keys must have 1 to 64 characters"),
    ({"name": "n", "metadata": {"k" * 65: "v"}}, "metadata keys must have 1 to 64 characters"),
    ({"name": "n", "metadata": {"k": "v" * 513}}, "metadata values must have at most 512 characters"),
    ({"name": "n", "metadata": {"k\0": "v"}}, "metadata keys must not hold the character U+0000"),
    ({"name": "n", "metadata": {"k": "\0"}}, "metadata values must not hold the character U+0000"),
    ({"name": "n", "metadata": {"\ud800": "v"}}, "metadata keys must not hold half a surrogate pair"),
    ({"name": "n", "metadata": {"k": "\ud800"}}, "metadata values must not hold half a surrogate pair"),
]  # fmt: skip


class StoreCase:
    def assertRefused(self, kind, call, message="", **fields):
        before = all_rows()
        with self.assertRaises(kind) as caught:
            call(actor=fields.pop("actor", self.actor), **fields)
        self.assertIn(message, caught.exception.message)
        self.assertEqual(all_rows(), before)

    def row(self, store_id=None):
        return MemoryStore.objects.values().get(id=store_id or self.store.id)


class CreateStoreTest(StoreCase, TestCase):
    @classmethod
    def setUpTestData(cls):
        cls.workspace = make_workspace()
        cls.actor = make_actor(workspace=cls.workspace)

    def test_makes_an_empty_store(self):
        store = stores.create_store(
            actor=self.actor, name="Support", description="Learned.", metadata={"team": "s"}, now=NOON
        )
        self.assertRegex(store.id, r"\Amemstore_01\w{22}\Z")
        self.assertEqual(
            self.row(store.id),
            {
                "id": store.id,
                "workspace_id": self.workspace.id,
                "name": "Support",
                "description": "Learned.",
                "metadata": {"team": "s"},
                "created_at": NOON,
                "updated_at": NOON,
                "archived_at": None,
                "deleted_at": None,
                "memory_count": 0,
            },
        )

    def test_leaves_out_what_is_not_given(self):
        store = stores.create_store(actor=self.actor, name="n")
        self.assertEqual((store.description, store.metadata), ("", {}))

    def test_keeps_every_allowed_text_as_it_is(self):
        for fields in GOOD:
            with self.subTest(**fields):
                store = stores.create_store(actor=self.actor, **fields)
                row = self.row(store.id)
                self.assertEqual({name: row[name] for name in fields}, fields)

    def test_refuses_and_names_the_rule(self):
        for fields, message in BAD:
            with self.subTest(message, **fields):
                self.assertRefused(InvalidInput, stores.create_store, message, **fields)

    def test_names_need_not_be_unique(self):
        one, other = (stores.create_store(actor=self.actor, name="Same") for _ in range(2))
        self.assertNotEqual(one.id, other.id)


class UpdateStoreTest(StoreCase, TestCase):
    @classmethod
    def setUpTestData(cls):
        cls.workspace = make_workspace()
        cls.actor = make_actor(workspace=cls.workspace)
        cls.store = make_store(
            actor=cls.actor, name="Old", description="d", metadata={"a": "1", "b": "2"}, now=NOON
        )

    def update(self, **fields):
        return stores.update_store(actor=self.actor, store_id=self.store.id, now=LATER, **fields)

    def test_changes_exactly_what_is_given(self):
        before = self.row()
        for fields in (
            {"name": "New"},
            {"description": ""},
            {"metadata": {"a": "3"}},
            {"name": "x" * 255, "description": "e", "metadata": {"a": "4", "c": "5"}},
        ):
            with self.subTest(**fields):
                store = self.update(**fields)
                expected = before | fields | {"updated_at": store.updated_at}
                expected["metadata"] = before["metadata"] | fields.get("metadata", {})
                self.assertEqual(self.row(), expected)
                self.assertGreaterEqual(store.updated_at, LATER)
                before = expected

    def test_a_key_of_the_metadata_goes_by_none(self):
        store = self.update(metadata={"a": None, "absent": None, "c": "3"})
        self.assertEqual(store.metadata, {"b": "2", "c": "3"})
        self.assertEqual(self.row()["metadata"], {"b": "2", "c": "3"})

    def test_a_change_of_nothing_moves_nothing(self):
        before = all_rows()
        for fields in (
            {},
            {"name": None, "description": None, "metadata": None},
            {"name": "Old", "description": "d", "metadata": {}},
            {"metadata": {"a": "1"}},
            {"metadata": {"absent": None}},
        ):
            with self.subTest(**fields):
                self.update(**fields)
                self.assertEqual(all_rows(), before)

    def test_the_limits_hold_for_the_result(self):
        full = {f"k{number}": "v" for number in range(14)}
        self.update(metadata=full)
        self.assertRefused(
            InvalidInput,
            stores.update_store,
            "metadata must have at most 16 pairs",
            store_id=self.store.id,
            metadata={"more": "v"},
        )
        self.assertEqual(len(self.update(metadata={"more": "v", "a": None}).metadata), 16)

    def test_refuses_and_names_the_rule(self):
        for fields, message in BAD:
            changed = {name: value for name, value in fields.items() if value != "n"}
            with self.subTest(message, **changed):
                self.assertRefused(
                    InvalidInput, stores.update_store, message, store_id=self.store.id, **changed
                )

    def test_updated_at_moves_also_under_a_clock_that_goes_back(self):
        store = stores.update_store(
            actor=self.actor, store_id=self.store.id, name="New", now=NOON - timedelta(days=1)
        )
        self.assertEqual(store.updated_at, NOON + timedelta(microseconds=1))

    def test_changes_of_memories_move_nothing(self):
        memory = make_memory(actor=self.actor, store=self.store)
        make_version(actor=self.actor, memory=memory)
        self.assertEqual(self.row()["updated_at"], NOON)

    def test_a_change_keeps_the_count_of_memories(self):
        stale = stores.get_store(actor=self.actor, store_id=self.store.id)
        self.assertEqual(stale.memory_count, 0)
        make_memory(actor=self.actor, store=self.store)
        self.update(name="New")
        self.assertEqual(self.row()["memory_count"], 1)

    def test_refuses_an_archived_store(self):
        stores.archive_store(actor=self.actor, store_id=self.store.id)
        for fields in ({"name": "New"}, {"name": "Old"}, {}):
            self.assertRefused(StoreArchived, stores.update_store, store_id=self.store.id, **fields)

    def test_what_is_wrong_by_itself_is_told_before_what_is_missing(self):
        self.assertRefused(InvalidInput, stores.update_store, store_id="memstore_none", name="")
        self.assertRefused(StoreNotFound, stores.update_store, store_id="memstore_none", name="New")


class ArchiveStoreTest(StoreCase, TestCase):
    @classmethod
    def setUpTestData(cls):
        cls.actor = make_actor()
        cls.store = make_store(actor=cls.actor, now=NOON)

    def test_makes_it_read_only_for_good(self):
        before = self.row()
        store = stores.archive_store(actor=self.actor, store_id=self.store.id, now=LATER)
        self.assertEqual(self.row(), before | {"archived_at": LATER, "updated_at": LATER})
        self.assertEqual((store.archived_at, store.updated_at), (LATER, LATER))

    def test_a_second_time_changes_nothing(self):
        stores.archive_store(actor=self.actor, store_id=self.store.id, now=LATER)
        before = all_rows()
        again = stores.archive_store(actor=self.actor, store_id=self.store.id, now=LATER + timedelta(days=1))
        self.assertEqual((again.archived_at, all_rows()), (LATER, before))

    def test_what_is_in_it_can_still_be_read(self):
        memory = make_memory(actor=self.actor, store=self.store)
        stores.archive_store(actor=self.actor, store_id=self.store.id)
        here = {"actor": self.actor, "store_id": self.store.id}
        self.assertIsNotNone(stores.get_store(**here).archived_at)
        self.assertEqual(memories.get_memory(**here, memory_id=memory.id).path, memory.path)
        self.assertEqual(versions.get_version(**here, version_id=memory.head_version_id).seq, 1)

    def test_refuses_what_is_not_there(self):
        self.assertRefused(StoreNotFound, stores.archive_store, store_id="memstore_none")


class DeleteStore(StoreCase):
    def setUp(self):
        self.actor = make_actor()
        self.store = make_store(actor=self.actor)
        self.other = make_store(actor=self.actor)
        for store in (self.store, self.other):
            for number in range(3):
                memory = make_memory(actor=self.actor, store=store, path=f"/{number}")
                make_version(actor=self.actor, memory=memory)
            memories.delete_memory(actor=self.actor, store_id=store.id, memory_id=memory.id)

    def delete(self):
        return stores.delete_store(actor=self.actor, store_id=self.store.id)

    def left(self, store):
        return (
            MemoryStore.objects.filter(id=store.id).count(),
            Memory.objects.filter(store_id=store.id).count(),
            MemoryVersion.objects.filter(store_id=store.id).count(),
        )

    def test_removes_all_of_it_and_nothing_else(self):
        self.assertEqual(self.left(self.store), (1, 2, 7))
        self.assertIsNone(self.delete())
        self.assertEqual(self.left(self.store), (0, 0, 0))
        self.assertEqual(self.left(self.other), (1, 2, 7))

    def test_works_on_an_archived_store(self):
        stores.archive_store(actor=self.actor, store_id=self.store.id)
        self.delete()
        self.assertEqual(self.left(self.store), (0, 0, 0))

    def test_a_second_time_finds_nothing(self):
        self.delete()
        self.assertRefused(StoreNotFound, stores.delete_store, store_id=self.store.id)

    def test_works_in_batches(self):
        batch, stores.PURGE_BATCH = stores.PURGE_BATCH, 2
        self.addCleanup(setattr, stores, "PURGE_BATCH", batch)
        self.delete()
        self.assertEqual(self.left(self.store), (0, 0, 0))

    def test_is_invisible_at_once_and_finished_later_when_it_was_cut_short(self):
        MemoryStore.objects.filter(id=self.store.id).update(deleted_at=NOON)
        self.assertRefused(StoreNotFound, stores.get_store, store_id=self.store.id)
        self.assertRefused(
            StoreNotFound, memories.create_memory, store_id=self.store.id, path="/n", content=""
        )
        self.assertEqual(stores.purge_deleted_stores(), 1)
        self.assertEqual(self.left(self.store), (0, 0, 0))
        self.assertEqual(self.left(self.other), (1, 2, 7))
        self.assertEqual(stores.purge_deleted_stores(), 0)

    def test_a_live_store_is_never_purged(self):
        stores.purge_deleted_store(store_id=self.store.id)
        self.assertEqual(self.left(self.store), (1, 2, 7))


class DeleteStoreInTransactionTest(DeleteStore, TestCase):
    pass


class DeleteStoreTest(DeleteStore, TransactionTestCase):
    pass


class HistoryOfStoresTest(TestCase):
    """Who changed a store's settings: kept by django-simple-history."""

    def test_names_each_change_its_time_and_its_actor(self):
        workspace = make_workspace()
        key, person = make_actor(workspace=workspace), make_person(workspace=workspace)
        store = make_store(actor=key, name="One", now=NOON)
        here = {"store_id": store.id}
        stores.update_store(actor=person, **here, name="Two", now=NOON + timedelta(days=1))
        stores.update_store(actor=person, **here, name="Two", now=NOON + timedelta(days=2))
        stores.archive_store(actor=key, **here, now=NOON + timedelta(days=3))
        stores.delete_store(actor=person, **here, now=NOON + timedelta(days=4))
        found = [
            (row.name, row.history_date, row.history_user_id, row.history_change_reason)
            for row in MemoryStore.history.filter(id=store.id).order_by("history_id")
        ]
        by_key = f"by api_actor {key.id} via api"
        by_person = f"by user_actor {person.id} via console"
        self.assertEqual(
            found[:4],
            [
                ("One", NOON, None, f"created {by_key}"),
                ("Two", NOON + timedelta(days=1), person.id, f"updated {by_person}"),
                ("Two", NOON + timedelta(days=3), None, f"archived {by_key}"),
                ("Two", NOON + timedelta(days=4), person.id, f"deleted {by_person}"),
            ],
        )
