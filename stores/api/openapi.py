"""The OpenAPI document of the API, put together from what answers the requests.

Addresses come from the URL patterns, methods and bodies from the resources, answers from what the views are
annotated to return. Only what no code states is written here: a sentence and the query parameters per
endpoint. Tests hold these to the views.
"""

import re
from functools import cache
from typing import Any, get_type_hints

import msgspec
from django.conf import settings
from django.urls import URLPattern, get_resolver

from stores.api.representations import WireType
from stores.api.requests import AGENTS_BETA, API_VERSIONS, MEMORY_BETA
from stores.api.road import Endpoint, Resource
from stores.domain.limits import PAGE_ITEMS, PAGE_ITEMS_DEFAULT, PAGE_ITEMS_WITH_CONTENT
from stores.models import Operation

REF = "#/components/schemas/{name}"

PATH_CONFLICT = "memory_path_conflict_error"
PRECONDITION_FAILED = "memory_precondition_failed_error"
ERROR_TYPES = {
    400: ["invalid_request_error"],
    401: ["authentication_error"],
    403: ["permission_error"],
    404: ["not_found_error"],
    409: [PATH_CONFLICT, PRECONDITION_FAILED],
    413: ["request_too_large"],
    500: ["api_error"],
    503: ["api_error"],
}
MEANINGS = {
    400: "The request, or what it asks for, breaks a rule.",
    401: "No API key, or one that is unknown, revoked or expired.",
    403: "The API key lacks the right, or anthropic-workspace-id names another workspace.",
    404: "There is no such object in this workspace and store.",
    409: "Somebody else got there first; nothing was changed.",
    413: "The request body is too large.",
    500: "Something went wrong on the server's side; nothing was changed.",
    503: "The database cannot be reached right now; try again.",
}


class Described(msgspec.Struct, frozen=True):
    """What no code says of an endpoint."""

    summary: str
    query: tuple[str, ...] = ()
    view: str | None = None  # the default of the parameter `view`, where there is one
    conflicts: tuple[str, ...] = ()


ENDPOINTS = {
    ("memory_stores", "POST"): Described("Create a memory store"),
    ("memory_stores", "GET"): Described(
        "List memory stores, newest first",
        ("include_archived", "created_at[gte]", "created_at[lte]", "limit", "page"),
    ),
    ("memory_store", "GET"): Described("Retrieve a memory store"),
    ("memory_store", "POST"): Described("Update a memory store"),
    ("memory_store", "DELETE"): Described("Delete a memory store with all its memories and versions"),
    ("memory_store_archive", "POST"): Described("Archive a memory store, for good"),
    ("memories", "POST"): Described("Create a memory", view="basic", conflicts=(PATH_CONFLICT,)),
    ("memories", "GET"): Described(
        "List memories in byte order of their paths",
        ("path_prefix", "depth", "limit", "page"),
        view="basic",
    ),
    ("memory", "GET"): Described("Retrieve a memory", view="full"),
    ("memory", "POST"): Described(
        "Update a memory's content, path or both",
        view="basic",
        conflicts=(PATH_CONFLICT, PRECONDITION_FAILED),
    ),
    ("memory", "DELETE"): Described(
        "Delete a memory", ("expected_content_sha256",), conflicts=(PRECONDITION_FAILED,)
    ),
    ("memory_versions", "GET"): Described(
        "List memory versions, newest first",
        (
            "memory_id",
            "operation",
            "session_id",
            "api_key_id",
            "service_account_id",
            "created_at[gte]",
            "created_at[lte]",
            "limit",
            "page",
        ),
        view="basic",
    ),
    ("memory_version", "GET"): Described("Retrieve a memory version", view="full"),
    ("memory_version_redact", "POST"): Described("Empty a memory version, for good"),
}

TEXT = {"type": "string"}
INSTANT = {"type": "string", "format": "date-time"}
QUERY: dict[str, tuple[str, dict[str, Any]]] = {
    "limit": (
        f"Items on a page. With view=full a page holds at most {PAGE_ITEMS_WITH_CONTENT}.",
        {"type": "integer", "minimum": 1, "maximum": PAGE_ITEMS, "default": PAGE_ITEMS_DEFAULT},
    ),
    "page": (
        "next_page of the page before, with the same filters. limit and view may change.",
        TEXT,
    ),
    "include_archived": ("", {"type": "boolean", "default": False}),
    "created_at[gte]": ("Not before this instant, which carries an offset.", INSTANT),
    "created_at[lte]": ("Not after this instant, which carries an offset.", INSTANT),
    "path_prefix": (
        "A folder, with '/' at both ends; matches whole segments. Absent or '/' is the whole store.",
        {"type": "string", "pattern": "^(/.*/|/|)$"},
    ),
    "depth": (
        "0 lists the whole subtree; 1 only direct children, deeper paths rolled up into memory_prefix items.",
        {"type": "integer", "enum": [0, 1], "default": 0},
    ),
    "expected_content_sha256": (
        "Delete only if this is the current content's hash.",
        {"type": "string", "pattern": "^[0-9a-f]{64}$"},
    ),
    "memory_id": ("Versions of this memory, which may be deleted.", TEXT),
    "operation": ("", {"type": "string", "enum": list(Operation.values)}),
    "session_id": ("Versions written by this session.", TEXT),
    "api_key_id": ("Versions written by this API key.", TEXT),
    "service_account_id": ("Versions written by this service account.", TEXT),
}
HEADERS: list[dict[str, Any]] = [
    {
        "name": "anthropic-beta",
        "in": "header",
        "required": True,
        "description": "A comma-separated list that holds exactly one of these two; other names are ignored.",
        "schema": {"type": "string", "enum": [MEMORY_BETA, AGENTS_BETA]},
    },
    {
        "name": "anthropic-version",
        "in": "header",
        "schema": {"type": "string", "enum": sorted(API_VERSIONS)},
    },
    {
        "name": "anthropic-workspace-id",
        "in": "header",
        "description": "If present, the API key's own workspace.",
        "schema": {"type": "string"},
    },
]
# The names of path parameters with the beginning of the ids they stand for.
ID_PREFIXES = {"store_id": "memstore_", "memory_id": "mem_", "version_id": "memver_"}
ANSWER_HEADERS = {
    "request-id": ("Names this answer; the same as request_id of an error.", "^req_"),
    "anthropic-organization-id": ("", ""),
    "anthropic-workspace-id": ("The API key's workspace.", "^wrkspc_"),
}


@cache
def document_bytes() -> bytes:
    return msgspec.json.encode(document())


def document() -> dict[str, Any]:
    """The whole document, version 3.1."""
    operations = list(_operations())
    schemas = _schemas([shape for *_, endpoint in operations if endpoint for shape in _shapes(endpoint)])
    paths: dict[str, dict[str, Any]] = {}
    for path, name, method, endpoint in operations:
        described = _describe(path, name, method, endpoint, schemas) if endpoint else _public(name)
        paths.setdefault(path, {})[method.lower()] = described
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Memory stores",
            "version": max(API_VERSIONS),
            "description": "Stores, memories and their versions, as the official Anthropic SDKs call them.",
        },
        "servers": [{"url": "/"}],
        "paths": paths,
        "components": {
            "schemas": dict(sorted(schemas.components.items())),
            "securitySchemes": {
                "bearer": {"type": "http", "scheme": "bearer"},
                "apiKey": {"type": "apiKey", "in": "header", "name": "x-api-key"},
            },
        },
        "security": [{"bearer": []}, {"apiKey": []}],
    }


def _operations() -> Any:
    """(path, route name, method, endpoint); the endpoint is None where no key is asked for."""
    for pattern in get_resolver(settings.API_URLCONF).url_patterns:
        assert isinstance(pattern, URLPattern)
        path = "/" + re.sub(r"<\w+:(\w+)>", r"{\1}", str(pattern.pattern))
        if not isinstance(pattern.callback, Resource):
            yield path, pattern.name, "GET", None
            continue
        for method, endpoint in pattern.callback.endpoints.items():
            yield path, pattern.name, method, endpoint


class Schemas(msgspec.Struct, frozen=True):
    """What stands under `components`, and how each type is referred to."""

    of: dict[Any, dict[str, Any]]
    components: dict[str, dict[str, Any]]


def _shapes(endpoint: Endpoint) -> list[Any]:
    return [endpoint.body, get_type_hints(endpoint.view)["return"]]


def _schemas(shapes: list[Any]) -> Schemas:
    shapes = list(dict.fromkeys(shapes))
    references, components = msgspec.json.schema_components(shapes, ref_template=REF)
    answers = {kind.__name__ for kind in WireType.__subclasses__()}
    for name, schema in components.items():
        if name in answers or name.startswith("PageObject"):
            _complete_answer(schema)
        schema["title"] = _plain_name(name)
        if "description" in schema:
            schema["description"] = re.sub(r" \(C [\d.]+\)", "", schema["description"])
    renamed = msgspec.json.decode(
        re.sub(
            rf'"{re.escape(REF.format(name=""))}([^"]+)"',
            lambda found: f'"{REF.format(name=_plain_name(found[1]))}"',
            msgspec.json.encode([list(references), components]).decode(),
        )
    )
    return Schemas(
        dict(zip(shapes, renamed[0], strict=True)),
        {_plain_name(name): schema for name, schema in renamed[1].items()},
    )


def _complete_answer(schema: dict[str, Any]) -> None:
    """What holds of all objects that we send: each key always, no other, instants in the `_at` keys."""
    schema["additionalProperties"] = False
    schema["required"] = list(schema["properties"])
    for key, value in schema["properties"].items():
        if key.endswith("_at"):
            for case in value.get("anyOf", [value]):
                if case == TEXT:
                    case["format"] = "date-time"


def _plain_name(name: str) -> str:
    """`PageObject_…MemoryObject_` → `MemoryPage`: without module names and the suffix that code needs."""
    if name.startswith("PageObject_"):
        items = re.findall(r"([A-Z][A-Za-z]*)Object", name.removeprefix("PageObject_"))
        return "Or".join(items) + "Page"
    return name.removesuffix("Object")


def _describe(path: str, name: str, method: str, endpoint: Endpoint, schemas: Schemas) -> dict[str, Any]:
    described = ENDPOINTS[name, method]
    body, answer = (schemas.of[shape] for shape in _shapes(endpoint))
    statuses = [400, 401, 403, 500, 503]
    if "{" in path:
        statuses.append(404)
    operation: dict[str, Any] = {
        "operationId": endpoint.view.__name__,
        "summary": described.summary,
        "parameters": [*_path_parameters(path), *_query_parameters(described), *HEADERS],
    }
    if method != "GET":
        statuses.append(413)
        operation["requestBody"] = {
            "required": endpoint.has_body,
            "content": {"application/json": {"schema": body}},
        }
    errors = {str(status): _error(status, ERROR_TYPES[status]) for status in statuses}
    if described.conflicts:
        errors["409"] = _error(409, list(described.conflicts))
    operation["responses"] = {"200": _answer("As asked.", answer), **dict(sorted(errors.items()))}
    return operation


def _public(name: str) -> dict[str, Any]:
    assert name == "openapi"
    return {
        "operationId": "openapi_document",
        "summary": "This document",
        "security": [],
        "responses": {
            "200": _answer("As asked.", {"type": "object"}, known=False),
            "500": _error(500, ERROR_TYPES[500], known=False),
        },
    }


def _path_parameters(path: str) -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "in": "path",
            "required": True,
            "schema": {"type": "string", "pattern": f"^{ID_PREFIXES[name]}[0-9A-Za-z]+$"},
        }
        for name in re.findall(r"{(\w+)}", path)
    ]


def _query_parameters(described: Described) -> list[dict[str, Any]]:
    parameters = [
        {"name": name, "in": "query", "description": QUERY[name][0], "schema": QUERY[name][1]}
        for name in described.query
    ]
    if described.view:
        parameters.append(
            {
                "name": "view",
                "in": "query",
                "description": "full carries the content, basic does not.",
                "schema": {"type": "string", "enum": ["basic", "full"], "default": described.view},
            }
        )
    return parameters


def _answer(meaning: str, schema: dict[str, Any], *, known: bool = True) -> dict[str, Any]:
    """A response; `known` when it is known who asks."""
    headers = {
        name: {"description": text, "required": True, "schema": {"type": "string", "pattern": pattern or "."}}
        for name, (text, pattern) in ANSWER_HEADERS.items()
        if known or name == "request-id"
    }
    return {
        "description": meaning,
        "headers": headers,
        "content": {"application/json": {"schema": schema}},
    }


def _error(status: int, types: list[str], *, known: bool = True) -> dict[str, Any]:
    error: dict[str, Any] = {
        "type": "object",
        "properties": {"type": {"enum": types}, "message": {"type": "string", "minLength": 1}},
        "required": ["type", "message"],
        "additionalProperties": False,
    }
    if PATH_CONFLICT in types:
        error["properties"] |= {
            "conflicting_path": {"description": "Where the memory in the way is.", "type": "string"},
            "conflicting_memory_id": {"type": "string", "pattern": f"^{ID_PREFIXES['memory_id']}"},
        }
    schema = {
        "type": "object",
        "properties": {
            "type": {"const": "error"},
            "error": error,
            "request_id": {"type": "string", "pattern": "^req_"},
        },
        "required": ["type", "error", "request_id"],
        "additionalProperties": False,
    }
    response = _answer(MEANINGS[status], schema, known=known and status != 401)
    for name, stands_on in (("www-authenticate", 401), ("x-should-retry", 409), ("retry-after", 503)):
        if status == stands_on:
            response["headers"][name] = {"required": True, "schema": {"type": "string"}}
    return response
