"""Undoing what a session, a key, a person or a span of time wrote."""

from datetime import UTC, datetime, timedelta

from django.db import connection
from django.test import TestCase
from django.test.utils import CaptureQueriesContext

from stores.domain import acts, history, memories, rollback, stores, undo, versions
from stores.domain.actors import session_actor
from stores.domain.errors import InvalidInput, PermissionDenied, StoreNotFound, VersionNotFound
from stores.domain.undo import Choice, Outcome, Scope
from stores.models import Memory, MemoryVersion
from tests.cases import all_rows
from tests.factories import make_actor, make_memory, make_person, make_store, make_workspace

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


def hour(number):
    return NOON + timedelta(hours=number)


class UndoCase(TestCase):
    def setUp(self):
        self.workspace = make_workspace()
        self.person = make_person(workspace=self.workspace)
        self.session = session_actor(session_id="sesn_01x", label="Run 7", workspace_id=self.workspace.id)
        self.store = make_store(actor=self.person)
        self.clock = 0

    def tearDown(self):
        for store_id in {self.store.id, *MemoryVersion.objects.values_list("store_id", flat=True)}:
            self.assertEqual(list(history.verify_store(store_id=store_id)), [])

    def tick(self):
        self.clock += 1
        return hour(self.clock)

    def create(self, actor, path, content, store=None):
        return make_memory(
            actor=actor, store=store or self.store, path=path, content=content, now=self.tick()
        )

    def change(self, actor, memory, **fields):
        return memories.update_memory(
            actor=actor, store_id=memory.store_id, memory_id=memory.id, now=self.tick(), **fields
        )

    def delete(self, actor, memory):
        memories.delete_memory(actor=actor, store_id=memory.store_id, memory_id=memory.id, now=self.tick())

    def plan(self, **fields):
        scope = Scope(**{"actor_id": self.session.id} | fields)
        return undo.plan_undo(actor=self.person, scope=scope)

    def outcomes(self, plan):
        return [(item.path, item.outcome.value) for item in plan.items]

    def apply(self, plan, **fields):
        return undo.apply_undo(actor=self.person, plan=plan, now=self.tick(), **fields)

    def live(self, store=None):
        texts = MemoryVersion.objects.in_bulk()
        return {
            memory.path: texts[memory.head_version_id].content
            for memory in Memory.objects.filter(store=store or self.store)
        }


class UndoTest(UndoCase):
    def test_everything_a_session_wrote(self):
        edited, moved, gone, other = (self.create(self.person, f"/{name}", name) for name in "abcd")
        before = self.live()
        self.change(self.session, edited, content="90 days")
        self.change(self.session, edited, content="91 days")
        self.change(self.session, moved, path="/moved")
        self.delete(self.session, gone)
        made = self.create(self.session, "/made", "made")
        passing = self.create(self.session, "/passing", "passing")
        self.delete(self.session, passing)
        self.change(self.person, other, content="d2")
        plan = self.plan()
        self.assertEqual(
            self.outcomes(plan),
            [
                ("/a", "restore"),
                ("/moved", "restore"),
                ("/c", "bring_back"),
                ("/made", "delete"),
                ("/passing", "nothing"),
            ],
        )
        self.assertEqual(([item.versions for item in plan.items], plan.versions), ([2, 1, 1, 1, 2], 7))
        self.assertEqual(plan.items[0].base_version_id, edited.head_version_id)
        act = self.apply(plan, reason="wrong")
        self.assertEqual((act.left, len(act.version_ids)), ([], 4))
        self.assertEqual(self.live(), before | {"/d": "d2"})
        restored = MemoryVersion.objects.get(memory_id=edited.id, seq=4)
        self.assertEqual(
            (restored.restored_from, restored.reason, restored.actor_id),
            (edited.head_version_id, "wrong", self.person.id),
        )
        self.assertFalse(Memory.objects.filter(id=made.id).exists())
        # A second time nothing is left to do, and the undoing can be undone.
        self.assertEqual({outcome for _, outcome in self.outcomes(self.plan())}, {"nothing"})
        after = {"/a": "91 days", "/moved": "b", "/made": "made", "/d": "d2"}
        again = undo.undo_act(actor=self.person, act_id=act.id)
        self.assertEqual((self.live(), again.left), (after, []))
        undo.undo_act(actor=self.person, act_id=again.id)
        self.assertEqual(self.live(), before | {"/d": "d2"})

    def test_never_overwrites_what_somebody_else_wrote_afterwards(self):
        edited = self.create(self.person, "/a", "one")
        self.change(self.session, edited, content="session")
        person_version = self.change(self.person, edited, content="session and person")
        gone = self.create(self.person, "/b", "two")
        self.change(self.session, gone, content="session")
        self.delete(self.person, gone)
        before = all_rows()["MemoryVersion"]
        plan = self.plan()
        self.assertEqual(self.outcomes(plan), [("/a", "built_on"), ("/b", "built_on")])
        item = plan.items[0]
        self.assertEqual(
            (item.built_on_version_id, item.built_on_by_id, item.built_on_by_label, item.later_step),
            (person_version.head_version_id, self.person.id, "Robin Reed", None),
        )
        act = self.apply(plan)
        self.assertEqual((act.id, [left.why for left in act.left]), (None, [acts.BUILT_ON] * 2))
        self.assertEqual([item.built_on_by_deletion for item in plan.items], [False, True])
        self.assertIn("deleted", act.left[1].message)
        self.assertEqual(all_rows()["MemoryVersion"], before)
        with self.assertRaises(InvalidInput):
            self.apply(plan, choices={edited.id: Choice.UNDO})

    def test_an_undoing_that_was_taken_back_is_not_built_on(self):
        edited, moved = (self.create(self.person, f"/{name}", name) for name in "ab")
        before = self.live()
        self.change(self.session, edited, content="one")
        self.change(self.session, edited, content="two")
        self.change(self.session, moved, path="/moved")
        for _ in range(2):
            act = self.apply(self.plan())
            self.assertEqual(self.live(), before)
            undo.undo_act(actor=self.person, act_id=act.id)
            self.assertEqual(self.live(), {"/a": "two", "/moved": "b"})
        self.assertEqual(self.outcomes(self.plan()), [("/a", "restore"), ("/moved", "restore")])
        # Not so by the path alone, nor by the text alone.
        self.change(self.person, moved, content="b and more")
        self.change(self.person, edited, path="/a2")
        self.assertEqual(self.outcomes(self.plan()), [("/a2", "built_on"), ("/moved", "built_on")])

    def test_what_somebody_wrote_between_is_built_on_even_where_the_last_text_lives(self):
        memory = self.create(self.person, "/a", "one")
        self.change(self.session, memory, content="two")
        self.change(self.person, memory, content="three")
        self.change(self.session, memory, content="four")
        for content in ("three", "four"):
            self.change(self.person, memory, content=content)
        self.assertEqual(self.outcomes(self.plan()), [("/a", "built_on")])

    def test_what_came_after_somebody_else_can_be_undone_on_wish(self):
        memory = self.create(self.person, "/a", "one")
        self.change(self.session, memory, content="two")
        self.change(self.person, memory, content="three")
        self.change(self.session, memory, content="four")
        plan = self.plan()
        self.assertEqual(self.outcomes(plan), [("/a", "built_on")])
        self.assertEqual(self.apply(plan).id, None)
        act = self.apply(plan, choices={memory.id: "undo_later"})
        self.assertEqual((self.live(), act.left), ({"/a": "three"}, []))

    def test_leaves_what_one_chooses_to_leave(self):
        one, two = self.create(self.person, "/a", "one"), self.create(self.person, "/b", "two")
        self.change(self.session, one, content="x")
        self.change(self.session, two, content="x")
        plan = self.plan()
        self.apply(plan, choices={one.id: Choice.LEAVE})
        self.assertEqual(self.live(), {"/a": "x", "/b": "two"})
        for choices in ({"mem_none": "leave"}, {one.id: "undo_later"}):
            with self.assertRaises(InvalidInput):
                self.apply(plan, choices=choices)

    def test_what_is_as_before_already_needs_nothing(self):
        memory = self.create(self.person, "/a", "one")
        self.change(self.session, memory, content="90 days")
        gone = self.create(self.person, "/b", "two")
        self.delete(self.session, gone)
        for version_id in (memory.head_version_id, gone.head_version_id):
            rollback.restore_version(
                actor=self.person, store_id=self.store.id, version_id=version_id, now=self.tick()
            )
        self.assertEqual(self.outcomes(self.plan()), [("/a", "nothing"), ("/b", "nothing")])

    def test_deleted_and_written_anew_by_the_same_session(self):
        memory = self.create(self.person, "/a", "one")
        self.delete(self.session, memory)
        self.create(self.session, "/a", "poison")
        plan = self.plan()
        self.assertEqual(self.outcomes(plan), [("/a", "bring_back"), ("/a", "delete")])
        act = self.apply(plan)
        self.assertEqual((self.live(), act.left), ({"/a": "one"}, []))
        self.assertEqual({outcome for _, outcome in self.outcomes(self.plan())}, {"nothing"})
        undo.undo_act(actor=self.person, act_id=act.id)
        self.assertEqual(self.live(), {"/a": "poison"})

    def test_a_span_that_holds_its_own_undoing_is_left_in_peace(self):
        memory, kept = self.create(self.person, "/a", "one"), self.create(self.person, "/b", "two")
        start = self.clock + 1
        self.delete(self.session, memory)
        self.change(self.session, kept, content="2")
        self.create(self.session, "/c", "three")
        everybody = {"actor_id": None, "since": hour(start)}
        self.apply(self.plan(**everybody))
        self.assertEqual(self.live(), {"/a": "one", "/b": "two"})
        self.assertEqual({outcome for _, outcome in self.outcomes(self.plan(**everybody))}, {"nothing"})

    def test_says_where_the_text_before_is_gone(self):
        redacted, pruned = self.create(self.person, "/a", "one"), self.create(self.person, "/b", "two")
        self.change(self.person, pruned, content="two 2")
        for memory in (redacted, pruned):
            self.change(self.session, memory, content="session")
        versions.redact_version(
            actor=self.person, store_id=self.store.id, version_id=redacted.head_version_id
        )
        kept = list(MemoryVersion.objects.filter(memory_id=pruned.id, seq__lt=3))
        MemoryVersion.objects.filter(memory_id=pruned.id, seq__lt=3).delete()
        plan = self.plan()
        self.assertEqual(self.outcomes(plan), [("/a", "no_text"), ("/b", "no_text")])
        self.assertEqual([left.why for left in self.apply(plan).left], [acts.NO_TEXT] * 2)
        MemoryVersion.objects.bulk_create(kept)

    def test_says_what_stands_at_the_path_of_before(self):
        moved, gone = self.create(self.person, "/a", "one"), self.create(self.person, "/b", "two")
        self.change(self.session, moved, path="/c")
        self.delete(self.session, gone)
        for path in ("/a", "/b/x"):
            self.create(self.person, path, "mine")
        plan = self.plan()
        self.assertEqual(self.outcomes(plan), [("/c", "path_taken"), ("/b", "path_taken")])
        self.assertEqual([item.left.other_path for item in plan.items], ["/a", "/b/x"])
        before = self.live()
        self.apply(plan)
        self.assertEqual(self.live(), before)

    def test_leaves_what_changed_since_the_preview(self):
        one, two = self.create(self.person, "/a", "one"), self.create(self.person, "/b", "two")
        for memory in (one, two):
            self.change(self.session, memory, content="x")
        plan = self.plan()
        self.change(self.person, one, content="mine")
        act = self.apply(plan)
        self.assertEqual([(left.path, left.why) for left in act.left], [("/a", acts.CHANGED)])
        self.assertEqual(self.live(), {"/a": "mine", "/b": "two"})

    def test_narrowed_by_store_span_and_road_and_of_everybody(self):
        other_store = make_store(actor=self.person)
        here = self.create(self.person, "/a", "one")
        there = self.create(self.person, "/b", "two", store=other_store)
        for memory in (here, there):
            self.change(self.session, memory, content="x")
        start = self.clock
        self.change(self.session, here, content="y")
        self.change(self.person, there, content="z")
        paths = lambda **fields: [item.path for item in self.plan(**fields).items]  # noqa: E731
        self.assertEqual(paths(), ["/a", "/b"])
        self.assertEqual(paths(store_id=other_store.id), ["/b"])
        self.assertEqual(paths(since=hour(start + 1)), ["/a"])
        self.assertEqual(paths(road="console"), [])
        self.assertEqual(paths(until=hour(start), since=hour(start)), ["/b"])
        everybody = self.plan(actor_id=None, since=hour(start + 1))
        self.assertEqual(self.outcomes(everybody), [("/a", "restore"), ("/b", "restore")])
        act = self.apply(everybody)
        self.assertEqual((self.live(), self.live(other_store)), ({"/a": "x"}, {"/b": "x"}))
        # One act over two stores, undone as one.
        undo.undo_act(actor=self.person, act_id=act.id)
        self.assertEqual((self.live(), self.live(other_store)), ({"/a": "y"}, {"/b": "z"}))

    def test_an_archived_store_stays_as_it_is(self):
        memory = self.create(self.person, "/a", "one")
        self.change(self.session, memory, content="x")
        stores.archive_store(actor=self.person, store_id=self.store.id)
        plan = self.plan()
        self.assertEqual(self.outcomes(plan), [("/a", Outcome.ARCHIVED)])
        self.assertEqual([left.why for left in self.apply(plan).left], [acts.ARCHIVED])

    def test_the_number_of_queries_does_not_grow(self):
        counts = []
        for how_many in (1, 30):
            actor = make_actor(workspace=self.workspace)
            for number in range(how_many):
                self.delete(actor, self.create(self.person, f"/{how_many}/d{number}", "x"))
                self.change(actor, self.create(self.person, f"/{how_many}/{number}", "x"), content="y")
            with CaptureQueriesContext(connection) as seen:
                self.plan(actor_id=actor.id)
            counts.append(len(seen.captured_queries))
        self.assertEqual(counts[0], counts[1])

    def test_more_than_can_be_undone_at_once(self):
        for path in ("/a", "/b"):
            self.create(self.session, path, "x")
        most, undo.MOST_MEMORIES = undo.MOST_MEMORIES, 1
        self.addCleanup(setattr, undo, "MOST_MEMORIES", most)
        plan = self.plan()
        self.assertEqual((self.outcomes(plan), plan.complete), ([("/a", "delete")], False))
        with self.assertRaises(InvalidInput):
            self.apply(plan)

    def test_refuses_bad_input_and_strangers(self):
        memory = self.create(self.session, "/a", "x")
        stranger, reader = make_actor(), make_actor(workspace=self.workspace, access="read_only")
        limited = make_actor(workspace=self.workspace, store_ids=[make_store(actor=self.person).id])
        act_id = memory.head_version_id
        for kind, call in (
            (InvalidInput, lambda: self.plan(actor_id=None)),
            (StoreNotFound, lambda: self.plan(store_id="memstore_none")),
            (StoreNotFound, lambda: undo.plan_undo(actor=limited, scope=Scope(self.store.id, "sesn_01x"))),
            (PermissionDenied, lambda: undo.plan_undo(actor=reader, scope=Scope(actor_id="sesn_01x"))),
            (VersionNotFound, lambda: undo.undo_act(actor=stranger, act_id=act_id)),
            (VersionNotFound, lambda: undo.undo_act(actor=limited, act_id=act_id)),
            (VersionNotFound, lambda: undo.undo_act(actor=self.person, act_id="memver_none")),
        ):
            with self.assertRaises(kind):
                call()
        for actor in (stranger, limited):
            self.assertEqual(undo.plan_undo(actor=actor, scope=Scope(actor_id="sesn_01x")).items, [])
        with self.assertRaises(StoreNotFound):
            undo.apply_undo(actor=stranger, plan=self.plan())
        self.assertEqual(self.live(), {"/a": "x"})
