from datetime import UTC, datetime, timedelta

from django.test import TestCase

from stores.domain import history, memories, rollback, stores, versions
from stores.domain.errors import (
    LimitReached,
    PathTaken,
    StoreArchived,
    StoreNotFound,
    VersionNotFound,
    VersionRedacted,
)
from stores.domain.limits import MEMORIES_PER_STORE
from stores.models import Memory, MemoryStore, MemoryVersion
from tests.cases import all_rows
from tests.factories import make_actor, make_memory, make_store, make_version, make_workspace

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


class RestoreVersionTest(TestCase):
    def setUp(self):
        self.workspace = make_workspace()
        self.actor = make_actor(workspace=self.workspace)
        self.store = make_store(actor=self.actor)
        self.memory = make_memory(actor=self.actor, store=self.store, path="/a.md", content="one", now=NOON)
        self.first_id = self.memory.head_version_id
        self.second = make_version(actor=self.actor, memory=self.memory, content="two", path="/b.md")

    def restore(self, version_id=None, **fields):
        return rollback.restore_version(
            **{"actor": self.actor, "store_id": self.store.id, "version_id": version_id or self.first_id}
            | fields
        )

    def rows(self, memory_id=None):
        return [
            (v.seq, v.operation, v.path, v.content, v.restored_from)
            for v in MemoryVersion.objects.filter(memory_id=memory_id or self.memory.id).order_by("seq")
        ]

    def assertRefused(self, kind, **fields):
        before = all_rows()
        with self.assertRaises(kind) as caught:
            self.restore(**fields)
        self.assertEqual(all_rows(), before)
        return caught.exception

    def test_gives_a_memory_its_old_content_and_path_as_a_new_version(self):
        row = self.restore(reason="was right", now=NOON + timedelta(days=1))
        self.assertEqual((row.id, row.path, row.content, row.head_seq), (self.memory.id, "/a.md", "one", 3))
        self.assertEqual(
            self.rows(),
            [
                (1, "created", "/a.md", "one", None),
                (2, "modified", "/b.md", "two", None),
                (3, "modified", "/a.md", "one", self.first_id),
            ],
        )
        self.assertEqual(MemoryVersion.objects.get(id=row.head_version_id).reason, "was right")
        self.assertEqual(list(history.verify_store(store_id=self.store.id)), [])

    def test_what_the_memory_already_holds_changes_nothing(self):
        before = all_rows()
        row = self.restore(self.second.id)
        self.assertEqual((row.id, row.head_version_id), (self.memory.id, self.second.id))
        self.assertEqual(all_rows(), before)

    def test_a_deleted_memory_comes_back_as_a_new_one(self):
        memories.delete_memory(actor=self.actor, store_id=self.store.id, memory_id=self.memory.id)
        row = self.restore()
        self.assertNotEqual(row.id, self.memory.id)
        self.assertEqual(self.rows(row.id), [(1, "created", "/a.md", "one", self.first_id)])
        self.assertEqual(len(self.rows()), 3)
        self.assertEqual(list(history.verify_store(store_id=self.store.id)), [])

    def test_refuses_a_path_that_is_taken_meanwhile(self):
        other = make_memory(actor=self.actor, store=self.store, path="/a.md/x")
        error = self.assertRefused(PathTaken)
        self.assertEqual(error.details["conflicting_memory_id"], other.id)
        memories.delete_memory(actor=self.actor, store_id=self.store.id, memory_id=self.memory.id)
        self.assertRefused(PathTaken)

    def test_refuses_what_holds_nothing_to_restore(self):
        versions.redact_version(actor=self.actor, store_id=self.store.id, version_id=self.first_id)
        self.assertRefused(VersionRedacted)
        memories.delete_memory(actor=self.actor, store_id=self.store.id, memory_id=self.memory.id)
        deletion = MemoryVersion.objects.get(memory_id=self.memory.id, operation="deleted")
        self.assertRefused(VersionRedacted, version_id=deletion.id)

    def test_refuses_an_archived_store(self):
        stores.archive_store(actor=self.actor, store_id=self.store.id)
        self.assertRefused(StoreArchived)
        memories.delete_memory(actor=self.actor, store_id=self.store.id, memory_id=self.memory.id)
        self.assertRefused(StoreArchived)

    def test_a_full_store_takes_back_no_deleted_memory(self):
        rows = MemoryStore.objects.filter(id=self.store.id)
        rows.update(memory_count=MEMORIES_PER_STORE)
        self.assertEqual(self.restore().head_seq, 3)
        memories.delete_memory(actor=self.actor, store_id=self.store.id, memory_id=self.memory.id)
        rows.update(memory_count=MEMORIES_PER_STORE)
        self.assertRefused(LimitReached)
        self.assertFalse(Memory.objects.exists())

    def test_refuses_what_is_not_there(self):
        other = make_store(actor=self.actor)
        self.assertRefused(VersionNotFound, version_id="memver_none")
        self.assertRefused(VersionNotFound, store_id=other.id)
        self.assertRefused(StoreNotFound, store_id="memstore_none")
        self.assertRefused(StoreNotFound, actor=make_actor())
