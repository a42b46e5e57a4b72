"""Test cases with the people of the story at hand."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

from django.test import TestCase

from stores.api import auth
from stores.api.requests import MEMORY_BETA
from stores.domain.actors import key_actor
from stores.models import Access, ApiKey, Membership, Memory, MemoryStore, MemoryVersion, User, Workspace
from tests.factories import make_api_key, make_memory, make_store, make_workspace

NOTHING: Any = object()


class ApiTestCase(TestCase):
    """One workspace with an operator's key (`admin`), an agent's (`writer`), a reader's, and a stranger's
    from another workspace; `store` and `memory` are there, written by the operator.
    """

    @classmethod
    def setUpTestData(cls) -> None:
        cls.workspace = make_workspace()
        cls.admin_key, cls.admin = make_api_key(workspace=cls.workspace, name="Operator")
        cls.writer_key, cls.writer = make_api_key(
            workspace=cls.workspace, name="Agent", access=Access.READ_WRITE
        )
        cls.reader_key, cls.reader = make_api_key(
            workspace=cls.workspace, name="Reader", access=Access.READ_ONLY
        )
        cls.stranger_key, cls.stranger = make_api_key(name="Stranger")
        cls.actor = key_actor(api_key=cls.admin_key)
        cls.store = make_store(actor=cls.actor, description="What we know", metadata={"team": "support"})
        cls.memory = make_memory(actor=cls.actor, store=cls.store, path="/tea.md", content="Green.\n")

    @property
    def store_url(self) -> str:
        return f"/v1/memory_stores/{self.store.id}"

    @property
    def memory_url(self) -> str:
        return f"{self.store_url}/memories/{self.memory.id}"

    @contextmanager
    def assertQueries(self, number: int) -> Iterator[None]:
        """So many queries once the key is known, however slow the machine is."""
        with mock.patch.object(auth, "time", mock.Mock(**{"monotonic.return_value": time.monotonic()})):
            self.api("GET", f"{self.store_url}/memories/none")
            with self.assertNumQueries(number):
                yield

    def api(
        self,
        method: str,
        path: str,
        body: Any = NOTHING,
        *,
        key: str | None = "",
        query: dict[str, Any] | None = None,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """A request as the SDK sends it. `body` is sent as JSON, bytes as they are; `key` is the admin's
        unless another one is given, None for none; a header given as None is left out.
        """
        sent: dict[str, Any] = {"anthropic-version": "2026-10-21", "anthropic-beta": MEMORY_BETA}
        if key is not None:
            sent["authorization"] = f"Bearer {key or self.admin}"
        sent |= headers or {}
        data = b"" if body is NOTHING else body
        if not isinstance(data, bytes):
            data = json.dumps(data).encode()
        return self.client.generic(
            method,
            path,
            data,
            content_type="application/json",
            query_params=query,
            headers={name: value for name, value in sent.items() if value is not None},
        )

    def assertError(self, response: Any, status: int, kind: str, message: str = "") -> None:
        """The answer is this error, in the one shape that all have; `message` is part of its text."""
        self.assertEqual(
            (response.status_code, response["content-type"]),
            (status, "application/json"),
            response.content,
        )
        body = response.json()
        self.assertEqual(set(body), {"type", "error", "request_id"})
        self.assertEqual(body["type"], "error")
        self.assertEqual(body["error"]["type"], kind, body)
        self.assertRegex(body["error"]["message"], r"\A[A-Za-z].*\.\Z")
        self.assertIn(message, body["error"]["message"])
        self.assertEqual(body["request_id"], response["request-id"])

    def assertInvalid(self, response: Any, message: str = "") -> None:
        self.assertError(response, 400, "invalid_request_error", message)

    def assertOk(self, response: Any) -> Any:
        """The answer is a success; its JSON."""
        self.assertEqual(
            (response.status_code, response["content-type"]), (200, "application/json"), response.content
        )
        return response.json()


# What a refused request must leave as it was. A key's last use is noted, which is no change.
RECORDS = (Workspace, User, Membership, ApiKey, MemoryStore, Memory, MemoryVersion, MemoryStore.history.model)


def all_rows() -> dict[str, list[tuple]]:
    """Every row of every table of ours, to be compared before and after."""
    return {
        model.__name__: sorted(
            model.objects.values_list(
                *[f.attname for f in model._meta.concrete_fields if f.name != "last_used_at"]
            ),
            key=repr,
        )
        for model in RECORDS
    }
