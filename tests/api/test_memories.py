"""M1 to M5 (contract/memory_stores_api.md, 2, 3.2, 3.3, 4.2, 4.3, 4.6)."""

from hashlib import sha256

from stores.domain import memories, stores
from stores.models import Memory, MemoryStore, MemoryVersion
from tests.api.questions import LIMITS, NUL, PAGES, VIEWS, EndpointQuestions
from tests.cases import ApiTestCase, all_rows
from tests.factories import make_memory, make_person, make_store, make_version

OTHER_HASH = "0" * 64
BAD_HASHES = ["", "0", "0" * 63, "0" * 65, "A" * 64, "g" * 64, " " + "0" * 63, "٠" * 64]
BAD_PATHS = [
    ("", "start with '/'"),
    ("a", "start with '/'"),
    ("/", "below '/'"),
    ("/a/", "empty segment"),
    ("//a", "empty segment"),
    ("/a/../b.md", "'..' segment"),
    ("/a/./b", "'.' segment"),
    ("/a\0", "control character"),
    ("/a\nb", "control character"),
    ("/a\x7f", "control character"),
    ("/a\u200b", "format character"),
    ("/a\ufeff", "format character"),
    ("/a\u2028", "line separator"),
    ("/cafe\u0301.md", "NFC"),
    ("/" + "/".join("s" * 21), "at most 20 segments"),
    ("/" + "é" * 512, "at most 1024 bytes"),
]
BAD_CONTENTS = [
    ("\0", "U+0000"),
    ("x" * 102_401, "at most 102400 bytes"),
    ("é" * 51_201, "at most 102400 bytes"),
]


def hash_of(text):
    return sha256(text.encode()).hexdigest()


def as_json(row, content=None):
    """A memory as the contract has it."""
    return {
        "id": row.id,
        "type": "memory",
        "memory_store_id": row.store_id,
        "memory_version_id": row.head_version_id,
        "path": row.path,
        "content": content,
        "content_size_bytes": row.content_size_bytes,
        "content_sha256": row.content_sha256,
        "created_at": row.created_at,
        "updated_at": row.updated_at,
    }


class MemoryQuestions(EndpointQuestions):
    __test__ = False

    def row(self, memory_id=None):
        return memories.get_memory(
            actor=self.actor, store_id=self.store.id, memory_id=memory_id or self.memory.id
        )

    def assertPathConflict(self, response, path, memory_id):
        self.assertError(response, 409, "memory_path_conflict_error")
        error = response.json()["error"]
        self.assertEqual(set(error), {"type", "message", "conflicting_path", "conflicting_memory_id"})
        self.assertEqual((error["conflicting_path"], error["conflicting_memory_id"]), (path, memory_id))
        self.assertEqual(response["x-should-retry"], "false")

    def assertPreconditionFailed(self, response):
        self.assertError(response, 409, "memory_precondition_failed_error")
        self.assertEqual(set(response.json()["error"]), {"type", "message"})
        self.assertEqual(response["x-should-retry"], "false")


class CreateMemoryTest(MemoryQuestions):
    method = "POST"
    template = "/v1/memory_stores/{store}/memories"
    body = {"path": "/new.md", "content": "text"}
    keys = ("admin", "writer")
    bad_queries = VIEWS
    bad_bodies = [
        ({}, "path"),
        ({"path": "/new.md"}, "content"),
        ({"content": "x"}, "path"),
        ({"path": None, "content": "x"}, "`str`"),
        ({"path": "/new.md", "content": None}, "`str`"),
        ({"path": 1, "content": "x"}, "`str`"),
        ({"path": "/new.md", "content": ["x"]}, "`str`"),
        ({"path": "/new.md", "content": {"text": "x"}}, "`str`"),
        ({"path": "/new.md", "content": 1e300}, "`str`"),
        *(({"path": path, "content": "x"}, rule) for path, rule in BAD_PATHS),
        *(({"path": "/new.md", "content": content}, rule) for content, rule in BAD_CONTENTS),
    ]

    def test_makes_a_memory_and_one_version(self):
        versions = MemoryVersion.objects.count()
        data = self.assertOk(self.call(body={"path": "/süd/neu.md", "content": "a\r\n😀\u2028"}))
        row = self.row(data["id"])
        self.assertEqual(data, as_json(row))
        self.assertEqual((row.path, row.content, row.head_seq), ("/süd/neu.md", "a\r\n😀\u2028", 1))
        self.assertEqual(data["content_sha256"], hash_of("a\r\n😀\u2028"))
        self.assertEqual(data["content_size_bytes"], 10)
        self.assertEqual(data["created_at"], data["updated_at"])
        self.assertEqual(MemoryVersion.objects.count(), versions + 1)

    def test_shows_the_content_only_in_the_full_view(self):
        for view, path, content in ((None, "/1", None), ("basic", "/2", None), ("full", "/3", "text")):
            query = {"view": view} if view else None
            data = self.assertOk(self.call(body={"path": path, "content": "text"}, query=query))
            self.assertEqual(data["content"], content)

    def test_takes_texts_at_their_limits(self):
        for path, content in (
            ("/" + "x" * 1023, ""),
            ("/" + "/".join("s" * 20), "é" * 51_200),
            ("/escaped", "\x01" * 102_400),  # six bytes each in JSON
        ):
            data = self.assertOk(self.call(body={"path": path, "content": content}, query={"view": "full"}))
            self.assertEqual((data["path"], data["content"]), (path, content))

    def test_takes_pairs_of_surrogate_escapes_and_raw_utf8_alike(self):
        for path, body in (
            ("/1", b'{"path": "/1", "content": "\\ud83d\\ude00"}'),
            ("/2", '{"path": "/2", "content": "😀"}'.encode()),
        ):
            data = self.assertOk(self.call(body=body, query={"view": "full"}))
            self.assertEqual((data["path"], data["content"]), (path, "😀"))

    def test_refuses_lone_surrogates_and_the_repeat_with_good_text_succeeds(self):
        for body in (
            b'{"path": "/x", "content": "\\ud83d"}',
            b'{"path": "/x", "content": "\\ude00\\ud83d"}',
            b'{"path": "/x\\ud83d", "content": ""}',
            b'{"path": "/x", "content": "\xed\xa0\xbd"}',
            b'{"path": "/x", "content": "\xff"}',
        ):
            with self.subTest(body=body):
                self.assertInvalid(self.refuse(body=body), "not valid JSON in UTF-8")
        self.assertOk(self.call(body={"path": "/x", "content": "good"}))

    def test_never_overwrites(self):
        for content in ("Black.\n", "other"):
            response = self.refuse(body={"path": "/tea.md", "content": content})
            self.assertPathConflict(response, "/tea.md", self.memory.id)

    def test_refuses_a_path_through_a_memory_or_above_one(self):
        below = make_memory(actor=self.actor, store=self.store, path="/a/b/c")
        for path, blocking in (
            ("/tea.md/x", self.memory),
            ("/a", below),
            ("/a/b", below),
            ("/a/b/c/d/e", below),
        ):
            with self.subTest(path=path):
                response = self.refuse(body={"path": path, "content": ""})
                self.assertPathConflict(response, blocking.path, blocking.id)

    def test_keeps_apart_what_only_looks_alike(self):
        self.assertOk(self.call(body={"path": "/Site Roadmap.md", "content": ""}))
        self.assertOk(self.call(body={"path": "/site-roadmap.md", "content": ""}))
        self.assertOk(self.call(body={"path": "/café.md", "content": ""}))
        response = self.refuse(body={"path": "/cafe\u0301.md", "content": ""})
        self.assertInvalid(response, "NFC")

    def test_refuses_an_archived_store(self):
        stores.archive_store(actor=self.actor, store_id=self.store.id)
        self.assertInvalid(self.refuse(), "archived")
        self.assertInvalid(self.refuse(body={"path": "/tea.md", "content": ""}), "archived")

    def test_refuses_a_full_store(self):
        MemoryStore.objects.filter(id=self.store.id).update(memory_count=10_000)
        self.assertInvalid(self.refuse(), "full")
        self.assertPathConflict(
            self.refuse(body={"path": "/tea.md", "content": ""}), "/tea.md", self.memory.id
        )

    def test_a_repeated_create_names_the_memory_just_made(self):
        made = self.assertOk(self.call())
        self.assertPathConflict(self.refuse(), "/new.md", made["id"])

    def test_its_version_names_the_key(self):
        data = self.assertOk(self.call(key=self.writer))
        version = MemoryVersion.objects.get(id=data["memory_version_id"])
        self.assertEqual(
            (version.actor_type, version.actor_id, version.actor_label, version.road),
            ("api_actor", self.writer_key.id, "Agent", "api"),
        )


class ListMemoriesTest(MemoryQuestions):
    template = "/v1/memory_stores/{store}/memories"
    bad_queries = [
        *VIEWS,
        *LIMITS,
        *PAGES,
        *NUL[:2],
        *(({"depth": depth}, "depth must be a whole number") for depth in ("2", "-1", "x", "1.0")),
        *(
            ({"path_prefix": prefix}, "path_prefix")
            for prefix in (
                "a", "a/", "/a", "//", "/a//", "/../", "/./", "/a\0/", "/\u200b/", "/e\u0301/",
                "/" + "s/" * 21, "/" + "x" * 1023 + "/",
            )
        ),
    ]  # fmt: skip

    @classmethod
    def setUpTestData(cls):
        super().setUpTestData()
        cls.rows = [
            make_memory(actor=cls.actor, store=cls.store, path=path, content=f"at {path}")
            for path in ("/a-b", "/a.md", "/a/x", "/a/y/1", "/a/y/2", "/a0", "/ä/ö")
        ] + [cls.memory]
        cls.rows.sort(key=lambda row: row.path.encode())
        make_memory(actor=cls.actor, store=make_store(actor=cls.actor), path="/a/elsewhere")

    def pages(self, **query):
        """The paths on each page."""
        pages, page = [], None
        while True:
            data = self.assertOk(self.call(query=query | ({"page": page} if page else {})))
            self.assertEqual(set(data), {"data", "next_page"})
            pages.append([item["path"] for item in data["data"]])
            if data["next_page"] is None:
                return pages
            self.assertNotEqual(data["next_page"], page)
            page = data["next_page"]

    def test_shows_whole_memories_in_byte_order(self):
        data = self.assertOk(self.call())
        self.assertEqual(data, {"data": [as_json(row) for row in self.rows], "next_page": None})

    def test_the_full_view_shows_the_content_too(self):
        data = self.assertOk(self.call(query={"view": "full"}))
        self.assertEqual(data["data"], [as_json(row, row.content) for row in self.rows])
        self.assertEqual(data["data"][0]["content"], "at /a-b")

    def test_depth_1_shows_folders_as_prefixes(self):
        data = self.assertOk(self.call(query={"depth": 1}))
        self.assertEqual(
            [item["path"] for item in data["data"]], ["/a-b", "/a.md", "/a/", "/a0", "/tea.md", "/ä/"]
        )
        self.assertEqual(data["data"][2], {"type": "memory_prefix", "path": "/a/"})
        self.assertEqual(data["data"][0], as_json(self.rows[0]))
        # A prefix is the next path_prefix.
        data = self.assertOk(self.call(query={"depth": 1, "path_prefix": "/a/"}))
        self.assertEqual([item["path"] for item in data["data"]], ["/a/x", "/a/y/"])

    def test_folders(self):
        for prefix, paths in (
            ("", [row.path for row in self.rows]),
            ("/", [row.path for row in self.rows]),
            ("/a/", ["/a/x", "/a/y/1", "/a/y/2"]),
            ("/A/", []),
            ("/a-b/", []),
            ("/ä/", ["/ä/ö"]),
            ("/%/", []),
            ("/none/", []),
        ):
            with self.subTest(prefix=prefix):
                self.assertEqual(self.pages(path_prefix=prefix, depth=0), [paths])

    def test_pages_count_memories_and_prefixes(self):
        for depth, whole in (
            (0, [row.path for row in self.rows]),
            (1, ["/a-b", "/a.md", "/a/", "/a0", "/tea.md", "/ä/"]),
        ):
            for limit in range(1, len(whole) + 2):
                for view in ("basic", "full"):
                    with self.subTest(depth=depth, limit=limit, view=view):
                        pages = self.pages(depth=depth, limit=limit, view=view)
                        self.assertEqual(pages, [whole[i : i + limit] for i in range(0, len(whole), limit)])

    def test_a_full_page_holds_at_most_twenty(self):
        for number in range(30):
            make_memory(actor=self.actor, store=self.store, path=f"/many/{number:02}/x")
        for query, sizes in (
            ({"view": "full", "limit": 100}, [20, 18]),
            ({"view": "full", "limit": 7}, [7, 7, 7, 7, 7, 3]),
            ({"view": "full", "depth": 1, "path_prefix": "/many/", "limit": 100}, [20, 10]),
            ({"limit": 100}, [38]),
            ({}, [20, 18]),
        ):
            with self.subTest(**query):
                self.assertEqual([len(page) for page in self.pages(**query)], sizes)

    def test_a_list_shows_what_was_just_written(self):
        self.assertOk(self.api("POST", self.url(), {"path": "/zz", "content": ""}))
        self.assertEqual(self.pages()[0][-2:], ["/zz", "/ä/ö"])
        self.assertOk(self.api("POST", self.memory_url, {"path": "/aaa"}))
        self.assertNotIn("/tea.md", self.pages()[0])
        self.assertOk(self.api("DELETE", self.memory_url))
        self.assertNotIn("/aaa", self.pages()[0])

    def test_nothing_is_an_empty_page(self):
        store = make_store(actor=self.actor)
        for query in ({}, {"depth": 1}, {"path_prefix": "/x/"}):
            response = self.api("GET", self.url(store=store.id), query=query)
            self.assertEqual(self.assertOk(response), {"data": [], "next_page": None})

    def test_takes_and_ignores_the_former_order(self):
        query = {"order_by": "created_at", "order": "desc", "unknown": "x"}
        self.assertEqual(self.pages(**query), self.pages())

    def test_empty_parameters_count_as_absent(self):
        query = {"path_prefix": "", "page": "", "limit": "", "depth": "", "view": ""}
        self.assertEqual(self.pages(**query), self.pages())

    def test_works_in_an_archived_store(self):
        stores.archive_store(actor=self.actor, store_id=self.store.id)
        self.assertEqual(self.pages(), [[row.path for row in self.rows]])

    def test_the_same_queries_for_any_number(self):
        for query in ({}, {"view": "full"}, {"depth": 1, "view": "full"}, {"path_prefix": "/a/"}):
            for limit in (1, 3):
                with self.subTest(**query, limit=limit), self.assertQueries(2):
                    self.call(query={"limit": limit, **query})

    def test_texts_served_to_an_agent_count_as_reads(self):
        read = Memory.objects.filter(last_read_at__isnull=False)
        self.call(key=self.reader)
        self.call(key=self.admin, query={"view": "full"})
        self.assertEqual(read.count(), 0)
        self.call(key=self.reader, query={"view": "full", "path_prefix": "/a/", "depth": 1})
        self.assertEqual([memory.path for memory in read], ["/a/x"])


class RetrieveMemoryTest(MemoryQuestions):
    template = "/v1/memory_stores/{store}/memories/{memory}"
    bad_queries = VIEWS

    def test_shows_it_whole(self):
        self.assertEqual(self.assertOk(self.call()), as_json(self.memory, "Black.\n"))

    def test_views(self):
        for view, content in (("full", "Black.\n"), ("basic", None), ("", "Black.\n")):
            data = self.assertOk(self.call(query={"view": view}))
            self.assertEqual(data, as_json(self.memory, content))

    def test_an_empty_text_is_not_null(self):
        memory = make_memory(actor=self.actor, store=self.store, content="")
        data = self.assertOk(self.call(url=self.url(memory=memory.id)))
        self.assertEqual((data["content"], data["content_size_bytes"]), ("", 0))

    def test_every_text_comes_back_as_it_went_in(self):
        for text in ("a\r\nb\rc\n", "\ufeff", "e\u0301\u200d", "\x01\x7f\x9f", "😀" * 25_600, "\ufffe\uffff"):
            with self.subTest(text=text[:3]):
                body = {"path": f"/{ord(text[0])}", "content": text}
                made = self.assertOk(self.api("POST", f"{self.store_url}/memories", body))
                data = self.assertOk(self.call(url=self.url(memory=made["id"])))
                self.assertEqual(data["content"], text)
                self.assertEqual(data["content_sha256"], hash_of(text))

    def test_a_deleted_memory_is_not_found(self):
        memories.delete_memory(actor=self.actor, store_id=self.store.id, memory_id=self.memory.id)
        self.assertError(self.refuse(), 404, "not_found_error")

    def test_works_in_an_archived_store(self):
        stores.archive_store(actor=self.actor, store_id=self.store.id)
        self.assertEqual(self.assertOk(self.call())["content"], "Black.\n")

    def test_an_agents_read_counts_and_an_operators_does_not(self):
        self.call(key=self.admin)
        self.call(key=self.reader, query={"view": "basic"})
        self.assertIsNone(self.row().last_read_at)
        data = self.assertOk(self.call(key=self.writer))
        self.assertIsNotNone(self.row().last_read_at)
        self.assertEqual(data, as_json(self.memory, "Black.\n"))

    def test_takes_one_query(self):
        with self.assertQueries(1):
            self.call()


class UpdateMemoryTest(MemoryQuestions):
    method = "POST"
    template = "/v1/memory_stores/{store}/memories/{memory}"
    body = {"content": "new"}
    keys = ("admin", "writer")
    bad_queries = VIEWS
    bad_bodies = [
        ({}, "needs content, path or both"),
        ({"content": None}, "needs content, path or both"),
        ({"content": None, "path": None, "precondition": None}, "needs content, path or both"),
        ({"precondition": {"type": "content_sha256", "content_sha256": OTHER_HASH}}, "needs content"),
        ({"content": 1}, "`str"),
        ({"content": ["x"]}, "`str"),
        ({"path": {}}, "`str"),
        ({"content": "x", "precondition": "x"}, "precondition"),
        ({"content": "x", "precondition": []}, "precondition"),
        ({"content": "x", "precondition": {}}, "precondition"),
        ({"content": "x", "precondition": {"type": "content_sha256"}}, "content_sha256"),
        ({"content": "x", "precondition": {"content_sha256": OTHER_HASH}}, "type"),
        ({"content": "x", "precondition": {"type": "etag", "content_sha256": OTHER_HASH}}, "etag"),
        ({"content": "x", "precondition": {"type": None, "content_sha256": OTHER_HASH}}, "precondition"),
        (
            {"content": "x", "precondition": {"type": "content_sha256", "content_sha256": None}},
            "content_sha256",
        ),
        (
            {
                "content": "x",
                "precondition": {"type": "content_sha256", "content_sha256": OTHER_HASH, "more": 1},
            },
            "unknown field",
        ),
        *(
            (
                {"content": "x", "precondition": {"type": "content_sha256", "content_sha256": value}},
                "64 lower",
            )
            for value in BAD_HASHES
        ),
        *(({"path": path}, rule) for path, rule in BAD_PATHS),
        *(({"content": content}, rule) for content, rule in BAD_CONTENTS),
    ]

    def precondition(self, text):
        return {"type": "content_sha256", "content_sha256": hash_of(text)}

    def test_changes_the_content_in_one_version(self):
        versions = MemoryVersion.objects.count()
        data = self.assertOk(self.call(body={"content": "new\r\n"}))
        row = self.row()
        self.assertEqual(data, as_json(row))
        self.assertEqual((row.content, row.path, row.head_seq), ("new\r\n", "/tea.md", 3))
        self.assertEqual(data["created_at"], self.memory.created_at)
        self.assertGreater(data["updated_at"], self.memory.updated_at)
        self.assertNotEqual(data["memory_version_id"], self.memory.head_version_id)
        self.assertEqual(MemoryVersion.objects.count(), versions + 1)

    def test_renames_in_one_version(self):
        for body in ({"path": "/b/c.md"}, {"content": None, "path": "/d.md", "precondition": None}):
            data = self.assertOk(self.call(body=body))
            self.assertEqual(
                (data["id"], data["path"], data["content_sha256"]),
                (self.memory.id, body["path"], self.memory.content_sha256),
            )
            self.assertEqual(data, as_json(self.row()))
        self.assertEqual(self.row().head_seq, 4)

    def test_changes_both_in_one_version(self):
        self.assertOk(self.call(body={"content": "new", "path": "/b.md"}))
        row = self.row()
        self.assertEqual((row.content, row.path, row.head_seq), ("new", "/b.md", 3))

    def test_views(self):
        for view, content in (("", None), ("basic", None), ("full", "{}")):
            for body in ({"content": "{}"}, {"path": f"/x{view}"}, {"path": f"/x{view}"}):
                with self.subTest(view=view, body=body):
                    data = self.assertOk(self.call(body=body, query={"view": view}))
                    self.assertEqual(data, as_json(self.row(), content))

    def test_what_is_already_so_changes_nothing_whatever_the_precondition(self):
        for body in (
            {"content": "Black.\n"},
            {"path": "/tea.md"},
            {"content": "Black.\n", "path": "/tea.md"},
        ):
            for precondition in (None, self.precondition("Black.\n"), self.precondition("other")):
                with self.subTest(body=body, precondition=precondition):
                    response = self.refuse(body=body | {"precondition": precondition})
                    self.assertEqual(self.assertOk(response), as_json(self.memory))

    def test_a_lost_answer_and_a_retry_make_one_version(self):
        body = {"content": "new", "precondition": self.precondition("Black.\n")}
        first = self.assertOk(self.call(body=body))
        self.assertEqual(self.assertOk(self.refuse(body=body)), first)

    def test_a_precondition_that_holds(self):
        self.assertOk(self.call(body={"content": "new", "precondition": self.precondition("Black.\n")}))
        self.assertOk(self.call(body={"path": "/b", "precondition": self.precondition("new")}))

    def test_a_precondition_that_fails(self):
        for body in ({"content": "new"}, {"path": "/b"}, {"content": "new", "path": "/b"}):
            with self.subTest(body=body):
                response = self.refuse(body=body | {"precondition": self.precondition("Green.\n")})
                self.assertPreconditionFailed(response)

    def test_never_renames_over_another(self):
        other = make_memory(actor=self.actor, store=self.store, path="/d/e")
        for path in ("/d/e", "/d", "/d/e/f"):
            with self.subTest(path=path):
                response = self.refuse(body={"path": path})
                self.assertPathConflict(response, "/d/e", other.id)
        response = self.refuse(body={"path": "/d", "precondition": self.precondition("x")})
        self.assertPreconditionFailed(response)

    def test_renames_below_itself(self):
        self.assertEqual(self.assertOk(self.call(body={"path": "/tea.md/b"}))["path"], "/tea.md/b")

    def test_refuses_an_archived_store(self):
        stores.archive_store(actor=self.actor, store_id=self.store.id)
        for body in ({"content": "new"}, {"content": "Black.\n"}, {"path": "/b"}):
            self.assertInvalid(self.refuse(body=body), "archived")

    def test_a_full_store_can_still_be_changed(self):
        MemoryStore.objects.filter(id=self.store.id).update(memory_count=10_000)
        self.assertOk(self.call(body={"content": "new", "path": "/b"}))

    def test_takes_no_other_method_for_a_change(self):
        for method in ("PUT", "PATCH"):
            self.assertEqual(self.refuse(method=method).status_code, 405)


class DeleteMemoryTest(MemoryQuestions):
    method = "DELETE"
    template = "/v1/memory_stores/{store}/memories/{memory}"
    keys = ("admin", "writer")
    bad_queries = [({"expected_content_sha256": value}, "64 lowercase") for value in BAD_HASHES]

    def test_ends_it_with_one_version(self):
        versions = MemoryVersion.objects.count()
        data = self.assertOk(self.call())
        self.assertEqual(data, {"id": self.memory.id, "type": "memory_deleted"})
        self.assertFalse(Memory.objects.filter(id=self.memory.id).exists())
        self.assertEqual(MemoryVersion.objects.count(), versions + 1)
        last = MemoryVersion.objects.get(memory_id=self.memory.id, operation="deleted")
        self.assertEqual((last.path, last.content, last.actor_id), ("/tea.md", None, self.admin_key.id))

    def test_a_second_time_finds_nothing(self):
        self.assertOk(self.call())
        self.assertError(self.refuse(), 404, "not_found_error")

    def test_frees_the_path_for_another_memory(self):
        self.assertOk(self.call())
        data = self.assertOk(
            self.api("POST", f"{self.store_url}/memories", {"path": "/tea.md", "content": "Black.\n"})
        )
        self.assertNotEqual(data["id"], self.memory.id)

    def test_a_hash_that_fits(self):
        self.assertOk(self.call(query={"expected_content_sha256": hash_of("Black.\n")}))

    def test_a_hash_that_does_not(self):
        self.assertPreconditionFailed(self.refuse(query={"expected_content_sha256": hash_of("Green.\n")}))

    def test_works_in_an_archived_store(self):
        stores.archive_store(actor=self.actor, store_id=self.store.id)
        self.assertOk(self.call())


class MemoriesOfPeopleTest(ApiTestCase):
    def test_what_a_person_wrote_is_shown_like_anything(self):
        person = make_person(workspace=self.workspace)
        memory = make_memory(actor=person, store=self.store, path="/x")
        make_version(actor=person, memory=memory, content="person's")
        before = all_rows()
        data = self.assertOk(self.api("GET", f"{self.store_url}/memories/{memory.id}"))
        self.assertEqual((data["content"], all_rows()), ("person's", before))
