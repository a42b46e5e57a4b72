"""The official Python SDK, unmodified, against a started `serve`."""

from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
from anthropic import Anthropic, AsyncAnthropic

from tests.clients.sdk import Connect, got, last_line


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session", params=[Anthropic, AsyncAnthropic], ids=["sync", "async"])
async def connect(request: pytest.FixtureRequest, served: Any) -> AsyncIterator[Connect]:
    """Makes clients: every test that uses it runs once with the sync and once with the async class."""
    connect = Connect(request.param, served.base_url, served.admin_key)
    yield connect
    for client in connect.opened:
        await got(client.close())


@pytest.fixture
def client(connect: Connect) -> Any:
    return connect()


@pytest.fixture(scope="session")
def operator(served: Any) -> Iterator[Anthropic]:
    with Anthropic(base_url=served.base_url, api_key=served.admin_key) as operator:
        yield operator


@pytest.fixture
def store(request: pytest.FixtureRequest, operator: Anthropic) -> Any:
    """An empty store of the test's own."""
    return operator.beta.memory_stores.create(name=request.node.name[:255])


@pytest.fixture(scope="session")
def stranger_key(served: Any) -> str:
    """The key of an admin of another workspace on the same server."""
    workspace_id = last_line(served.manage("create_workspace", "Elsewhere"))
    return last_line(served.manage("create_api_key", "stranger", "--workspace", workspace_id))
