"""Every column of a history, changed behind the product's back, is found out."""

from datetime import UTC, datetime, timedelta
from unittest import mock

from django.db import connection
from django.test import TestCase

from stores.domain import history, memories, versions
from stores.models import Memory, MemoryStore, MemoryVersion
from tests.factories import make_actor, make_memory, make_store, make_version

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


class VerifyStoreTest(TestCase):
    @classmethod
    def setUpTestData(cls):
        cls.actor = make_actor()
        cls.store = make_store(actor=cls.actor)
        cls.memory = make_memory(actor=cls.actor, store=cls.store, path="/a.md", content="one", now=NOON)
        cls.ids = [cls.memory.head_version_id]
        for hour, content in enumerate(("two", "three"), start=1):
            version = make_version(
                actor=cls.actor, memory=cls.memory, content=content, now=NOON + timedelta(hours=hour)
            )
            cls.ids.append(version.id)
        cls.gone = make_memory(actor=cls.actor, store=cls.store, path="/b.md", content="gone", now=NOON)
        memories.delete_memory(
            actor=cls.actor, store_id=cls.store.id, memory_id=cls.gone.id, now=NOON + timedelta(hours=1)
        )
        cls.deletion_id = MemoryVersion.objects.get(operation="deleted").id

    def findings(self):
        return list(history.verify_store(store_id=self.store.id))

    def found_ids(self):
        return {finding.id for finding in self.findings()}

    def execute(self, sql, *parameters):
        with connection.cursor() as cursor:
            cursor.execute(sql, parameters)
            self.assertEqual(cursor.rowcount, 1)

    def assertFound(self, expected, sql, *parameters):
        """The change is found out at `expected`; it is taken back afterwards."""
        point = connection.savepoint()
        self.execute(sql, *parameters)
        self.assertIn(expected, self.found_ids())
        connection.savepoint_rollback(point)

    def test_a_true_history_has_no_findings(self):
        self.assertEqual(self.findings(), [])

    def test_a_true_history_has_none_after_redaction_either(self):
        for version_id in (self.ids[0], self.ids[1], self.gone.head_version_id, self.deletion_id):
            versions.redact_version(actor=self.actor, store_id=self.store.id, version_id=version_id)
            self.assertEqual(self.findings(), [])
        make_version(actor=self.actor, memory=self.memory)
        self.assertEqual(self.findings(), [])

    def test_a_changed_column_of_a_version(self):
        changes = {
            "seq": 9,
            "operation": "created",
            "path": "/other",
            "content": "TWO",
            "content_sha256": "0" * 64,
            "content_size_bytes": 4,
            "created_at": NOON + timedelta(hours=1, microseconds=1),
            "actor_type": "user_actor",
            "actor_id": "apikey_other",
            "road": "console",
            "salt": b"0" * 16,
            "commitment": b"0" * 32,
            "chain": b"0" * 32,
        }
        for column, value in changes.items():
            with self.subTest(column):
                self.assertFound(
                    self.ids[1],
                    f"UPDATE stores_memoryversion SET {column} = %s WHERE id = %s",
                    value,
                    self.ids[1],
                )

    def test_a_changed_id_of_a_version(self):
        self.assertFound(
            self.ids[1] + "x",
            "UPDATE stores_memoryversion SET id = %s WHERE id = %s",
            self.ids[1] + "x",
            self.ids[1],
        )

    def test_a_version_moved_to_another_memory(self):
        self.assertFound(
            self.deletion_id,
            "UPDATE stores_memoryversion SET memory_id = %s, seq = 4 WHERE id = %s",
            self.memory.id,
            self.deletion_id,
        )

    def test_a_removed_version(self):
        for removed, expected in (
            (self.ids[0], self.ids[1]),
            (self.ids[1], self.ids[2]),
            (self.ids[2], self.memory.id),
            (self.deletion_id, self.gone.id),
        ):
            with self.subTest(removed=removed):
                self.assertFound(expected, "DELETE FROM stores_memoryversion WHERE id = %s", removed)

    def test_all_versions_of_a_memory_removed(self):
        MemoryVersion.objects.filter(memory_id=self.memory.id).delete()
        self.assertEqual(self.found_ids(), {self.memory.id})

    def test_a_text_emptied_without_redaction_and_put_back_after_one(self):
        versions.redact_version(actor=self.actor, store_id=self.store.id, version_id=self.ids[0])
        self.assertFound(
            self.ids[1],
            "UPDATE stores_memoryversion SET content = NULL, content_sha256 = NULL, "
            "content_size_bytes = NULL WHERE id = %s",
            self.ids[1],
        )
        self.assertFound(
            self.ids[0],
            "UPDATE stores_memoryversion SET path = '/a.md', content = 'forged', salt = %s, "
            "redacted_at = NULL, redacted_by_id = NULL WHERE id = %s",
            b"0" * 16,
            self.ids[0],
        )

    def test_a_changed_author_of_a_redacted_version(self):
        versions.redact_version(actor=self.actor, store_id=self.store.id, version_id=self.ids[0])
        self.assertFound(
            self.ids[0],
            "UPDATE stores_memoryversion SET actor_id = 'apikey_other' WHERE id = %s",
            self.ids[0],
        )

    def test_a_changed_column_of_a_memory(self):
        changes = {
            "path": "/other",
            "head_version_id": self.ids[1],
            "head_seq": 2,
            "head_chain": b"0" * 32,
            "content_sha256": "0" * 64,
            "content_size_bytes": 9,
            "updated_at": NOON,
        }
        for column, value in changes.items():
            with self.subTest(column):
                self.assertFound(
                    self.memory.id,
                    f"UPDATE stores_memory SET {column} = %s WHERE id = %s",
                    value,
                    self.memory.id,
                )

    def test_a_memory_removed_without_a_trace(self):
        Memory.objects.filter(id=self.memory.id).delete()
        MemoryStore.objects.filter(id=self.store.id).update(memory_count=0)
        self.assertEqual(self.found_ids(), {self.memory.id})

    def test_a_deleted_memory_brought_back_by_hand(self):
        row = Memory.objects.get(id=self.memory.id)
        row.pk, row.path = self.gone.id, "/b.md"
        row.save(force_insert=True)
        MemoryStore.objects.filter(id=self.store.id).update(memory_count=2)
        self.assertEqual(self.found_ids(), {self.gone.id})

    def test_a_wrong_count(self):
        MemoryStore.objects.filter(id=self.store.id).update(memory_count=7)
        self.assertEqual(
            [str(finding) for finding in self.findings()],
            [f"{self.store.id}: the store counts 7 memories but has 1"],
        )

    def test_tells_each_finding_with_the_id_it_is_about(self):
        MemoryVersion.objects.filter(id=self.ids[1]).update(content="TWO")
        self.assertEqual(
            self.findings(),
            [
                history.Mismatch(self.ids[1], "its path or content is not what was written"),
                history.Mismatch(self.ids[1], "its hash or size is not that of its content"),
            ],
        )

    def test_changes_nothing_and_looks_at_this_store_only(self):
        other = make_store(actor=self.actor)
        MemoryStore.objects.filter(id=other.id).update(memory_count=3)
        self.assertEqual(self.findings(), [])
        self.assertEqual(len(list(history.verify_store(store_id=other.id))), 1)


class VerifyMemoryTest(TestCase):
    def setUp(self):
        self.actor = make_actor()
        self.store = make_store(actor=self.actor)
        self.memory = make_memory(actor=self.actor, store=self.store, path="/a.md", content="one")
        self.other = make_memory(actor=self.actor, store=self.store, path="/b.md", content="other")
        self.ids = [self.memory.head_version_id]
        self.ids += [make_version(actor=self.actor, memory=self.memory).id for _ in range(5)]

    def check(self):
        return history.verify_memory(store_id=self.store.id, memory_id=self.memory.id)

    def test_counts_what_it_checked(self):
        self.assertEqual(self.check(), history.MemoryCheck(6, 6, 0, []))
        versions.redact_version(actor=self.actor, store_id=self.store.id, version_id=self.ids[2])
        self.assertEqual(self.check(), history.MemoryCheck(6, 6, 1, []))
        memories.delete_memory(actor=self.actor, store_id=self.store.id, memory_id=self.memory.id)
        self.assertEqual(self.check(), history.MemoryCheck(7, 7, 1, []))

    def test_finds_what_was_changed_and_nothing_of_other_memories(self):
        MemoryVersion.objects.filter(id=self.other.head_version_id).update(content="changed")
        self.assertEqual(self.check().mismatches, [])
        MemoryVersion.objects.filter(id=self.ids[3]).update(content="changed")
        self.assertEqual({found.id for found in self.check().mismatches}, {self.ids[3]})

    def test_finds_a_version_that_was_taken_out_and_a_head_that_was_turned_back(self):
        MemoryVersion.objects.filter(id=self.ids[5]).delete()
        self.assertEqual([found.id for found in self.check().mismatches], [self.memory.id])
        MemoryVersion.objects.filter(id=self.ids[2]).delete()
        self.assertIn(self.ids[3], [found.id for found in self.check().mismatches])

    def test_of_very_many_checks_the_newest(self):
        with mock.patch.object(history, "CHECKED_VERSIONS", 4):
            self.assertEqual(self.check(), history.MemoryCheck(6, 4, 0, []))
            MemoryVersion.objects.filter(id=self.ids[2]).update(chain=b"0" * 32)
            self.assertIn(self.ids[2], [found.id for found in self.check().mismatches])
            MemoryVersion.objects.filter(id=self.ids[0]).update(chain=b"0" * 32)
            self.assertNotIn(self.ids[0], [found.id for found in self.check().mismatches])

    def test_checks_no_more_than_is_asked_for(self):
        few = history.verify_memory(store_id=self.store.id, memory_id=self.memory.id, most=2)
        self.assertEqual(few, history.MemoryCheck(6, 2, 0, []))
