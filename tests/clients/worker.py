"""The SDK's own sync worker on a folder of the test's, and what its folder and its store hold."""

import time
from pathlib import Path
from typing import Any

import pytest
from anthropic import AsyncAnthropic, DefaultAsyncHttpxClient
from anthropic.lib.tools import _memories
from anthropic.lib.tools._memories import MARKER_PATH, MIN_MEMORY_SYNC_INTERVAL, SessionMemoryStores
from anthropic.types.beta import BetaManagedAgentsSession
from anthropic.types.beta.sessions import BetaManagedAgentsMemoryStoreResource


class Clock:
    """The worker's clock, which only ever looks at differences of it."""

    def __init__(self) -> None:
        self.ahead = 0.0

    def __call__(self) -> float:
        return time.monotonic() + self.ahead

    def forward(self, seconds: float) -> None:
        self.ahead += seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(_memories, "monotonic", clock)
    return clock


class Worker:
    """One agent's run: `SessionMemoryStores` over one store, given a session that names it."""

    def __init__(self, client: AsyncAnthropic, store: Any, folder: Path, clock: Clock, access: str) -> None:
        self.client = client
        self.store = store
        self.folder = folder
        self.clock = clock
        self.stores = SessionMemoryStores(
            client, workdir=folder.parent, sync_interval=MIN_MEMORY_SYNC_INTERVAL
        )
        self.session = BetaManagedAgentsSession.construct(
            status="running",
            resources=[
                BetaManagedAgentsMemoryStoreResource(
                    type="memory_store",
                    memory_store_id=store.id,
                    access=access,
                    name=store.name,
                    mount_path=str(folder),
                )
            ],
        )

    async def download(self) -> None:
        await self.stores.download(self.session)

    async def sync(self) -> None:
        """One sync of the kind that follows the agent's tool calls."""
        self.clock.forward(MIN_MEMORY_SYNC_INTERVAL)
        await self.stores.sync_if_due()

    async def sync_deletes(self) -> None:
        """Two syncs, far enough apart for what is missing in both to be deleted."""
        await self.sync()
        self.clock.forward(_memories.DELETE_CORROBORATION_SECONDS)
        await self.sync()

    def write(self, path: str, text: str | bytes) -> None:
        file = self.folder / path.lstrip("/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode() if isinstance(text, str) else text)

    def remove(self, path: str) -> None:
        (self.folder / path.lstrip("/")).unlink()

    def files(self) -> dict[str, bytes]:
        """Everything in the folder, as the paths and bytes of memories."""
        found = {
            "/" + file.relative_to(self.folder).as_posix(): file.read_bytes()
            for file in self.folder.rglob("*")
            if file.is_file()
        }
        assert found.pop("/" + MARKER_PATH).decode() == f"version 1\n{self.store.id}"
        return found


class Requests(list[str]):
    """What a client puts on the wire, as "METHOD path?query"; the prefix of every path left out."""

    async def note(self, request: Any) -> None:
        path = request.url.raw_path.decode().partition("/memory_stores/memstore_")[2].partition("/")[2]
        self.append(f"{request.method} {path}")

    @property
    def writes(self) -> list[str]:
        return [line for line in self if not line.startswith("GET ")]


def recording_client(base_url: str, api_key: str) -> tuple[AsyncAnthropic, Requests]:
    sent = Requests()
    http_client = DefaultAsyncHttpxClient(event_hooks={"request": [sent.note]})
    return AsyncAnthropic(base_url=base_url, api_key=api_key, http_client=http_client), sent
