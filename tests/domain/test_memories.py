"""Every row of the tables of contract/memory_stores_api.md, 4.2 and 4.3, on both ways of writing: inside a
transaction and outside, where PostgreSQL writes in one statement.
"""

from datetime import UTC, datetime, timedelta
from hashlib import sha256
from itertools import pairwise

from django.db import transaction
from django.test import TestCase, TransactionTestCase

from stores.domain import history, memories, stores, versions
from stores.domain.actors import session_actor
from stores.domain.errors import (
    ContentInvalid,
    InvalidInput,
    LimitReached,
    MemoryNotFound,
    PathInvalid,
    PathTaken,
    PreconditionFailed,
    StoreArchived,
    StoreNotFound,
)
from stores.domain.limits import CONTENT_BYTES, MEMORIES_PER_STORE
from stores.models import Memory, MemoryStore, MemoryVersion
from tests.cases import all_rows
from tests.factories import make_actor, make_memory, make_person, make_store, make_workspace

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
OTHER_HASH = "0" * 64


def hash_of(text):
    return sha256(text.encode()).hexdigest()


class MemoryCase:
    """A store with one memory at noon; whatever a test does, the history must verify afterwards."""

    def setUp(self):
        self.workspace = make_workspace()
        self.actor = make_actor(workspace=self.workspace, name="Operator")
        self.store = make_store(actor=self.actor, now=NOON)
        self.memory = make_memory(actor=self.actor, store=self.store, path="/a.md", content="one", now=NOON)

    def tearDown(self):
        for store in MemoryStore.objects.all():
            self.assertEqual(list(history.verify_store(store_id=store.id)), [])

    def create(self, path, content="text", **fields):
        return memories.create_memory(
            **{"actor": self.actor, "store_id": self.store.id, "path": path, "content": content} | fields
        )

    def update(self, **fields):
        return memories.update_memory(
            **{"actor": self.actor, "store_id": self.store.id, "memory_id": self.memory.id} | fields
        )

    def delete(self, **fields):
        return memories.delete_memory(
            **{"actor": self.actor, "store_id": self.store.id, "memory_id": self.memory.id} | fields
        )

    def get(self, **fields):
        return memories.get_memory(
            **{"actor": self.actor, "store_id": self.store.id, "memory_id": self.memory.id} | fields
        )

    def count(self):
        return MemoryStore.objects.get(id=self.store.id).memory_count

    def versions(self, memory_id=None):
        return MemoryVersion.objects.filter(memory_id=memory_id or self.memory.id).order_by("seq")

    def archive(self):
        stores.archive_store(actor=self.actor, store_id=self.store.id)

    def assertRefused(self, kind, call, *arguments, message="", **fields):
        before = all_rows()
        with self.assertRaises(kind) as caught:
            call(*arguments, **fields)
        self.assertIs(type(caught.exception), kind)
        self.assertIn(message, caught.exception.message)
        self.assertEqual(all_rows(), before)
        return caught.exception


class CreateMemory(MemoryCase):
    def test_makes_a_memory_and_its_first_version(self):
        text = "Zeile 1\r\nZeile 2 😀\u2028"
        row = self.create("/notes/ü.md", text, reason="asked to", now=NOON)
        size = len(text.encode())
        self.assertEqual(
            (row.store_id, row.path, row.content, row.content_sha256, row.content_size_bytes, row.head_seq),
            (self.store.id, "/notes/ü.md", text, hash_of(text), size, 1),
        )
        self.assertEqual(
            (row.created_at, row.updated_at, row.last_read_at),
            ("2026-11-30T12:00:00.000000Z", "2026-11-30T12:00:00.000000Z", None),
        )
        self.assertEqual(self.get(memory_id=row.id), row)
        self.assertEqual(self.count(), 2)
        version = self.versions(row.id).get()
        self.assertEqual(
            {
                "id": row.head_version_id,
                "seq": 1,
                "operation": "created",
                "path": "/notes/ü.md",
                "content": text,
                "content_sha256": hash_of(text),
                "content_size_bytes": size,
                "created_at": NOON,
                "actor_type": "api_actor",
                "actor_id": self.actor.id,
                "actor_label": "Operator",
                "road": "api",
                "reason": "asked to",
                "restored_from": None,
                "redacted_at": None,
            },
            {name: getattr(version, name) for name in (
                "id", "seq", "operation", "path", "content", "content_sha256", "content_size_bytes",
                "created_at", "actor_type", "actor_id", "actor_label", "road", "reason", "restored_from",
                "redacted_at",
            )},
        )  # fmt: skip

    def test_takes_the_empty_text_and_the_longest(self):
        for path, text in (("/empty", ""), ("/long", "é" * (CONTENT_BYTES // 2))):
            row = self.create(path, text)
            self.assertEqual(self.get(memory_id=row.id).content, text)

    def test_refuses_what_is_no_path_or_no_content(self):
        for path in ("/a/", "a", "/a/../b", "/e\u0301", "/x\0", "/\ud83d", "/\u200b", "/" + "s/" * 20 + "s"):
            with self.subTest(path=path):
                self.assertRefused(PathInvalid, self.create, path)
        for text in ("\0", "\ud83d", "x" * (CONTENT_BYTES + 1)):
            with self.subTest(text=text[:3]):
                self.assertRefused(ContentInvalid, self.create, "/ok", text)
        for reason in ("x" * 501, "\0", "\ud83d"):
            with self.subTest(reason=reason[:3]):
                self.assertRefused(InvalidInput, self.create, "/ok", reason=reason)

    def test_an_occupied_path_is_never_overwritten_not_even_with_the_same_text(self):
        error = self.assertRefused(PathTaken, self.create, "/a.md", "one")
        self.assertEqual(
            error.details, {"conflicting_path": "/a.md", "conflicting_memory_id": self.memory.id}
        )

    def test_a_path_above_or_below_another_is_taken(self):
        below = self.create("/dir/sub/x")
        for path, blocking in (
            ("/dir", below),
            ("/dir/sub", below),
            ("/dir/sub/x/y", below),
            ("/dir/sub/x/y/z", below),
            ("/a.md/b", self.memory),
        ):
            with self.subTest(path=path):
                error = self.assertRefused(PathTaken, self.create, path)
                self.assertEqual(
                    error.details,
                    {"conflicting_path": blocking.path, "conflicting_memory_id": blocking.id},
                )

    def test_names_the_first_in_path_order_of_several_in_the_way(self):
        for path in ("/d/z", "/d/a0", "/d/a/x", "/d/a-b", "/d/B"):
            self.create(path)
        error = self.assertRefused(PathTaken, self.create, "/d")
        self.assertEqual(error.details["conflicting_path"], "/d/B")

    def test_neighbours_in_name_are_no_conflict(self):
        for path in ("/a", "/a.md2", "/a.m", "/A.MD", "/b/c", "/b-c", "/b0", "/b c", "/Site Roadmap.md"):
            self.create(path)
        self.create("/site-roadmap.md")
        self.assertEqual(self.count(), 11)

    def test_the_same_path_is_free_in_another_store(self):
        other = make_store(actor=self.actor)
        row = self.create("/a.md", store_id=other.id)
        self.assertNotEqual(row.id, self.memory.id)

    def test_refuses_an_archived_store_before_a_conflict(self):
        self.archive()
        self.assertRefused(StoreArchived, self.create, "/new.md")
        self.assertRefused(StoreArchived, self.create, "/a.md")

    def test_refuses_a_store_that_is_not_there(self):
        stranger = make_actor()
        stores.delete_store(actor=self.actor, store_id=self.store.id)
        self.assertRefused(StoreNotFound, self.create, "/b")
        self.assertRefused(StoreNotFound, self.create, "/b", store_id="memstore_none")
        self.assertRefused(StoreNotFound, self.create, "/b", actor=stranger)

    def test_a_full_store_takes_no_new_path_and_everything_else(self):
        # The count is set by hand: ten thousand real ones would take a minute.
        rows = MemoryStore.objects.filter(id=self.store.id)
        rows.update(memory_count=MEMORIES_PER_STORE - 1)
        self.create("/last.md")
        self.assertRefused(LimitReached, self.create, "/more.md", message="10000")
        # A conflict is told before the limit.
        self.assertRefused(PathTaken, self.create, "/a.md")
        self.update(content="two", path="/renamed.md")
        self.assertEqual(self.get().content, "two")
        self.delete()
        self.assertEqual(self.count(), MEMORIES_PER_STORE - 1)
        self.create("/again.md")
        self.assertRefused(LimitReached, self.create, "/more.md")
        rows.update(memory_count=2)


class UpdateMemory(MemoryCase):
    def test_changes_the_content_in_one_version(self):
        later = NOON + timedelta(hours=1)
        person = make_person(workspace=self.workspace)
        row = self.update(actor=person, content="two\r\n", reason="wrong", now=later)
        self.assertEqual(
            (row.id, row.path, row.content, row.content_sha256, row.content_size_bytes, row.head_seq),
            (self.memory.id, "/a.md", "two\r\n", hash_of("two\r\n"), 5, 2),
        )
        self.assertEqual(
            (row.created_at, row.updated_at), ("2026-11-30T12:00:00.000000Z", "2026-11-30T13:00:00.000000Z")
        )
        self.assertEqual(self.get(), row)
        first, second = self.versions()
        self.assertEqual((first.content, first.id), ("one", self.memory.head_version_id))
        self.assertEqual(
            (second.id, second.seq, second.operation, second.path, second.content, second.created_at),
            (row.head_version_id, 2, "modified", "/a.md", "two\r\n", later),
        )
        self.assertEqual(
            (second.actor_type, second.actor_id, second.actor_label, second.road, second.reason),
            ("user_actor", person.id, "Robin Reed", "console", "wrong"),
        )
        self.assertEqual(self.count(), 1)

    def test_to_the_empty_text_and_back(self):
        self.assertEqual(self.update(content="").content_size_bytes, 0)
        self.assertEqual(self.get().content, "")
        self.update(content="\n")
        self.assertEqual([v.content for v in self.versions()], ["one", "", "\n"])

    def test_renames_in_one_version(self):
        row = self.update(path="/dir/b.md", now=NOON + timedelta(hours=1))
        self.assertEqual(
            (row.id, row.path, row.content_sha256, row.content_size_bytes, row.head_seq, row.created_at),
            (
                self.memory.id,
                "/dir/b.md",
                self.memory.content_sha256,
                self.memory.content_size_bytes,
                2,
                self.memory.created_at,
            ),
        )
        self.assertEqual(row.updated_at, "2026-11-30T13:00:00.000000Z")
        self.assertEqual(self.get().content, "one")
        self.assertEqual(
            [(v.operation, v.path, v.content) for v in self.versions()],
            [("created", "/a.md", "one"), ("modified", "/dir/b.md", "one")],
        )
        self.create("/a.md")

    def test_changes_content_and_path_in_one_version(self):
        row = self.update(content="two", path="/b.md")
        self.assertEqual((row.path, row.content, row.head_seq), ("/b.md", "two", 2))
        self.assertEqual([(v.path, v.content) for v in self.versions()], [("/a.md", "one"), ("/b.md", "two")])

    def test_what_is_already_so_changes_nothing_whatever_the_precondition(self):
        before = all_rows()
        for fields in ({"content": "one"}, {"path": "/a.md"}, {"content": "one", "path": "/a.md"}):
            for expected in (None, self.memory.content_sha256, OTHER_HASH):
                with self.subTest(**fields, expected=expected):
                    row = self.update(**fields, expected_sha256=expected)
                    self.assertEqual(
                        (row.id, row.head_version_id, row.updated_at, row.path),
                        (
                            self.memory.id,
                            self.memory.head_version_id,
                            self.memory.updated_at,
                            "/a.md",
                        ),
                    )
                    self.assertEqual(all_rows(), before)

    def test_half_a_no_op_is_a_change(self):
        self.assertEqual(self.update(content="one", path="/b.md").head_seq, 2)
        self.assertEqual(self.update(content="two", path="/b.md").head_seq, 3)

    def test_a_precondition_that_holds(self):
        row = self.update(content="two", expected_sha256=self.memory.content_sha256)
        self.assertEqual(row.head_seq, 2)
        # It speaks of the current content, also for a rename.
        self.assertEqual(self.update(path="/b.md", expected_sha256=hash_of("two")).path, "/b.md")

    def test_a_precondition_that_fails(self):
        for fields in ({"content": "two"}, {"path": "/b.md"}, {"content": "two", "path": "/b.md"}):
            with self.subTest(**fields):
                self.assertRefused(PreconditionFailed, self.update, **fields, expected_sha256=OTHER_HASH)
        # The hash of the new text is not that of the current one.
        self.assertRefused(PreconditionFailed, self.update, content="two", expected_sha256=hash_of("two"))

    def test_a_failed_precondition_is_told_before_a_conflict(self):
        self.create("/b.md")
        self.assertRefused(PreconditionFailed, self.update, path="/b.md", expected_sha256=OTHER_HASH)

    def test_a_precondition_must_be_a_hash(self):
        for value in ("", "0", OTHER_HASH.replace("0", "A"), OTHER_HASH + "0"):
            with self.subTest(value=value):
                self.assertRefused(InvalidInput, self.update, content="one", expected_sha256=value)

    def test_refuses_an_update_of_nothing(self):
        self.assertRefused(InvalidInput, self.update, message="needs content, path or both")

    def test_refuses_what_is_no_path_or_no_content(self):
        self.assertRefused(PathInvalid, self.update, path="/b/../c")
        self.assertRefused(ContentInvalid, self.update, content="x\0")
        self.assertRefused(ContentInvalid, self.update, content="x" * (CONTENT_BYTES + 1))
        self.assertRefused(InvalidInput, self.update, content="two", reason="\ud83d")

    def test_renames_never_overwrite(self):
        other = self.create("/dir/b.md")
        for path in ("/dir/b.md", "/dir", "/dir/b.md/c"):
            with self.subTest(path=path):
                error = self.assertRefused(PathTaken, self.update, path=path)
                self.assertEqual(
                    error.details, {"conflicting_path": "/dir/b.md", "conflicting_memory_id": other.id}
                )

    def test_renames_below_itself_and_back_up(self):
        for path in ("/a.md/b", "/a.md/b/c/d", "/a.md", "/a.md/b"):
            with self.subTest(path=path):
                self.assertEqual(self.update(path=path).path, path)
        self.assertEqual(self.versions().count(), 5)

    def test_renames_above_itself_only_with_no_other_memory_in_the_way(self):
        self.update(path="/d/e/f")
        other = self.create("/d/x")
        self.assertEqual(self.update(path="/d/e").path, "/d/e")
        error = self.assertRefused(PathTaken, self.update, path="/d")
        self.assertEqual(error.details["conflicting_memory_id"], other.id)

    def test_names_the_first_in_path_order_of_several_in_the_way(self):
        for path in ("/d/z", "/d/a/x", "/d/a-b"):
            self.create(path)
        error = self.assertRefused(PathTaken, self.update, path="/d")
        self.assertEqual(error.details["conflicting_path"], "/d/a-b")

    def test_case_alone_is_a_rename(self):
        self.assertEqual(self.update(path="/A.md").path, "/A.md")

    def test_refuses_an_archived_store_before_everything_but_its_absence(self):
        self.create("/b.md")
        self.archive()
        for fields in (
            {"content": "two"},
            {"content": "one"},
            {"path": "/a.md"},
            {"path": "/b.md"},
            {"content": "two", "expected_sha256": OTHER_HASH},
        ):
            with self.subTest(**fields):
                self.assertRefused(StoreArchived, self.update, **fields)
        self.assertRefused(MemoryNotFound, self.update, content="two", memory_id="mem_none")

    def test_refuses_what_is_not_there(self):
        other = make_store(actor=self.actor)
        stranger = make_actor()
        for kind, fields in (
            (MemoryNotFound, {"memory_id": "mem_none"}),
            (MemoryNotFound, {"store_id": other.id}),
            (StoreNotFound, {"store_id": "memstore_none"}),
            (StoreNotFound, {"actor": stranger}),
        ):
            for change in ({"content": "two"}, {"content": "one"}, {"path": "/b"}):
                with self.subTest(**fields, **change):
                    self.assertRefused(kind, self.update, **fields, **change)
        self.delete()
        self.assertRefused(MemoryNotFound, self.update, content="two")


class DeleteMemory(MemoryCase):
    def test_ends_the_memory_with_a_version_that_keeps_its_path(self):
        later = NOON + timedelta(hours=1)
        self.assertIsNone(self.delete(reason="outdated", now=later))
        self.assertFalse(Memory.objects.filter(id=self.memory.id).exists())
        first, last = self.versions()
        self.assertEqual(first.content, "one")
        self.assertEqual(
            (last.seq, last.operation, last.path, last.content, last.content_sha256, last.content_size_bytes),
            (2, "deleted", "/a.md", None, None, None),
        )
        self.assertEqual((last.created_at, last.reason, last.actor_id), (later, "outdated", self.actor.id))
        self.assertEqual(self.count(), 0)
        self.assertRefused(MemoryNotFound, self.get)

    def test_a_second_time_finds_nothing(self):
        self.delete()
        self.assertRefused(MemoryNotFound, self.delete)

    def test_the_path_is_free_for_a_new_memory_with_a_new_lineage(self):
        self.delete()
        again = self.create("/a.md", "one")
        self.assertNotEqual(again.id, self.memory.id)
        self.assertEqual(again.head_seq, 1)
        self.assertEqual((self.versions().count(), self.versions(again.id).count()), (2, 1))
        self.assertRefused(MemoryNotFound, self.get)

    def test_frees_the_folders_too(self):
        inside = self.create("/dir/x")
        self.assertRefused(PathTaken, self.create, "/dir")
        self.delete(memory_id=inside.id)
        self.create("/dir")

    def test_a_precondition_that_holds(self):
        self.delete(expected_sha256=hash_of("one"))
        self.assertEqual(self.count(), 0)

    def test_a_precondition_that_fails(self):
        self.assertRefused(PreconditionFailed, self.delete, expected_sha256=OTHER_HASH)

    def test_a_precondition_must_be_a_hash(self):
        for value in ("", "x" * 64, OTHER_HASH[1:]):
            with self.subTest(value=value):
                self.assertRefused(InvalidInput, self.delete, expected_sha256=value)

    def test_works_in_an_archived_store(self):
        self.archive()
        self.delete()
        self.assertEqual([v.operation for v in self.versions()], ["created", "deleted"])

    def test_refuses_what_is_not_there(self):
        other = make_store(actor=self.actor)
        self.assertRefused(MemoryNotFound, self.delete, memory_id="mem_none")
        self.assertRefused(MemoryNotFound, self.delete, store_id=other.id)
        self.assertRefused(StoreNotFound, self.delete, store_id="memstore_none")
        self.assertRefused(StoreNotFound, self.delete, actor=make_actor())


class OrderOfVersions(MemoryCase):
    """decisions.md, 6: id, time and number agree, also under a clock that stands still or goes back."""

    def assertInOrder(self):
        rows = list(self.versions())
        for before, after in pairwise(rows):
            self.assertEqual(after.seq, before.seq + 1)
            self.assertGreater(after.created_at, before.created_at)
            self.assertGreater(after.id, before.id)
        return rows

    def test_a_clock_that_stands_still(self):
        for number in range(5):
            self.update(content=f"text {number}", now=NOON)
        self.update(path="/b.md", now=NOON)
        self.delete(now=NOON)
        rows = self.assertInOrder()
        self.assertEqual(
            [row.created_at for row in rows], [NOON + timedelta(microseconds=i) for i in range(8)]
        )

    def test_a_clock_that_goes_back(self):
        tick = timedelta(microseconds=1)
        row = self.update(content="two", now=NOON - timedelta(days=1))
        self.assertEqual(row.updated_at, "2026-11-30T12:00:00.000001Z")
        self.update(content="three", now=NOON + timedelta(hours=1))
        self.update(content="four", now=NOON - timedelta(days=400))
        self.delete(now=NOON)
        hour = NOON + timedelta(hours=1)
        self.assertEqual(
            [row.created_at for row in self.assertInOrder()],
            [NOON, NOON + tick, hour, hour + tick, hour + 2 * tick],
        )

    def test_the_real_clock(self):
        for number in range(20):
            self.update(content=f"text {number}")
        self.assertEqual(len(self.assertInOrder()), 21)


class Reads(MemoryCase):
    """decisions.md, 10: what an agent is served counts, at most once an hour; people do not."""

    def setUp(self):
        super().setUp()
        self.agent = make_actor(workspace=self.workspace, access="read_only")

    def last_read_at(self):
        return Memory.objects.get(id=self.memory.id).last_read_at

    def test_an_agent_reading_the_text_counts(self):
        before = datetime.now(UTC)
        row = self.get(actor=self.agent)
        self.assertEqual(row.content, "one")
        self.assertTrue(before <= self.last_read_at() <= datetime.now(UTC))

    def test_a_session_counts(self):
        self.get(actor=session_actor(session_id="sesn_1", label="R", workspace_id=self.workspace.id))
        self.assertIsNotNone(self.last_read_at())

    def test_people_operators_and_basic_views_do_not(self):
        self.get(actor=self.actor)
        self.get(actor=make_person(workspace=self.workspace, role="viewer"))
        self.get(actor=self.agent, with_content=False)
        self.assertIsNone(self.last_read_at())

    def test_moves_at_most_once_an_hour(self):
        for at, expected in (
            (NOON, NOON),
            (NOON + timedelta(minutes=59, seconds=59), NOON),
            (NOON + timedelta(hours=1), NOON),
            (NOON + timedelta(hours=1, seconds=1), NOON + timedelta(hours=1, seconds=1)),
        ):
            with self.subTest(at=at):
                memories.count_reads(actor=self.agent, memories=[self.get(with_content=False)], now=at)
                self.assertEqual(self.last_read_at(), expected)

    def test_is_no_change_of_the_memory(self):
        before = self.get(with_content=False)
        self.get(actor=self.agent)
        after = self.get(with_content=False)
        self.assertEqual(
            (after.updated_at, after.head_version_id), (before.updated_at, before.head_version_id)
        )
        self.assertEqual(self.versions().count(), 1)

    def test_a_change_keeps_it(self):
        memories.count_reads(actor=self.agent, memories=[self.memory], now=NOON)
        for fields in ({"content": "two"}, {"path": "/b.md"}):
            row = self.update(**fields)
            self.assertEqual(row.last_read_at, "2026-11-30T12:00:00.000000Z")
            self.assertEqual(self.get(), self.get())
            self.assertEqual(self.last_read_at(), NOON)

    def test_without_content(self):
        row = self.get(with_content=False)
        self.assertIsNone(row.content)
        self.assertEqual(row.content_sha256, hash_of("one"))


class OneTransaction(MemoryCase):
    def test_a_change_whose_transaction_fails_leaves_nothing(self):
        for call, fields in (
            (self.create, {"path": "/b.md"}),
            (self.update, {"content": "two"}),
            (self.update, {"path": "/b.md"}),
            (self.delete, {}),
        ):
            with self.subTest(call=call.__name__, **fields):
                before = all_rows()
                with self.assertRaises(ZeroDivisionError), transaction.atomic():
                    call(**fields)
                    self.assertNotEqual(all_rows(), before)
                    raise ZeroDivisionError
                self.assertEqual(all_rows(), before)

    def test_versions_outlive_their_memory(self):
        self.delete()
        version = versions.get_version(
            actor=self.actor, store_id=self.store.id, version_id=self.memory.head_version_id
        )
        self.assertEqual((version.content, version.memory_id), ("one", self.memory.id))


class CreateMemoryInTransactionTest(CreateMemory, TestCase):
    pass


class CreateMemoryTest(CreateMemory, TransactionTestCase):
    pass


class UpdateMemoryInTransactionTest(UpdateMemory, TestCase):
    pass


class UpdateMemoryTest(UpdateMemory, TransactionTestCase):
    pass


class DeleteMemoryInTransactionTest(DeleteMemory, TestCase):
    pass


class DeleteMemoryTest(DeleteMemory, TransactionTestCase):
    pass


class OrderOfVersionsInTransactionTest(OrderOfVersions, TestCase):
    pass


class OrderOfVersionsTest(OrderOfVersions, TransactionTestCase):
    pass


class ReadsTest(Reads, TestCase):
    pass


class OneTransactionTest(OneTransaction, TransactionTestCase):
    pass
