"""schemathesis makes requests from the OpenAPI document, right ones and wrong ones, and holds the answers to
what is documented.
"""

import pytest
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.core.parameters import ParameterLocation
from schemathesis.openapi import from_wsgi
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from stores.api import openapi
from stores.domain.actors import key_actor
from stores.models import Memory, MemoryStore
from tests.factories import make_api_key, make_memory, make_store, make_version, make_workspace

pytestmark = [pytest.mark.slow, pytest.mark.django_db]

OPERATIONS = [(path, method) for path, item in openapi.document()["paths"].items() for method in item]
EXAMPLES = 50
# Left out: that valid data is accepted (no schema can say what a path is), and that requests without a key
# are refused (tests/api/questions.py asks that of every endpoint).
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]


class World:
    """Something behind every id, so that requests get past the 404."""

    def __init__(self):
        workspace = make_workspace()
        key, self.secret = make_api_key(workspace=workspace)
        self.actor = key_actor(api_key=key)
        self.workspace_id = workspace.id
        self.ids = {}

    def settle(self):
        """Makes good what earlier requests have deleted or archived."""
        if (
            MemoryStore.objects.filter(id=self.ids.get("store_id"), archived_at=None).exists()
            and Memory.objects.filter(id=self.ids["memory_id"]).exists()
        ):
            return
        store = make_store(actor=self.actor)
        memory = make_memory(actor=self.actor, store=store, path="/notes/todo.md")
        make_version(actor=self.actor, memory=memory)
        make_memory(actor=self.actor, store=store, path="/a.md")
        self.ids = {"store_id": store.id, "memory_id": memory.id, "version_id": memory.head_version_id}

    def put_real_ids(self, case):
        case.path_parameters.update({k: v for k, v in self.ids.items() if k in case.path_parameters})
        if "anthropic-workspace-id" in case.headers:
            case.headers["anthropic-workspace-id"] = self.workspace_id


@pytest.fixture(autouse=True)
def _the_connection_stays_open():
    """A request would close it, and the test's transaction with it; Django's test client does the same."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


def is_wrong_body(case):
    body = case.meta.components.get(ParameterLocation.BODY)
    return body is not None and body.mode is GenerationMode.NEGATIVE


@pytest.mark.parametrize("mode", list(GenerationMode), ids=lambda mode: mode.value)
@pytest.mark.parametrize(("path", "method"), OPERATIONS)
def test_answers_as_documented(path, method, mode):
    world = World()
    schema = from_wsgi("/v1/openapi.json", get_wsgi_application())
    operation = schema[path][method]
    statuses = set()

    @settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck))
    @given(operation.as_strategy(generation_mode=mode), st.integers(0, 9))
    def answers(case, chance):
        world.settle()
        if chance or mode is GenerationMode.POSITIVE:
            world.put_real_ids(case)
        response = case.call_and_validate(headers={"authorization": f"Bearer {world.secret}"}, checks=CHECKS)
        if is_wrong_body(case):
            assert response.status_code >= 400
        statuses.add(response.status_code)

    if mode is GenerationMode.NEGATIVE and path == "/v1/openapi.json":
        return  # it takes nothing that could be wrong
    answers()
    # Or all of it would have bounced off the first check.
    assert (200 if mode is GenerationMode.POSITIVE else 400) in statuses
