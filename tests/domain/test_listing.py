"""Lists and their pages (contract/memory_stores_api.md, 4.1, 4.3, 4.4, 4.7)."""

import random
from datetime import UTC, datetime, timedelta

from django.test import TestCase

from stores.domain import history, listing, memories, rollback, stores, versions
from stores.domain.actors import session_actor
from stores.domain.errors import InvalidInput, PathInvalid, StoreNotFound
from stores.models import Memory, User
from stores.models.statements.rows import MemoryRow, PrefixRow
from tests.factories import make_actor, make_memory, make_person, make_store, make_version, make_workspace

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
TICK = timedelta(microseconds=1)


def all_pages(call, **parameters):
    """The items of every page, and how many each page had."""
    items, sizes, after = [], [], None
    while True:
        page = call(after=after, **parameters)
        items += page.items
        sizes.append(len(page.items))
        if page.next is None:
            return items, sizes
        assert page.next != after
        after = page.next


class ListStoresTest(TestCase):
    @classmethod
    def setUpTestData(cls):
        cls.workspace = make_workspace()
        cls.actor = make_actor(workspace=cls.workspace)
        cls.stores = [
            make_store(actor=cls.actor, name=str(number), now=NOON + number * TICK) for number in range(5)
        ]
        make_store()

    def names(self, **parameters):
        items, _ = all_pages(listing.list_stores, **{"actor": self.actor, "limit": 100} | parameters)
        return "".join(store.name for store in items)

    def test_newest_first_of_this_workspace(self):
        self.assertEqual(self.names(), "43210")

    def test_one_instant_goes_by_id(self):
        same = [make_store(actor=self.actor, now=NOON + 9 * TICK).id for _ in range(5)]
        items, _ = all_pages(listing.list_stores, actor=self.actor, limit=2)
        self.assertEqual([store.id for store in items[:5]], sorted(same, reverse=True))

    def test_every_page_size(self):
        for limit, sizes in ((1, [1] * 5), (2, [2, 2, 1]), (4, [4, 1]), (5, [5]), (6, [5])):
            with self.subTest(limit=limit):
                items, found = all_pages(listing.list_stores, actor=self.actor, limit=limit)
                self.assertEqual("".join(store.name for store in items), "43210")
                self.assertEqual(found, sizes)

    def test_archived_ones_only_when_asked_for(self):
        stores.archive_store(actor=self.actor, store_id=self.stores[2].id)
        self.assertEqual(self.names(), "4310")
        self.assertEqual(self.names(include_archived=True), "43210")

    def test_deleted_ones_never(self):
        stores.delete_store(actor=self.actor, store_id=self.stores[2].id)
        self.assertEqual(self.names(include_archived=True), "4310")

    def test_bounds_of_time_are_inclusive_to_the_microsecond(self):
        for bounds, names in (
            ({"created_gte": NOON + 2 * TICK}, "432"),
            ({"created_lte": NOON + 2 * TICK}, "210"),
            ({"created_gte": NOON + TICK, "created_lte": NOON + 3 * TICK}, "321"),
            ({"created_gte": NOON + 2 * TICK, "created_lte": NOON + 2 * TICK}, "2"),
            ({"created_gte": NOON + 3 * TICK, "created_lte": NOON + 2 * TICK}, ""),
            ({"created_gte": NOON + 5 * TICK}, ""),
            ({"created_lte": NOON - TICK}, ""),
        ):
            for limit in (1, 100):
                with self.subTest(**bounds, limit=limit):
                    self.assertEqual(self.names(**bounds, limit=limit), names)

    def test_a_limited_key_sees_its_own(self):
        limited = make_actor(workspace=self.workspace, store_ids=[self.stores[1].id, self.stores[3].id])
        self.assertEqual(self.names(actor=limited), "31")
        self.assertEqual(self.names(actor=make_actor(workspace=self.workspace, store_ids=[])), "")

    def test_the_same_queries_for_any_number(self):
        for limit in (1, 3):
            with self.assertNumQueries(1):
                listing.list_stores(actor=self.actor, limit=limit)


PATHS = [
    "/100%/a", "/1000/a", "/Notes/x", "/a b", "/a!", "/a-b", "/a-b2/x", "/a.md", "/a/x", "/a/y/1", "/a/y/2/3",
    "/a/z.md", "/a0", "/a0/", "/my_project/x", "/myXproject/x", "/notes", "/notes-archive/todo.md", "/ä/ö",
    "/日本/語/x", "/😀",
]  # fmt: skip
PATHS = sorted({path.rstrip("/") for path in PATHS}, key=str.encode)


class ListMemoriesTest(TestCase):
    @classmethod
    def setUpTestData(cls):
        cls.workspace = make_workspace()
        cls.actor = make_actor(workspace=cls.workspace)
        cls.store = make_store(actor=cls.actor)
        shuffled = list(PATHS)
        random.Random(1).shuffle(shuffled)
        for path in shuffled:
            make_memory(actor=cls.actor, store=cls.store, path=path, content=f"at {path}")
        make_memory(actor=cls.actor, store=make_store(actor=cls.actor), path="/a/elsewhere")

    def list(self, **parameters):
        return all_pages(
            listing.list_memories,
            **{"actor": self.actor, "store_id": self.store.id, "limit": 100} | parameters,
        )[0]

    def paths(self, **parameters):
        return [item.path for item in self.list(**parameters)]

    def test_the_whole_store_in_byte_order(self):
        for prefix in ("", "/"):
            self.assertEqual(self.paths(path_prefix=prefix), PATHS)

    def test_a_folder_is_whole_segments_taken_literally(self):
        for prefix, paths in (
            ("/a/", ["/a/x", "/a/y/1", "/a/y/2/3", "/a/z.md"]),
            ("/a/y/", ["/a/y/1", "/a/y/2/3"]),
            ("/a-b/", []),
            ("/notes/", []),
            ("/Notes/", ["/Notes/x"]),
            ("/100%/", ["/100%/a"]),
            ("/my_project/", ["/my_project/x"]),
            ("/*/", []),
            ("/%/", []),
            ("/ä/", ["/ä/ö"]),
            ("/日本/", ["/日本/語/x"]),
            ("/none/", []),
        ):
            with self.subTest(prefix=prefix):
                self.assertEqual(self.paths(path_prefix=prefix), paths)
                folded = self.paths(path_prefix=prefix, depth=1)
                self.assertEqual(folded, expected_children(paths, prefix))

    def test_direct_children_with_deeper_ones_rolled_up(self):
        items = self.list(depth=1)
        self.assertEqual([item.path for item in items], expected_children(PATHS, "/"))
        for item in items:
            kind = PrefixRow if item.path.endswith("/") else MemoryRow
            self.assertIs(type(item), kind)
        self.assertIn(PrefixRow("/a/"), items)

    def test_every_page_size_shows_each_once(self):
        for depth, prefix in ((0, ""), (0, "/a/"), (1, ""), (1, "/a/")):
            whole = self.list(depth=depth, path_prefix=prefix)
            for limit in range(1, len(whole) + 2):
                for with_content in (False, True):
                    with self.subTest(depth=depth, prefix=prefix, limit=limit, with_content=with_content):
                        items, sizes = all_pages(
                            listing.list_memories,
                            actor=self.actor,
                            store_id=self.store.id,
                            depth=depth,
                            path_prefix=prefix,
                            limit=limit,
                            with_content=with_content,
                        )
                        self.assertEqual([i.path for i in items], [i.path for i in whole])
                        self.assertEqual(len(sizes), max(1, -(-len(whole) // limit)))
                        self.assertTrue(all(size == limit for size in sizes[:-1]))

    def test_the_text_comes_only_when_asked_for(self):
        for depth in (0, 1):
            for item in self.list(depth=depth):
                if isinstance(item, MemoryRow):
                    self.assertIsNone(item.content)
            for item in self.list(depth=depth, with_content=True):
                if isinstance(item, MemoryRow):
                    self.assertEqual(item.content, f"at {item.path}")

    def test_an_emptied_folder_vanishes(self):
        memory = Memory.objects.get(store=self.store, path="/ä/ö")
        self.assertIn("/ä/", self.paths(depth=1))
        memories.delete_memory(actor=self.actor, store_id=self.store.id, memory_id=memory.id)
        self.assertNotIn("/ä/", self.paths(depth=1))

    def test_goes_on_where_it_was_though_others_write_in_between(self):
        for depth in (0, 1):
            with self.subTest(depth=depth):
                whole = [path for path in self.paths(depth=depth) if path not in ("/~0/x", "/~0/", "/!0")]
                first = listing.list_memories(actor=self.actor, store_id=self.store.id, depth=depth, limit=7)
                before = make_memory(actor=self.actor, store=self.store, path=f"/!{depth}")
                behind = make_memory(actor=self.actor, store=self.store, path=f"/~{depth}/x")
                last = Memory.objects.filter(store=self.store, path=first.items[-1].path).first()
                if last:
                    memories.delete_memory(actor=self.actor, store_id=self.store.id, memory_id=last.id)
                page = listing.list_memories(
                    actor=self.actor, store_id=self.store.id, depth=depth, limit=100, after=first.next
                )
                paths = [item.path for item in page.items]
                self.assertNotIn(before.path, paths)
                self.assertIn(f"/~{depth}/" if depth else behind.path, paths)
                self.assertEqual(
                    [path for path in paths if not path.startswith(("/~", "/!"))],
                    [path for path in whole if path.encode() > first.items[-1].path.encode()],
                )

    def test_texts_served_to_an_agent_count_as_reads(self):
        agent = make_actor(workspace=self.workspace, access="read_only")
        person = make_person(workspace=self.workspace)
        read = Memory.objects.filter(last_read_at__isnull=False)
        self.list(actor=agent)
        self.list(actor=person, with_content=True)
        self.assertEqual(read.count(), 0)
        self.list(actor=agent, path_prefix="/a/", depth=1, with_content=True)
        self.assertEqual({memory.path for memory in read}, {"/a/x", "/a/z.md"})
        self.list(actor=agent, path_prefix="/a/y/", with_content=True)
        self.assertEqual(read.all().count(), 4)

    def test_refuses_what_is_no_folder_or_no_depth(self):
        for prefix in ("a/", "/a", "//", "/../", "/e\u0301/"):
            with self.subTest(prefix=prefix), self.assertRaises(PathInvalid):
                self.list(path_prefix=prefix)
        for depth in (-1, 2):
            with self.subTest(depth=depth), self.assertRaises(InvalidInput):
                self.list(depth=depth)

    def test_refuses_a_store_that_is_not_there(self):
        for fields in ({"store_id": "memstore_none"}, {"actor": make_actor()}):
            with self.assertRaises(StoreNotFound):
                self.list(**fields)

    def assertQueries(self, number, **parameters):
        with self.assertNumQueries(number):
            page = listing.list_memories(actor=self.actor, store_id=self.store.id, **parameters)
        return [item.path for item in page.items]

    def test_the_same_queries_for_any_number(self):
        for with_content in (False, True):
            for limit in (1, 3, 15):
                self.assertQueries(2, limit=limit, with_content=with_content)
                self.assertQueries(2, limit=limit, with_content=True, depth=1)

    def test_one_more_query_where_a_folder_fills_a_plain_page(self):
        children = ["/a/x", "/a/y/", "/a/z.md"]
        self.assertEqual(self.assertQueries(2, limit=9, depth=1, path_prefix="/a/"), children)
        for number in range(30):
            make_memory(actor=self.actor, store=self.store, path=f"/a/y/n{number}/x")
        for limit in (2, 3, 9):
            self.assertEqual(self.assertQueries(3, limit=limit, depth=1, path_prefix="/a/"), children[:limit])


def expected_children(paths, folder):
    children = []
    for path in paths:
        name, slash, _ = path.removeprefix(folder).partition("/")
        if folder + name + slash not in children:
            children.append(folder + name + slash)
    return sorted(children, key=str.encode)


class ListVersionsTest(TestCase):
    @classmethod
    def setUpTestData(cls):
        cls.workspace = make_workspace()
        cls.actor = make_actor(workspace=cls.workspace)
        cls.other = make_actor(workspace=cls.workspace)
        cls.session = session_actor(session_id="sesn_1", label="Run", workspace_id=cls.workspace.id)
        cls.store = make_store(actor=cls.actor)
        cls.a = make_memory(actor=cls.actor, store=cls.store, path="/a", content="0", now=NOON)
        cls.b = make_memory(actor=cls.other, store=cls.store, path="/b", content="1", now=NOON + TICK)
        for number, (actor, memory) in enumerate(
            [(cls.session, cls.a), (cls.other, cls.b), (cls.session, cls.a)], start=2
        ):
            make_version(actor=actor, memory=memory, content=str(number), now=NOON + number * TICK)
        memories.delete_memory(
            actor=cls.actor, store_id=cls.store.id, memory_id=cls.b.id, now=NOON + 5 * TICK
        )
        make_memory(actor=cls.actor, store=make_store(actor=cls.actor))

    def list(self, **parameters):
        """The microseconds of what is found, newest first."""
        items, _ = all_pages(
            listing.list_versions,
            **{"actor": self.actor, "store_id": self.store.id, "limit": 100} | parameters,
        )
        return "".join(item.created_at[-2] for item in items)

    def test_newest_first_of_this_store(self):
        self.assertEqual(self.list(), "543210")

    def test_every_page_size(self):
        for limit in range(1, 8):
            self.assertEqual(self.list(limit=limit), "543210")

    def test_filters_combine_with_and(self):
        for filters, found in (
            ({"memory_id": self.a.id}, "420"),
            ({"memory_id": self.b.id}, "531"),
            ({"memory_id": "mem_none"}, ""),
            ({"operation": "created"}, "10"),
            ({"operation": "modified"}, "432"),
            ({"operation": "deleted"}, "5"),
            ({"actor_id": "sesn_1"}, "42"),
            ({"actor_type": "session_actor", "actor_id": "sesn_1"}, "42"),
            ({"actor_id": self.other.id}, "31"),
            ({"actor_type": "api_actor", "actor_id": "sesn_1"}, ""),
            ({"memory_id": self.b.id, "operation": "modified"}, "3"),
            ({"memory_id": self.a.id, "actor_id": self.other.id}, ""),
            ({"created_gte": NOON + 3 * TICK}, "543"),
            ({"created_lte": NOON + 3 * TICK}, "3210"),
            ({"created_gte": NOON + 2 * TICK, "created_lte": NOON + 3 * TICK}, "32"),
            ({"created_gte": NOON + 4 * TICK, "memory_id": self.a.id}, "4"),
            ({"created_gte": NOON + 6 * TICK}, ""),
            ({"created_lte": NOON + 3 * TICK, "operation": "modified", "actor_id": "sesn_1"}, "2"),
        ):
            for limit in (1, 100):
                with self.subTest(**filters, limit=limit):
                    self.assertEqual(self.list(**filters, limit=limit), found)

    def test_a_redacted_version_stays_in_its_place(self):
        versions.redact_version(actor=self.actor, store_id=self.store.id, version_id=self.a.head_version_id)
        self.assertEqual(self.list(memory_id=self.a.id), "420")
        self.assertEqual(self.list(operation="created"), "10")

    def test_the_text_comes_only_when_asked_for(self):
        page = listing.list_versions(actor=self.actor, store_id=self.store.id, limit=9)
        self.assertEqual({item.content for item in page.items}, {None})
        page = listing.list_versions(actor=self.actor, store_id=self.store.id, limit=9, with_content=True)
        self.assertEqual([item.content for item in page.items], [None, "4", "3", "2", "1", "0"])

    def test_goes_on_where_it_was_though_others_write_in_between(self):
        first = listing.list_versions(actor=self.actor, store_id=self.store.id, limit=2)
        make_version(actor=self.actor, memory=self.a)
        second = listing.list_versions(actor=self.actor, store_id=self.store.id, limit=9, after=first.next)
        self.assertEqual("".join(item.created_at[-2] for item in second.items), "3210")

    def test_refuses_a_store_that_is_not_there(self):
        for fields in ({"store_id": "memstore_none"}, {"actor": make_actor()}):
            with self.assertRaises(StoreNotFound):
                self.list(**fields)

    def test_the_same_queries_for_any_number(self):
        for limit in (1, 3):
            for with_content in (False, True):
                with self.assertNumQueries(2):
                    listing.list_versions(
                        actor=self.actor, store_id=self.store.id, limit=limit, with_content=with_content
                    )


class HistoryOfAStoreTest(TestCase):
    """Whole stories, from bug_inputs: what happened is all there, once, in the order in which it happened."""

    @classmethod
    def setUpTestData(cls):
        cls.workspace = make_workspace()
        cls.actor = make_actor(workspace=cls.workspace)
        cls.store = make_store(actor=cls.actor)

    def all_versions(self, limit):
        return all_pages(
            listing.list_versions, actor=self.actor, store_id=self.store.id, limit=limit, with_content=True
        )[0]

    def test_hundreds_at_one_instant_are_each_there_once(self):
        made = {make_memory(actor=self.actor, store=self.store, now=NOON).head_version_id for _ in range(201)}
        found = [version.id for version in self.all_versions(limit=100)]
        self.assertEqual((len(found), set(found)), (201, made))

    def test_created_edited_deleted_restored_deleted(self):
        here = {"actor": self.actor, "store_id": self.store.id}
        memory = make_memory(actor=self.actor, store=self.store, path="/a", content="one")
        make_version(actor=self.actor, memory=memory, content="two")
        memories.delete_memory(**here, memory_id=memory.id)
        again = rollback.restore_version(**here, version_id=memory.head_version_id)
        memories.delete_memory(**here, memory_id=again.id)
        self.assertEqual(
            [(v.operation, v.content, v.memory_id) for v in reversed(self.all_versions(limit=2))],
            [
                ("created", "one", memory.id),
                ("modified", "two", memory.id),
                ("deleted", None, memory.id),
                ("created", "one", again.id),
                ("deleted", None, again.id),
            ],
        )
        times = [version.created_at for version in self.all_versions(limit=100)]
        self.assertEqual(times, sorted(set(times), reverse=True))

    def test_what_a_person_wrote_outlives_the_person(self):
        person = make_person(workspace=self.workspace)
        memory = make_memory(actor=person, store=self.store)
        for _ in range(3):
            make_version(actor=person, memory=memory)
        User.objects.get(id=person.id).delete()
        found = self.all_versions(limit=100)
        self.assertEqual(
            [(v.actor_type, v.actor_id, v.actor_label) for v in found],
            [("user_actor", person.id, "Robin Reed")] * 4,
        )
        self.assertEqual(list(history.verify_store(store_id=self.store.id)), [])
