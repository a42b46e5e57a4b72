"""S1 to S6 (contract/memory_stores_api.md, 2, 3.1, 4.1)."""

from datetime import UTC, datetime, timedelta

from stores.domain import stores
from stores.models import Memory, MemoryStore, MemoryVersion
from tests.api.questions import INSTANTS, LIMITS, NUL, PAGES, EndpointQuestions
from tests.cases import ApiTestCase, all_rows
from tests.factories import make_actor, make_api_key, make_memory, make_store

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
TICK = timedelta(microseconds=1)
INSTANT = r"\A\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z\Z"

BAD_FIELDS = [
    ({"name": ""}, "name must have 1 to 255"),
    ({"name": "x" * 256}, "name must have 1 to 255"),
    ({"name": "a\nb"}, "control characters"),
    ({"name": "\0"}, "control characters"),
    ({"name": 1}, "`str"),
    ({"name": ["x"]}, "`str"),
    ({"name": 10**400}, "name"),
    ({"description": "x" * 1025}, "description must have at most 1024"),
    ({"description": "\0"}, "U+0000"),
    ({"description": 1}, "`str"),
    ({"metadata": []}, "metadata"),
    ({"metadata": "x"}, "metadata"),
    ({"metadata": {"k": 1}}, "metadata"),
    ({"metadata": {"k": ["v"]}}, "metadata"),
    ({"metadata": {"k": {"deeper": "v"}}}, "metadata"),
]
BAD_METADATA = [
    ({"metadata": {"": "v"}}, "metadata keys must have 1 to 64"),
    ({"metadata": {"k" * 65: "v"}}, "metadata keys must have 1 to 64"),
    ({"metadata": {"k": "v" * 513}}, "metadata values must have at most 512"),
    ({"metadata": {"k": "\0"}}, "U+0000"),
    ({"metadata": {f"k{number}": "v" for number in range(17)}}, "at most 16 pairs"),
]


def as_json(store, **changed):
    """A store as the contract has it; instants as text are the caller's."""
    return {
        "id": store.id,
        "type": "memory_store",
        "name": store.name,
        "description": store.description,
        "metadata": store.metadata,
        "created_at": rfc3339(store.created_at),
        "updated_at": rfc3339(store.updated_at),
        "archived_at": rfc3339(store.archived_at) if store.archived_at else None,
    } | changed


def rfc3339(instant):
    return instant.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


class CreateStoreTest(EndpointQuestions):
    method = "POST"
    template = "/v1/memory_stores"
    body = {"name": "Support"}
    keys = ("admin",)
    bad_bodies = [
        ({}, "name"),
        ({"name": None}, "`str`"),
        ({"name": "n", "description": None}, "`str`"),
        ({"name": "n", "metadata": None}, "`object`"),
        ({"name": "n", "metadata": {"k": None}}, "`str`"),
        *(({"name": "n"} | fields, message) for fields, message in [*BAD_FIELDS, *BAD_METADATA]),
    ]

    def test_makes_a_store(self):
        before = MemoryStore.objects.count()
        data = self.assertOk(self.call(body={"name": "Süd", "description": "d\r\n", "metadata": {"ü": "ö"}}))
        store = MemoryStore.objects.get(id=data["id"])
        self.assertEqual(MemoryStore.objects.count(), before + 1)
        self.assertEqual(
            (store.workspace_id, store.name, store.description, store.metadata),
            (self.workspace.id, "Süd", "d\r\n", {"ü": "ö"}),
        )
        self.assertEqual(data, as_json(store))
        self.assertRegex(data["created_at"], INSTANT)
        self.assertEqual(data["created_at"], data["updated_at"])

    def test_shows_what_is_unset(self):
        data = self.assertOk(self.call())
        self.assertEqual((data["description"], data["metadata"], data["archived_at"]), ("", {}, None))

    def test_takes_texts_at_their_limits(self):
        body = {
            "name": "😀" * 255,
            "description": "😀" * 1024,
            "metadata": {f"{number:02}" + "ü" * 62: "😀" * 512 for number in range(16)},
        }
        data = self.assertOk(self.call(body=body))
        self.assertEqual({name: data[name] for name in body}, body)
        self.assertOk(self.call(body={"name": "   "}))

    def test_a_stranger_makes_one_in_his_own_workspace(self):
        data = self.assertOk(self.call(key=self.stranger))
        store = MemoryStore.objects.get(id=data["id"])
        self.assertEqual(store.workspace_id, self.stranger_key.workspace_id)

    def test_a_key_limited_to_certain_stores_makes_none(self):
        _, limited = make_api_key(workspace=self.workspace, store_ids=[self.store.id])
        self.assertError(self.refuse(key=limited), 403, "permission_error", "limited to certain stores")


class ListStoresTest(EndpointQuestions):
    template = "/v1/memory_stores"
    bad_queries = [
        *LIMITS,
        *INSTANTS,
        *PAGES,
        *NUL[:-1],
        ({"include_archived": "1"}, "include_archived must be one of true, false"),
        ({"include_archived": "True"}, "include_archived must be one of true, false"),
    ]

    @classmethod
    def setUpTestData(cls):
        super().setUpTestData()
        MemoryStore.objects.filter(workspace=cls.workspace).update(deleted_at=NOON)
        cls.some = [
            make_store(actor=cls.actor, name=str(number), now=NOON + number * TICK) for number in range(5)
        ]

    def pages(self, **query):
        """The names on each page."""
        pages, page = [], None
        while True:
            data = self.assertOk(self.call(query=query | ({"page": page} if page else {})))
            self.assertEqual(set(data), {"data", "next_page"})
            pages.append("".join(store["name"] for store in data["data"]))
            page = data["next_page"]
            if page is None:
                return pages
            self.assertRegex(page, r"\Apage_[A-Za-z0-9_-]+\Z")

    def test_shows_whole_stores_newest_first(self):
        data = self.assertOk(self.call())
        self.assertEqual(data, {"data": [as_json(s) for s in reversed(self.some)], "next_page": None})

    def test_pages(self):
        for limit, pages in ((1, ["4", "3", "2", "1", "0"]), (2, ["43", "21", "0"]), (5, ["43210"])):
            self.assertEqual(self.pages(limit=limit), pages)

    def test_holds_twenty_unless_told_otherwise(self):
        for number in range(20):
            make_store(actor=self.actor, now=NOON + number * TICK)
        data = self.assertOk(self.call())
        self.assertEqual(len(data["data"]), 20)
        self.assertEqual(len(self.assertOk(self.call(query={"limit": 100}))["data"]), 25)

    def test_nothing_is_an_empty_page(self):
        self.assertEqual(self.assertOk(self.call(key=self.stranger)), {"data": [], "next_page": None})

    def test_archived_ones_only_when_asked_for(self):
        stores.archive_store(actor=self.actor, store_id=self.some[2].id)
        self.assertEqual(self.pages(), ["4310"])
        self.assertEqual(self.pages(include_archived="false"), ["4310"])
        self.assertEqual(self.pages(include_archived="true", limit=3), ["432", "10"])

    def test_bounds_of_time_are_inclusive_in_any_offset(self):
        for query, names in (
            ({"created_at[gte]": "2026-11-30T12:00:00.000002Z"}, "432"),
            ({"created_at[gte]": "2026-11-30T12:00:00.000002+00:00"}, "432"),
            ({"created_at[gte]": "2026-11-30T17:30:00.000002+05:30"}, "432"),
            ({"created_at[lte]": "2026-11-30T11:00:00.000002-01:00"}, "210"),
            ({"created_at[lte]": "2026-11-30t12:00:00.000002z"}, "210"),
            ({"created_at[lte]": "2026-11-30T12:00:00Z"}, "0"),
            ({"created_at[gte]": "2026-12-01T00:00:00Z"}, ""),
            # Before and after everything there can be.
            ({"created_at[gte]": "0001-01-01T00:00:00Z"}, "43210"),
            ({"created_at[gte]": "1970-01-01T00:00:00Z"}, "43210"),
            ({"created_at[lte]": "9999-12-31T23:59:59Z"}, "43210"),
            ({"created_at[lte]": "1970-01-01T00:00:00Z"}, ""),
        ):
            with self.subTest(**query):
                self.assertEqual(self.pages(**query), [names])

    def test_empty_parameters_count_as_absent(self):
        query = {"page": "", "limit": "", "created_at[gte]": "", "include_archived": ""}
        self.assertEqual(self.pages(**query), ["43210"])

    def test_a_limited_key_sees_its_own(self):
        _, limited = make_api_key(workspace=self.workspace, store_ids=[self.some[3].id])
        data = self.assertOk(self.call(key=limited))
        self.assertEqual([store["name"] for store in data["data"]], ["3"])

    def test_the_same_queries_for_any_number(self):
        for limit in (1, 3):
            with self.assertQueries(1):
                self.call(query={"limit": limit})


class RetrieveStoreTest(EndpointQuestions):
    template = "/v1/memory_stores/{store}"

    def test_shows_it(self):
        data = self.assertOk(self.call())
        self.assertEqual(data, as_json(self.store))
        self.assertEqual((data["description"], data["metadata"]), ("What we know", {"team": "support"}))

    def test_shows_an_archived_one(self):
        store = stores.archive_store(actor=self.actor, store_id=self.store.id, now=NOON)
        self.assertEqual(self.assertOk(self.call()), as_json(store))

    def test_a_limited_key_sees_its_own(self):
        _, limited = make_api_key(workspace=self.workspace, store_ids=[self.store.id])
        self.assertOk(self.call(key=limited))


class UpdateStoreTest(EndpointQuestions):
    method = "POST"
    template = "/v1/memory_stores/{store}"
    body = {"name": "New"}
    keys = ("admin",)
    bad_bodies = BAD_FIELDS

    def test_changes_exactly_what_is_given(self):
        known = as_json(self.store)
        for body, changed in (
            ({"name": "New"}, {"name": "New"}),
            ({"description": ""}, {"description": ""}),
            ({"metadata": {"b": "2"}}, {"metadata": {"team": "support", "b": "2"}}),
            ({"metadata": {"team": None, "none": None}}, {"metadata": {"b": "2"}}),
            (
                {"name": "x", "description": "y", "metadata": {"c": ""}},
                {"name": "x", "description": "y", "metadata": {"b": "2", "c": ""}},
            ),
        ):
            with self.subTest(body=body):
                data = self.assertOk(self.call(body=body))
                self.assertGreater(data["updated_at"], known["updated_at"])
                known |= changed | {"updated_at": data["updated_at"]}
                self.assertEqual(data, known)
                self.assertEqual(as_json(MemoryStore.objects.get(id=self.store.id)), known)

    def test_a_change_of_nothing_moves_nothing(self):
        known = as_json(self.store)
        for body in (
            {},
            {"name": None},
            {"name": None, "description": None, "metadata": None},
            {"name": self.store.name, "description": "What we know", "metadata": {"team": "support"}},
            {"metadata": {}},
            {"metadata": {"absent": None}},
        ):
            with self.subTest(body=body):
                self.assertEqual(self.assertOk(self.refuse(body=body)), known)

    def test_metadata_must_fit_as_a_whole(self):
        for body, message in BAD_METADATA:
            with self.subTest(message):
                self.assertInvalid(self.refuse(body=body), message)

    def test_refuses_an_archived_store(self):
        stores.archive_store(actor=self.actor, store_id=self.store.id)
        for body in ({"name": "New"}, {}, {"metadata": {"b": "2"}}):
            self.assertInvalid(self.refuse(body=body), "archived")


class ArchiveStoreTest(EndpointQuestions):
    method = "POST"
    template = "/v1/memory_stores/{store}/archive"
    keys = ("admin",)

    def test_archives_it_once(self):
        data = self.assertOk(self.call())
        self.assertRegex(data["archived_at"], INSTANT)
        self.assertEqual(
            data,
            as_json(self.store, archived_at=data["archived_at"], updated_at=data["archived_at"]),
        )
        self.assertEqual(as_json(MemoryStore.objects.get(id=self.store.id)), data)
        self.assertEqual(self.assertOk(self.refuse()), data)


class DeleteStoreTest(EndpointQuestions):
    method = "DELETE"
    template = "/v1/memory_stores/{store}"
    keys = ("admin",)

    def test_removes_it_with_everything_in_it(self):
        other = make_store(actor=self.actor)
        kept = make_memory(actor=self.actor, store=other)
        self.assertEqual(self.assertOk(self.call()), {"id": self.store.id, "type": "memory_store_deleted"})
        self.assertFalse(MemoryStore.objects.filter(id=self.store.id).exists())
        self.assertEqual(Memory.objects.get().id, kept.id)
        self.assertEqual(MemoryVersion.objects.get().memory_id, kept.id)

    def test_a_second_time_finds_nothing(self):
        self.assertOk(self.call())
        self.assertError(self.refuse(), 404, "not_found_error")

    def test_works_on_an_archived_store(self):
        stores.archive_store(actor=self.actor, store_id=self.store.id)
        self.assertOk(self.call())


class LimitedKeyTest(ApiTestCase):
    def test_manages_the_stores_it_is_limited_to(self):
        _, limited = make_api_key(workspace=self.workspace, store_ids=[self.store.id])
        self.assertOk(self.api("POST", self.store_url, {"name": "New"}, key=limited))
        self.assertOk(self.api("DELETE", self.store_url, key=limited))

    def test_a_key_limited_to_a_store_that_is_gone_reaches_none(self):
        _, limited = make_api_key(workspace=self.workspace, store_ids=[self.store.id])
        stores.delete_store(actor=make_actor(workspace=self.workspace), store_id=self.store.id)
        before = all_rows()
        self.assertError(self.api("GET", self.store_url, key=limited), 404, "not_found_error")
        self.assertEqual(self.assertOk(self.api("GET", "/v1/memory_stores", key=limited))["data"], [])
        self.assertEqual(all_rows(), before)
