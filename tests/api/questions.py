"""What is asked of every endpoint, whatever it does: who may call it, with which headers, and what becomes of
requests that are wrong. A class per endpoint says how it is called and inherits the questions.
"""

from datetime import timedelta
from unittest import mock

from django.db import transaction

from stores.api import auth
from stores.api.requests import AGENTS_BETA, MEMORY_BETA
from stores.domain import api_keys, clock, memories, stores
from tests.cases import NOTHING, ApiTestCase, all_rows
from tests.factories import make_actor, make_api_key, make_memory, make_store, make_version

DEEP = 100_000
# What no endpoint takes as a body. A body of nothing at all and `{}` are each one's own affair.
NO_JSON = [
    b"{",
    b"}",
    b"{}x",
    b"{'a': 1}",
    b'{"a": NaN}',
    b"\xef\xbb\xbf{}",
    b"\xff\xfe{\x00}\x00",
    b"\x00",
    b'{"\xff": 1}',
    b'{"a": "\xed\xa0\xbd"}',
    b'{"\\ud83d": 1}',
    b'{"a": "\\udc00\\ud800"}',
    b'{"a": "x\ny"}',
    b'{"a": ' * DEEP,
    b"[" * DEEP,
]
NO_OBJECT = [b"[]", b"null", b'"text"', b"1", b"true", b"9" * 5000, b'[{"name": "x"}]']
UNKNOWN_KEYS = [{"unknown": 1}, {"id": "x"}, {"Name": "x"}, {"type": "memory"}, {"": ""}, {"\0": 0}]
METHODS = ("GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE", "TRACE", "CONNECT", "BREW")
# Nothing that could be an id, and things that have tripped servers.
NO_IDS = ["x", "%20", "%00", "%ff", "%ed%a0%80", "..", ".", "%C3%A9", "'", "%25", "a" * 3000, "null", "%0A"]


class EndpointQuestions(ApiTestCase):
    """`template` is the address with {store}, {memory} and {version}; `body` one that works; `keys` who may
    call it. Everything is there: a memory with an older version, which may be redacted.
    """

    __test__ = False

    method = "GET"
    template = ""
    body = NOTHING
    keys = ("admin", "writer", "reader")
    # Bodies and queries that break a rule of this endpoint, with a part of the message.
    bad_bodies: list = []
    bad_queries: list = []

    def __init_subclass__(cls, **options):
        super().__init_subclass__(**options)
        # Only what names an endpoint is a test itself.
        cls.__test__ = cls.__dict__.get("__test__", True)

    @classmethod
    def setUpTestData(cls):
        super().setUpTestData()
        cls.old_version_id = cls.memory.head_version_id
        make_version(actor=cls.actor, memory=cls.memory, content="Black.\n")
        cls.memory = memories.get_memory(actor=cls.actor, store_id=cls.store.id, memory_id=cls.memory.id)

    def url(self, **ids):
        known = {"store": self.store.id, "memory": self.memory.id, "version": self.old_version_id}
        return self.template.format(**(known | ids))

    def names(self):
        return [name for name in ("store", "memory", "version") if "{" + name + "}" in self.template]

    def call(self, url=None, body=NOTHING, **options):
        body = self.body if body is NOTHING else body
        return self.api(options.pop("method", self.method), url or self.url(), body, **options)

    def assertChangesNothing(self, response_of):
        before = all_rows()
        response = response_of()
        self.assertEqual(all_rows(), before)
        return response

    def refuse(self, **options):
        return self.assertChangesNothing(lambda: self.call(**options))

    # Who asks

    def test_asks_for_a_key(self):
        for headers in (
            {},
            {"authorization": ""},
            {"authorization": "Bearer"},
            {"authorization": "Bearer  "},
            {"authorization": self.admin},
            {"authorization": f"Basic {self.admin}"},
            {"authorization": "Bearer unknown"},
            {"authorization": f"Bearer {self.admin}x"},
            {"authorization": f"Bearer {self.admin.swapcase()}"},
            {"authorization": f"Bearer {self.admin_key.id}"},
            {"authorization": "Bearer \xe9\xff"},
            {"authorization": f"Bearer {'x' * 10_000}"},
            {"x-api-key": ""},
            {"x-api-key": "unknown"},
            {"authorization": "Bearer unknown", "x-api-key": self.admin},
        ):
            with self.subTest(headers=headers):
                response = self.refuse(key=None, headers=headers)
                self.assertError(response, 401, "authentication_error")
                self.assertEqual(response["www-authenticate"], "Bearer")
                for name in ("anthropic-workspace-id", "anthropic-organization-id"):
                    self.assertNotIn(name, response)

    def test_takes_the_key_in_either_header(self):
        response = self.call(key=None, headers={"x-api-key": self.admin})
        self.assertOk(response)

    def test_takes_the_scheme_in_any_case(self):
        self.assertOk(self.call(key=None, headers={"authorization": f"bearer   {self.admin} "}))

    def test_a_revoked_key_is_none(self):
        api_keys.revoke_api_key(api_key=self.admin_key)
        self.assertError(self.refuse(), 401, "authentication_error")

    def test_an_expired_key_is_none(self):
        _, expired = make_api_key(workspace=self.workspace, expires_at=clock.now_utc())
        self.assertError(self.refuse(key=expired), 401, "authentication_error")
        _, later = make_api_key(workspace=self.workspace, expires_at=clock.now_utc() + timedelta(minutes=1))
        self.assertOk(self.call(key=later))

    def test_a_revocation_holds_within_a_second(self):
        time = mock.Mock(**{"monotonic.return_value": 1000.0})
        with mock.patch.object(auth, "time", time):
            self.assertOk(self.call())
            api_keys.revoke_api_key(api_key=self.admin_key)
            time.monotonic.return_value += 0.999
            self.assertError(self.refuse(), 401, "authentication_error")

    def test_knows_each_kind_of_key(self):
        for name in ("admin", "writer", "reader"):
            if name not in self.keys:
                with self.subTest(name):
                    response = self.refuse(key=getattr(self, name))
                    self.assertError(response, 403, "permission_error", "This credential may not")
                    self.assertEqual(response["anthropic-workspace-id"], self.workspace.id)

    def test_works_for_the_least_of_its_keys(self):
        self.assertOk(self.call(key=getattr(self, self.keys[-1])))

    def test_a_stranger_finds_nothing(self):
        if self.names():
            self.assertError(self.refuse(key=self.stranger), 404, "not_found_error")

    def test_a_key_limited_to_other_stores_finds_nothing(self):
        if self.names():
            other = make_store(actor=self.actor)
            _, limited = make_api_key(workspace=self.workspace, store_ids=[other.id])
            self.assertError(self.refuse(key=limited), 404, "not_found_error")

    # Headers

    def test_a_named_workspace_must_be_the_keys(self):
        self.assertOk(self.call(headers={"anthropic-workspace-id": self.workspace.id}))

    def test_another_workspace_is_refused(self):
        for workspace_id in (self.stranger_key.workspace_id, "wrkspc_none", "x"):
            response = self.refuse(headers={"anthropic-workspace-id": workspace_id})
            self.assertError(response, 403, "permission_error", "anthropic-workspace-id")
            self.assertEqual(response["anthropic-workspace-id"], self.workspace.id)

    def test_needs_exactly_one_of_the_two_beta_names(self):
        for value in (None, "", ",", "other-2026-01-01", MEMORY_BETA.upper(), f"{MEMORY_BETA}x"):
            with self.subTest(value=value):
                response = self.refuse(headers={"anthropic-beta": value})
                self.assertInvalid(response, "anthropic-beta must name")
        for value in (
            f"{MEMORY_BETA},{AGENTS_BETA}",
            f"{AGENTS_BETA} , x,{MEMORY_BETA},{MEMORY_BETA}",
        ):
            with self.subTest(value=value):
                response = self.refuse(headers={"anthropic-beta": value})
                self.assertInvalid(response, "anthropic-beta must not name both")

    def test_knows_two_versions_of_the_api(self):
        for value in ("2026-10-22", "1", "latest", "2026-10-21,2023-06-01"):
            with self.subTest(value=value):
                response = self.refuse(headers={"anthropic-version": value})
                self.assertInvalid(response, "anthropic-version must be")

    def test_takes_what_sdks_send(self):
        for headers in (
            {"anthropic-version": "2023-06-01", "anthropic-beta": AGENTS_BETA},
            {"anthropic-version": None},
            {"anthropic-beta": f"{MEMORY_BETA},{MEMORY_BETA}"},
            {"anthropic-beta": f"other-2026-01-01, {MEMORY_BETA} ,"},
            {"x-stainless-retry-count": "2", "accept": "application/json"},
        ):
            with self.subTest(headers=headers):
                response = self.in_a_savepoint(lambda headers=headers: self.call(headers=headers))
                self.assertOk(response)
        self.assertOk(self.in_a_savepoint(lambda: self.call(query={"beta": "true", "order_by": "path"})))

    def in_a_savepoint(self, response_of):
        """The answer to a call that is taken back, so that the next finds everything as it was."""
        with transaction.atomic():
            response = response_of()
            transaction.set_rollback(True)
        return response

    def test_its_answer_names_request_workspace_and_organization(self):
        seen = set()
        for _ in range(2):
            response = self.in_a_savepoint(self.call)
            self.assertRegex(response["request-id"], r"\Areq_01\w+\Z")
            seen.add(response["request-id"])
            self.assertEqual(response["anthropic-workspace-id"], self.workspace.id)
            self.assertTrue(response["anthropic-organization-id"])
        self.assertEqual(len(seen), 2)

    # What is wrong with the request

    def test_other_methods_are_told_which_there_are(self):
        allowed = self.call(method="BREW")["allow"]
        self.assertIn(self.method, allowed.split(", "))
        for method in METHODS:
            if method not in allowed.split(", "):
                with self.subTest(method):
                    response = self.refuse(method=method)
                    self.assertEqual((response.status_code, response["allow"]), (405, allowed))
                    if method != "HEAD":
                        self.assertError(response, 405, "invalid_request_error", "This address takes")

    def test_ids_that_are_none_are_not_found(self):
        for name in self.names():
            other_kind = self.memory.id if name == "store" else self.store.id
            for no_id in [*NO_IDS, other_kind, getattr(self, name, self.store).id[:-1] if name != "version"
                          else self.old_version_id[:-1]]:  # fmt: skip
                with self.subTest(name=name, id=no_id[:40]):
                    response = self.refuse(url=self.url(**{name: no_id}))
                    self.assertError(response, 404, "not_found_error")

    def test_things_of_another_store_or_workspace_are_not_found(self):
        stranger = make_actor()
        for actor in (self.actor, stranger):
            store = make_store(actor=actor)
            memory = make_memory(actor=actor, store=store)
            old_version_id = memory.head_version_id
            make_version(actor=actor, memory=memory)
            foreign = {"store": store.id, "memory": memory.id, "version": old_version_id}
            for name in self.names():
                if name != "store" or actor is stranger:
                    with self.subTest(name=name, same_workspace=actor is self.actor):
                        response = self.refuse(url=self.url(**{name: foreign[name]}))
                        self.assertError(response, 404, "not_found_error")

    def test_everything_below_a_deleted_store_is_not_found(self):
        if self.names():
            stores.delete_store(actor=self.actor, store_id=self.store.id)
            self.assertError(self.refuse(), 404, "not_found_error")

    def test_bodies_that_are_no_json(self):
        if self.method == "GET":
            return
        for body in NO_JSON:
            with self.subTest(body=body[:20]):
                self.assertInvalid(self.refuse(body=body))
        for body in NO_OBJECT:
            with self.subTest(body=body[:20]):
                self.assertInvalid(self.refuse(body=body))
        for extra in UNKNOWN_KEYS:
            with self.subTest(extra=extra):
                body = extra | ({} if self.body is NOTHING else self.body)
                if body != self.body:
                    self.assertInvalid(self.refuse(body=body), "unknown field")

    def test_an_empty_body(self):
        if self.method == "GET":
            return
        if self.body is NOTHING:
            self.assertOk(self.in_a_savepoint(lambda: self.call(body=b"")))
            self.assertOk(self.in_a_savepoint(lambda: self.call(body={})))
        else:
            self.assertInvalid(self.refuse(body=b""), "not valid JSON")

    def test_a_body_that_is_too_large(self):
        if self.method != "GET":
            response = self.refuse(body=b'{"a": "' + b"x" * 1024 * 1024 + b'"}')
            self.assertError(response, 413, "request_too_large", "1048576 bytes")

    def test_its_own_bad_bodies(self):
        for body, message in self.bad_bodies:
            with self.subTest(body=str(body)[:80]):
                self.assertInvalid(self.refuse(body=body), message)

    def test_its_own_bad_queries(self):
        for query, message in self.bad_queries:
            with self.subTest(query=query):
                self.assertInvalid(self.refuse(query=query), message)

    def test_a_query_of_a_thousand_parameters(self):
        response = self.refuse(url=f"{self.url()}?{'&'.join(f'p{number}=1' for number in range(1100))}")
        self.assertInvalid(response, "too many parameters")

    # Which of several refusals comes first (contract/memory_stores_api.md, 2)

    def test_the_order_of_checks(self):
        bad_body = b"{" if self.method != "GET" else NOTHING
        nowhere = self.url(store="memstore_none", memory="mem_none", version="memver_none")
        nothing_right = {"url": nowhere, "body": bad_body, "headers": {"anthropic-beta": ""}}
        with self.subTest("authentication first"):
            response = self.refuse(key=None, **nothing_right)
            self.assertError(response, 401, "authentication_error")
        if "reader" not in self.keys:
            with self.subTest("then the right"):
                self.assertError(self.refuse(key=self.reader, **nothing_right), 403, "permission_error")
        with self.subTest("then the beta header"):
            self.assertInvalid(self.refuse(**nothing_right), "anthropic-beta")
        if bad_body is not NOTHING:
            with self.subTest("then the body"):
                self.assertInvalid(self.refuse(url=nowhere, body=bad_body), "not valid JSON")
        for body, message in self.bad_bodies:
            with self.subTest("then the body", body=str(body)[:80]):
                self.assertInvalid(self.refuse(url=nowhere, body=body), message)
        for query, message in self.bad_queries:
            with self.subTest("then the query", query=query):
                self.assertInvalid(self.refuse(url=nowhere, query=query), message)
                odd = self.url(store="%00", memory="%00", version="%00")
                self.assertInvalid(self.refuse(url=odd, query=query), message)
        if self.names():
            with self.subTest("then what is there"):
                self.assertError(self.refuse(url=nowhere), 404, "not_found_error")


VIEWS = [({"view": view}, "view must be one of basic, full") for view in ("none", "FULL", "full ", "0")]
LIMITS = [
    ({"limit": limit}, "limit must be a whole number from 1 to 100")
    for limit in ("0", "101", "-1", "1.0", "1e1", "x", "+1", " 1", "1_0", "٣", "9" * 30, "true")
]
INSTANTS = [
    ({f"created_at[{bound}]": value}, f"created_at[{bound}] must")
    for bound in ("gte", "lte")
    for value in (
        "x", "2026-11-30", "2026-11-30T12:00:00", "12:00", "1764504000", "2026-13-01T00:00:00Z",
        "2026-02-30T00:00:00Z", "2026-11-30T12:00:00+25:00", "now",
    )
]  # fmt: skip
NUL = [
    ({name: "x\0"}, f"{name} holds a character")
    for name in ("limit", "page", "created_at[gte]", "created_at[lte]", "view")
]
PAGES = [
    ({"page": page}, "page")
    for page in ("page", "page_", "page_AAAA", "page_é", "x", "page_" + "A" * 5000, "page_====", "memver_1")
]
