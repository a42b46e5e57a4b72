"""Moving, renaming and deleting many memories in one act."""

import time
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from threading import Thread
from unittest import skipUnless

from django.db import connection
from django.test import TestCase, TransactionTestCase
from django.test.utils import CaptureQueriesContext

from stores.domain import acts, bulk, history, memories, stores, undo
from stores.domain.bulk import Selection
from stores.domain.errors import (
    InvalidInput,
    PathInvalid,
    PathTaken,
    PermissionDenied,
    StoreArchived,
    StoreNotFound,
)
from stores.models import Memory, MemoryStore, MemoryVersion
from tests.cases import all_rows
from tests.factories import make_actor, make_memory, make_store, make_workspace

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


class BulkCase:
    def setUp(self):
        self.workspace = make_workspace()
        self.actor = make_actor(workspace=self.workspace)
        self.store = make_store(actor=self.actor)
        self.here = {"actor": self.actor, "store_id": self.store.id}

    def tearDown(self):
        self.assertEqual(list(history.verify_store(store_id=self.store.id)), [])

    def fill(self, *paths):
        made = {
            path: make_memory(actor=self.actor, store=self.store, path=path, content=f"at {path}", now=NOON)
            for path in paths
        }
        return {path: memory.id for path, memory in made.items()}

    def paths(self):
        return sorted(Memory.objects.filter(store=self.store).values_list("path", flat=True))

    def moves(self, plan):
        return [(step.path_before, step.path_after) for step in plan.steps]

    def apply(self, plan, **fields):
        return bulk.apply_plan(**{"actor": self.actor, "plan": plan} | fields)


class BulkMove(BulkCase):
    def test_a_folder_goes_with_its_name_and_a_memory_with_its(self):
        ids = self.fill("/a/b/x.md", "/a/b/c/y.md", "/a/z.md", "/q.md")
        plan = bulk.plan_move(
            **self.here, selection=Selection(folders=["/a/b/"], memory_ids=[ids["/q.md"]]), to_folder="/new/"
        )
        expected = [
            ("/a/b/c/y.md", "/new/b/c/y.md"),
            ("/a/b/x.md", "/new/b/x.md"),
            ("/q.md", "/new/q.md"),
        ]
        self.assertEqual((self.moves(plan), plan.left, plan.unchanged), (expected, [], 0))
        self.assertEqual(plan.size_bytes, sum(len(f"at {path}") for path, _ in expected))
        self.apply(plan)
        self.assertEqual(self.paths(), ["/a/z.md", "/new/b/c/y.md", "/new/b/x.md", "/new/q.md"])

    def test_one_version_each_with_the_path_changed_and_nothing_else(self):
        ids = self.fill(*(f"/in/{number}.md" for number in range(5)), "/other.md")
        before = {row.memory_id: row for row in MemoryVersion.objects.all()}
        plan = bulk.plan_rename_folder(**self.here, folder="/in/", to="/out/")
        act = self.apply(plan, reason="tidy", now=NOON + timedelta(days=1))
        written = MemoryVersion.objects.filter(seq=2)
        self.assertEqual({row.id for row in written}, set(act.version_ids))
        self.assertEqual(written.count(), 5)
        self.assertEqual({row.created_at for row in written}, {NOON + timedelta(days=1)})
        for row in written:
            old = before[row.memory_id]
            self.assertEqual(
                (row.operation, row.content, row.content_sha256, row.content_size_bytes, row.restored_from),
                ("modified", old.content, old.content_sha256, old.content_size_bytes, None),
            )
            self.assertEqual((old.path.replace("/in/", "/out/"), "tidy"), (row.path, row.reason))
            self.assertEqual((row.actor_id, row.road), (self.actor.id, "api"))
        self.assertEqual(Memory.objects.get(id=ids["/other.md"]).head_seq, 1)

    def test_a_folder_is_what_its_name_says(self):
        for folder, others in (
            ("/my_project/", ["/myXproject/a.md"]),
            ("/100%/", ["/1000/a.md", "/100/a.md"]),
            ("/a\\/", ["/a/a.md"]),
        ):
            with self.subTest(folder):
                self.fill(f"{folder}a.md", *others)
                plan = bulk.plan_delete(**self.here, selection=Selection(folders=[folder]))
                self.assertEqual([step.path_before for step in plan.steps], [f"{folder}a.md"])
                self.apply(plan)
                self.assertEqual(self.paths(), sorted(others))
                self.apply(bulk.plan_delete(**self.here, selection=Selection(folders=["/"])))
                self.assertEqual(self.paths(), [])

    def test_chains_and_rings(self):
        ids = self.fill("/a", "/b", "/c")
        steps = [
            acts.Step(self.store.id, memory.id, memory.head_version_id, memory.path, path)
            for memory, path in (
                (Memory.objects.get(id=ids["/a"]), "/b"),
                (Memory.objects.get(id=ids["/b"]), "/c"),
                (Memory.objects.get(id=ids["/c"]), "/a"),
            )
        ]
        act = self.apply(acts.make_plan(steps=steps, left=[]))
        self.assertEqual(act.left, [])
        now = dict(Memory.objects.values_list("id", "path"))
        self.assertEqual(now, {ids["/a"]: "/b", ids["/b"]: "/c", ids["/c"]: "/a"})
        undo.undo_act(actor=self.actor, act_id=act.id)
        now = dict(Memory.objects.values_list("path", "id"))
        self.assertEqual(now, ids)

    def test_a_folder_into_itself_and_out_again(self):
        self.fill("/a/x.md", "/a/b/y.md")
        self.apply(bulk.plan_rename_folder(**self.here, folder="/a/", to="/a/b/"))
        self.assertEqual(self.paths(), ["/a/b/b/y.md", "/a/b/x.md"])
        self.apply(bulk.plan_rename_folder(**self.here, folder="/a/b/", to="/"))
        self.assertEqual(self.paths(), ["/b/y.md", "/x.md"])

    def test_shows_what_cannot_be_done_and_does_the_rest(self):
        ids = self.fill("/a/x.md", "/a/y.md", "/b/x.md", "/c/y.md")
        plan = bulk.plan_move(
            **self.here,
            selection=Selection(memory_ids=[ids["/a/x.md"], ids["/a/y.md"], ids["/c/y.md"], "mem_none"]),
            to_folder="/b/",
        )
        self.assertEqual(self.moves(plan), [("/a/y.md", "/b/y.md")])
        self.assertEqual(
            [
                (left.memory_id, left.path, left.why, left.other_path, left.other_memory_id)
                for left in plan.left
            ],
            [
                ("mem_none", None, acts.GONE, None, None),
                (ids["/a/x.md"], "/a/x.md", acts.PATH_TAKEN, "/b/x.md", ids["/b/x.md"]),
                (ids["/c/y.md"], "/c/y.md", acts.PATH_TAKEN, "/b/y.md", None),
            ],
        )
        self.apply(plan)
        self.assertEqual(self.paths(), ["/a/x.md", "/b/x.md", "/b/y.md", "/c/y.md"])

    def test_what_would_be_no_path_is_left(self):
        deep = "/a" + "/d" * 18 + "/x.md"
        self.fill(deep, "/a/y.md")
        plan = bulk.plan_rename_folder(**self.here, folder="/a/", to="/one/two/")
        self.assertEqual(self.moves(plan), [("/a/y.md", "/one/two/y.md")])
        self.assertEqual([(left.path, left.why) for left in plan.left], [(deep, acts.PATH_INVALID)])

    def test_what_is_there_already_is_no_change(self):
        ids = self.fill("/a/x.md")
        plan = bulk.plan_move(**self.here, selection=Selection(memory_ids=[ids["/a/x.md"]]), to_folder="/a/")
        self.assertEqual((plan.steps, plan.left, plan.unchanged), ([], [], 1))
        act = self.apply(plan)
        self.assertEqual((act.id, act.version_ids), (None, []))
        self.assertEqual(MemoryVersion.objects.count(), 1)

    def test_leaves_alone_what_changed_meanwhile_and_says_so(self):
        ids = self.fill("/a/1", "/a/2", "/a/3", "/a/4")
        plan = bulk.plan_rename_folder(**self.here, folder="/a/", to="/b/")
        memories.update_memory(**self.here, memory_id=ids["/a/1"], content="edited")
        memories.delete_memory(**self.here, memory_id=ids["/a/2"])
        make_memory(actor=self.actor, store=self.store, path="/b/3")
        act = self.apply(plan)
        self.assertEqual(
            [(left.path, left.why) for left in act.left],
            [("/a/1", acts.CHANGED), ("/a/2", acts.GONE), ("/a/3", acts.PATH_TAKEN)],
        )
        self.assertEqual(self.paths(), ["/a/1", "/a/3", "/b/3", "/b/4"])

    def test_what_stays_may_stop_what_follows(self):
        ids = self.fill("/a", "/b")
        first, second = (Memory.objects.get(id=ids[path]) for path in ("/a", "/b"))
        plan = acts.make_plan(
            steps=[
                acts.Step(self.store.id, first.id, first.head_version_id, "/a", "/b"),
                acts.Step(self.store.id, second.id, second.head_version_id, "/b", "/c"),
            ],
            left=[],
        )
        memories.update_memory(**self.here, memory_id=second.id, content="edited")
        act = self.apply(plan)
        self.assertEqual(
            [(left.path, left.why) for left in act.left], [("/b", acts.CHANGED), ("/a", acts.PATH_TAKEN)]
        )
        self.assertEqual(self.paths(), ["/a", "/b"])

    def test_can_be_undone_and_that_too(self):
        ids = self.fill("/a/1", "/a/2", "/q")
        act = self.apply(bulk.plan_rename_folder(**self.here, folder="/a/", to="/b/"))
        back = undo.undo_act(actor=self.actor, act_id=act.version_ids[-1])
        self.assertEqual((self.paths(), back.left), (["/a/1", "/a/2", "/q"], []))
        self.assertEqual(Memory.objects.get(id=ids["/a/1"]).head_seq, 3)
        undo.undo_act(actor=self.actor, act_id=back.id)
        self.assertEqual(self.paths(), ["/b/1", "/b/2", "/q"])

    def test_the_number_of_queries_does_not_grow(self):
        counts = []
        for how_many in (2, 40):
            self.fill(*(f"/from{how_many}/{number}" for number in range(how_many)))
            with self.subTest(how_many), CaptureCount() as plan_count:
                plan = bulk.plan_rename_folder(**self.here, folder=f"/from{how_many}/", to=f"/to{how_many}/")
            with CaptureCount() as apply_count:
                self.apply(plan)
            counts.append((plan_count.count, apply_count.count))
        self.assertEqual(counts[0], counts[1])
        self.assertLessEqual(counts[0][0], 3)

    def test_refuses_bad_input_and_changes_nothing(self):
        ids = self.fill("/a/x.md")
        some = Selection(memory_ids=list(ids.values()))
        plan = bulk.plan_move(**self.here, selection=some, to_folder="/b/")
        reader = make_actor(workspace=self.workspace, access="read_only")
        stranger = make_actor()
        before = all_rows()
        for kind, call in (
            (InvalidInput, lambda: bulk.plan_move(**self.here, selection=Selection(), to_folder="/b/")),
            (InvalidInput, lambda: bulk.plan_delete(**self.here, selection=Selection())),
            (PathInvalid, lambda: bulk.plan_move(**self.here, selection=some, to_folder="/b")),
            (PathInvalid, lambda: bulk.plan_rename_folder(**self.here, folder="a/", to="/b/")),
            (
                InvalidInput,
                lambda: bulk.plan_move(**self.here, selection=Selection(folders=["/"]), to_folder="/b/"),
            ),
            (
                StoreNotFound,
                lambda: bulk.plan_move(
                    actor=stranger, store_id=self.store.id, selection=some, to_folder="/b/"
                ),
            ),
            (StoreNotFound, lambda: self.apply(plan, actor=stranger)),
            (PermissionDenied, lambda: self.apply(plan, actor=reader)),
            (
                PermissionDenied,
                lambda: bulk.plan_delete(actor=reader, store_id=self.store.id, selection=some),
            ),
            (InvalidInput, lambda: self.apply(plan, reason="x" * 501)),
            (InvalidInput, lambda: self.apply(bulk.Plan(plan.steps * 2, []))),
            (
                PathInvalid,
                lambda: self.apply(
                    bulk.Plan(
                        [acts.Step(self.store.id, ids["/a/x.md"], "memver_x", "/a/x.md", "/a/../x")], []
                    )
                ),
            ),
        ):
            with self.assertRaises(kind):
                call()
        self.assertEqual(all_rows(), before)

    def test_an_archived_store_refuses_moves_and_lets_deletions_pass(self):
        ids = self.fill("/a/x.md", "/a/y.md")
        some = Selection(memory_ids=[ids["/a/x.md"]])
        plan = bulk.plan_move(**self.here, selection=some, to_folder="/b/")
        stores.archive_store(**self.here)
        with self.assertRaises(StoreArchived):
            bulk.plan_move(**self.here, selection=some, to_folder="/b/")
        self.assertEqual([left.why for left in self.apply(plan).left], [acts.ARCHIVED])
        self.apply(bulk.plan_delete(**self.here, selection=some))
        self.assertEqual(self.paths(), ["/a/y.md"])


class BulkDelete(BulkCase):
    def test_ends_each_with_a_version_and_can_be_undone(self):
        ids = self.fill("/a/1", "/a/2", "/b/3")
        plan = bulk.plan_delete(**self.here, selection=Selection(folders=["/a/"]))
        self.assertEqual(self.moves(plan), [("/a/1", None), ("/a/2", None)])
        self.assertEqual(plan.size_bytes, 14)
        act = self.apply(plan, reason="old")
        self.assertEqual(self.paths(), ["/b/3"])
        self.assertEqual(MemoryStore.objects.get(id=self.store.id).memory_count, 1)
        last = MemoryVersion.objects.get(memory_id=ids["/a/1"], seq=2)
        self.assertEqual(
            (last.operation, last.path, last.content, last.reason), ("deleted", "/a/1", None, "old")
        )
        back = undo.undo_act(actor=self.actor, act_id=act.id)
        self.assertEqual((self.paths(), back.left), (["/a/1", "/a/2", "/b/3"], []))
        returned = Memory.objects.get(path="/a/1")
        first = MemoryVersion.objects.get(id=returned.head_version_id)
        self.assertNotEqual(returned.id, ids["/a/1"])
        self.assertEqual((first.content, first.seq, first.operation), ("at /a/1", 1, "created"))
        self.assertEqual(first.restored_from, MemoryVersion.objects.get(memory_id=ids["/a/1"], seq=1).id)
        undo.undo_act(actor=self.actor, act_id=back.id)
        self.assertEqual(self.paths(), ["/b/3"])

    def test_does_not_bring_back_more_than_fits(self):
        self.fill("/a/1", "/a/2")
        act = self.apply(bulk.plan_delete(**self.here, selection=Selection(folders=["/a/"])))
        MemoryStore.objects.filter(id=self.store.id).update(memory_count=9_999)
        back = undo.undo_act(actor=self.actor, act_id=act.id)
        self.assertEqual([left.why for left in back.left], [acts.STORE_FULL])
        self.assertEqual(self.paths(), ["/a/1"])
        MemoryStore.objects.filter(id=self.store.id).update(memory_count=1)


@skipUnless(connection.vendor == "postgresql", "SQLite has one writer at a time")
class ActsAtOnceTest(BulkCase, TransactionTestCase):
    def run_at_once(self, *works):
        """Each in a thread of its own, again and again for a while."""
        errors = []
        end = time.monotonic() + 2

        def run(work):
            try:
                while time.monotonic() < end:
                    work()
            except Exception as error:  # noqa: BLE001
                errors.append(error)
            finally:
                connection.close()

        threads = [Thread(target=run, args=[work]) for work in works]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(errors, [])

    def test_acts_and_single_writes_neither_deadlock_nor_lose_a_word(self):
        ids = self.fill(*(f"/a/{number}" for number in range(20)))
        written = {memory_id: [] for memory_id in ids.values()}
        moved = []

        def move(source, target):
            plan = bulk.plan_rename_folder(**self.here, folder=source, to=target)
            act = self.apply(plan)
            moved.extend(act.version_ids)
            if act.id:
                undo.undo_act(actor=self.actor, act_id=act.id)

        def edit():
            for memory_id in reversed(written):
                content = str(time.monotonic_ns())
                memories.update_memory(**self.here, memory_id=memory_id, content=content)
                written[memory_id].append(content)

        def rename():
            memory_id = ids["/a/3"]
            for path in ("/c/3", "/a/3"):
                with suppress(PathTaken):
                    memories.update_memory(**self.here, memory_id=memory_id, path=path)

        self.run_at_once(lambda: move("/a/", "/b/"), lambda: move("/b/", "/a/"), edit, rename)
        self.assertGreater(len(moved), 20)
        for memory_id, contents in written.items():
            texts = MemoryVersion.objects.filter(memory_id=memory_id).order_by("seq")
            in_order = list(dict.fromkeys(texts.values_list("content", flat=True)))[1:]
            self.assertEqual(in_order, contents)


class CaptureCount:
    def __enter__(self):
        self.context = CaptureQueriesContext(connection)
        self.context.__enter__()
        return self

    def __exit__(self, *error):
        self.context.__exit__(*error)
        self.count = len(self.context.captured_queries)


class BulkMoveTest(BulkMove, TestCase):
    pass


class BulkDeleteTest(BulkDelete, TestCase):
    pass


class BulkMoveOutsideTransactionTest(BulkMove, TransactionTestCase):
    pass


class BulkDeleteOutsideTransactionTest(BulkDelete, TransactionTestCase):
    pass
