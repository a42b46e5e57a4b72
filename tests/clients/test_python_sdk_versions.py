"""V1 to V3 through the official Python SDK."""

from datetime import timedelta
from typing import Any

import pytest
from anthropic import BadRequestError, NotFoundError

from tests.clients.sdk import every, got, last_line, pages, refused, sha256

pytestmark = [pytest.mark.served, pytest.mark.anyio]

MICROSECOND = timedelta(microseconds=1)


async def life(client: Any, store: Any, path: str = "/a") -> tuple[Any, list[Any]]:
    """A memory that was made, changed, moved and deleted, and its versions, newest first."""
    memories = client.beta.memory_stores.memories
    memory = await got(memories.create(store.id, path=path, content="one"))
    inside = {"memory_store_id": store.id}
    await got(memories.update(memory.id, content="two", **inside))
    await got(memories.update(memory.id, path=path + "/moved", **inside))
    await got(memories.delete(memory.id, **inside))
    return memory, await every(client.beta.memory_stores.memory_versions.list(store.id, memory_id=memory.id))


class TestRetrieve:
    async def test_shows_the_text_unless_told_not_to(self, client: Any, store: Any) -> None:
        versions = client.beta.memory_stores.memory_versions
        memory, found = await life(client, store)
        inside = {"memory_store_id": store.id}
        for listed, text in zip(found, [None, "two", "two", "one"], strict=True):
            version = await got(versions.retrieve(listed.id, **inside))
            assert (version.id, version.content) == (listed.id, text)
            assert await got(versions.retrieve(listed.id, view="full", **inside)) == version
            assert await got(versions.retrieve(listed.id, view="basic", **inside)) == listed
            assert (version.type, version.memory_store_id, version.memory_id) == (
                "memory_version",
                store.id,
                memory.id,
            )
            assert (version.redacted_at, version.redacted_by) == (None, None)

    async def test_says_who_wrote_it(self, client: Any, store: Any) -> None:
        _, found = await life(client, store)
        assert {version.created_by.type for version in found} == {"api_actor"}
        [key_id] = {version.created_by.api_key_id for version in found}
        assert key_id.startswith("apikey_")

    async def test_knows_nothing_of_other_stores(self, client: Any, store: Any) -> None:
        stores = client.beta.memory_stores
        _, found = await life(client, store)
        other = await got(stores.create(name="other"))
        for unknown in (found[0].id, "memver_01x", "a/b"):
            with refused(NotFoundError, "not_found_error"):
                await got(stores.memory_versions.retrieve(unknown, memory_store_id=other.id))

    async def test_refuses_another_view(self, client: Any, store: Any) -> None:
        _, found = await life(client, store)
        with refused(BadRequestError):
            await got(
                client.beta.memory_stores.memory_versions.retrieve(
                    found[0].id, memory_store_id=store.id, view="summary"
                )
            )


class TestList:
    async def test_is_the_true_order_newest_first(self, client: Any, store: Any) -> None:
        _, found = await life(client, store)
        assert [(v.operation, v.path, v.content_sha256, v.content_size_bytes) for v in found] == [
            ("deleted", "/a/moved", None, None),
            ("modified", "/a/moved", sha256("two"), 3),
            ("modified", "/a", sha256("two"), 3),
            ("created", "/a", sha256("one"), 3),
        ]
        times = [version.created_at for version in found]
        assert times == sorted(times, reverse=True)
        assert len(set(times)) == 4
        assert {version.content for version in found} == {None}

    @pytest.mark.parametrize("limit", [1, 3, 11, 12, 100])
    async def test_is_the_same_in_pages_of_any_size(self, client: Any, store: Any, limit: int) -> None:
        versions = client.beta.memory_stores.memory_versions
        made = [found for n in range(3) for found in (await life(client, store, f"/{n}"))[1][::-1]]
        found = await pages(versions.list(store.id, limit=limit))
        assert [version for page in found for version in page] == made[::-1]
        assert all(len(page) == limit for page in found[:-1])

    async def test_holds_twenty_texts_at_most(self, client: Any, store: Any) -> None:
        memories, versions = client.beta.memory_stores.memories, client.beta.memory_stores.memory_versions
        memory = await got(memories.create(store.id, path="/a", content="0"))
        for n in range(1, 45):
            await got(memories.update(memory.id, memory_store_id=store.id, content=str(n)))
        full = await pages(versions.list(store.id, view="full", limit=100))
        assert [len(page) for page in full] == [20, 20, 5]
        assert [version.content for page in full for version in page] == [str(n) for n in range(44, -1, -1)]
        assert [len(page) for page in await pages(versions.list(store.id))] == [20, 20, 5]
        assert [len(page) for page in await pages(versions.list(store.id, limit=100))] == [45]

    async def test_does_not_repeat_when_versions_come_meanwhile(self, client: Any, store: Any) -> None:
        versions = client.beta.memory_stores.memory_versions
        _, there = await life(client, store)
        page = await got(versions.list(store.id, limit=2))
        seen = page.data
        await life(client, store, "/later")
        while page.has_next_page():
            page = await got(page.get_next_page())
            seen = seen + page.data
        assert seen == there

    async def test_filters_by_memory_and_operation_together(self, client: Any, store: Any) -> None:
        versions = client.beta.memory_stores.memory_versions
        first, of_first = await life(client, store, "/1")
        second, of_second = await life(client, store, "/2")

        async def listed(**query: Any) -> list[Any]:
            return await every(versions.list(store.id, limit=1, **query))

        assert await listed(memory_id=first.id) == of_first
        assert await listed(operation="modified") == of_second[1:3] + of_first[1:3]
        assert await listed(operation="deleted") == [of_second[0], of_first[0]]
        assert await listed(operation="created", memory_id=second.id) == [of_second[3]]
        assert await listed(memory_id="mem_01unknown") == []
        assert await listed(memory_id=first.memory_version_id) == []

    async def test_filters_by_actor(self, connect: Any, served: Any, store: Any) -> None:
        admin, other = connect(), connect(served.key(access="read_write"))
        _, of_admin = await life(admin, store, "/admin")
        _, of_other = await life(other, store, "/other")
        admin_id, other_id = of_admin[0].created_by.api_key_id, of_other[0].created_by.api_key_id
        assert admin_id != other_id
        versions = admin.beta.memory_stores.memory_versions

        async def listed(**query: Any) -> list[Any]:
            return await every(versions.list(store.id, limit=3, **query))

        assert await listed(api_key_id=admin_id) == of_admin
        assert await listed(api_key_id=other_id) == of_other
        assert await listed(api_key_id=other_id, operation="created") == [of_other[3]]
        assert await listed(api_key_id="apikey_01unknown") == []
        # A key's id is no session's and no service account's, and a version has one actor.
        assert await listed(session_id=admin_id) == []
        assert await listed(service_account_id=admin_id) == []
        assert await listed(api_key_id=admin_id, session_id="sesn_01x") == []

    async def test_filters_by_time_exactly(self, client: Any, store: Any) -> None:
        versions = client.beta.memory_stores.memory_versions
        _, found = await life(client, store)
        low, high = found[3].created_at, found[0].created_at

        async def between(gte: Any, lte: Any, **query: Any) -> list[Any]:
            return await every(
                versions.list(store.id, limit=2, created_at_gte=gte, created_at_lte=lte, **query)
            )

        assert await between(low, high) == found
        assert await between(low + MICROSECOND, high - MICROSECOND) == found[1:3]
        assert await between(found[1].created_at, found[1].created_at) == [found[1]]
        assert await between(low, high, operation="modified", memory_id=found[0].memory_id) == found[1:3]
        assert await between(high + MICROSECOND, high + timedelta(days=1)) == []
        assert await between(low.isoformat().replace("+00:00", "Z"), high) == found
        # Parts of a microsecond, as other languages' clocks have them.
        assert await between(low.strftime("%Y-%m-%dT%H:%M:%S.%f000Z"), high) == found

    @pytest.mark.parametrize(
        "query",
        [
            {"operation": "renamed"},
            {"limit": 0},
            {"limit": 101},
            {"view": "summary"},
            {"created_at_gte": "2026-11-30"},
            {"created_at_lte": "2026-11-30T12:00:00"},
            {"page": "page_x"},
        ],
        ids=repr,
    )
    async def test_refuses(self, client: Any, store: Any, query: dict[str, Any]) -> None:
        with refused(BadRequestError):
            await got(client.beta.memory_stores.memory_versions.list(store.id, **query))

    async def test_ends_a_cursor_when_the_filters_change(self, client: Any, store: Any) -> None:
        versions = client.beta.memory_stores.memory_versions
        memory, _ = await life(client, store)
        page = (await got(versions.list(store.id, limit=1))).next_page
        for change in ({"memory_id": memory.id}, {"operation": "created"}, {"session_id": "sesn_01x"}):
            with refused(BadRequestError):
                await got(versions.list(store.id, page=page, **change))


class TestRedact:
    async def test_empties_a_version_and_keeps_who_and_when(self, client: Any, store: Any) -> None:
        memories, versions = client.beta.memory_stores.memories, client.beta.memory_stores.memory_versions
        memory = await got(memories.create(store.id, path="/a", content="the secret"))
        inside = {"memory_store_id": store.id}
        await got(memories.update(memory.id, content="clean", **inside))
        before = await got(versions.retrieve(memory.memory_version_id, **inside))

        redacted = await got(versions.redact(before.id, **inside))
        assert (redacted.content, redacted.path) == (None, None)
        assert (redacted.content_sha256, redacted.content_size_bytes) == (None, None)
        for kept in ("id", "memory_id", "memory_store_id", "operation", "created_at", "created_by"):
            assert getattr(redacted, kept) == getattr(before, kept)
        assert redacted.redacted_at > before.created_at
        assert redacted.redacted_by == before.created_by

        assert await got(versions.retrieve(before.id, **inside)) == redacted
        assert (await every(versions.list(store.id, view="full")))[1] == redacted
        assert (await got(memories.retrieve(memory.id, **inside))).content == "clean"

    async def test_refuses_the_head_of_a_live_memory(self, client: Any, store: Any) -> None:
        memories, versions = client.beta.memory_stores.memories, client.beta.memory_stores.memory_versions
        memory = await got(memories.create(store.id, path="/a", content="x"))
        inside = {"memory_store_id": store.id}
        with refused(BadRequestError):
            await got(versions.redact(memory.memory_version_id, **inside))
        head = await got(versions.retrieve(memory.memory_version_id, **inside))
        assert (head.content, head.redacted_at) == ("x", None)

    async def test_empties_all_of_a_deleted_memory(self, client: Any, store: Any) -> None:
        versions = client.beta.memory_stores.memory_versions
        memory, found = await life(client, store)
        for version in found:
            redacted = await got(versions.redact(version.id, memory_store_id=store.id))
            assert (redacted.path, redacted.operation) == (None, version.operation)
        # They stay, and stay found.
        assert [v.id for v in await every(versions.list(store.id, memory_id=memory.id))] == [
            v.id for v in found
        ]

    async def test_keeps_the_first_time_and_actor_when_repeated(
        self, connect: Any, served: Any, store: Any
    ) -> None:
        _, found = await life(connect(), store)
        versions = connect().beta.memory_stores.memory_versions
        first = await got(versions.redact(found[1].id, memory_store_id=store.id))
        other_admin = served.manage("create_api_key", "other admin", "--workspace", served.workspace_id)
        versions = connect(last_line(other_admin)).beta.memory_stores.memory_versions
        assert await got(versions.redact(found[1].id, memory_store_id=store.id, extra_body={})) == first

    async def test_knows_nothing_of_an_unknown_id(self, client: Any, store: Any) -> None:
        for unknown in ("memver_01x", store.id):
            with refused(NotFoundError, "not_found_error"):
                await got(client.beta.memory_stores.memory_versions.redact(unknown, memory_store_id=store.id))
