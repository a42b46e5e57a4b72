"""What the SDK's own repeats do to the server, with no idempotency key to go by (C 6)."""

from collections.abc import Callable
from typing import Any

import httpx2
import pytest
from anthropic import ConflictError, NotFoundError

from tests.clients.sdk import NOWHERE, LosesAnswers, LosesAnswersAsync, every, got, matching, refused, sha256

pytestmark = [pytest.mark.served, pytest.mark.anyio]


class TestConflicts:
    async def test_are_not_repeated(self, connect: Any, store: Any) -> None:
        """An SDK repeats every 409 twice, unless told that it is of no use."""
        client, sent = connect.recorded()
        memories = client.beta.memory_stores.memories
        memory = await got(memories.create(store.id, path="/a", content="x"))
        await got(memories.create(store.id, path="/b", content="x"))
        stale = {"type": "content_sha256", "content_sha256": NOWHERE}
        inside = {"memory_store_id": store.id}
        for ask, error_type in (
            (lambda: memories.create(store.id, path="/a", content="y"), "memory_path_conflict_error"),
            (lambda: memories.update(memory.id, path="/b", **inside), "memory_path_conflict_error"),
            (
                lambda: memories.update(memory.id, content="y", precondition=stale, **inside),
                "memory_precondition_failed_error",
            ),
            (
                lambda: memories.delete(memory.id, expected_content_sha256=NOWHERE, **inside),
                "memory_precondition_failed_error",
            ),
        ):
            sent.clear()
            with refused(ConflictError, error_type):
                await got(ask())
            assert [request.headers["x-stainless-retry-count"] for request in sent] == ["0"]


class TestLostAnswers:
    @pytest.fixture
    def lossy(self, connect: Any) -> tuple[Any, Any]:
        if connect.is_async:
            transport: Any = LosesAnswersAsync()
            return connect(http_client=httpx2.AsyncClient(transport=transport)), transport
        transport = LosesAnswers()
        return connect(http_client=httpx2.Client(transport=transport)), transport

    async def repeated(self, lossy: tuple[Any, Any], ask: Callable[[], Any]) -> Any:
        """The answer to the second try; the server has carried out the first."""
        _, transport = lossy
        transport.lose = 1
        try:
            return await got(ask())
        finally:
            assert transport.lose == 0

    async def test_of_a_create_end_as_a_conflict_with_itself(self, lossy: Any, store: Any) -> None:
        client, _ = lossy
        memories = client.beta.memory_stores.memories
        with refused(ConflictError, "memory_path_conflict_error") as caught:
            await self.repeated(lossy, lambda: memories.create(store.id, path="/a", content="x"))
        [made] = await every(memories.list(store.id))
        assert caught.value.body["error"]["conflicting_memory_id"] == made.id
        assert made.content_sha256 == sha256("x")
        assert len(await every(client.beta.memory_stores.memory_versions.list(store.id))) == 1

    async def test_of_an_update_end_as_if_nothing_had_been(self, lossy: Any, store: Any) -> None:
        client, _ = lossy
        memories = client.beta.memory_stores.memories
        memory = await got(memories.create(store.id, path="/a", content="one"))
        updated = await self.repeated(
            lossy,
            lambda: memories.update(
                memory.id, memory_store_id=store.id, content="two", precondition=matching("one")
            ),
        )
        assert updated.content_sha256 == sha256("two")
        found = await every(client.beta.memory_stores.memory_versions.list(store.id))
        assert [version.id for version in found] == [updated.memory_version_id, memory.memory_version_id]

    async def test_of_a_rename_end_as_if_nothing_had_been(self, lossy: Any, store: Any) -> None:
        client, _ = lossy
        memories = client.beta.memory_stores.memories
        memory = await got(memories.create(store.id, path="/a", content="one"))
        moved = await self.repeated(
            lossy, lambda: memories.update(memory.id, memory_store_id=store.id, path="/b")
        )
        assert (moved.id, moved.path) == (memory.id, "/b")
        assert len(await every(client.beta.memory_stores.memory_versions.list(store.id))) == 2

    async def test_of_a_delete_end_as_not_found(self, lossy: Any, store: Any) -> None:
        client, _ = lossy
        memories = client.beta.memory_stores.memories
        memory = await got(memories.create(store.id, path="/a", content="one"))
        with refused(NotFoundError, "not_found_error"):
            await self.repeated(lossy, lambda: memories.delete(memory.id, memory_store_id=store.id))
        assert len(await every(client.beta.memory_stores.memory_versions.list(store.id))) == 2

    async def test_of_archive_and_redact_end_unchanged(self, lossy: Any, store: Any) -> None:
        client, _ = lossy
        stores, inside = client.beta.memory_stores, {"memory_store_id": store.id}
        memory = await got(stores.memories.create(store.id, path="/a", content="one"))
        await got(stores.memories.update(memory.id, content="two", **inside))
        redacted = await self.repeated(
            lossy, lambda: stores.memory_versions.redact(memory.memory_version_id, **inside)
        )
        assert await got(stores.memory_versions.retrieve(memory.memory_version_id, **inside)) == redacted
        archived = await self.repeated(lossy, lambda: stores.archive(store.id))
        assert await got(stores.retrieve(store.id)) == archived
