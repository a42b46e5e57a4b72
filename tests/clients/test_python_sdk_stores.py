"""S1 to S6 through the official Python SDK."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from anthropic import BadRequestError, NotFoundError

from tests.clients.sdk import every, got, pages, refused

pytestmark = [pytest.mark.served, pytest.mark.anyio]


class TestCreate:
    async def test_answers_the_whole_store(self, client: Any) -> None:
        before = datetime.now(UTC)
        store = await got(
            client.beta.memory_stores.create(
                name="Support team",
                description="What we learned.",
                metadata={"team": "support", "نام": "تیم"},
            )
        )
        assert store.id.startswith("memstore_")
        assert store.type == "memory_store"
        assert (store.name, store.description) == ("Support team", "What we learned.")
        assert store.metadata == {"team": "support", "نام": "تیم"}
        assert store.archived_at is None
        assert store.created_at == store.updated_at
        assert before <= store.created_at <= datetime.now(UTC)
        assert await got(client.beta.memory_stores.retrieve(store.id)) == store

    async def test_fills_in_what_is_left_out(self, client: Any) -> None:
        store = await got(client.beta.memory_stores.create(name="bare"))
        assert store.description == ""
        assert store.metadata == {}

    async def test_lets_two_stores_have_one_name(self, client: Any) -> None:
        first = await got(client.beta.memory_stores.create(name="twin"))
        second = await got(client.beta.memory_stores.create(name="twin"))
        assert first.id != second.id

    async def test_counts_characters_and_allows_the_longest(self, client: Any) -> None:
        longest = {
            "name": "🧠" * 255,
            "description": "🧠" * 1024,
            "metadata": {f"{n:02}" + "🧠" * 62: "🧠" * 512 for n in range(16)},
        }
        store = await got(client.beta.memory_stores.create(**longest))
        assert {"name": store.name, "description": store.description, "metadata": store.metadata} == longest

    async def test_allows_a_name_of_blanks(self, client: Any) -> None:
        assert (await got(client.beta.memory_stores.create(name="   "))).name == "   "

    @pytest.mark.parametrize(
        "values",
        [
            {"name": ""},
            {"name": "n" * 256},
            {"name": "two\nlines"},
            {"name": "n", "description": "d" * 1025},
            {"name": "n", "metadata": {str(n): "" for n in range(17)}},
            {"name": "n", "metadata": {"": "v"}},
            {"name": "n", "metadata": {"k" * 65: "v"}},
            {"name": "n", "metadata": {"k": "v" * 513}},
            {"name": "n", "metadata": {"k": 1}},
            {"name": None},
            {"name": "n", "description": None},
            {"name": "n", "metadata": None},
            {"name": "n", "extra_body": {"colour": "red"}},
        ],
        ids=repr,
    )
    async def test_refuses(self, client: Any, values: dict[str, Any]) -> None:
        with refused(BadRequestError):
            await got(client.beta.memory_stores.create(**values))


class TestRetrieve:
    async def test_knows_nothing_of_an_unknown_id(self, client: Any) -> None:
        for unknown in ("memstore_01unknown", "no/such id", "%", "memory_stores"):
            with refused(NotFoundError, "not_found_error"):
                await got(client.beta.memory_stores.retrieve(unknown))


class TestUpdate:
    async def test_changes_only_what_is_given(self, client: Any) -> None:
        stores = client.beta.memory_stores
        store = await got(stores.create(name="old", description="kept", metadata={"kept": "1"}))
        renamed = await got(stores.update(store.id, name="new"))
        assert (renamed.name, renamed.description, renamed.metadata) == ("new", "kept", {"kept": "1"})
        assert renamed.created_at == store.created_at
        assert renamed.updated_at > store.updated_at
        assert await got(stores.retrieve(store.id)) == renamed

    async def test_patches_metadata_key_by_key(self, client: Any) -> None:
        stores = client.beta.memory_stores
        store = await got(stores.create(name="m", metadata={"a": "1", "b": "2", "c": "3"}))
        patch = {"a": "changed", "b": None, "d": "new", "never there": None}
        patched = await got(stores.update(store.id, metadata=patch))
        assert patched.metadata == {"a": "changed", "c": "3", "d": "new"}

    async def test_holds_the_limit_on_the_result_of_the_patch(self, client: Any) -> None:
        stores = client.beta.memory_stores
        full = {str(n): "" for n in range(16)}
        store = await got(stores.create(name="m", metadata=full))
        swapped = await got(stores.update(store.id, metadata={"0": None, "new": ""}))
        assert len(swapped.metadata) == 16
        with refused(BadRequestError):
            await got(stores.update(store.id, metadata={"one more": ""}))
        assert (await got(stores.retrieve(store.id))).metadata == swapped.metadata

    async def test_clears_the_description(self, client: Any) -> None:
        store = await got(client.beta.memory_stores.create(name="d", description="text"))
        assert (await got(client.beta.memory_stores.update(store.id, description=""))).description == ""

    @pytest.mark.parametrize(
        "nothing",
        [
            {},
            {"name": None, "description": None, "metadata": None},
            {"metadata": {}},
            {"metadata": {"absent": None}},
            {"name": "same", "description": "same", "metadata": {"k": "v"}},
        ],
        ids=repr,
    )
    async def test_moves_nothing_when_nothing_changes(self, client: Any, nothing: dict[str, Any]) -> None:
        store = await got(
            client.beta.memory_stores.create(name="same", description="same", metadata={"k": "v"})
        )
        assert await got(client.beta.memory_stores.update(store.id, **nothing)) == store

    @pytest.mark.parametrize(
        "values",
        [{"name": ""}, {"name": "a\x00b"}, {"description": "d" * 1025}, {"metadata": {"k": 1}}],
        ids=repr,
    )
    async def test_refuses(self, client: Any, store: Any, values: dict[str, Any]) -> None:
        with refused(BadRequestError):
            await got(client.beta.memory_stores.update(store.id, **values))
        assert await got(client.beta.memory_stores.retrieve(store.id)) == store

    async def test_is_not_moved_by_changes_of_memories(self, client: Any, store: Any) -> None:
        await got(client.beta.memory_stores.memories.create(store.id, path="/a", content="x"))
        assert await got(client.beta.memory_stores.retrieve(store.id)) == store


class TestArchive:
    async def test_is_one_way_and_safe_to_repeat(self, client: Any, store: Any) -> None:
        archived = await got(client.beta.memory_stores.archive(store.id))
        assert archived.archived_at is not None
        assert archived.archived_at == archived.updated_at > store.updated_at
        assert await got(client.beta.memory_stores.archive(store.id)) == archived
        assert await got(client.beta.memory_stores.retrieve(store.id)) == archived

    async def test_leaves_reading_deleting_and_redacting(self, client: Any, store: Any) -> None:
        memories, versions = client.beta.memory_stores.memories, client.beta.memory_stores.memory_versions
        kept = await got(memories.create(store.id, path="/kept", content="first"))
        await got(memories.update(kept.id, memory_store_id=store.id, content="second"))
        going = await got(memories.create(store.id, path="/going", content="x"))
        await got(client.beta.memory_stores.archive(store.id))

        assert (await got(memories.retrieve(kept.id, memory_store_id=store.id))).content == "second"
        assert len(await every(memories.list(store.id))) == 2
        assert (await got(memories.delete(going.id, memory_store_id=store.id))).id == going.id
        assert [item.path for item in await every(memories.list(store.id))] == ["/kept"]
        redacted = await got(versions.redact(kept.memory_version_id, memory_store_id=store.id))
        assert redacted.redacted_at is not None
        assert len(await every(versions.list(store.id))) == 4

    async def test_refuses_every_other_write(self, client: Any, store: Any) -> None:
        memories = client.beta.memory_stores.memories
        memory = await got(memories.create(store.id, path="/a", content="x"))
        await got(client.beta.memory_stores.archive(store.id))
        with refused(BadRequestError):
            await got(memories.create(store.id, path="/b", content="x"))
        with refused(BadRequestError):
            await got(memories.update(memory.id, memory_store_id=store.id, content="y"))
        with refused(BadRequestError):
            await got(memories.update(memory.id, memory_store_id=store.id, path="/c"))
        with refused(BadRequestError):
            await got(client.beta.memory_stores.update(store.id, name="new"))
        assert await every(memories.list(store.id, view="basic")) == [memory]


class TestDelete:
    async def test_takes_everything_along(self, client: Any, store: Any) -> None:
        stores, memories = client.beta.memory_stores, client.beta.memory_stores.memories
        memory = await got(memories.create(store.id, path="/a", content="x"))
        deleted = await got(stores.delete(store.id))
        assert (deleted.id, deleted.type) == (store.id, "memory_store_deleted")

        inside = {"memory_store_id": store.id}
        for ask in (
            lambda: stores.retrieve(store.id),
            lambda: stores.update(store.id, name="n"),
            lambda: stores.archive(store.id),
            lambda: stores.delete(store.id),
            lambda: memories.list(store.id),
            lambda: memories.create(store.id, path="/b", content=""),
            lambda: memories.retrieve(memory.id, **inside),
            lambda: memories.update(memory.id, content="y", **inside),
            lambda: memories.delete(memory.id, **inside),
            lambda: stores.memory_versions.list(store.id),
            lambda: stores.memory_versions.retrieve(memory.memory_version_id, **inside),
            lambda: stores.memory_versions.redact(memory.memory_version_id, **inside),
        ):
            with refused(NotFoundError, "not_found_error"):
                await got(ask())

    async def test_works_on_an_archived_store(self, client: Any, store: Any) -> None:
        await got(client.beta.memory_stores.archive(store.id))
        assert (await got(client.beta.memory_stores.delete(store.id))).id == store.id


class TestList:
    async def test_pages_through_all_newest_first(self, client: Any) -> None:
        stores = client.beta.memory_stores
        made = [await got(stores.create(name=f"list {n}")) for n in range(7)]
        since = {"created_at_gte": made[0].created_at}
        assert await every(stores.list(limit=3, **since)) == made[::-1]
        assert [len(page) for page in await pages(stores.list(limit=3, **since))] == [3, 3, 1]
        # A last page that is full says so by itself.
        assert [len(page) for page in await pages(stores.list(limit=7, **since))] == [7]

    async def test_hides_the_archived_until_asked(self, client: Any) -> None:
        stores = client.beta.memory_stores
        made = [await got(stores.create(name=f"archive {n}")) for n in range(3)]
        made[1] = await got(stores.archive(made[1].id))
        since = {"created_at_gte": made[0].created_at}
        assert await every(stores.list(**since)) == [made[2], made[0]]
        assert await every(stores.list(include_archived=False, **since)) == [made[2], made[0]]
        assert await every(stores.list(include_archived=True, limit=1, **since)) == made[::-1]

    async def test_bounds_of_time_are_inclusive_and_exact(self, client: Any) -> None:
        stores = client.beta.memory_stores
        made = [await got(stores.create(name=f"time {n}")) for n in range(3)]
        low, high = made[0].created_at, made[2].created_at
        moment = timedelta(microseconds=1)

        async def between(gte: Any, lte: Any) -> list[Any]:
            return await every(stores.list(created_at_gte=gte, created_at_lte=lte))

        assert await between(low, high) == made[::-1]
        assert await between(low + moment, high - moment) == [made[1]]
        assert await between(high, low) == []
        # The same instants as text, in other offsets and spellings.
        assert await between(low.strftime("%Y-%m-%dT%H:%M:%S.%fZ"), high) == made[::-1]
        east = low.astimezone(datetime.strptime("+0530", "%z").tzinfo)
        assert await between(east, high) == made[::-1]

    async def test_shows_a_write_at_once(self, client: Any) -> None:
        stores = client.beta.memory_stores
        store = await got(stores.create(name="fresh"))
        assert (await got(stores.list(limit=1))).data == [store]
        await got(stores.delete(store.id))
        assert store.id not in [item.id for item in (await got(stores.list())).data]

    @pytest.mark.parametrize(
        "query",
        [
            {"limit": 0},
            {"limit": 101},
            {"limit": -1},
            {"created_at_gte": "yesterday"},
            {"created_at_gte": "2026-11-30T12:00:00"},
            {"page": "page_nonsense"},
            {"page": "nonsense"},
        ],
        ids=repr,
    )
    async def test_refuses(self, client: Any, query: dict[str, Any]) -> None:
        with refused(BadRequestError):
            await got(client.beta.memory_stores.list(**query))

    async def test_ends_a_cursor_when_the_filters_change(self, client: Any) -> None:
        stores = client.beta.memory_stores
        for n in range(2):
            await got(stores.create(name=f"cursor {n}"))
        page = (await got(stores.list(limit=1))).next_page
        assert len((await got(stores.list(limit=2, page=page))).data) >= 1
        with refused(BadRequestError):
            await got(stores.list(limit=1, page=page, include_archived=True))
