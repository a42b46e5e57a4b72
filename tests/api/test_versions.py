"""V1 to V3 (contract/memory_stores_api.md, 2, 3.4, 3.5, 4.4, 4.5)."""

from datetime import UTC, datetime, timedelta
from hashlib import sha256

from stores.domain import memories, stores, versions
from stores.domain.actors import session_actor
from stores.models import MemoryVersion
from tests.api.questions import INSTANTS, LIMITS, NUL, PAGES, VIEWS, EndpointQuestions
from tests.factories import make_memory, make_person, make_version

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
TICK = timedelta(microseconds=1)
KEYS = {
    "id", "type", "memory_store_id", "memory_id", "operation", "path", "content", "content_size_bytes",
    "content_sha256", "created_at", "created_by", "redacted_at", "redacted_by",
}  # fmt: skip


class VersionQuestions(EndpointQuestions):
    __test__ = False

    def as_json(self, version_id, content=None, **changed):
        """A version as the contract has it, from the row itself."""
        row = MemoryVersion.objects.get(id=version_id)
        return {
            "id": row.id,
            "type": "memory_version",
            "memory_store_id": self.store.id,
            "memory_id": row.memory_id,
            "operation": row.operation,
            "path": row.path,
            "content": content,
            "content_size_bytes": row.content_size_bytes,
            "content_sha256": row.content_sha256,
            "created_at": row.created_at.strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
            "created_by": {"type": "api_actor", "api_key_id": self.admin_key.id},
            "redacted_at": None,
            "redacted_by": None,
        } | changed


class ListVersionsTest(VersionQuestions):
    template = "/v1/memory_stores/{store}/memory_versions"
    bad_queries = [
        *VIEWS,
        *LIMITS,
        *INSTANTS,
        *PAGES,
        *NUL[:4],
        *(({"operation": value}, "operation must") for value in ("none", "CREATED", "created,deleted")),
        *(({name: "x\0"}, f"{name} holds") for name in ("memory_id", "session_id", "api_key_id")),
    ]  # fmt: skip

    @classmethod
    def setUpTestData(cls):
        super().setUpTestData()
        MemoryVersion.objects.filter(memory_id=cls.memory.id).delete()
        person = make_person(workspace=cls.workspace)
        session = session_actor(session_id="sesn_1", label="Run", workspace_id=cls.workspace.id)
        cls.a = make_memory(actor=cls.actor, store=cls.store, path="/a", content="0", now=NOON)
        cls.b = make_memory(actor=person, store=cls.store, path="/b", content="1", now=NOON + TICK)
        cls.person_id = person.id
        for number, (actor, memory) in enumerate([(session, cls.a), (person, cls.b), (session, cls.a)], 2):
            make_version(actor=actor, memory=memory, content=str(number), now=NOON + number * TICK)
        memories.delete_memory(
            actor=cls.actor, store_id=cls.store.id, memory_id=cls.b.id, now=NOON + 5 * TICK
        )

    def pages(self, **query):
        """The microseconds of the versions on each page."""
        pages, page = [], None
        while True:
            data = self.assertOk(self.call(query=query | ({"page": page} if page else {})))
            self.assertEqual(set(data), {"data", "next_page"})
            pages.append("".join(item["created_at"][-2] for item in data["data"]))
            if data["next_page"] is None:
                return pages
            self.assertNotEqual(data["next_page"], page)
            page = data["next_page"]

    def test_shows_whole_versions_newest_first(self):
        data = self.assertOk(self.call())
        self.assertIsNone(data["next_page"])
        by_session = {"type": "session_actor", "session_id": "sesn_1"}
        by_person = {"type": "user_actor", "user_id": self.person_id}
        by_key = {"type": "api_actor", "api_key_id": self.admin_key.id}
        rows = MemoryVersion.objects.order_by("-id").values_list("id", flat=True)
        authors = [by_key, by_session, by_person, by_session, by_person, by_key]
        self.assertEqual(
            data["data"],
            [self.as_json(row, created_by=author) for row, author in zip(rows, authors, strict=True)],
        )

    def test_the_full_view_shows_the_content_too(self):
        data = self.assertOk(self.call(query={"view": "full"}))
        self.assertEqual([item["content"] for item in data["data"]], [None, "4", "3", "2", "1", "0"])
        for item in data["data"]:
            self.assertEqual(set(item), KEYS)

    def test_a_deletion_keeps_its_path_and_has_no_hash(self):
        item = self.assertOk(self.call())["data"][0]
        self.assertEqual(
            (item["operation"], item["path"], item["content_sha256"], item["content_size_bytes"]),
            ("deleted", "/b", None, None),
        )

    def test_pages(self):
        for limit, pages in ((1, list("543210")), (4, ["5432", "10"]), (6, ["543210"]), (100, ["543210"])):
            for view in ("basic", "full"):
                self.assertEqual(self.pages(limit=limit, view=view), pages)

    def test_a_full_page_holds_at_most_twenty(self):
        for number in range(40):
            make_version(actor=self.actor, memory=self.a, content=f"text {number}")
        for query, sizes in (
            ({"view": "full", "limit": 100}, [20, 20, 6]),
            ({"limit": 100}, [46]),
            ({}, [20, 20, 6]),
        ):
            with self.subTest(**query):
                self.assertEqual([len(page) for page in self.pages(**query)], sizes)

    def test_filters_combine_with_and(self):
        for query, found in (
            ({"memory_id": self.a.id}, "420"),
            ({"memory_id": self.b.id}, "531"),
            ({"memory_id": "mem_none"}, ""),
            ({"memory_id": "é '%"}, ""),
            ({"operation": "created"}, "10"),
            ({"operation": "modified"}, "432"),
            ({"operation": "deleted"}, "5"),
            ({"session_id": "sesn_1"}, "42"),
            ({"session_id": "sesn_2"}, ""),
            ({"session_id": self.admin_key.id}, ""),
            ({"api_key_id": self.admin_key.id}, "50"),
            ({"api_key_id": self.person_id}, ""),
            ({"service_account_id": "svac_1"}, ""),
            ({"session_id": "sesn_1", "api_key_id": self.admin_key.id}, ""),
            ({"session_id": "sesn_1", "operation": "modified", "memory_id": self.a.id}, "42"),
            ({"created_at[gte]": "2026-11-30T12:00:00.000003Z"}, "543"),
            ({"created_at[lte]": "2026-11-30T13:00:00.000003+01:00"}, "3210"),
            (
                {
                    "created_at[gte]": "2026-11-30T12:00:00.000002Z",
                    "created_at[lte]": "2026-11-30T12:00:00.000004Z",
                    "session_id": "sesn_1",
                },
                "42",
            ),
            ({"memory_id": "", "operation": "", "session_id": "", "api_key_id": ""}, "543210"),
            # There is no filter by person; an unknown parameter is ignored.
            ({"user_id": self.person_id}, "543210"),
        ):
            with self.subTest(**query):
                self.assertEqual("".join(self.pages(limit=1, **query)), found)

    def test_two_kinds_of_actor_at_once_still_need_the_store(self):
        response = self.refuse(
            url=self.url(store="memstore_none"), query={"session_id": "x", "api_key_id": "y"}
        )
        self.assertError(response, 404, "not_found_error")

    def test_works_in_an_archived_store(self):
        stores.archive_store(actor=self.actor, store_id=self.store.id)
        self.assertEqual(self.pages(), ["543210"])

    def test_the_same_queries_for_any_number(self):
        for query in ({}, {"view": "full"}, {"memory_id": self.a.id}):
            for limit in (1, 3):
                with self.subTest(**query, limit=limit), self.assertQueries(2):
                    self.call(query={"limit": limit, **query})


class RetrieveVersionTest(VersionQuestions):
    template = "/v1/memory_stores/{store}/memory_versions/{version}"
    bad_queries = VIEWS

    def test_shows_it_whole(self):
        data = self.assertOk(self.call())
        self.assertEqual(data, self.as_json(self.old_version_id, "Green.\n"))
        self.assertEqual(
            (data["operation"], data["path"], data["content_sha256"], data["content_size_bytes"]),
            ("created", "/tea.md", sha256(b"Green.\n").hexdigest(), 7),
        )

    def test_views(self):
        for view, content in (("full", "Green.\n"), ("basic", None), ("", "Green.\n")):
            data = self.assertOk(self.call(query={"view": view}))
            self.assertEqual(data, self.as_json(self.old_version_id, content))

    def test_outlives_its_memory(self):
        memories.delete_memory(actor=self.actor, store_id=self.store.id, memory_id=self.memory.id)
        self.assertEqual(self.assertOk(self.call())["content"], "Green.\n")
        deletion = MemoryVersion.objects.get(operation="deleted")
        data = self.assertOk(self.call(url=self.url(version=deletion.id)))
        self.assertEqual(data, self.as_json(deletion.id))

    def test_works_in_an_archived_store(self):
        stores.archive_store(actor=self.actor, store_id=self.store.id)
        self.assertEqual(self.assertOk(self.call())["content"], "Green.\n")

    def test_a_redacted_one_is_shown_empty(self):
        versions.redact_version(
            actor=self.actor, store_id=self.store.id, version_id=self.old_version_id, now=NOON
        )
        for view in ("full", "basic"):
            self.assertEqual(
                self.assertOk(self.call(query={"view": view})),
                self.as_json(
                    self.old_version_id,
                    redacted_at="2026-11-30T12:00:00.000000Z",
                    redacted_by={"type": "api_actor", "api_key_id": self.admin_key.id},
                ),
            )

    def test_a_memory_has_no_version_of_another_memory(self):
        other = make_memory(actor=self.actor, store=self.store)
        data = self.assertOk(self.call(url=self.url(version=other.head_version_id)))
        self.assertEqual(data["memory_id"], other.id)


class RedactVersionTest(VersionQuestions):
    method = "POST"
    template = "/v1/memory_stores/{store}/memory_versions/{version}/redact"
    keys = ("admin",)

    def test_empties_it_and_keeps_who_what_kind_and_when(self):
        before = self.as_json(self.old_version_id)
        data = self.assertOk(self.call())
        emptied = dict.fromkeys(("path", "content", "content_size_bytes", "content_sha256"))
        self.assertIsNotNone(data["redacted_at"])
        self.assertEqual(
            data,
            before
            | emptied
            | {
                "redacted_at": data["redacted_at"],
                "redacted_by": {"type": "api_actor", "api_key_id": self.admin_key.id},
            },
        )
        row = MemoryVersion.objects.get(id=self.old_version_id)
        self.assertEqual((row.path, row.content, row.salt), (None, None, None))
        shown = self.assertOk(self.api("GET", f"{self.store_url}/memory_versions/{self.old_version_id}"))
        self.assertEqual(shown, data)

    def test_a_second_time_changes_nothing(self):
        first = self.assertOk(self.call())
        self.assertEqual(self.assertOk(self.refuse()), first)

    def test_refuses_the_head_of_a_live_memory(self):
        response = self.refuse(url=self.url(version=self.memory.head_version_id))
        self.assertInvalid(response, "current content of a live memory")

    def test_takes_the_former_head_and_the_deletion_of_a_deleted_memory(self):
        memories.delete_memory(actor=self.actor, store_id=self.store.id, memory_id=self.memory.id)
        deletion = MemoryVersion.objects.get(operation="deleted")
        for version_id in (self.memory.head_version_id, deletion.id):
            data = self.assertOk(self.call(url=self.url(version=version_id)))
            self.assertIsNone(data["path"])

    def test_works_in_an_archived_store(self):
        stores.archive_store(actor=self.actor, store_id=self.store.id)
        self.assertOk(self.call())

    def test_takes_no_view(self):
        self.assertIsNone(self.assertOk(self.call(query={"view": "none"}))["content"])
