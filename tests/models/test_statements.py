"""Every hot statement against its plain twin, on data made to trip it; inside a transaction and outside."""

import os
import random
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from unittest import skipUnless

from django.db import connection, transaction
from django.test import TestCase, TransactionTestCase

from stores.domain import chain
from stores.domain.paths import after_folder, ancestors
from stores.models import Memory, MemoryStore, MemoryVersion, ids
from stores.models.statements import reads, writes
from stores.models.statements.rows import MemoryRow, PrefixRow
from stores.models.statements.writes import NewVersion
from tests.factories import make_actor, make_store
from tests.models import twins

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
# Names that sort around "/" and "0", begin alike, differ in case, or are longer in bytes than in characters.
NAMES = [
    "a", "a-b", "a.md", "a0", "a b", "a!", "aa", "ab", "A", "a\u00e9", "\u00e9", "\u00e4\u00e4", "z", "~",
    "\u65e5\u672c", "\U0001f600", "\U0001f600\U0001f600x", "\uffee", "0", "1", "..a", "%", "_", "\\",
]  # fmt: skip


def some_paths(seed: int, how_many: int, depth: int) -> list[str]:
    """Random paths no two of which stand in each other's way."""
    chance = random.Random(seed)
    taken: set[str] = set()
    folders: set[str] = set()
    for _ in range(how_many * 3):
        path = "".join(f"/{chance.choice(NAMES)}" for _ in range(chance.randint(1, depth)))
        above = ancestors(path)
        if path not in folders and path not in taken and not taken.intersection(above):
            taken.add(path)
            folders.update(above)
        if len(taken) == how_many:
            break
    return sorted(taken, key=lambda _: chance.random())


def new_version(store, memory_id, *, at=NOON, seq=1, operation="created", path="/a", content="x", **fields):
    data = None if content is None else content.encode()
    values = {
        "id": ids.make_id(ids.MEMORY_VERSION, at),
        "store_id": store.id,
        "memory_id": memory_id,
        "seq": seq,
        "operation": operation,
        "path": path,
        "content": content,
        "content_sha256": None if data is None else sha256(data).hexdigest(),
        "content_size_bytes": None if data is None else len(data),
        "created_at": at,
        "actor_type": "api_actor",
        "actor_id": "apikey_1",
        "actor_label": "Ägent",
        "road": "api",
        "reason": "",
        "restored_from": None,
        "salt": os.urandom(16),
        "commitment": os.urandom(32),
        "chain": os.urandom(32),
    }
    return NewVersion(**(values | fields))


def all_rows():
    """The three tables that the statements write, byte for byte."""
    return {
        model.__name__: [
            tuple(bytes(value) if isinstance(value, memoryview) else value for value in row)
            for row in model.objects.order_by("pk").values_list()
        ]
        for model in (MemoryStore, Memory, MemoryVersion)
    }


class Filled:
    """A store with paths and a few changes, beside another one that must never be seen."""

    def fill(self, paths):
        self.actor = make_actor()
        self.store = make_store(actor=self.actor)
        other = make_store(actor=self.actor)
        for store in (self.store, other):
            for number, path in enumerate(paths):
                at = NOON + timedelta(microseconds=number * 7)
                version = new_version(
                    store, ids.make_id(ids.MEMORY, at), at=at, path=path, content=f"{path} in {store.id}"
                )
                twins.insert_memory(version)
        self.workspace_id = self.actor.workspace_id


class ReadsAgreeWithTheirTwins(Filled):
    def setUp(self):
        self.fill(some_paths(seed=1, how_many=60, depth=4))

    def agree(self, name, **parameters):
        found = getattr(reads, name)(**parameters)
        self.assertEqual(found, getattr(twins, name)(**parameters), parameters)
        return found

    def test_one_memory_and_one_version(self):
        memory = Memory.objects.filter(store=self.store).first()
        memory.last_read_at = NOON
        memory.save()
        stranger = make_actor()
        for workspace_id in (self.workspace_id, stranger.workspace_id):
            for store_id in (self.store.id, make_store(actor=self.actor).id, "memstore_none"):
                for with_content in (True, False):
                    shared = {
                        "workspace_id": workspace_id,
                        "store_id": store_id,
                        "with_content": with_content,
                    }
                    with self.subTest(**shared):
                        found = self.agree("read_memory", memory_id=memory.id, **shared)
                        seen = (workspace_id, store_id) == (self.workspace_id, self.store.id)
                        self.assertEqual(found is not None, seen)
                        self.agree("read_memory", memory_id="mem_none", **shared)
                        found = self.agree("read_version", version_id=memory.head_version_id, **shared)
                        self.assertEqual(found is not None, seen)
                        self.agree("store_exists", workspace_id=workspace_id, store_id=store_id)
        MemoryStore.objects.filter(id=self.store.id).update(deleted_at=NOON)
        shared = {"workspace_id": self.workspace_id, "store_id": self.store.id}
        self.assertFalse(self.agree("store_exists", **shared))
        self.assertIsNone(self.agree("read_memory", memory_id=memory.id, with_content=True, **shared))
        self.assertIsNone(
            self.agree("read_version", version_id=memory.head_version_id, with_content=True, **shared)
        )

    def test_times_are_whole_whatever_their_fraction(self):
        memory = Memory.objects.filter(store=self.store).first()
        shared = {"workspace_id": self.workspace_id, "store_id": self.store.id, "memory_id": memory.id}
        for micros in (0, 1, 10, 120_000, 123_456, 999_999):
            memory.updated_at = memory.last_read_at = NOON + timedelta(microseconds=micros)
            memory.save()
            with self.subTest(micros=micros):
                row = self.agree("read_memory", with_content=False, **shared)
                self.assertEqual(row.updated_at, f"2026-11-30T12:00:00.{micros:06}Z")

    def test_pages_of_memories(self):
        paths = [memory.path for memory in twins._in_order(self.store.id)]
        for start in ["/", *paths[::6], "/a/", "/a0", "/zzz"]:
            for end in (None, "/a0", "/\U0001f600"):
                for including_start in (True, False):
                    for limit, with_content in ((1, True), (7, False), (100, True)):
                        self.agree(
                            "page_of_memories",
                            store_id=self.store.id,
                            start=start,
                            including_start=including_start,
                            end=end,
                            with_content=with_content,
                            limit=limit,
                        )

    def folders(self):
        return {
            folder + "/" for memory in twins._in_order(self.store.id) for folder in ancestors(memory.path)
        }

    def all_pages(self, folder, limit, with_content):
        """Every child of a folder, page by page, each page compared with the twin's."""
        end = None if folder == "/" else after_folder(folder)
        start, items = folder, []
        while page := self.agree(
            "page_of_children",
            store_id=self.store.id,
            folder=folder,
            start=start,
            end=end,
            with_content=with_content,
            limit=limit,
        ):
            items += page
            start = reads.start_behind(page[-1].path)
        return items

    def test_pages_of_children(self):
        for folder in ["/", *self.folders(), "/none/"]:
            whole = self.all_pages(folder, 1000, with_content=True)
            for limit in (1, 2, 3, 5, 1000):
                for with_content in (True, False):
                    with self.subTest(folder=folder, limit=limit, with_content=with_content):
                        items = self.all_pages(folder, limit, with_content)
                        self.assertEqual([item.path for item in items], [item.path for item in whole])

    def test_pages_of_children_begin_anywhere(self):
        for start in ["/", "/a", "/a/", "/a0", "/a-", "/\u00e9/", "/zzzz", *NAMES]:
            for limit in (1, 4, 100):
                for with_content in (True, False):
                    self.agree(
                        "page_of_children",
                        store_id=self.store.id,
                        folder="/",
                        start=start if start.startswith("/") else f"/{start}",
                        end=None,
                        with_content=with_content,
                        limit=limit,
                    )

    def test_path_conflicts(self):
        chance = random.Random(2)
        memories = list(Memory.objects.filter(store=self.store))
        taken = {memory.path for memory in memories}
        candidates = [*some_paths(seed=3, how_many=80, depth=4), *taken, *(f"{path}/x" for path in taken)]
        kinds = set()
        for path in candidates:
            for except_id in ("", chance.choice(memories).id):
                with self.subTest(path=path, except_id=except_id):
                    expected = twins.find_path_conflict(self.store.id, path, except_id)
                    parameters = reads.conflict_parameters(
                        candidates=[*ancestors(path), path],
                        below=path + "/",
                        after=after_folder(path + "/"),
                        except_id=except_id,
                    )
                    found = reads.find_path_conflict(store_id=self.store.id, parameters=parameters)
                    self.assertEqual(found, expected)
                    kinds.add(expected and (expected[0] > path) - (expected[0] < path))
        self.assertEqual(kinds, {None, -1, 0, 1})


class VersionPagesAgreeWithTheirTwin(Filled):
    def setUp(self):
        self.fill(some_paths(seed=4, how_many=6, depth=2))
        chance = random.Random(5)
        self.versions = []
        for number in range(60):
            memory = chance.choice(list(Memory.objects.filter(store=self.store)))
            at = NOON + timedelta(seconds=1, microseconds=number // 3)
            version = new_version(
                self.store,
                memory.id,
                at=at,
                seq=memory.head_seq + 1,
                operation="modified",
                path=memory.path,
                content=f"text {number}",
                actor_type=chance.choice(["api_actor", "session_actor"]),
                actor_id=chance.choice(["apikey_1", "apikey_2"]),
                reason=chance.choice(["", "because"]),
                restored_from=chance.choice([None, "memver_x"]),
            )
            twins.append_version(version, expected_head=memory.head_version_id)
            self.versions.append(version)
        gone = Memory.objects.filter(store=self.store).first()
        self.gone_id = gone.id
        twins.end_memory(
            new_version(
                self.store, gone.id, at=NOON + timedelta(seconds=2), seq=gone.head_seq + 1,
                operation="deleted", path=gone.path, content=None,
            ),
            expected_head=gone.head_version_id,
        )  # fmt: skip
        MemoryVersion.objects.filter(id=self.versions[7].id).update(
            path=None, content=None, content_sha256=None, content_size_bytes=None, salt=None,
            redacted_at=NOON, redacted_by_id="user_1", redacted_by_type="user_actor", redacted_by_label="R",
            redacted_reason="On request",
        )  # fmt: skip

    def test_every_filter_and_every_page(self):
        anything = {
            "memory_id": [None, self.gone_id, self.versions[20].memory_id, "mem_none"],
            "operation": [None, "created", "modified", "deleted"],
            "actor_id": [None, "apikey_1", "apikey_2"],
            "lowest_id": [
                None,
                ids.lowest_id(ids.MEMORY_VERSION, NOON + timedelta(seconds=1, microseconds=9)),
                self.versions[30].id,
            ],
            "below_id": [
                None,
                ids.lowest_id(ids.MEMORY_VERSION, NOON + timedelta(seconds=1, microseconds=18)),
                self.versions[50].id,
            ],
            "with_content": [True, False],
            "limit": [1, 7, 100],
        }
        chance = random.Random(6)
        alone = [{name: value} for name, values in anything.items() for value in values if value is not None]
        mixed = [{name: chance.choice(values) for name, values in anything.items()} for _ in range(150)]
        plain = dict.fromkeys(anything) | {"with_content": True, "limit": 100}
        found_some = 0
        for chosen in [*alone, *mixed]:
            parameters = {"store_id": self.store.id, **plain, **chosen}
            found = reads.page_of_versions(**parameters)
            self.assertEqual(found, twins.page_of_versions(**parameters), chosen)
            found_some += bool(found)
        self.assertGreater(found_some, 60)

    def test_pages_follow_each_other(self):
        plain = dict.fromkeys(["memory_id", "operation", "actor_id", "lowest_id"])
        seen, below = [], None
        while page := reads.page_of_versions(
            store_id=self.store.id, below_id=below, with_content=False, limit=9, **plain
        ):
            seen += [version.id for version in page]
            below = page[-1].id
        everything = MemoryVersion.objects.filter(store=self.store).values_list("id", flat=True)
        self.assertEqual(seen, sorted(everything, reverse=True))


class Compared(Filled):
    def setUp(self):
        self.fill(some_paths(seed=7, how_many=5, depth=3))
        self.memory = Memory.objects.filter(store=self.store).first()

    def assertSame(self, statement, twin):
        """Both answer alike and leave the same rows behind; the twin's are taken back first."""
        before = all_rows()
        with transaction.atomic():
            expected = twin()
            expected_rows = all_rows()
            transaction.set_rollback(True)
        self.assertEqual(all_rows(), before)
        self.assertEqual(statement(), expected)
        self.assertEqual(all_rows(), expected_rows)
        return expected, expected_rows != before

    def next_version(self, **fields):
        values = {
            "at": NOON + timedelta(hours=1),
            "seq": self.memory.head_seq + 1,
            "operation": "modified",
            "path": "/moved/é.md",
            "content": "neuer Text\r\n\u2028 😀",
            "reason": 'it\'s "quoted" %s :x',
            "restored_from": "memver_y",
        }
        return new_version(self.store, self.memory.id, **(values | fields))


class WritesAgreeWithTheirTwins(Compared):
    def test_insert_memory(self):
        version = new_version(self.store, "mem_new", path="/n/ü %s :id.md", content="")
        _, changed = self.assertSame(
            lambda: writes.insert_memory(version), lambda: twins.insert_memory(version)
        )
        self.assertTrue(changed)

    def test_append_version(self):
        version = self.next_version()
        for head, moved in (("memver_other", False), (self.memory.head_version_id, True)):
            answer = self.assertSame(
                lambda head=head: writes.append_version(version, expected_head=head),
                lambda head=head: twins.append_version(version, expected_head=head),
            )
            self.assertEqual(answer, (moved, moved))

    def test_end_memory(self):
        version = self.next_version(operation="deleted", path=self.memory.path, content=None)
        for head, ended in (("memver_other", False), (self.memory.head_version_id, True)):
            answer = self.assertSame(
                lambda head=head: writes.end_memory(version, expected_head=head),
                lambda head=head: twins.end_memory(version, expected_head=head),
            )
            self.assertEqual(answer, (ended, ended))

    def test_heads_and_stores_as_writers_see_them(self):
        for find in (writes.lock_store, writes.read_store_state):
            with transaction.atomic():
                seen = find(workspace_id=self.workspace_id, store_id=self.store.id)
                self.assertEqual((seen.is_archived, seen.memory_count), (False, 5))
                self.assertIsNone(find(workspace_id="wrkspc_x", store_id=self.store.id))
        MemoryStore.objects.filter(id=self.store.id).update(archived_at=NOON)
        with transaction.atomic():
            for find in (writes.lock_store, writes.read_store_state):
                self.assertTrue(find(workspace_id=self.workspace_id, store_id=self.store.id).is_archived)
            head = writes.lock_head(store_id=self.store.id, memory_id=self.memory.id)
            self.assertEqual(head.memory, twins.memory_row(self.memory, with_content=False))
            self.assertEqual(head.chain, bytes(self.memory.head_chain))
            self.assertIsNone(writes.lock_head(store_id="memstore_x", memory_id=self.memory.id))
        self.assertEqual(
            writes.read_content(self.memory.head_version_id), f"{self.memory.path} in {self.store.id}"
        )

    def test_touch_reads(self):
        old, fresh, never = Memory.objects.filter(store=self.store)[:3]
        Memory.objects.filter(id=old.id).update(last_read_at=NOON - timedelta(seconds=1))
        Memory.objects.filter(id=fresh.id).update(last_read_at=NOON)
        with transaction.atomic():
            writes.touch_reads(
                memory_ids=reads.text_list([old.id, fresh.id, never.id]),
                now=NOON + timedelta(hours=1),
                before=NOON,
            )
        moved = Memory.objects.filter(last_read_at=NOON + timedelta(hours=1)).values_list("id", flat=True)
        self.assertEqual(set(moved), {old.id, never.id})


class OneStatementWritesAgreeWithTheirTwins(Compared):
    """What only PostgreSQL does: a whole write in one statement, if and only if it would simply succeed."""

    def replacement(self, **changed):
        at = NOON + timedelta(hours=1)
        content = changed.get("content", "neuer Text\r\n\u2028 😀 %s")
        version_id = ids.make_id(ids.MEMORY_VERSION, at)
        parameters = {
            "workspace_id": self.workspace_id,
            "store_id": self.store.id,
            "memory_id": self.memory.id,
            "id": version_id,
            "content": content,
            "content_sha256": sha256(content.encode()).hexdigest(),
            "content_size_bytes": len(content.encode()),
            "expected_sha256": None,
            "created_at": at,
            "actor_type": "api_actor",
            "actor_id": "apikey_1",
            "actor_label": "Ägent",
            "road": "api",
            "reason": "why",
            "salt": os.urandom(16),
            "zero": b"\0",
            "after_seq": chain.metadata_after_seq(
                store_id=self.store.id,
                memory_id=self.memory.id,
                version_id=version_id,
                operation="modified",
                actor_type="api_actor",
                actor_id="apikey_1",
                road="api",
                created_at="2026-11-30T13:00:00.000000Z",
            ),
        }
        return parameters | changed

    def test_replace_content(self):
        current = self.memory.content_sha256
        cases = [
            ({"expected_sha256": "0" * 64}, False),
            ({"content_sha256": current}, False),
            ({"memory_id": "mem_none"}, False),
            ({"store_id": "memstore_none"}, False),
            ({"workspace_id": "wrkspc_none"}, False),
            ({"created_at": self.memory.updated_at}, False),
            ({"id": self.memory.head_version_id}, False),
            ({"id": ids.lowest_id(ids.MEMORY_VERSION, NOON - timedelta(days=1))}, False),
            ({"expected_sha256": current}, True),
            ({"content": ""}, True),
        ]
        for changed, written in cases:
            parameters = self.replacement(**changed)
            with self.subTest(**changed):
                row, moved = self.assertSame(
                    lambda p=parameters: writes.replace_content(p),
                    lambda p=parameters: twins.replace_content(p),
                )
                self.assertEqual((row is not None, moved), (written, written))
            self.memory.refresh_from_db()
            if written:
                Memory.objects.filter(id=self.memory.id).update(updated_at=NOON)
                Memory.objects.filter(id=self.memory.id).update(
                    head_version_id=ids.lowest_id(ids.MEMORY_VERSION, NOON)
                )

    def test_replace_content_keeps_out_of_archived_and_deleted_stores(self):
        for column in ("archived_at", "deleted_at"):
            with self.subTest(column):
                MemoryStore.objects.filter(id=self.store.id).update(**{column: NOON})
                parameters = self.replacement()
                answer = self.assertSame(
                    lambda p=parameters: writes.replace_content(p),
                    lambda p=parameters: twins.replace_content(p),
                )
                self.assertEqual(answer, (None, False))
                MemoryStore.objects.filter(id=self.store.id).update(**{column: None})


class ReadsInTransactionTest(ReadsAgreeWithTheirTwins, TestCase):
    pass


class ReadsTest(ReadsAgreeWithTheirTwins, TransactionTestCase):
    pass


class VersionPagesInTransactionTest(VersionPagesAgreeWithTheirTwin, TestCase):
    pass


class VersionPagesTest(VersionPagesAgreeWithTheirTwin, TransactionTestCase):
    pass


class WritesInTransactionTest(WritesAgreeWithTheirTwins, TestCase):
    pass


class WritesTest(WritesAgreeWithTheirTwins, TransactionTestCase):
    pass


@skipUnless(connection.vendor == "postgresql", "these statements are PostgreSQL's alone")
class OneStatementWritesInTransactionTest(OneStatementWritesAgreeWithTheirTwins, TestCase):
    pass


@skipUnless(connection.vendor == "postgresql", "these statements are PostgreSQL's alone")
class OneStatementWritesTest(OneStatementWritesAgreeWithTheirTwins, TransactionTestCase):
    def conflict(self, path):
        return reads.conflict_parameters(
            candidates=[*ancestors(path), path],
            below=path + "/",
            after=after_folder(path + "/"),
            except_id="",
        )

    def insert_if_free(self, version, *, workspace_id="", most=10):
        return writes.insert_if_free(
            version,
            workspace_id=workspace_id or self.workspace_id,
            most=most,
            conflict=self.conflict(version.path),
        )

    def test_insert_if_free(self):
        version = new_version(self.store, "mem_new", path="/n/ü %s.md", content="")

        def twin():
            twins.insert_memory(version)
            return True

        self.assertEqual(self.assertSame(lambda: self.insert_if_free(version), twin), (True, True))

    def test_insert_if_free_leaves_everything_when_anything_stands_in_the_way(self):
        taken = self.memory.path
        before = all_rows()
        for path in (taken, taken + "/x", *ancestors(taken)):
            with self.subTest(path=path):
                self.assertFalse(self.insert_if_free(new_version(self.store, "mem_new", path=path)))
        free = new_version(self.store, "mem_new", path="/free")
        self.assertFalse(self.insert_if_free(free, most=5))
        self.assertFalse(self.insert_if_free(free, workspace_id="wrkspc_none"))
        self.assertEqual(all_rows(), before)
        for column in ("archived_at", "deleted_at"):
            MemoryStore.objects.filter(id=self.store.id).update(**{column: NOON})
            before = all_rows()
            with self.subTest(column):
                self.assertFalse(self.insert_if_free(free))
                self.assertEqual(all_rows(), before)
            MemoryStore.objects.filter(id=self.store.id).update(**{column: None})
        self.assertTrue(self.insert_if_free(free, most=6))


class RollUpTest(TestCase):
    def test_folds_what_lies_in_sub_folders_into_one_row_each(self):
        def row(path):
            return MemoryRow("i", "s", path, "v", 1, "h", 0, "t", "t", None)

        paths = ["/a-b", "/a.md", "/a/x", "/a/y/z", "/a0", "/b/x"]
        self.assertEqual(
            reads.roll_up([row(path) for path in paths], "/"),
            [row("/a-b"), row("/a.md"), PrefixRow("/a/"), row("/a0"), PrefixRow("/b/")],
        )
        self.assertEqual(
            reads.roll_up([row("/a/x"), row("/a/y/z")], "/a/"), [row("/a/x"), PrefixRow("/a/y/")]
        )
