"""A store as it was: by a plain replay of everything that happened, and by cases."""

import random
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from unittest import mock

from django.db import connection
from django.test import TestCase
from django.test.utils import CaptureQueriesContext

from stores.domain import acts, history, memories, rollback, stores, timeline, undo, versions
from stores.domain.errors import (
    InvalidInput,
    MemoryNotFound,
    PathInvalid,
    PathTaken,
    PermissionDenied,
    StoreArchived,
    StoreNotFound,
    VersionNotFound,
)
from stores.models import Memory, MemoryVersion
from stores.models.statements.rows import PrefixRow
from tests.cases import all_rows
from tests.factories import make_actor, make_memory, make_store, make_version, make_workspace

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


def hour(number):
    return NOON + timedelta(hours=number)


class TimelineCase(TestCase):
    def setUp(self):
        self.workspace = make_workspace()
        self.actor = make_actor(workspace=self.workspace)
        self.store = make_store(actor=self.actor)
        self.here = {"actor": self.actor, "store_id": self.store.id}

    def create(self, path, content, at):
        return make_memory(actor=self.actor, store=self.store, path=path, content=content, now=hour(at))

    def change(self, memory, at, **fields):
        return memories.update_memory(**self.here, memory_id=memory.id, now=hour(at), **fields)

    def delete(self, memory, at):
        memories.delete_memory(**self.here, memory_id=memory.id, now=hour(at))

    def listed(self, at, **fields):
        found = timeline.list_as_of(**self.here, at=hour(at), **{"limit": 1000} | fields)
        return [item.path for item in found.page.items]

    def compared(self, at, other=None):
        found = timeline.compare_as_of(**self.here, at=hour(at), other=None if other is None else hour(other))
        return {
            name: [
                (d.before.path if d.before else None, d.after.path if d.after else None)
                for d in getattr(found, name)
            ]
            for name in ("added", "removed", "changed", "renamed", "redacted")
            if getattr(found, name)
        }

    def restore(self, at, **fields):
        plan = timeline.plan_restore_as_of(**self.here, at=hour(at), **fields)
        return plan, timeline.apply_plan(actor=self.actor, plan=plan, reason="back", now=hour(100))

    def live(self):
        texts = MemoryVersion.objects.in_bulk()
        return {m.path: texts[m.head_version_id].content for m in Memory.objects.filter(store=self.store)}


class AsOfTest(TimelineCase):
    def some_history(self, chance):
        """Texts by path after each hour."""
        ids, state, states = {}, {}, []
        for at in range(60):
            act = chance.choice(["create", "create", "edit", "edit", "move", "delete"])
            path = f"/{chance.choice('abc')}/{chance.choice('xyz')}.md"
            if act == "create" and path not in state:
                ids[path] = self.create(path, f"text {at}", at)
                state[path] = f"text {at}"
            elif state:
                chosen = chance.choice(sorted(state))
                if act == "edit":
                    self.change(ids[chosen], at, content=f"text {at}")
                    state[chosen] = f"text {at}"
                elif act == "move" and path not in state:
                    self.change(ids[chosen], at, path=path)
                    state[path], ids[path] = state.pop(chosen), ids.pop(chosen)
                elif act == "delete":
                    self.delete(ids.pop(chosen), at)
                    del state[chosen]
            states.append(dict(state))
        return states

    def test_agrees_with_a_replay_of_everything(self):
        chance = random.Random(3)
        other = make_store(actor=self.actor)
        make_memory(actor=self.actor, store=other, path="/other.md", now=hour(0))
        states = self.some_history(chance)
        for at, then in enumerate(states):
            self.assertEqual(self.listed(at), sorted(then))
            for path in ("/a/x.md", "/b/y.md", "/c/z.md"):
                if path in then:
                    found = timeline.read_as_of(**self.here, at=hour(at), path=path)
                    self.assertEqual((found.path, found.content), (path, then[path]))
                else:
                    with self.assertRaises(MemoryNotFound):
                        timeline.read_as_of(**self.here, at=hour(at), path=path)
        for one, two in [(chance.randrange(60), chance.randrange(60)) for _ in range(40)]:
            self.agree(self.compared(one, two), states[min(one, two)], states[max(one, two)])
        for one in range(0, 60, 7):
            self.agree(self.compared(one), states[one], states[-1])
        self.assertEqual(self.listed(-1), [])
        for at in (10, 40):
            plan, act = self.restore(at, remove_later=True)
            self.assertEqual(act.left, [])
            self.assertEqual((self.live(), len(plan.steps)), (states[at], len(act.version_ids)))
        self.assertEqual(list(history.verify_store(store_id=self.store.id)), [])

    def agree(self, found, before, after):
        """Paths and texts, whichever memories hold them."""
        gone, new = set(before), set(after)
        for old_path, new_path in found.get("renamed", []):
            self.assertIn(old_path, gone)
            self.assertIn(new_path, new)
        after_rename = dict(before)
        for old_path, _ in found.get("removed", []):
            del after_rename[old_path]
        for old_path, _ in found.get("renamed", []):
            after_rename.pop(old_path)
        for old_path, new_path in found.get("renamed", []):
            after_rename[new_path] = before[old_path]
        for _, new_path in found.get("changed", []):
            self.assertNotEqual(after_rename[new_path], after[new_path])
            after_rename[new_path] = after[new_path]
        for _, new_path in found.get("added", []):
            self.assertNotIn(new_path, after_rename)
            after_rename[new_path] = after[new_path]
        self.assertEqual(after_rename, after, (found, before))

    def test_folders_and_pages(self):
        for path in ("/a.md", "/d/x.md", "/d/y.md", "/d!.md", "/d0.md", "/e/f/z.md"):
            memory = self.create(path, path, 0)
            self.change(memory, 2, path=f"/moved{path}")
        self.assertEqual(self.listed(1, depth=1), ["/a.md", "/d!.md", "/d/", "/d0.md", "/e/"])
        self.assertEqual(self.listed(1, depth=1, path_prefix="/d/"), ["/d/x.md", "/d/y.md"])
        self.assertEqual(self.listed(1, depth=0, path_prefix="/e/"), ["/e/f/z.md"])
        self.assertEqual(self.listed(3, depth=1), ["/moved/"])
        for depth in (0, 1):
            seen, after = [], None
            while True:
                found = timeline.list_as_of(**self.here, at=hour(1), depth=depth, after=after, limit=2).page
                seen += [item.path for item in found.items]
                after = found.next
                if after is None:
                    break
            self.assertEqual(seen, self.listed(1, depth=depth))
        folder = timeline.list_as_of(**self.here, at=hour(1), depth=1, limit=9).page.items[2]
        self.assertEqual(folder, PrefixRow("/d/"))

    def test_a_moment_includes_what_was_written_in_it(self):
        memory = self.create("/a.md", "one", 1)
        self.change(memory, 2, content="two")
        tick = timedelta(microseconds=1)
        for at, text in ((hour(2) - tick, "one"), (hour(2), "two")):
            self.assertEqual(timeline.read_as_of(**self.here, at=at, path="/a.md").content, text)
        with self.assertRaises(MemoryNotFound):
            timeline.read_as_of(**self.here, at=hour(1) - tick, path="/a.md")

    def test_redacted_since_is_named_by_its_memory(self):
        memory = self.create("/a.md", "secret", 1)
        kept = self.create("/b.md", "kept", 1)
        self.change(memory, 2, content="clean", path="/c.md")
        self.change(kept, 2, content="kept 2")
        versions.redact_version(**self.here, version_id=memory.head_version_id)
        for folder in ("", "/x/"):
            found = timeline.list_as_of(**self.here, at=hour(1), path_prefix=folder, limit=10)
            self.assertEqual([row.path for row in found.page.items], [] if folder else ["/b.md"])
            self.assertEqual(
                [(row.memory_id, row.path, row.redacted_by_id) for row in found.redacted],
                [(memory.id, None, self.actor.id)],
            )
        found = timeline.read_as_of(**self.here, at=hour(1), memory_id=memory.id)
        self.assertEqual((found.content, found.seq), (None, 1))
        with self.assertRaises(MemoryNotFound):
            timeline.read_as_of(**self.here, at=hour(1), path="/a.md")
        self.assertEqual(self.compared(1), {"changed": [("/b.md", "/b.md")], "redacted": [(None, "/c.md")]})
        self.assertEqual(self.compared(2), {})
        plan, act = self.restore(1)
        self.assertEqual([(left.memory_id, left.why) for left in plan.left], [(memory.id, acts.NO_TEXT)])
        self.assertEqual((len(act.version_ids), self.live()), (1, {"/b.md": "kept", "/c.md": "clean"}))

    def test_the_same_number_of_queries_for_one_and_many(self):
        counts = []
        for how_many in (1, 30):
            made = [self.create(f"/{how_many}/{number}", "x", how_many) for number in range(how_many)]
            for memory in made:
                self.change(memory, how_many + 1, content="y")
            with CaptureQueriesContext(connection) as seen:
                self.listed(how_many)
                timeline.compare_as_of(**self.here, at=hour(how_many))
                timeline.plan_restore_as_of(**self.here, at=hour(how_many))
            counts.append(len(seen.captured_queries))
        self.assertEqual(counts[0], counts[1])

    def test_refuses_bad_input(self):
        stranger = make_actor()
        limited = make_actor(workspace=self.workspace, store_ids=[make_store(actor=self.actor).id])
        calls = (
            lambda **who: timeline.list_as_of(**who, at=NOON, limit=1),
            lambda **who: timeline.read_as_of(**who, at=NOON, path="/a"),
            lambda **who: timeline.compare_as_of(**who, at=NOON),
            lambda **who: timeline.plan_restore_as_of(**who, at=NOON),
            lambda **who: timeline.blame_memory(**who, memory_id="mem_x"),
            lambda **who: timeline.brought_back_from(**who, memory_id="mem_x"),
            lambda **who: timeline.find_successor(**who, memory_id="mem_x"),
        )
        for call in calls:
            for actor in (stranger, limited):
                with self.assertRaises(StoreNotFound):
                    call(actor=actor, store_id=self.store.id)
        reader = make_actor(workspace=self.workspace, access="read_only")
        with self.assertRaises(PermissionDenied):
            timeline.plan_restore_as_of(actor=reader, store_id=self.store.id, at=NOON)
        with self.assertRaises(PathInvalid):
            timeline.list_as_of(**self.here, at=NOON, path_prefix="a", limit=1)
        with self.assertRaises(InvalidInput):
            timeline.list_as_of(**self.here, at=NOON, depth=2, limit=1)
        for fields in ({}, {"path": "/a", "memory_id": "mem_x"}):
            with self.assertRaises(InvalidInput):
                timeline.read_as_of(**self.here, at=NOON, **fields)
        stores.archive_store(**self.here)
        with self.assertRaises(StoreArchived):
            timeline.plan_restore_as_of(**self.here, at=NOON)


class RestoreAsOfTest(TimelineCase):
    def test_restores_texts_and_paths_brings_back_and_leaves_what_is_new(self):
        edited, moved, gone, same = (self.create(f"/{name}", name, 1) for name in "abcd")
        self.change(edited, 3, content="edited")
        self.change(moved, 3, path="/moved", content="b2")
        self.delete(gone, 3)
        self.create("/new", "new", 3)
        plan, act = self.restore(2)
        self.assertEqual(
            [(step.path_before, step.path_after) for step in plan.steps],
            [("/a", "/a"), ("/moved", "/b"), (None, "/c")],
        )
        self.assertEqual(act.left, [])
        self.assertEqual(self.live(), {"/a": "a", "/b": "b", "/c": "c", "/d": "d", "/new": "new"})
        self.assertEqual(Memory.objects.get(id=same.id).head_seq, 1)
        version = MemoryVersion.objects.get(memory_id=edited.id, seq=3)
        self.assertEqual((version.restored_from, version.reason), (edited.head_version_id, "back"))
        self.assertEqual(self.restore(2)[0].steps, [])

    def test_some_only(self):
        one, two = self.create("/a", "a", 1), self.create("/b", "b", 1)
        self.change(one, 3, content="a2")
        self.change(two, 3, content="b2")
        self.restore(2, memory_ids=[one.id])
        self.assertEqual(self.live(), {"/a": "a", "/b": "b2"})

    def test_of_folders_and_some_more(self):
        one, two, left = (self.create(f"/{name}", "1", 1) for name in ("a/1", "ab/2", "c/3"))
        came, gone, other = (self.create(f"/{name}", "1", 1) for name in ("d/4", "a/5", "e/6"))
        for memory in (one, two, left, other):
            self.change(memory, 3, content="2")
        self.change(came, 3, path="/a/came")
        self.delete(gone, 3)
        self.create("/a/new", "new", 3)
        others = {"/ab/2": "2", "/c/3": "2"}
        self.restore(2, folders=["/a/"], memory_ids=[other.id])
        then = {"/a/1": "1", "/a/5": "1", "/e/6": "1"}
        self.assertEqual(self.live(), then | others | {"/a/came": "1", "/a/new": "new"})
        # With what is in the folder now only, it is as it was then.
        self.restore(2, folders=["/a/"], remove_later=True)
        self.assertEqual(self.live(), then | others | {"/d/4": "1"})
        self.restore(2, folders=["/c/", "/"])
        self.assertEqual(self.live(), then | {"/ab/2": "1", "/c/3": "1", "/d/4": "1"})
        self.assertEqual(self.restore(2, folders=[], memory_ids=[])[0].steps, [])
        with self.assertRaises(PathInvalid):
            self.restore(2, folders=["a"])

    def test_a_path_written_anew_is_the_same_file(self):
        first = self.create("/a", "one", 1)
        self.delete(first, 3)
        again = self.create("/a", "two", 4)
        self.assertEqual(self.compared(2), {"changed": [("/a", "/a")]})
        plan, _ = self.restore(2)
        self.assertEqual([step.memory_id for step in plan.steps], [again.id])
        self.assertEqual((self.live(), Memory.objects.get().id), ({"/a": "one"}, again.id))
        self.assertEqual(self.compared(2), {})

    def test_what_is_in_the_way_is_named(self):
        memory = self.create("/a", "one", 1)
        self.change(memory, 3, path="/b")
        taker = self.create("/a/x", "taker", 4)
        plan, _ = self.restore(2)
        self.assertEqual(plan.steps, [])
        self.assertEqual(
            [(left.path, left.why, left.other_path, left.other_memory_id) for left in plan.left],
            [("/b", acts.PATH_TAKEN, "/a/x", taker.id)],
        )
        self.restore(2, remove_later=True)
        self.assertEqual(self.live(), {"/a": "one"})

    def test_changes_places_back(self):
        one, two = self.create("/a", "one", 1), self.create("/b", "two", 1)
        self.change(one, 3, path="/c")
        self.change(two, 4, path="/a")
        self.change(one, 5, path="/b")
        with self.assertRaises(PathTaken):
            self.change(one, 6, path="/a")
        self.restore(2)
        self.assertEqual(self.live(), {"/a": "one", "/b": "two"})

    def test_leaves_what_changed_since_the_preview(self):
        memory = self.create("/a", "one", 1)
        self.change(memory, 3, content="two")
        plan = timeline.plan_restore_as_of(**self.here, at=hour(2))
        self.change(memory, 4, content="three")
        before = all_rows()
        act = timeline.apply_plan(actor=self.actor, plan=plan)
        self.assertEqual([left.why for left in act.left], [acts.CHANGED])
        self.assertEqual(all_rows(), before)

    def test_a_text_of_another_store_cannot_be_smuggled_in(self):
        memory = self.create("/a", "one", 1)
        stranger = make_actor()
        secret = make_memory(actor=stranger, store=make_store(actor=stranger), content="secret")
        step = acts.Step(
            self.store.id, memory.id, memory.head_version_id, "/a", "/a", secret.head_version_id, 6
        )
        act = timeline.apply_plan(actor=self.actor, plan=acts.Plan([step], []))
        self.assertEqual(([left.why for left in act.left], self.live()), ([acts.NO_TEXT], {"/a": "one"}))


class BlameMemoryTest(TimelineCase):
    def blame(self, memory, **fields):
        found = timeline.blame_memory(**self.here, memory_id=memory.id, **fields)
        return [(line.text, found.versions[line.version].seq, line.is_after_gap) for line in found.lines]

    def test_names_who_wrote_each_line(self):
        memory = self.create("/a", "one\ntwo\n", 1)
        second = make_actor(workspace=self.workspace, name="Second")
        memories.update_memory(
            actor=second, store_id=self.store.id, memory_id=memory.id, content="one\n2\n", now=hour(2)
        )
        self.change(memory, 3, content="one\n2\nthree\n", path="/b")
        self.assertEqual(self.blame(memory), [("one", 1, False), ("2", 2, False), ("three", 3, False)])
        found = timeline.blame_memory(**self.here, memory_id=memory.id)
        self.assertEqual(found.versions[found.lines[1].version].actor_label, "Second")
        self.assertEqual((found.shown.seq, found.shown.path), (3, "/b"))
        self.assertEqual(
            self.blame(memory, version_id=memory.head_version_id), [("one", 1, False), ("two", 1, False)]
        )

    def test_white_space_can_be_ignored(self):
        memory = self.create("/a", "one\ntwo\n", 1)
        self.change(memory, 2, content="one\r\n  two\r\n")
        self.assertEqual([seq for _, seq, _ in self.blame(memory)], [2, 2])
        self.assertEqual([seq for _, seq, _ in self.blame(memory, ignore_space=True)], [1, 1])

    def test_of_a_deleted_memory(self):
        memory = self.create("/a", "one\n", 1)
        self.delete(memory, 2)
        self.assertEqual(self.blame(memory), [("one", 1, False)])

    def test_redacted_and_pruned_versions_are_gaps(self):
        memory = self.create("/a", "one\n", 1)
        for at, content in ((2, "one\ntwo\n"), (3, "one\ntwo\n3\n"), (4, "one\ntwo\n3\n4\n")):
            self.change(memory, at, content=content)
        by_seq = {v.seq: v for v in MemoryVersion.objects.filter(memory_id=memory.id)}
        versions.redact_version(**self.here, version_id=by_seq[2].id)
        expected = [("one", 1, False), ("two", 3, True), ("3", 3, True), ("4", 4, False)]
        self.assertEqual(self.blame(memory), expected)
        found = timeline.blame_memory(**self.here, memory_id=memory.id)
        self.assertIsNotNone(found.versions[1].redacted_at)
        asked = timeline.blame_memory(**self.here, memory_id=memory.id, version_id=by_seq[2].id)
        self.assertEqual((asked.lines, asked.shown), ([], None))
        by_seq[2].delete()
        found = timeline.blame_memory(**self.here, memory_id=memory.id)
        self.assertEqual(([v and v.seq for v in found.versions]), [1, None, 3, 4])
        self.assertEqual(self.blame(memory), expected)

    def brought_back(self, *, deleted_at, seq):
        """A memory with three versions, deleted, and begun anew from one of them."""
        memory = self.create("/a", "one\n", 1)
        self.change(memory, 2, content="one\ntwo\n")
        self.change(memory, 3, content="one\ntwo\nthree\n")
        self.delete(memory, deleted_at)
        return memory, self.bring_back(memory, seq, deleted_at + 1)

    def bring_back(self, memory, seq, at):
        version = MemoryVersion.objects.get(memory_id=memory.id, seq=seq)
        return rollback.restore_version(**self.here, version_id=version.id, now=hour(at))

    def by_id(self, memory, **fields):
        found = timeline.blame_memory(**self.here, memory_id=memory.id, **fields)
        by = [found.versions[line.version] for line in found.lines]
        return [(v.memory_id, v.seq, line.is_after_gap) for v, line in zip(by, found.lines, strict=True)]

    def test_of_a_memory_that_was_brought_back_goes_on_before_its_deletion(self):
        former, memory = self.brought_back(deleted_at=4, seq=2)
        self.change(memory, 6, content="one\ntwo\n4\n")
        expected = [(former.id, 1, False), (former.id, 2, False), (memory.id, 2, False)]
        self.assertEqual(self.by_id(memory), expected)
        found = timeline.blame_memory(**self.here, memory_id=memory.id)
        # Neither the version behind the one that was brought back nor the deletion counts.
        self.assertEqual(
            [(v.memory_id, v.seq) for v in found.versions],
            [(former.id, 1), (former.id, 2), (memory.id, 1), (memory.id, 2)],
        )
        self.assertEqual([(v.memory_id, v.seq) for v in found.brought_back], [(former.id, 2)])
        self.delete(memory, 7)
        again = self.bring_back(memory, 2, 8)
        self.assertEqual(self.by_id(again), expected)
        sources = timeline.brought_back_from(**self.here, memory_id=again.id)
        self.assertEqual([(v.memory_id, v.seq) for v in sources], [(memory.id, 2), (former.id, 2)])

    def test_goes_on_whichever_way_it_was_brought_back(self):
        former = self.create("/a", "one\n", 1)
        self.change(former, 2, content="one\ntwo\n")
        self.delete(former, 3)
        deletion = MemoryVersion.objects.get(memory_id=former.id, seq=3)
        ways = (
            lambda: undo.apply_undo(
                actor=self.actor,
                plan=undo.plan_undo_of_act(actor=self.actor, act_id=deletion.id),
                now=hour(4),
            ),
            lambda: timeline.apply_plan(
                actor=self.actor, plan=timeline.plan_restore_as_of(**self.here, at=hour(2)), now=hour(6)
            ),
        )
        for number, bring_back in enumerate(ways):
            bring_back()
            memory = Memory.objects.get(store=self.store)
            self.assertEqual(self.by_id(memory), [(former.id, 1, False), (former.id, 2, False)])
            found = timeline.find_successor(**self.here, memory_id=former.id)
            self.assertEqual(found, timeline.Successor(memory.id, "/a", True))
            self.delete(memory, 5 + 2 * number)

    def test_of_one_brought_back_says_where_texts_before_are_gone(self):
        former, memory = self.brought_back(deleted_at=4, seq=3)
        by_seq = {v.seq: v for v in MemoryVersion.objects.filter(memory_id=former.id)}
        versions.redact_version(**self.here, version_id=by_seq[2].id)
        expected = [(former.id, 1, False), (former.id, 3, True), (former.id, 3, True)]
        self.assertEqual(self.by_id(memory), expected)
        by_seq[2].delete()
        self.assertEqual(self.by_id(memory), expected)
        by_seq[3].delete()
        # What it was brought back from is no longer kept.
        self.assertEqual(self.by_id(memory), [(memory.id, 1, True)] * 3)
        self.assertIsNone(timeline.blame_memory(**self.here, memory_id=memory.id).versions[0])

    def test_of_one_whose_first_version_is_redacted_keeps_the_authors(self):
        former, memory = self.brought_back(deleted_at=4, seq=3)
        self.change(memory, 6, content="one\ntwo\nthree\n4\n")
        versions.redact_version(**self.here, version_id=memory.head_version_id)
        expected = [(former.id, seq, False) for seq in (1, 2, 3)] + [(memory.id, 2, True)]
        self.assertEqual(self.by_id(memory), expected)

    def test_looks_at_no_more_versions_than_of_one_memory(self):
        _, memory = self.brought_back(deleted_at=4, seq=3)
        for most, seqs in ((3, [None, 2, 3, 1]), (1, [None, 1])):
            with mock.patch.object(timeline, "BLAMED_VERSIONS", most):
                found = timeline.blame_memory(**self.here, memory_id=memory.id)
            self.assertEqual([v and v.seq for v in found.versions], seqs)

    def test_takes_one_query_more_however_often_it_was_brought_back(self):
        former, memory = self.brought_back(deleted_at=4, seq=3)
        with self.assertNumQueries(3):
            timeline.blame_memory(**self.here, memory_id=former.id)
        for at in (10, 20, 30):
            with self.assertNumQueries(4):
                timeline.blame_memory(**self.here, memory_id=memory.id)
            self.delete(memory, at)
            memory = self.bring_back(memory, 1, at + 1)

    def test_finds_what_a_deleted_memory_lives_on_as(self):
        former, memory = self.brought_back(deleted_at=4, seq=3)
        find = {**self.here, "memory_id": former.id}
        self.assertEqual(timeline.find_successor(**find), timeline.Successor(memory.id, "/a", True))
        self.assertIsNone(timeline.find_successor(**self.here, memory_id=memory.id))
        self.change(memory, 6, content="other\n")
        with self.assertNumQueries(4):
            self.assertEqual(timeline.find_successor(**find), timeline.Successor(memory.id, "/a", False))
        self.change(memory, 7, path="/b")
        self.assertEqual(timeline.find_successor(**find), timeline.Successor(memory.id, "/b", False))
        self.delete(memory, 8)
        self.assertIsNone(timeline.find_successor(**find))
        # Somebody else's text at its path is not what it lives on as; its own text is, however it came there.
        other = self.create("/a", "new\n", 9)
        self.assertIsNone(timeline.find_successor(**find))
        self.change(other, 10, content="one\ntwo\nthree\n")
        self.assertEqual(timeline.find_successor(**find), timeline.Successor(other.id, "/a", True))

    def test_refuses_what_is_not_there(self):
        memory, other = self.create("/a", "one\n", 1), self.create("/b", "one\n", 1)
        with self.assertRaises(MemoryNotFound):
            timeline.blame_memory(**self.here, memory_id="mem_none")
        with self.assertRaises(VersionNotFound):
            timeline.blame_memory(**self.here, memory_id=memory.id, version_id=other.head_version_id)

    def test_a_hash_is_of_the_text_then(self):
        memory = self.create("/a", "one\n", 1)
        self.change(memory, 2, content="two\n")
        found = timeline.read_as_of(**self.here, at=hour(1), memory_id=memory.id)
        self.assertEqual(found.content_sha256, sha256(b"one\n").hexdigest())
        make_version(actor=self.actor, memory=memory)
