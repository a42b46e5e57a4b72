"""The OpenAPI document says what the API does: nothing more, nothing less, nothing else."""

from contextlib import suppress

import jsonschema_rs
import msgspec
from django.conf import settings
from django.test import SimpleTestCase
from django.urls import get_resolver
from openapi_spec_validator import OpenAPIV31SpecValidator

from stores.api import openapi
from stores.api.requests import Query
from stores.api.road import Call, Resource
from stores.domain import limits
from stores.domain.errors import NotFound
from stores.models import Role
from tests.cases import NOTHING, ApiTestCase
from tests.factories import make_memory, make_person, make_version

METHODS = {"get", "put", "post", "delete", "options", "head", "patch", "trace"}


def schema_of(response):
    return response["content"]["application/json"]["schema"]


class DocumentTest(ApiTestCase):
    url = "/v1/openapi.json"

    def test_is_there_for_everybody(self):
        for key in (None, "", self.reader):
            response = self.api("GET", self.url, key=key, headers={"anthropic-beta": None})
            self.assertEqual(self.assertOk(response)["openapi"], "3.1.0")
            self.assertRegex(response["request-id"], r"\Areq_")
            self.assertNotIn("anthropic-workspace-id", response)

    def test_is_read_only(self):
        for method in ("POST", "PUT", "PATCH", "DELETE", "OPTIONS"):
            response = self.api(method, self.url)
            self.assertError(response, 405, "invalid_request_error")
            self.assertEqual(response["allow"], "GET")

    def test_is_valid(self):
        document = self.assertOk(self.api("GET", self.url))
        self.assertEqual(list(OpenAPIV31SpecValidator(document).iter_errors()), [])


class RoutesTest(SimpleTestCase):
    """Every route and method is in the document, and nothing else is."""

    document = openapi.document()

    def operations(self):
        return {
            (path, method)
            for path, item in self.document["paths"].items()
            for method in item
            if method in METHODS
        }

    def test_every_route_and_method_is_in_it_and_nothing_else(self):
        served = set()
        for pattern in get_resolver(settings.API_URLCONF).url_patterns:
            path = "/" + str(pattern.pattern).replace("<str:", "{").replace(">", "}")
            methods = pattern.callback.endpoints if isinstance(pattern.callback, Resource) else ["GET"]
            served.update((path, method.lower()) for method in methods)
        self.assertEqual(self.operations(), served)
        self.assertGreaterEqual(len(served), 15)

    def test_nothing_is_described_that_is_not_there(self):
        named = {
            (pattern.name, method)
            for pattern in get_resolver(settings.API_URLCONF).url_patterns
            if isinstance(pattern.callback, Resource)
            for method in pattern.callback.endpoints
        }
        self.assertEqual(set(openapi.ENDPOINTS), named)

    def test_every_operation_has_a_name_of_its_own(self):
        names = [self.document["paths"][path][method]["operationId"] for path, method in self.operations()]
        self.assertEqual(len(names), len(set(names)))

    def test_asks_for_a_key_everywhere_but_here(self):
        self.assertEqual(self.document["security"], [{"bearer": []}, {"apiKey": []}])
        open_to_all = [
            path for path, method in self.operations() if "security" in self.document["paths"][path][method]
        ]
        self.assertEqual(open_to_all, ["/v1/openapi.json"])

    def test_every_operation_tells_all_its_statuses(self):
        conflicts = {"create_memory", "update_memory", "delete_memory"}
        for path, method in self.operations():
            operation = self.document["paths"][path][method]
            statuses = {"200", "500"}
            if path != "/v1/openapi.json":
                statuses |= {"400", "401", "403", "503"}
            if "{" in path:
                statuses.add("404")
            if method != "get":
                statuses.add("413")
            if operation["operationId"] in conflicts:
                statuses.add("409")
            with self.subTest(path=path, method=method):
                self.assertEqual(set(operation["responses"]), statuses)


class ShapesTest(SimpleTestCase):
    document = openapi.document()

    def schemas(self):
        return self.document["components"]["schemas"]

    def test_every_object_is_closed(self):
        def objects(node, where):
            if isinstance(node, dict):
                if node.get("type") == "object" and where != "/paths//v1/openapi.json":
                    yield where, node
                for key, value in node.items():
                    yield from objects(value, f"{where}/{key}")
            elif isinstance(node, list):
                for place, value in enumerate(node):
                    yield from objects(value, f"{where}/{place}")

        found = dict(objects(self.document, ""))
        self.assertGreater(len(found), 20)
        for where, schema in found.items():
            if "openapi.json" not in where:
                with self.subTest(where):
                    self.assertIn("additionalProperties", schema)

    def test_every_answer_has_every_key(self):
        for name in (
            "MemoryStore",
            "Memory",
            "MemoryPrefix",
            "MemoryVersion",
            "DeletedStore",
            "DeletedMemory",
        ):
            schema = self.schemas()[name]
            with self.subTest(name):
                self.assertEqual(set(schema["required"]), set(schema["properties"]))

    def test_tells_the_limits(self):
        create = self.schemas()["CreateStore"]["properties"]
        self.assertEqual(
            (create["name"]["minLength"], create["name"]["maxLength"]), (1, limits.STORE_NAME_CHARACTERS)
        )
        self.assertEqual(create["description"]["maxLength"], limits.STORE_DESCRIPTION_CHARACTERS)
        metadata = create["metadata"]
        self.assertEqual(
            (
                metadata["maxProperties"],
                metadata["propertyNames"]["maxLength"],
                metadata["additionalProperties"]["maxLength"],
            ),
            (limits.METADATA_PAIRS, limits.METADATA_KEY_CHARACTERS, limits.METADATA_VALUE_CHARACTERS),
        )
        memory = self.schemas()["CreateMemory"]["properties"]
        self.assertEqual(
            (memory["path"]["maxLength"], memory["content"]["maxLength"]),
            (limits.PATH_BYTES, limits.CONTENT_BYTES),
        )

    def test_instants_are_marked_as_such(self):
        schema = self.schemas()["MemoryStore"]["properties"]
        self.assertEqual(schema["created_at"]["format"], "date-time")
        self.assertEqual(schema["archived_at"]["anyOf"][0]["format"], "date-time")

    def test_names_no_page_of_our_own(self):
        text = openapi.document_bytes().decode()
        for word in ("(C ", "decisions.md", "stores.api", "PageObject"):
            self.assertNotIn(word, text)


class ReadParametersTest(ApiTestCase):
    """The parameters in the document are those that the views read."""

    def test_each_endpoint(self):
        # Nothing is there to be found: a view reads its whole query before it asks for anything.
        ids = {"store_id": "memstore_none", "memory_id": "mem_none", "version_id": "memver_none"}
        for pattern in get_resolver(settings.API_URLCONF).url_patterns:
            if not isinstance(pattern.callback, Resource):
                continue
            for method, endpoint in pattern.callback.endpoints.items():
                with self.subTest(pattern.name, method=method):
                    described = openapi.ENDPOINTS[pattern.name, method]
                    documented = set(described.query) | ({"view"} if described.view else set())
                    read = Recording()
                    names = {name: value for name, value in ids.items() if name in str(pattern.pattern)}
                    body = msgspec.convert(BODIES.get(endpoint.body.__name__, {}), endpoint.body)
                    with suppress(NotFound):
                        endpoint.view(Call(self.actor, Query(read), body), **names)
                    self.assertEqual(read.names, documented)


BODIES = {
    "CreateStore": {"name": "x"},
    "UpdateStore": {},
    "CreateMemory": {"path": "/x", "content": ""},
    "UpdateMemory": {"path": "/y"},
}


class Recording(dict):
    """An empty query that notes what it is asked for."""

    def __init__(self):
        super().__init__()
        self.names = set()

    def get(self, name, default=None):
        self.names.add(name)
        return default


class AnswersTest(ApiTestCase):
    """Real answers against the schemas of the document; the fuzzing test does the same at large."""

    def test_each_kind_of_answer_fits_its_schema(self):
        document = openapi.document()
        person = make_person(workspace=self.workspace, role=Role.EDITOR)
        memory = make_memory(actor=person, store=self.store, path="/dir/x")
        make_version(actor=person, memory=memory)
        old = memory.head_version_id
        create = {"path": "/new", "content": ""}
        store_url = "/v1/memory_stores/{store_id}"
        for path, method, url, body, status in (
            ("/v1/memory_stores", "post", "/v1/memory_stores", {"name": "x"}, "200"),
            ("/v1/memory_stores", "get", "/v1/memory_stores", NOTHING, "200"),
            ("/v1/memory_stores", "get", "/v1/memory_stores?limit=0", NOTHING, "400"),
            (f"{store_url}/memories", "get", f"{self.store_url}/memories?depth=1&limit=1", NOTHING, "200"),
            (f"{store_url}/memories", "post", f"{self.store_url}/memories", create, "200"),
            (f"{store_url}/memories", "post", f"{self.store_url}/memories", create, "409"),
            (f"{store_url}/memory_versions", "get", f"{self.store_url}/memory_versions", NOTHING, "200"),
            (
                f"{store_url}/memory_versions/{{version_id}}/redact",
                "post",
                f"{self.store_url}/memory_versions/{old}/redact",
                NOTHING,
                "200",
            ),
            (f"{store_url}/archive", "post", f"{self.store_url}/archive", {}, "200"),
            (store_url, "delete", self.store_url, NOTHING, "200"),
            (store_url, "get", self.store_url, NOTHING, "404"),
        ):
            with self.subTest(path=path, method=method, status=status):
                response = self.api(method.upper(), url, body)
                self.assertEqual(str(response.status_code), status, response.content)
                described = document["paths"][path][method]["responses"][status]
                schema = {**schema_of(described), "components": document["components"]}
                validator = jsonschema_rs.Draft202012Validator(schema, validate_formats=True)
                self.assertEqual([str(e) for e in validator.iter_errors(response.json())], [])
                for name in described["headers"]:
                    self.assertIn(name, response)
