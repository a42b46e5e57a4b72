"""Stores by name and memories by path, for whoever types."""

from django.test import TestCase

from stores.domain import jump
from stores.domain.memories import delete_memory
from stores.domain.stores import archive_store, delete_store
from tests.factories import make_actor, make_memory, make_store, make_workspace


class JumpTest(TestCase):
    def setUp(self):
        self.workspace = make_workspace()
        self.actor = make_actor(workspace=self.workspace)
        self.store = make_store(actor=self.actor, name="First")

    def find(self, text, *, actor=None, limit=9, **fields):
        actor = actor or self.actor
        stores = fields.get("stores") or jump.list_store_names(actor=actor)
        return [each.path for each in jump.find_paths(actor=actor, text=text, stores=stores, limit=limit)]

    def test_names_are_those_within_reach_the_newest_first(self):
        second = make_store(actor=self.actor, name="Second")
        archive_store(actor=self.actor, store_id=second.id)
        gone = make_store(actor=self.actor, name="Gone")
        delete_store(actor=self.actor, store_id=gone.id)
        make_store(name="Of others")
        make_memory(actor=self.actor, store=self.store)
        self.assertEqual(
            jump.list_store_names(actor=self.actor),
            [
                jump.StoreName(second.id, "Second", 0, is_archived=True),
                jump.StoreName(self.store.id, "First", 1, is_archived=False),
            ],
        )
        limited = make_actor(workspace=self.workspace, access="read_only", store_ids=[self.store.id])
        self.assertEqual([store.name for store in jump.list_store_names(actor=limited)], ["First"])

    def test_paths_hold_every_term(self):
        for path in ("/a/tea.md", "/a/coffee.md", "/b/tea.md"):
            make_memory(actor=self.actor, store=self.store, path=path)
        self.assertEqual(self.find("tea"), ["/a/tea.md", "/b/tea.md"])
        self.assertEqual(self.find("a/ tea"), ["/a/tea.md"])
        self.assertEqual(self.find("tea zebra"), [])
        self.assertEqual(self.find("  "), [])
        self.assertEqual(self.find("tea", limit=1), ["/a/tea.md"])

    def test_paths_of_deleted_memories_are_gone(self):
        memory = make_memory(actor=self.actor, store=self.store, path="/tea.md")
        delete_memory(actor=self.actor, store_id=self.store.id, memory_id=memory.id)
        self.assertEqual(self.find("tea"), [])

    def test_looks_at_as_many_stores_as_one_answer_may(self):
        sizes = (jump.PATHS_LOOKED_AT - 10, 10, 1)
        stores = [jump.StoreName(str(size), "", size, is_archived=False) for size in sizes]
        self.assertEqual([store.memory_count for store in jump.within_bound(stores)], list(sizes[:2]))
        too_full = [jump.StoreName("", "", jump.PATHS_LOOKED_AT + 1, is_archived=False)]
        self.assertEqual(jump.within_bound(too_full), too_full)
        many = [jump.StoreName("", "", 0, is_archived=False)] * (jump.STORES_LOOKED_AT + 1)
        self.assertEqual(len(jump.within_bound(many)), jump.STORES_LOOKED_AT)
