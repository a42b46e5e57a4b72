"""The way of every API request: route, authenticate, check, call one view, encode.

The order of refusals is that of contract/memory_stores_api.md, section 2. The answer is always JSON.
"""

import logging
import os
import re
from collections.abc import Callable
from typing import Any

import msgspec
from django.conf import settings
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.urls import Resolver404, get_resolver

from stores.api import requests
from stores.api.auth import authenticate, check_workspace
from stores.api.errors import ApiError, describe
from stores.api.requests import NoBody, Query
from stores.domain.actors import Actor, Right

logger = logging.getLogger("stores.api")

ORGANIZATION_ID = "org_self_hosted"
encoder = msgspec.json.Encoder()

ID = re.compile(r"[A-Za-z0-9_-]{1,100}", re.ASCII)
# Stands for whatever is not even shaped like one: some of it no database could be asked for, and that it
# is unknown must come out in its turn, behind the checks of query and body.
NOT_AN_ID = "(not an id)"


class Call(msgspec.Struct, frozen=True):
    """A request that was let in: who asks, and what."""

    actor: Actor
    query: Query
    body: Any


View = Callable[..., Any]


class Endpoint(msgspec.Struct, frozen=True):
    """A view with what must be true before it is called."""

    view: View
    right: Right
    body: type[msgspec.Struct]
    has_body: bool


class Resource:
    """One address: a view per method.

    memory_stores = Resource()

    @memory_stores.on("POST", right=Right.MANAGE, body=StoreParams)
    def create(call: Call) -> MemoryStoreObject: ...
    """

    def __init__(self) -> None:
        self.endpoints: dict[str, Endpoint] = {}

    def on(
        self, method: str, *, right: Right, body: type[msgspec.Struct] | None = None
    ) -> Callable[[View], View]:
        def register(view: View) -> View:
            self.endpoints[method] = Endpoint(view, right, body or NoBody, body is not None)
            return view

        return register

    def __call__(self, request: HttpRequest, **names: str) -> Any:
        endpoint = self.endpoints.get(request.method or "")
        if endpoint is None:
            allowed = ", ".join(self.endpoints)
            raise ApiError(405, "invalid_request_error", f"This address takes {allowed}.", {"allow": allowed})
        request.actor = actor = authenticate(request)  # type: ignore[attr-defined]
        check_workspace(request, actor)
        actor.require(endpoint.right)
        requests.check_version(request)
        requests.check_memory_beta(request)
        body: Any = None
        if request.method != "GET":
            raw = requests.read_body(request)
            if endpoint.has_body or raw:
                body = requests.decode_body(raw, endpoint.body)
        ids = {name: value if ID.fullmatch(value) else NOT_AN_ID for name, value in names.items()}
        return endpoint.view(Call(actor, requests.read_query(request), body), **ids)


def answer(request: HttpRequest) -> HttpResponse:
    """The response to any request below /v1/."""
    request_id = "req_01" + os.urandom(11).hex()
    headers: dict[str, str] = {}
    try:
        match = _resolve(request.path_info)
        result = match.func(request, *match.args, **match.kwargs)
        response = result if isinstance(result, HttpResponse) else _json(200, encoder.encode(result))
    except Exception as error:  # noqa: BLE001 - the last one who can answer in JSON
        status, body, headers = _describe(error, request_id)
        response = _json(
            status,
            encoder.encode({"type": "error", "error": body, "request_id": request_id}),
        )
    for name, value in headers.items():
        response[name] = value
    response["request-id"] = request_id
    actor: Actor | None = getattr(request, "actor", None)
    if actor is not None:
        response["anthropic-organization-id"] = ORGANIZATION_ID
        response["anthropic-workspace-id"] = actor.workspace_id
    return response


def _resolve(path: str) -> Any:
    try:
        return get_resolver(settings.API_URLCONF).resolve(path)
    except Resolver404:
        raise ApiError(404, "not_found_error", "There is nothing at this address.") from None


def _json(status: int, body: bytes) -> HttpResponse:
    return HttpResponse(body, status=status, content_type="application/json")


def _describe(error: Exception, request_id: str) -> tuple[int, dict[str, Any], dict[str, str]]:
    try:
        return describe(error)
    except (OperationalError, InterfaceError):
        # The database is away or overloaded; the SDKs try again.
        logger.exception("Database unavailable during %s", request_id)
        body = {"type": "api_error", "message": "The database cannot be reached right now."}
        return 503, body, {"retry-after": "1"}
    except Exception:
        logger.exception("Unexpected error during %s", request_id)
        return 500, {"type": "api_error", "message": "Something went wrong on our side."}, {}
