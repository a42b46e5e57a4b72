"""M1 and M3 to M5 through the official Python SDK; M2 is in test_python_sdk_listing.py."""

from typing import Any

import pytest
from anthropic import BadRequestError, ConflictError, NotFoundError

from tests.clients.sdk import NOWHERE, every, got, matching, refused, sha256
from tests.clients.texts import HOSTILE_TEXTS, ILLEGAL_PATHS, LARGEST, LEGAL_PATHS

pytestmark = [pytest.mark.served, pytest.mark.anyio]

PATH_CONFLICT = "memory_path_conflict_error"
PRECONDITION_FAILED = "memory_precondition_failed_error"


async def history(client: Any, store: Any, memory: Any) -> list[Any]:
    return await every(client.beta.memory_stores.memory_versions.list(store.id, memory_id=memory.id))


class TestCreate:
    async def test_answers_the_memory_without_its_text(self, client: Any, store: Any) -> None:
        memory = await got(
            client.beta.memory_stores.memories.create(store.id, path="/notes/café.md", content="héllo")
        )
        assert memory.id.startswith("mem_")
        assert memory.memory_version_id.startswith("memver_")
        assert (memory.type, memory.memory_store_id, memory.path) == ("memory", store.id, "/notes/café.md")
        assert memory.content is None
        assert memory.content_size_bytes == 6
        assert memory.content_sha256 == sha256("héllo")
        assert memory.created_at == memory.updated_at

        [version] = await history(client, store, memory)
        assert (version.id, version.operation) == (memory.memory_version_id, "created")
        assert version.created_at == memory.created_at

    @pytest.mark.parametrize("view", ["full", "basic"])
    async def test_shows_the_text_as_asked(self, client: Any, store: Any, view: str) -> None:
        for path, text in (("/a", "text"), ("/empty", "")):
            memory = await got(
                client.beta.memory_stores.memories.create(store.id, path=path, content=text, view=view)
            )
            assert memory.content == (text if view == "full" else None)

    @pytest.mark.parametrize("text", HOSTILE_TEXTS.values(), ids=HOSTILE_TEXTS)
    async def test_keeps_every_byte(self, client: Any, store: Any, text: str) -> None:
        memories = client.beta.memory_stores.memories
        made = await got(memories.create(store.id, path="/text", content=text))
        assert made.content_sha256 == sha256(text)
        assert made.content_size_bytes == len(text.encode())
        read = await got(memories.retrieve(made.id, memory_store_id=store.id))
        assert read.content == text

    async def test_keeps_every_byte_of_a_path(self, client: Any, store: Any) -> None:
        memories = client.beta.memory_stores.memories
        for path in LEGAL_PATHS:
            assert (await got(memories.create(store.id, path=path, content=path))).path == path
        found = {memory.path: memory.content for memory in await every(memories.list(store.id, view="full"))}
        assert found == {path: path for path in LEGAL_PATHS}

    @pytest.mark.parametrize("path", ILLEGAL_PATHS, ids=ascii)
    async def test_refuses_a_path(self, client: Any, store: Any, path: str) -> None:
        with refused(BadRequestError):
            await got(client.beta.memory_stores.memories.create(store.id, path=path, content="x"))
        assert await every(client.beta.memory_stores.memory_versions.list(store.id)) == []

    async def test_names_the_rule_a_path_breaks(self, client: Any, store: Any) -> None:
        with refused(BadRequestError) as caught:
            await got(client.beta.memory_stores.memories.create(store.id, path="/cafe\u0301", content=""))
        assert "NFC" in caught.value.api_message

    @pytest.mark.parametrize(
        "values",
        [
            {"path": "/a", "content": "x" * (LARGEST + 1)},
            {"path": "/a", "content": "🧠" * (LARGEST // 4) + "x"},
            {"path": "/a", "content": None},
            {"path": None, "content": "x"},
            {"path": "/a", "content": 1},
            {"path": "/a", "content": "x", "view": "summary"},
            {"path": "/a", "content": "x", "extra_body": {"colour": "red"}},
        ],
        ids=lambda values: repr(values)[:60],
    )
    async def test_refuses(self, client: Any, store: Any, values: dict[str, Any]) -> None:
        with refused(BadRequestError):
            await got(client.beta.memory_stores.memories.create(store.id, **values))
        assert await every(client.beta.memory_stores.memories.list(store.id)) == []

    async def test_never_overwrites(self, client: Any, store: Any) -> None:
        memories = client.beta.memory_stores.memories
        first = await got(memories.create(store.id, path="/a", content="first"))
        for text in ("second", "first"):
            with refused(ConflictError, PATH_CONFLICT) as caught:
                await got(memories.create(store.id, path="/a", content=text))
            assert caught.value.body["error"]["conflicting_path"] == "/a"
            assert caught.value.body["error"]["conflicting_memory_id"] == first.id
        assert await every(memories.list(store.id)) == [first]

    @pytest.mark.parametrize(
        ("there", "wanted"), [("/a", "/a/b.md"), ("/a", "/a/b/c/d"), ("/a/b.md", "/a"), ("/a/b/c/d", "/a/b")]
    )
    async def test_refuses_files_that_would_be_folders(
        self, client: Any, store: Any, there: str, wanted: str
    ) -> None:
        memories = client.beta.memory_stores.memories
        blocking = await got(memories.create(store.id, path=there, content=""))
        with refused(ConflictError, PATH_CONFLICT) as caught:
            await got(memories.create(store.id, path=wanted, content=""))
        assert caught.value.body["error"]["conflicting_path"] == there
        assert caught.value.body["error"]["conflicting_memory_id"] == blocking.id

    async def test_names_the_first_of_several_in_the_way(self, client: Any, store: Any) -> None:
        memories = client.beta.memory_stores.memories
        for path in ("/d/z", "/d/m/n", "/d/a"):
            await got(memories.create(store.id, path=path, content=""))
        with refused(ConflictError, PATH_CONFLICT) as caught:
            await got(memories.create(store.id, path="/d", content=""))
        assert caught.value.body["error"]["conflicting_path"] == "/d/a"

    async def test_takes_lookalikes_for_strangers(self, client: Any, store: Any) -> None:
        memories = client.beta.memory_stores.memories
        paths = ["/A", "/a", "/a.md", "/a b", "/ab/c", "/a-/c", "/a0/c"]
        for path in paths:
            await got(memories.create(store.id, path=path, content=""))
        assert {memory.path for memory in await every(memories.list(store.id))} == set(paths)

    async def test_knows_nothing_of_an_unknown_store(self, client: Any) -> None:
        with refused(NotFoundError, "not_found_error"):
            await got(client.beta.memory_stores.memories.create("memstore_01x", path="/a", content=""))


class TestRetrieve:
    async def test_shows_the_text_unless_told_not_to(self, client: Any, store: Any) -> None:
        memories = client.beta.memory_stores.memories
        made = await got(memories.create(store.id, path="/a", content="text"))
        inside = {"memory_store_id": store.id}
        assert (await got(memories.retrieve(made.id, **inside))).content == "text"
        assert (await got(memories.retrieve(made.id, view="full", **inside))).content == "text"
        assert await got(memories.retrieve(made.id, view="basic", **inside)) == made
        with refused(BadRequestError):
            await got(memories.retrieve(made.id, view="summary", **inside))

    async def test_knows_nothing_of_an_unknown_id(self, client: Any, store: Any) -> None:
        memories = client.beta.memory_stores.memories
        for unknown in ("mem_01unknown", "a/b", store.id):
            with refused(NotFoundError, "not_found_error"):
                await got(memories.retrieve(unknown, memory_store_id=store.id))


class TestUpdate:
    async def test_changes_the_text_in_one_version(self, client: Any, store: Any) -> None:
        memories = client.beta.memory_stores.memories
        old = await got(memories.create(store.id, path="/a", content="old"))
        new = await got(memories.update(old.id, memory_store_id=store.id, content="new", view="full"))
        assert (new.id, new.path, new.created_at) == (old.id, old.path, old.created_at)
        assert (new.content, new.content_sha256, new.content_size_bytes) == ("new", sha256("new"), 3)
        assert new.memory_version_id != old.memory_version_id
        assert new.updated_at > old.updated_at

        modified, created = await history(client, store, old)
        assert (modified.id, modified.operation) == (new.memory_version_id, "modified")
        assert (modified.content_sha256, modified.created_at) == (new.content_sha256, new.updated_at)
        assert created.id == old.memory_version_id

    async def test_answers_without_the_text_by_default(self, client: Any, store: Any) -> None:
        memories = client.beta.memory_stores.memories
        memory = await got(memories.create(store.id, path="/a", content="old"))
        answer = await got(memories.update(memory.id, memory_store_id=store.id, content="new"))
        assert (answer.content, answer.content_sha256) == (None, sha256("new"))

    @pytest.mark.parametrize("text", HOSTILE_TEXTS.values(), ids=HOSTILE_TEXTS)
    async def test_keeps_every_byte(self, client: Any, store: Any, text: str) -> None:
        memories = client.beta.memory_stores.memories
        memory = await got(memories.create(store.id, path="/text", content="before"))
        updated = await got(memories.update(memory.id, memory_store_id=store.id, content=text))
        assert (updated.content_sha256, updated.content_size_bytes) == (sha256(text), len(text.encode()))
        assert (await got(memories.retrieve(memory.id, memory_store_id=store.id))).content == text

    async def test_renames_and_keeps_all_else(self, client: Any, store: Any) -> None:
        memories = client.beta.memory_stores.memories
        old = await got(memories.create(store.id, path="/old/name.md", content="text"))
        # An explicit null is the same as leaving the field out.
        new = await got(
            memories.update(old.id, memory_store_id=store.id, path="/new.md", content=None, view="full")
        )
        assert (new.id, new.path, new.content) == (old.id, "/new.md", "text")
        assert (new.content_sha256, new.content_size_bytes) == (old.content_sha256, old.content_size_bytes)
        assert (new.created_at, new.updated_at > old.updated_at) == (old.created_at, True)
        assert [(v.operation, v.path) for v in await history(client, store, old)] == [
            ("modified", "/new.md"),
            ("created", "/old/name.md"),
        ]
        # The old path is free at once, for a memory of its own.
        assert (await got(memories.create(store.id, path="/old", content=""))).id != old.id

    async def test_changes_text_and_path_in_one_version(self, client: Any, store: Any) -> None:
        memories = client.beta.memory_stores.memories
        memory = await got(memories.create(store.id, path="/a", content="old"))
        both = await got(memories.update(memory.id, memory_store_id=store.id, content="new", path="/b"))
        assert (both.path, both.content_sha256) == ("/b", sha256("new"))
        assert len(await history(client, store, memory)) == 2

    @pytest.mark.parametrize("wanted", ["/a/b", "/a/b/c"])
    async def test_moves_a_memory_below_itself_and_back(self, client: Any, store: Any, wanted: str) -> None:
        memories = client.beta.memory_stores.memories
        memory = await got(memories.create(store.id, path="/a", content="x"))
        for path in (wanted, "/a"):
            moved = await got(memories.update(memory.id, memory_store_id=store.id, path=path))
            assert (moved.id, moved.path) == (memory.id, path)

    @pytest.mark.parametrize("wanted", ["/there/b", "/there", "/there/b/c"])
    async def test_never_renames_onto_another(self, client: Any, store: Any, wanted: str) -> None:
        memories = client.beta.memory_stores.memories
        there = await got(memories.create(store.id, path="/there/b", content="x"))
        memory = await got(memories.create(store.id, path="/z.md", content="x"))
        with refused(ConflictError, PATH_CONFLICT) as caught:
            await got(memories.update(memory.id, memory_store_id=store.id, path=wanted, content="new"))
        assert caught.value.body["error"]["conflicting_path"] == "/there/b"
        assert caught.value.body["error"]["conflicting_memory_id"] == there.id
        assert await got(memories.retrieve(memory.id, memory_store_id=store.id, view="basic")) == memory

    @pytest.mark.parametrize(
        "same",
        [
            {"content": "text"},
            {"path": "/a"},
            {"content": "text", "path": "/a"},
            {"content": "text", "precondition": {"type": "content_sha256", "content_sha256": NOWHERE}},
            {"path": "/a", "precondition": {"type": "content_sha256", "content_sha256": NOWHERE}},
        ],
        ids=repr,
    )
    async def test_writes_nothing_when_all_is_as_asked(
        self, client: Any, store: Any, same: dict[str, Any]
    ) -> None:
        memories = client.beta.memory_stores.memories
        memory = await got(memories.create(store.id, path="/a", content="text"))
        inside = {"memory_store_id": store.id}
        assert await got(memories.update(memory.id, **inside, **same)) == memory
        assert (await got(memories.update(memory.id, view="full", **inside, **same))).content == "text"
        assert len(await history(client, store, memory)) == 1

    async def test_keeps_the_precondition(self, client: Any, store: Any) -> None:
        memories = client.beta.memory_stores.memories
        memory = await got(memories.create(store.id, path="/a", content="one"))
        inside = {"memory_store_id": store.id}
        two = await got(memories.update(memory.id, content="two", precondition=matching("one"), **inside))
        with refused(ConflictError, PRECONDITION_FAILED):
            await got(memories.update(memory.id, content="three", precondition=matching("one"), **inside))
        assert await got(memories.retrieve(memory.id, view="basic", **inside)) == two
        assert len(await history(client, store, memory)) == 2

    async def test_keeps_the_precondition_of_a_rename_too(self, client: Any, store: Any) -> None:
        memories = client.beta.memory_stores.memories
        memory = await got(memories.create(store.id, path="/a", content="one"))
        inside = {"memory_store_id": store.id}
        with refused(ConflictError, PRECONDITION_FAILED):
            await got(memories.update(memory.id, path="/b", precondition=matching("zero"), **inside))
        moved = await got(memories.update(memory.id, path="/b", precondition=matching("one"), **inside))
        assert moved.path == "/b"
        # The hash speaks of the text as it is now, not of the one that comes with the request.
        with refused(ConflictError, PRECONDITION_FAILED):
            await got(
                memories.update(memory.id, path="/c", content="two", precondition=matching("two"), **inside)
            )

    async def test_says_precondition_before_path_conflict(self, client: Any, store: Any) -> None:
        memories = client.beta.memory_stores.memories
        await got(memories.create(store.id, path="/taken", content="x"))
        memory = await got(memories.create(store.id, path="/a", content="x"))
        with refused(ConflictError, PRECONDITION_FAILED):
            await got(
                memories.update(
                    memory.id, memory_store_id=store.id, path="/taken", precondition=matching("zero")
                )
            )

    @pytest.mark.parametrize(
        "values",
        [
            {},
            {"content": None, "path": None},
            {"content": "x" * (LARGEST + 1)},
            {"path": "/a/../b"},
            {"path": "/zero\u200bwidth"},
            {"content": "y", "view": "summary"},
            {"content": "y", "extra_body": {"colour": "red"}},
            {"content": "y", "precondition": {"type": "content_sha256"}},
            {"content": "y", "precondition": {"type": "etag", "content_sha256": NOWHERE}},
            {"content": "y", "precondition": {"content_sha256": NOWHERE}},
            {"content": "y", "precondition": {"type": "content_sha256", "content_sha256": "A" * 64}},
            {"content": "y", "precondition": {"type": "content_sha256", "content_sha256": "0" * 63}},
            {"content": "y", "precondition": {"type": "content_sha256", "content_sha256": None}},
            {"precondition": {"type": "content_sha256", "content_sha256": NOWHERE}},
        ],
        ids=lambda values: ascii(values)[:90],
    )
    async def test_refuses(self, client: Any, store: Any, values: dict[str, Any]) -> None:
        memories = client.beta.memory_stores.memories
        memory = await got(memories.create(store.id, path="/a", content="x"))
        with refused(BadRequestError):
            await got(memories.update(memory.id, memory_store_id=store.id, **values))
        assert len(await history(client, store, memory)) == 1

    async def test_takes_a_null_precondition_for_none(self, client: Any, store: Any) -> None:
        memories = client.beta.memory_stores.memories
        memory = await got(memories.create(store.id, path="/a", content="x"))
        updated = await got(
            memories.update(memory.id, memory_store_id=store.id, content="y", precondition=None)
        )
        assert updated.content_sha256 == sha256("y")

    async def test_knows_nothing_of_an_unknown_id(self, client: Any, store: Any) -> None:
        with refused(NotFoundError, "not_found_error"):
            await got(
                client.beta.memory_stores.memories.update("mem_01x", memory_store_id=store.id, content="")
            )


class TestDelete:
    async def test_ends_the_memory_and_keeps_its_history(self, client: Any, store: Any) -> None:
        memories = client.beta.memory_stores.memories
        memory = await got(memories.create(store.id, path="/a", content="x"))
        deleted = await got(memories.delete(memory.id, memory_store_id=store.id))
        assert (deleted.id, deleted.type) == (memory.id, "memory_deleted")
        assert await every(memories.list(store.id)) == []
        for again in (memories.retrieve, memories.delete):
            with refused(NotFoundError, "not_found_error"):
                await got(again(memory.id, memory_store_id=store.id))

        end, created = await history(client, store, memory)
        assert (end.operation, end.path) == ("deleted", "/a")
        assert (end.content, end.content_sha256, end.content_size_bytes) == (None, None, None)
        assert created.content_sha256 == sha256("x")

    async def test_frees_the_path_for_another_memory(self, client: Any, store: Any) -> None:
        memories = client.beta.memory_stores.memories
        first = await got(memories.create(store.id, path="/a", content="x"))
        await got(memories.delete(first.id, memory_store_id=store.id))
        second = await got(memories.create(store.id, path="/a", content="x"))
        assert second.id != first.id
        assert [v.operation for v in await history(client, store, second)] == ["created"]
        assert len(await history(client, store, first)) == 2

    async def test_keeps_the_expected_hash(self, client: Any, store: Any) -> None:
        memories = client.beta.memory_stores.memories
        memory = await got(memories.create(store.id, path="/a", content="x"))
        inside = {"memory_store_id": store.id}
        with refused(ConflictError, PRECONDITION_FAILED):
            await got(memories.delete(memory.id, expected_content_sha256=sha256("y"), **inside))
        assert await got(memories.retrieve(memory.id, view="basic", **inside)) == memory
        await got(memories.delete(memory.id, expected_content_sha256=sha256("x"), **inside))
        assert await every(memories.list(store.id)) == []

    @pytest.mark.parametrize("wrong", ["0" * 63, "0" * 65, "A" * 64, "g" * 64, ""], ids=repr)
    async def test_refuses_what_is_no_hash(self, client: Any, store: Any, wrong: str) -> None:
        memories = client.beta.memory_stores.memories
        memory = await got(memories.create(store.id, path="/a", content="x"))
        with refused(BadRequestError):
            await got(memories.delete(memory.id, memory_store_id=store.id, expected_content_sha256=wrong))
        assert await every(memories.list(store.id)) == [memory]


class TestRollback:
    async def test_is_an_ordinary_update_with_an_old_text(self, client: Any, store: Any) -> None:
        memories, versions = client.beta.memory_stores.memories, client.beta.memory_stores.memory_versions
        memory = await got(memories.create(store.id, path="/a", content="good"))
        inside = {"memory_store_id": store.id}
        await got(memories.update(memory.id, content="bad", **inside))
        old = await got(versions.retrieve(memory.memory_version_id, **inside))
        back = await got(
            memories.update(
                memory.id, content=old.content, precondition=matching("bad"), view="full", **inside
            )
        )
        assert back.content == "good"
        found = await history(client, store, memory)
        assert [v.content_sha256 for v in found] == [sha256("good"), sha256("bad"), sha256("good")]
