"""The statements of acts and of the moments they go back to, one by one."""

from datetime import UTC, datetime, timedelta

from django.db import IntegrityError, connection, transaction
from django.test import TestCase
from django.test.utils import CaptureQueriesContext

from stores.models import Memory, MemoryStore, MemoryVersion, ids
from stores.models.statements import acts, holders, moments, spans
from tests.factories import make_actor, make_store
from tests.models import twins
from tests.models.test_statements import new_version

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


class Filled(TestCase):
    @classmethod
    def setUpTestData(cls):
        cls.actor = make_actor()
        cls.store, cls.other = make_store(actor=cls.actor), make_store(actor=cls.actor)
        for store in (cls.store, cls.other):
            for number, path in enumerate(("/a", "/b", "/c/d", "/c!", "/c0")):
                at = NOON + timedelta(seconds=number)
                twins.insert_memory(
                    new_version(store, ids.make_id(ids.MEMORY, at), at=at, path=path, content=f"at {path}")
                )
        cls.memories = {m.path: m for m in Memory.objects.filter(store=cls.store)}

    def next_version(self, now_at, **fields):
        memory = self.memories[now_at]
        values = {"at": NOON + timedelta(hours=1), "seq": memory.head_seq + 1, "operation": "modified"}
        return new_version(self.store, memory.id, **({"path": now_at} | values | fields))


class ActsTest(Filled):
    def test_heads_as_a_writer_sees_them(self):
        wanted = [memory.id for memory in self.memories.values()]
        foreign = Memory.objects.filter(store=self.other).first().id
        with transaction.atomic():
            found = acts.lock_heads(store_id=self.store.id, memory_ids=[*wanted, foreign, "mem_none"])
        self.assertEqual(set(found), set(wanted))
        for memory in self.memories.values():
            self.assertEqual(found[memory.id].memory, twins.memory_row(memory, with_content=False))
            self.assertEqual(found[memory.id].chain, bytes(memory.head_chain))

    def test_live_paths(self):
        found = acts.live_paths(store_ids=[self.store.id, "memstore_none"])
        expected = {memory.id: path for path, memory in self.memories.items()}
        self.assertEqual(found, {self.store.id: expected, "memstore_none": {}})

    def test_selected_memories(self):
        inside = acts.memories_inside(store_id=self.store.id, folder="/c/", end="/c0")
        self.assertEqual([row.path for row in inside], ["/c/d"])
        some = [self.memories["/b"].id, self.memories["/a"].id, "mem_none"]
        found = acts.memories_by_id(store_id=self.store.id, memory_ids=some)
        self.assertEqual([row.path for row in found], ["/a", "/b"])
        self.assertEqual(acts.memories_by_id(store_id=self.other.id, memory_ids=some), [])

    def test_texts(self):
        head = self.memories["/a"].head_version_id
        found = acts.read_texts(store_id=self.store.id, version_ids=[head, "memver_x"], with_content=True)
        self.assertEqual([(text.path, text.content) for text in found.values()], [("/a", "at /a")])
        self.assertEqual(acts.read_texts(store_id=self.other.id, version_ids=[head], with_content=False), {})

    def test_writes_all_heads_in_six_statements(self):
        ended = [self.next_version("/a", operation="deleted", content=None)]
        moved = [self.next_version("/b", path="/c0"), self.next_version("/c0", path="/b")]
        begun = [new_version(self.store, "mem_new", path="/a", at=NOON + timedelta(hours=1))]
        with CaptureQueriesContext(connection) as seen, transaction.atomic():
            acts.insert_versions([*ended, *moved, *begun])
            acts.write_heads(
                store_id=self.store.id,
                ended=ended,
                moved=moved,
                begun=begun,
                parked=[version.memory_id for version in moved],
            )
        statements = [query for query in seen.captured_queries if "SAVEPOINT" not in query["sql"]]
        self.assertEqual(len(statements), 5)  # as many begin as end: the count stays
        self.assertEqual(MemoryVersion.objects.filter(store=self.store).count(), 9)
        paths = dict(Memory.objects.filter(store=self.store).values_list("path", "id"))
        self.assertEqual(
            paths,
            {
                "/a": "mem_new",
                "/b": self.memories["/c0"].id,
                "/c!": self.memories["/c!"].id,
                "/c/d": self.memories["/c/d"].id,
                "/c0": self.memories["/b"].id,
            },
        )
        head = Memory.objects.get(path="/b", store=self.store)
        self.assertEqual(
            (head.head_version_id, head.head_seq, bytes(head.head_chain), head.is_indexed),
            (moved[1].id, 2, moved[1].chain, False),
        )
        self.assertEqual(MemoryStore.objects.get(id=self.store.id).memory_count, 5)
        self.assertEqual(Memory.objects.filter(store=self.other).count(), 5)

    def test_places_cannot_be_changed_without_parking(self):
        moved = [self.next_version("/b", path="/c0"), self.next_version("/c0", path="/b")]
        with self.assertRaises(IntegrityError), transaction.atomic():
            acts.write_heads(store_id=self.store.id, ended=[], moved=moved, begun=[], parked=[])

    def test_a_head_that_is_not_there_stops_the_act(self):
        lost = new_version(self.store, "mem_none", path="/x")
        with self.assertRaises(RuntimeError), transaction.atomic():
            acts.write_heads(store_id=self.store.id, ended=[lost], moved=[], begun=[], parked=[])


class MomentsTest(Filled):
    """The rest is tested through the domain against a replay (tests/domain/test_timeline.py)."""

    def test_a_bound_is_not_included(self):
        memory = self.memories["/a"]
        version = self.next_version("/a", path="/z")
        twins.append_version(version, expected_head=memory.head_version_id)
        for bound, path in ((version.id, "/a"), (version.id + "0", "/z"), (memory.head_version_id, None)):
            state = moments.state_of_memory(store_id=self.store.id, bound=bound, memory_id=memory.id)
            self.assertEqual(state and state.path, path)
            paths = {row.path for row in moments.state_of_store(store_id=self.store.id, bound=bound)}
            self.assertEqual({"/a", "/z"} & paths, {path} - {None})
            found = moments.state_at_path(store_id=self.store.id, bound=bound, path="/a")
            self.assertEqual(found is not None, path == "/a")
        changes = moments.changes_between(store_id=self.store.id, before=version.id, after=moments.NEVER)
        self.assertEqual([(row.before.path, row.after.path) for row in changes], [("/a", "/z")])

    def test_a_folder_is_bounded_bytewise(self):
        rows = moments.state_of_store(store_id=self.store.id, bound=moments.NEVER, folder="/c/", end="/c0")
        self.assertEqual([row.path for row in rows], ["/c/d"])

    def followed_back(self, memory_id):
        """What moments.brought_back_from says, hop by hop."""
        found = []
        while True:
            first = MemoryVersion.objects.filter(memory_id=memory_id, seq=1, store=self.store).first()
            source = MemoryVersion.objects.filter(id=first and first.restored_from, store=self.store).first()
            if source is None or len(found) == moments.FORMER_MEMORIES:
                return found
            found.append(source)
            memory_id = source.memory_id

    def bring_back(self, path, number, at):
        """The memory at a path is deleted and begins anew from its version of this number."""
        gone = Memory.objects.get(path=path, store=self.store)
        source = MemoryVersion.objects.get(memory_id=gone.id, seq=number)
        gone.delete()
        version = new_version(
            self.store,
            ids.make_id(ids.MEMORY, NOON + timedelta(hours=at)),
            path=path,
            at=NOON + timedelta(hours=at),
            restored_from=source.id,
        )
        twins.insert_memory(version)
        return version.memory_id

    def test_follows_a_memory_that_was_brought_back_into_those_before(self):
        first = self.memories["/a"]
        second = self.next_version("/a", content="second")
        twins.append_version(second, expected_head=first.head_version_id)
        ids = [first.id, *(self.bring_back("/a", 1, at) for at in range(2, 5 + moments.FORMER_MEMORIES))]
        for place, id_ in enumerate(ids):
            expected = self.followed_back(id_)
            self.assertEqual(len(expected), min(place, moments.FORMER_MEMORIES))
            found = moments.brought_back_from(store_id=self.store.id, memory_id=id_)
            self.assertEqual([row.id for row in found], [version.id for version in expected])
            # Each has one version up to the one that was brought back.
            rows = moments.former_lineage(store_id=self.store.id, memory_id=id_, limit=3)
            self.assertEqual([row.id for row in rows], [version.id for version in expected][:3])
        self.assertEqual(moments.brought_back_from(store_id=self.other.id, memory_id=ids[2]), [])

    def test_the_former_lineage_ends_with_the_version_that_was_brought_back(self):
        first = self.memories["/a"]
        second = self.next_version("/a", content="second")
        twins.append_version(second, expected_head=first.head_version_id)
        third = self.next_version("/a", seq=3, at=NOON + timedelta(hours=2), content="third")
        twins.append_version(third, expected_head=second.id)
        revived = self.bring_back("/a", 2, 5)
        rows = moments.former_lineage(store_id=self.store.id, memory_id=revived, limit=9)
        self.assertEqual([row.id for row in rows], [second.id, first.head_version_id])
        rows = moments.former_lineage(store_id=self.store.id, memory_id=revived, limit=1)
        self.assertEqual([row.id for row in rows], [second.id])

    def test_finds_the_live_memory_that_continues_a_deleted_one(self):
        first = self.memories["/a"]
        find = {"store_id": self.store.id, "last": first.head_version_id}
        self.assertIsNone(moments.successor(memory_id=first.id, **find))
        middle = self.bring_back("/a", 1, 2)
        newest = self.bring_back("/a", 1, 3)
        for memory_id in (first.id, middle):
            self.assertEqual(moments.successor(memory_id=memory_id, **find), (newest, "/a"))
        self.assertIsNone(moments.successor(memory_id=newest, **find))
        # Renamed since: what was begun soon after the end is tried too.
        Memory.objects.filter(id=newest).update(path="/renamed")
        self.assertEqual(moments.successor(memory_id=middle, **find), (newest, "/renamed"))
        Memory.objects.filter(id=newest).delete()
        self.assertIsNone(moments.successor(memory_id=middle, **find))
        elsewhere = find | {"store_id": self.other.id}
        self.assertIsNone(moments.successor(memory_id=first.id, **elsewhere))


class SpansTest(Filled):
    def test_counts_what_was_written_and_names_what_is_around_it(self):
        memory = self.memories["/a"]
        mine = self.next_version("/a", actor_id="sesn_1")
        twins.append_version(mine, expected_head=memory.head_version_id)
        other = self.next_version("/a", seq=3, at=NOON + timedelta(hours=2), content="other")
        twins.append_version(other, expected_head=mine.id)
        (row,) = spans.written_in_span(
            store_ids=[self.store.id, self.other.id],
            actor_id="sesn_1",
            road=None,
            lowest_id=None,
            below_id=None,
            limit=9,
        )
        self.assertEqual(
            (row.memory_id, row.first_seq, row.first_id, row.count, row.is_live),
            (memory.id, 2, mine.id, 1, True),
        )
        self.assertEqual(
            (row.base_id, row.last_id, row.other_id, row.other_actor_id),
            (memory.head_version_id, other.id, other.id, "apikey_1"),
        )
        self.assertEqual(row.first_at, "2026-11-30T13:00:00.000000Z")

    def test_live_at_paths(self):
        found = spans.live_at_paths(store_ids=[self.store.id], paths=["/a", "/none"])
        self.assertEqual(found, {(self.store.id, "/a", self.memories["/a"].content_sha256)})


class HoldersTest(Filled):
    def test_is_exact_and_bounded(self):
        scan = {"store_id": self.store.id, "below": moments.NEVER}
        for piece, paths in (("at /c", ["/c!", "/c/d", "/c0"]), ("AT /c", []), ("%", []), ("_", [])):
            found = holders.holders_in_history(**scan, fragments=[piece, "absent"], limit=99)
            self.assertEqual(sorted(row.path for row in found if row.in_content), paths)
        newest = holders.holders_in_history(**scan, fragments=["at /"], limit=2)
        self.assertEqual([row.path for row in newest], ["/c0", "/c!"])
        self.assertEqual(holders.end_of_history(**scan, limit=2), (2, self.memories["/c!"].head_version_id))
        self.assertEqual({row.is_head for row in newest} | {row.in_path for row in newest}, {True, False})
