"""Reading a version, and redacting one (contract/memory_stores_api.md, 4.4 and 4.5)."""

from datetime import UTC, datetime, timedelta
from hashlib import sha256

from django.test import TestCase, TransactionTestCase

from stores.domain import history, memories, stores, versions
from stores.domain.errors import PermissionDenied, StoreNotFound, VersionIsHead, VersionNotFound
from stores.models import MemoryVersion
from tests.cases import all_rows
from tests.factories import make_actor, make_memory, make_person, make_store, make_version, make_workspace
from tests.search import find_in_database

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
MARKER = "Zaunkönig-4711"
KEPT = (
    "id", "store_id", "memory_id", "seq", "operation", "created_at", "actor_type", "actor_id", "actor_label",
    "road", "restored_from", "commitment", "chain",
)  # fmt: skip
EMPTIED = ("path", "content", "content_sha256", "content_size_bytes", "salt")


class VersionCase:
    def setUp(self):
        self.workspace = make_workspace()
        self.actor = make_actor(workspace=self.workspace, name="Operator")
        self.store = make_store(actor=self.actor)
        self.memory = make_memory(
            actor=self.actor,
            store=self.store,
            path=f"/people/{MARKER}.md",
            content=f"Call {MARKER} at noon.",
            reason="asked to",
        )
        self.first_id = self.memory.head_version_id
        self.here = {"store_id": self.store.id}

    def tearDown(self):
        self.assertEqual(list(history.verify_store(store_id=self.store.id)), [])

    def change(self):
        return make_version(actor=self.actor, memory=self.memory, content="Call nobody.", path="/people/x.md")

    def delete(self):
        memories.delete_memory(actor=self.actor, **self.here, memory_id=self.memory.id)

    def redact(self, version_id=None, **fields):
        return versions.redact_version(
            **{"actor": self.actor, "version_id": version_id or self.first_id} | self.here | fields
        )

    def row(self, version_id=None, *columns):
        row = MemoryVersion.objects.values(*columns).get(id=version_id or self.first_id)
        return {name: bytes(value) if isinstance(value, memoryview) else value for name, value in row.items()}

    def assertRefused(self, kind, **fields):
        before = all_rows()
        with self.assertRaises(kind):
            self.redact(**fields)
        self.assertEqual(all_rows(), before)


class GetVersionTest(VersionCase, TestCase):
    def test_finds_every_version_whole(self):
        second = self.change()
        self.delete()
        first = versions.get_version(actor=self.actor, **self.here, version_id=self.first_id)
        self.assertEqual(
            (first.seq, first.operation, first.path, first.content, first.content_size_bytes, first.reason),
            (1, "created", f"/people/{MARKER}.md", f"Call {MARKER} at noon.", 29, "asked to"),
        )
        self.assertEqual(first.content_sha256, sha256(first.content.encode()).hexdigest())
        self.assertEqual(
            (first.actor_type, first.actor_id, first.actor_label, first.road),
            ("api_actor", self.actor.id, "Operator", "api"),
        )
        self.assertEqual((second.seq, second.operation, second.path), (2, "modified", "/people/x.md"))

    def test_without_content(self):
        version = versions.get_version(
            actor=self.actor, **self.here, version_id=self.first_id, with_content=False
        )
        self.assertEqual((version.content, version.content_size_bytes), (None, 29))

    def test_refuses_what_is_not_there(self):
        other = make_store(actor=self.actor)
        for kind, fields in (
            (VersionNotFound, {"version_id": "memver_none"}),
            (VersionNotFound, {"store_id": other.id}),
            (StoreNotFound, {"store_id": "memstore_none"}),
            (StoreNotFound, {"actor": make_actor()}),
        ):
            with self.subTest(kind.__name__), self.assertRaises(kind):
                versions.get_version(
                    **{"actor": self.actor, "version_id": self.first_id} | self.here | fields
                )


class RedactVersion(VersionCase):
    def test_empties_it_and_keeps_who_what_kind_and_when(self):
        self.change()
        before = self.row(None, *KEPT)
        person = make_person(workspace=self.workspace, role="reviewer")
        version = self.redact(actor=person, reason="On request", now=NOON)
        self.assertEqual(self.row(None, *KEPT), before)
        self.assertEqual(self.row(None, *EMPTIED), dict.fromkeys(EMPTIED))
        redacted = {
            "redacted_at": NOON,
            "redacted_by_type": "user_actor",
            "redacted_by_id": person.id,
            "redacted_by_label": "Robin Reed",
            "redacted_reason": "On request",
            "reason": "",  # it may quote the text
        }
        self.assertEqual(self.row(None, *redacted), redacted)
        self.assertEqual(
            version, versions.get_version(actor=self.actor, **self.here, version_id=self.first_id)
        )
        self.assertEqual(
            (version.path, version.content, version.content_sha256, version.content_size_bytes), (None,) * 4
        )
        self.assertEqual(
            (version.redacted_at, version.redacted_by_id), ("2026-11-30T12:00:00.000000Z", person.id)
        )

    def test_changes_no_other_row(self):
        second = self.change()
        self.change_other = make_memory(actor=self.actor, store=self.store, content=MARKER)
        others = MemoryVersion.objects.exclude(id=self.first_id).order_by("id")
        before = [tuple(map(str, row)) for row in others.values_list("id", "path", "content", "redacted_at")]
        self.redact()
        after = [tuple(map(str, row)) for row in others.values_list("id", "path", "content", "redacted_at")]
        self.assertEqual(after, before)
        self.assertEqual(
            memories.get_memory(actor=self.actor, **self.here, memory_id=self.memory.id).content,
            second.content,
        )

    def test_leaves_the_text_in_no_table(self):
        # It must be there before, or that it is gone would say nothing.
        self.change()
        self.assertEqual(
            find_in_database(MARKER), ["stores_memoryversion.content", "stores_memoryversion.path"]
        )
        digest = self.memory.content_sha256
        self.assertEqual(find_in_database(digest), ["stores_memoryversion.content_sha256"])
        self.redact()
        self.assertEqual(find_in_database(MARKER), [])
        self.assertEqual(find_in_database(digest), [])

    def test_leaves_the_text_in_no_table_after_a_deletion(self):
        self.delete()
        self.assertEqual(
            find_in_database(MARKER), ["stores_memoryversion.content", "stores_memoryversion.path"]
        )
        for version_id in MemoryVersion.objects.values_list("id", flat=True):
            self.redact(version_id)
        self.assertEqual(find_in_database(MARKER), [])

    def test_refuses_the_head_of_a_live_memory(self):
        self.assertRefused(VersionIsHead)
        second = self.change()
        self.assertRefused(VersionIsHead, version_id=second.id)

    def test_the_former_head_can_go_once_the_memory_is_deleted(self):
        self.delete()
        self.assertIsNotNone(self.redact().redacted_at)

    def test_the_record_of_a_deletion_can_go_too(self):
        self.delete()
        deletion = MemoryVersion.objects.get(operation="deleted")
        version = self.redact(deletion.id)
        self.assertEqual((version.operation, version.path), ("deleted", None))

    def test_a_second_time_changes_nothing(self):
        self.change()
        first = self.redact(now=NOON)
        before = all_rows()
        again = self.redact(actor=make_person(workspace=self.workspace), now=NOON + timedelta(days=1))
        self.assertEqual(again, first)
        self.assertEqual(all_rows()["MemoryVersion"], before["MemoryVersion"])

    def test_works_in_an_archived_store(self):
        self.change()
        stores.archive_store(actor=self.actor, store_id=self.store.id)
        self.assertIsNotNone(self.redact().redacted_at)

    def test_an_agent_may_not(self):
        self.change()
        for access in ("read_only", "read_write"):
            with self.subTest(access):
                agent = make_actor(workspace=self.workspace, access=access)
                self.assertRefused(PermissionDenied, actor=agent)

    def test_refuses_what_is_not_there(self):
        self.change()
        other = make_store(actor=self.actor)
        stranger = make_actor()
        self.assertRefused(VersionNotFound, version_id="memver_none")
        self.assertRefused(VersionNotFound, store_id=other.id)
        self.assertRefused(StoreNotFound, store_id="memstore_none")
        self.assertRefused(StoreNotFound, actor=stranger)

    def test_history_goes_on_behind_it(self):
        self.change()
        self.redact()
        third = make_version(actor=self.actor, memory=self.memory, content="three")
        self.assertEqual(third.seq, 3)


class RedactVersionInTransactionTest(RedactVersion, TestCase):
    pass


class RedactVersionTest(RedactVersion, TransactionTestCase):
    pass
