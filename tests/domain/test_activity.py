"""The stream of all changes, against a plain filter over all versions."""

import random
from datetime import UTC, datetime, timedelta

from django.db import connection
from django.test import TestCase
from django.test.utils import CaptureQueriesContext

from stores.domain import activity, memories, stores, versions
from stores.domain.activity import Filters
from stores.domain.actors import ActorType, Road, member_actor, session_actor
from stores.domain.errors import InvalidInput, PermissionDenied, StoreNotFound
from stores.models import MemoryVersion, Operation
from tests.factories import make_actor, make_member, make_memory, make_store, make_workspace

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


class ActivityTest(TestCase):
    @classmethod
    def setUpTestData(cls):
        cls.workspace = make_workspace()
        cls.admin = make_actor(workspace=cls.workspace)
        member = make_member(workspace=cls.workspace)
        cls.people = [member_actor(membership=member, road=road) for road in (Road.CONSOLE, Road.IMPORT)]
        cls.sessions = [
            session_actor(session_id=f"sesn_{n}", label="=Run", workspace_id=cls.workspace.id)
            for n in range(3)
        ]
        cls.stores = [make_store(actor=cls.admin, name=f"Store {n}") for n in range(3)]
        chance = random.Random(8)
        live = []
        for number in range(120):
            actor = chance.choice([*cls.sessions, *cls.people, cls.admin])
            now = NOON + timedelta(minutes=number)
            act = chance.choice(["create", "change", "change", "delete"])
            if act == "create" or not live:
                store = chance.choice(cls.stores)
                live.append(
                    make_memory(actor=actor, store=store, path=f"/{number}.md", reason="=why", now=now)
                )
                continue
            memory = chance.choice(live)
            here = {"actor": actor, "store_id": memory.store_id, "memory_id": memory.id, "now": now}
            if act == "change":
                memories.update_memory(**here, content=f"text {number}")
            else:
                memories.delete_memory(**here)
                live.remove(memory)
        cls.foreign = make_actor()
        make_memory(actor=cls.foreign, store=make_store(actor=cls.foreign), now=NOON)

    def listed(self, actor=None, after=None, limit=1000, **filters):
        return activity.list_activity(
            actor=actor or self.admin, filters=Filters(**filters), after=after, limit=limit
        )

    def expected(self, **filters):
        names = {"created_gte": "created_at__gte", "created_lte": "created_at__lte"}
        rows = MemoryVersion.objects.filter(
            store__in=self.stores, **{names.get(name, name): value for name, value in filters.items()}
        )
        return sorted(rows.values_list("id", flat=True), reverse=True)

    def test_every_combination_of_filters(self):
        values = {
            "store_id": [store.id for store in self.stores],
            "actor_id": [self.admin.id, self.people[0].id, "sesn_1", "sesn_none"],
            "actor_type": list(ActorType),
            "operation": list(Operation),
            "road": [Road.API, Road.CONSOLE, Road.IMPORT, Road.DREAM],
            "created_gte": [NOON + timedelta(minutes=30), NOON + timedelta(minutes=60, microseconds=1)],
            "created_lte": [NOON + timedelta(minutes=90), NOON + timedelta(minutes=60)],
        }
        chance = random.Random(9)
        alone = [{name: value} for name, some in values.items() for value in some]
        mixed = [
            {name: chance.choice(some) for name, some in values.items() if chance.random() < 0.35}
            for _ in range(150)
        ]
        found_some = 0
        for filters in [{}, *alone, *mixed]:
            with self.subTest(**filters):
                found = [row.id for row in self.listed(**filters).items]
                self.assertEqual(found, self.expected(**filters))
                found_some += bool(found)
        self.assertGreater(found_some, 80)

    def test_pages_follow_each_other(self):
        for filters in ({}, {"road": Road.API}, {"operation": Operation.MODIFIED}, {"actor_id": "sesn_1"}):
            seen, after = [], None
            while True:
                page = self.listed(after=after, limit=7, **filters)
                seen += [row.id for row in page.items]
                self.assertLessEqual(len(page.items), 7)
                after = page.next
                if after is None:
                    break
            self.assertEqual(seen, self.expected(**filters))

    def test_names_the_stores(self):
        page = self.listed()
        self.assertEqual(page.store_names, {store.id: store.name for store in self.stores})

    def test_only_what_the_actor_reaches(self):
        limited = make_actor(workspace=self.workspace, store_ids=[self.stores[0].id])
        self.assertEqual(
            [row.id for row in self.listed(limited).items], self.expected(store_id=self.stores[0].id)
        )
        for actor, store in ((limited, self.stores[1]), (self.foreign, self.stores[0])):
            with self.assertRaises(StoreNotFound):
                self.listed(actor, store_id=store.id)
        self.assertEqual(len(self.listed(self.foreign).items), 1)
        self.assertEqual(self.listed(make_actor()).items, [])
        stores.delete_store(actor=self.admin, store_id=self.stores[2].id)
        self.assertEqual({row.store_id for row in self.listed().items}, {s.id for s in self.stores[:2]})

    def test_two_queries_however_much_there_is(self):
        for limit in (1, 1000):
            with CaptureQueriesContext(connection) as seen:
                self.listed(limit=limit, road=Road.API)
            self.assertEqual(len(seen.captured_queries), 2)

    def test_export_has_every_row_once_with_ids_and_times_in_utc(self):
        at_once, activity.EXPORTED_AT_ONCE = activity.EXPORTED_AT_ONCE, 7
        self.addCleanup(setattr, activity, "EXPORTED_AT_ONCE", at_once)
        memory = make_memory(actor=self.admin, store=self.stores[0], path="/x.md", content="secret")
        memories.update_memory(
            actor=self.admin, store_id=memory.store_id, memory_id=memory.id, content="clean"
        )
        versions.redact_version(actor=self.admin, store_id=memory.store_id, version_id=memory.head_version_id)
        rows = list(activity.export_activity(actor=self.admin))
        self.assertEqual([row["version_id"] for row in rows], self.expected())
        self.assertEqual(rows[-1]["created_at"], "2026-11-30T12:00:00.000000Z")
        self.assertEqual(rows[-1]["reason"], "=why")
        self.assertIn((rows[0]["store_name"], rows[0]["version_number"]), [("Store 0", 2)])
        redacted = rows[1]
        self.assertEqual((redacted["path"], redacted["content_sha256"]), (None, None))
        self.assertEqual(redacted["redacted_by_id"], self.admin.id)
        self.assertNotIn("secret", repr(rows))
        for most in (1, 10, 14):
            self.assertEqual(list(activity.export_activity(actor=self.admin, most=most)), rows[:most])

    def test_refuses_bad_input(self):
        for most in (0, 100_001):
            with self.assertRaises(InvalidInput):
                activity.export_activity(actor=self.admin, most=most)
        with self.assertRaises(StoreNotFound):
            activity.export_activity(actor=self.admin, filters=Filters(store_id="memstore_none"))
        nobody = make_actor(workspace=self.workspace)
        object.__setattr__(nobody, "rights", frozenset())
        with self.assertRaises(PermissionDenied):
            self.listed(nobody)
