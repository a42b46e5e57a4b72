"""Who may do what, and what the headers say, through the official Python SDK and older clients."""

import json
from typing import Any

import httpx2
import pytest
from anthropic import (
    APIStatusError,
    AuthenticationError,
    BadRequestError,
    NotFoundError,
    PermissionDeniedError,
)

from tests.clients.sdk import every, got, refused, sha256

pytestmark = [pytest.mark.served, pytest.mark.anyio]

MEMORY_BETA = "agent-memory-2026-07-22"
AGENTS_BETA = "managed-agents-2026-04-01"


class TestKeys:
    @pytest.mark.parametrize("wrong", ["mck_wrong", "x", "sk-ant-api03-" + "x" * 93 + "AA"])
    async def test_unknown_key_is_not_let_in(self, connect: Any, store: Any, wrong: str) -> None:
        with refused(AuthenticationError, "authentication_error") as caught:
            await got(connect(wrong).beta.memory_stores.retrieve(store.id))
        assert caught.value.workspace_id is None

    async def test_read_only_key_reads_and_nothing_else(self, connect: Any, served: Any, store: Any) -> None:
        admin, reader = connect(), connect(served.key(access="read_only"))
        memory = await got(admin.beta.memory_stores.memories.create(store.id, path="/a", content="old"))
        await got(
            admin.beta.memory_stores.memories.update(memory.id, memory_store_id=store.id, content="new")
        )
        stores, inside = reader.beta.memory_stores, {"memory_store_id": store.id}
        assert await got(stores.retrieve(store.id)) == store
        assert (await got(stores.memories.retrieve(memory.id, **inside))).content == "new"
        assert len(await every(stores.memory_versions.list(store.id))) == 2
        for ask in (
            lambda: stores.create(name="n"),
            lambda: stores.update(store.id, name="n"),
            lambda: stores.archive(store.id),
            lambda: stores.delete(store.id),
            lambda: stores.memories.create(store.id, path="/b", content=""),
            lambda: stores.memories.update(memory.id, content="", **inside),
            lambda: stores.memories.delete(memory.id, **inside),
            lambda: stores.memory_versions.redact(memory.memory_version_id, **inside),
            # What a key may not do is said before anything about the request or the store is.
            lambda: stores.memories.create("memstore_01x", path="no path", content=""),
        ):
            with refused(PermissionDeniedError, "permission_error") as caught:
                await got(ask())
            assert caught.value.workspace_id
        assert len(await every(stores.memory_versions.list(store.id))) == 2

    async def test_read_write_key_writes_memories_only(self, connect: Any, served: Any, store: Any) -> None:
        stores = connect(served.key(access="read_write")).beta.memory_stores
        inside = {"memory_store_id": store.id}
        memory = await got(stores.memories.create(store.id, path="/a", content="old"))
        await got(stores.memories.update(memory.id, content="new", **inside))
        await got(stores.memories.delete(memory.id, **inside))
        for ask in (
            lambda: stores.create(name="n"),
            lambda: stores.update(store.id, name="n"),
            lambda: stores.archive(store.id),
            lambda: stores.delete(store.id),
            lambda: stores.memory_versions.redact(memory.memory_version_id, **inside),
        ):
            with refused(PermissionDeniedError, "permission_error"):
                await got(ask())

    async def test_key_of_certain_stores_knows_no_other(self, connect: Any, served: Any, store: Any) -> None:
        admin = connect()
        other = await got(admin.beta.memory_stores.create(name="other"))
        memory = await got(admin.beta.memory_stores.memories.create(other.id, path="/a", content="x"))
        limited = connect(served.key(access="admin", store_ids=[store.id]))
        assert await every(limited.beta.memory_stores.list()) == [store]
        assert (await got(limited.beta.memory_stores.memories.create(store.id, path="/a", content=""))).id
        await self.assert_hidden(limited, other.id, memory)
        with refused(PermissionDeniedError, "permission_error"):
            await got(limited.beta.memory_stores.create(name="n"))

    async def test_key_of_another_workspace_knows_nothing(
        self, connect: Any, store: Any, stranger_key: str
    ) -> None:
        memory = await got(connect().beta.memory_stores.memories.create(store.id, path="/a", content="x"))
        stranger = connect(stranger_key)
        assert store.id not in [s.id for s in await every(stranger.beta.memory_stores.list(limit=100))]
        await self.assert_hidden(stranger, store.id, memory)
        assert (await got(connect().beta.memory_stores.retrieve(store.id))) == store

    async def assert_hidden(self, client: Any, store_id: str, memory: Any) -> None:
        """Every road to it answers what it answers for an id that never was."""
        stores, inside = client.beta.memory_stores, {"memory_store_id": store_id}
        version_id = memory.memory_version_id
        for ask in (
            lambda: stores.retrieve(store_id),
            lambda: stores.update(store_id, name="n"),
            lambda: stores.archive(store_id),
            lambda: stores.delete(store_id),
            lambda: stores.memories.list(store_id),
            lambda: stores.memories.create(store_id, path="/b", content=""),
            lambda: stores.memories.retrieve(memory.id, **inside),
            lambda: stores.memories.update(memory.id, content="y", **inside),
            lambda: stores.memories.delete(memory.id, **inside),
            lambda: stores.memory_versions.list(store_id),
            lambda: stores.memory_versions.retrieve(version_id, **inside),
            lambda: stores.memory_versions.redact(version_id, **inside),
        ):
            with refused(NotFoundError, "not_found_error"):
                await got(ask())

    async def test_ids_do_not_work_in_another_store(self, client: Any, store: Any) -> None:
        stores = client.beta.memory_stores
        other = await got(stores.create(name="other"))
        memory = await got(stores.memories.create(other.id, path="/a", content="x"))
        inside = {"memory_store_id": store.id}
        for ask in (
            lambda: stores.memories.retrieve(memory.id, **inside),
            lambda: stores.memories.update(memory.id, content="y", **inside),
            lambda: stores.memories.update(memory.id, path="/b", **inside),
            lambda: stores.memories.delete(memory.id, **inside),
            lambda: stores.memory_versions.retrieve(memory.memory_version_id, **inside),
            lambda: stores.memory_versions.redact(memory.memory_version_id, **inside),
        ):
            with refused(NotFoundError, "not_found_error"):
                await got(ask())
        assert await every(stores.memories.list(other.id)) == [memory]


class TestWorkspaceHeader:
    async def test_may_name_the_workspace_of_the_key(self, client: Any, store: Any) -> None:
        mine = (await got(client.beta.memory_stores.retrieve(store.id)))._workspace_id
        assert mine.startswith("wrkspc_")
        named = await got(client.beta.memory_stores.retrieve(store.id, workspace_id=mine))
        assert named == store

    async def test_must_not_name_another(self, connect: Any, store: Any, stranger_key: str) -> None:
        page = await got(connect(stranger_key).beta.memory_stores.list())
        for other in (page._workspace_id, "wrkspc_01unknown"):
            with refused(PermissionDeniedError, "permission_error"):
                await got(connect().beta.memory_stores.retrieve(store.id, workspace_id=other))


class TestBetas:
    async def test_both_together_are_refused(self, connect: Any, store: Any) -> None:
        client, sent = connect.recorded()
        for ask in (
            lambda: client.beta.memory_stores.retrieve(store.id, betas=[AGENTS_BETA]),
            lambda: client.beta.memory_stores.memories.list(store.id, betas=[AGENTS_BETA]),
            lambda: client.beta.memory_stores.memory_versions.list(store.id, betas=["other", AGENTS_BETA]),
        ):
            with refused(BadRequestError):
                await got(ask())
        # The SDK put its own beta behind the caller's, which is how the two came together.
        assert sent[0].headers["anthropic-beta"] == f"{AGENTS_BETA},{MEMORY_BETA}"
        assert len(sent) == 3

    async def test_one_named_twice_and_unknown_ones_are_let_in(self, connect: Any, store: Any) -> None:
        client, sent = connect.recorded()
        for betas in ([MEMORY_BETA], ["some-helper-2026-01-01"], [MEMORY_BETA, "other"]):
            assert await got(client.beta.memory_stores.retrieve(store.id, betas=betas)) == store
        assert sent[0].headers["anthropic-beta"] == f"{MEMORY_BETA},{MEMORY_BETA}"


class TestAnswerHeaders:
    async def test_carry_request_and_workspace_on_results(self, client: Any, store: Any) -> None:
        first = await got(client.beta.memory_stores.retrieve(store.id))
        second = await got(client.beta.memory_stores.memories.list(store.id))
        assert first._request_id.startswith("req_")
        assert second._request_id.startswith("req_")
        assert first._request_id != second._request_id
        assert first._workspace_id == second._workspace_id

    async def test_are_json_and_200_on_every_success(self, client: Any, store: Any) -> None:
        stores, inside = client.beta.memory_stores.with_raw_response, {"memory_store_id": store.id}
        made = await got(stores.memories.create(store.id, path="/a", content="x"))
        memory_id = json.loads(made.http_response.content)["id"]
        answers = [
            made,
            await got(stores.retrieve(store.id)),
            await got(stores.update(store.id, name="n")),
            await got(stores.memories.update(memory_id, content="y", **inside)),
            await got(stores.memories.delete(memory_id, **inside)),
            await got(stores.archive(store.id)),
            await got(stores.delete(store.id)),
        ]
        for answer in answers:
            assert answer.http_response.status_code == 200
            assert answer.headers["content-type"] == "application/json"
            assert answer.headers["request-id"].startswith("req_")
            assert answer.headers["anthropic-workspace-id"].startswith("wrkspc_")
            assert answer.headers["anthropic-organization-id"]

    async def test_every_answer_is_what_the_sdk_says_it_is(self, connect: Any, store: Any) -> None:
        """The SDK takes any JSON for granted unless asked to check it against its own types."""
        stores = connect(_strict_response_validation=True).beta.memory_stores
        inside = {"memory_store_id": store.id}
        memory = await got(stores.memories.create(store.id, path="/a/b", content="x"))
        await got(stores.memories.update(memory.id, content="y", view="full", **inside))
        await got(stores.memory_versions.redact(memory.memory_version_id, **inside))
        assert (await got(stores.memories.retrieve(memory.id, **inside))).content == "y"
        assert len(await every(stores.memories.list(store.id))) == 1
        assert len(await every(stores.memories.list(store.id, depth=1))) == 1
        await got(stores.memories.delete(memory.id, **inside))
        assert len(await every(stores.memory_versions.list(store.id, view="full"))) == 3
        await got(stores.memory_versions.retrieve(memory.memory_version_id, **inside))
        assert store in await every(stores.list(limit=100))
        await got(stores.update(store.id, metadata={"k": "v"}))
        await got(stores.archive(store.id))
        await got(stores.delete(store.id))


class TestMethodsAndRoutes:
    async def test_unknown_ones_get_the_same_kind_of_answer(self, client: Any, store: Any) -> None:
        beta = {"anthropic-beta": MEMORY_BETA}
        for method in (client.patch, client.put):
            with refused(APIStatusError) as caught:
                await got(
                    method(
                        f"/v1/memory_stores/{store.id}", cast_to=object, body={}, options={"headers": beta}
                    )
                )
            assert caught.value.status_code == 405
        for path in ("/v1/memory_store", f"/v1/memory_stores/{store.id}/memory", "/v1/"):
            with refused(NotFoundError, "not_found_error"):
                await got(client.get(path, cast_to=object, options={"headers": beta}))


class TestOlderClients:
    """What SDKs before 2.x and those of other languages send (C 1.1), put on the wire by hand."""

    @pytest.fixture
    def old(self, served: Any) -> Any:
        headers = {
            "x-api-key": served.admin_key,
            "anthropic-version": "2023-06-01",
            "anthropic-beta": AGENTS_BETA,
        }
        with httpx2.Client(base_url=served.base_url, headers=headers, params={"beta": "true"}) as old:
            yield old

    def test_go_through_every_endpoint(self, old: Any) -> None:
        store = old.post("/v1/memory_stores", json={"name": "old"}).json()
        base = f"/v1/memory_stores/{store['id']}"
        assert old.get(base).json() == store
        assert store in old.get("/v1/memory_stores").json()["data"]
        changed = old.post(base, json={"description": "d"}).json()
        assert (changed["name"], changed["description"]) == ("old", "d")

        memory = old.post(f"{base}/memories", json={"path": "/a", "content": "old"}).json()
        at = f"{base}/memories/{memory['id']}"
        updated = old.post(at, json={"content": "new"}).json()
        assert updated["content_sha256"] == sha256("new")
        assert old.get(at).json()["content"] == "new"
        assert old.get(f"{base}/memories").json() == {"data": [updated], "next_page": None}

        versions = old.get(f"{base}/memory_versions").json()["data"]
        assert [version["operation"] for version in versions] == ["modified", "created"]
        version = old.get(f"{base}/memory_versions/{versions[1]['id']}").json()
        assert version["content"] == "old"
        redacted = old.post(f"{base}/memory_versions/{version['id']}/redact").json()
        assert (redacted["content"], redacted["id"]) == (None, version["id"])

        assert old.delete(at).json() == {"id": memory["id"], "type": "memory_deleted"}
        assert old.post(f"{base}/archive").json()["archived_at"]
        assert old.delete(base).json() == {"id": store["id"], "type": "memory_store_deleted"}

    def test_list_the_same_under_either_beta(self, old: Any, store: Any) -> None:
        base = f"/v1/memory_stores/{store.id}/memories"
        for path in ("/b", "/a/x", "/a/y"):
            old.post(base, json={"path": path, "content": ""})
        new = {"anthropic-beta": MEMORY_BETA, "anthropic-version": "2026-10-21"}
        for query in ("", "?depth=1", "?order_by=path&order=desc", "?depth=1&limit=1"):
            assert old.get(base + query).json() == old.get(base + query, headers=new).json()

    @pytest.mark.parametrize(
        "headers",
        [
            {"anthropic-beta": f"other ,{AGENTS_BETA}"},
            {"anthropic-beta": f"{MEMORY_BETA}, {MEMORY_BETA}"},
            {"anthropic-version": "2026-10-21"},
            {"anthropic-version": ""},
        ],
        ids=repr,
    )
    def test_may_say(self, old: Any, store: Any, headers: dict[str, str]) -> None:
        assert old.get(f"/v1/memory_stores/{store.id}", headers=headers).status_code == 200

    def test_may_send_a_header_line_for_each_beta(self, served: Any, store: Any) -> None:
        lines = [("x-api-key", served.admin_key), ("anthropic-beta", "other")]
        with httpx2.Client(base_url=served.base_url) as raw:
            one = raw.get(
                f"/v1/memory_stores/{store.id}",
                headers=httpx2.Headers([*lines, ("anthropic-beta", AGENTS_BETA)]),
            )
            both = raw.get(
                f"/v1/memory_stores/{store.id}",
                headers=httpx2.Headers(
                    [*lines, ("anthropic-beta", AGENTS_BETA), ("anthropic-beta", MEMORY_BETA)]
                ),
            )
        assert (one.status_code, both.status_code) == (200, 400)

    @pytest.mark.parametrize(
        ("headers", "status", "error_type"),
        [
            ({"anthropic-beta": "other"}, 400, "invalid_request_error"),
            ({"anthropic-beta": ""}, 400, "invalid_request_error"),
            ({"anthropic-beta": f"{MEMORY_BETA},{AGENTS_BETA}"}, 400, "invalid_request_error"),
            ({"anthropic-version": "2025-01-01"}, 400, "invalid_request_error"),
            ({"x-api-key": ""}, 401, "authentication_error"),
            ({"x-api-key": "wrong"}, 401, "authentication_error"),
            # Who asks is found out before what is asked.
            ({"x-api-key": "wrong", "anthropic-beta": "other"}, 401, "authentication_error"),
            ({"anthropic-workspace-id": "wrkspc_01x", "anthropic-beta": "other"}, 403, "permission_error"),
        ],
        ids=repr,
    )
    def test_must_not_say(
        self, old: Any, store: Any, headers: dict[str, str], status: int, error_type: str
    ) -> None:
        answer = old.get(f"/v1/memory_stores/{store.id}", headers=headers)
        body = answer.json()
        assert (answer.status_code, body["type"], body["error"]["type"]) == (status, "error", error_type)
        assert body["request_id"] == answer.headers["request-id"]
        if error_type == "invalid_request_error" and "anthropic-beta" in headers:
            assert "anthropic-beta" in body["error"]["message"]

    @pytest.mark.parametrize("body", [b"", b"{}", b" {} "], ids=repr)
    def test_may_send_nothing_as_json(self, old: Any, store: Any, body: bytes) -> None:
        json_type = {"content-type": "application/json"}
        base = f"/v1/memory_stores/{store.id}"
        memory = old.post(f"{base}/memories", json={"path": "/a", "content": ""}).json()
        deleted = old.request("DELETE", f"{base}/memories/{memory['id']}", content=body, headers=json_type)
        assert deleted.status_code == 200
        for address in (f"{base}/memory_versions/{memory['memory_version_id']}/redact", f"{base}/archive"):
            assert old.post(address, content=body, headers=json_type).status_code == 200

    @pytest.mark.parametrize(
        "body",
        [
            b"",
            b"null",
            b"[]",
            b'"text"',
            b"{",
            b'{"path":"/a","content":"x"} trailing',
            b'{"path":"/a","content":"\xff"}',
            b'{"path":"/a","content":"\\ud83d"}',
            b'{"path":"/\\udc00","content":""}',
            b'{"path":"/a","content":"x","colour":"red"}',
            b'{"content":"x"}',
            b'{"path":"/a"}',
            b"[" * 100_000,
        ],
        ids=lambda body: repr(body)[:40],
    )
    def test_get_a_400_for_a_body_that_is_none(self, old: Any, store: Any, body: bytes) -> None:
        base = f"/v1/memory_stores/{store.id}"
        answer = old.post(f"{base}/memories", content=body, headers={"content-type": "application/json"})
        assert (answer.status_code, answer.json()["error"]["type"]) == (400, "invalid_request_error")
        assert old.get(f"{base}/memory_versions").json()["data"] == []

    def test_get_a_413_for_a_body_beyond_all_bounds(self, old: Any, store: Any) -> None:
        huge = json.dumps({"path": "/a", "content": "x" * 33 * 1024 * 1024})
        answer = old.post(f"/v1/memory_stores/{store.id}/memories", content=huge)
        assert (answer.status_code, answer.json()["error"]["type"]) == (413, "request_too_large")

    def test_may_escape_every_character_of_the_largest_text(self, old: Any, store: Any) -> None:
        body = '{"path":"/a","content":"' + "\\u0001" * 102_400 + '"}'
        answer = old.post(f"/v1/memory_stores/{store.id}/memories", content=body)
        assert answer.json()["content_sha256"] == sha256("\x01" * 102_400)
