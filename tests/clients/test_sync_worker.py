"""The official SDK's sync worker, unmodified, over stores of a started `serve` (sessions contract, C)."""

import random
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest
from anthropic import AsyncAnthropic
from anthropic.lib.tools._memories import MARKER_PATH, SessionMemoryError

from tests.clients.sdk import LosesAnswersAsync, every, sha256
from tests.clients.texts import HOSTILE_TEXTS, LARGEST, LEGAL_PATHS
from tests.clients.worker import Clock, Requests, Worker, clock, recording_client

pytestmark = [pytest.mark.served, pytest.mark.anyio]

__all__ = ["clock"]


@pytest.fixture
async def admin(served: Any) -> AsyncIterator[Any]:
    """Whoever else is at the store: `memories` and `memory_versions` of an operator's client."""
    async with AsyncAnthropic(base_url=served.base_url, api_key=served.admin_key) as client:
        yield client.beta.memory_stores


StartWorker = Callable[..., Awaitable[tuple[Worker, Requests]]]


@pytest.fixture
async def start(served: Any, store: Any, tmp_path: Path, clock: Clock) -> AsyncIterator[StartWorker]:
    """Downloads the store into a new folder, with a key of the same access as the mount."""
    workers: list[Worker] = []

    async def start(access: str = "read_write", key: str = "") -> tuple[Worker, Requests]:
        client, sent = recording_client(served.base_url, key or served.key(access=access))
        worker = Worker(client, store, tmp_path / f"mount-{len(workers)}", clock, access)
        workers.append(worker)
        await worker.download()
        return worker, sent

    yield start
    for worker in workers:
        await worker.stores.dispose()
        await worker.client.close()


async def fill(admin: Any, store: Any, texts: dict[str, str]) -> dict[str, Any]:
    """Makes these memories; answers them by path."""
    return {
        path: await admin.memories.create(store.id, path=path, content=text) for path, text in texts.items()
    }


async def memories_of(admin: Any, store: Any) -> dict[str, bytes]:
    """Everything in the store, as paths and bytes."""
    found = await every(admin.memories.list(store.id, view="full"))
    for memory in found:
        assert memory.content_sha256 == sha256(memory.content)
    return {memory.path: memory.content.encode() for memory in found}


async def assert_same(worker: Worker, admin: Any, store: Any, expected: dict[str, str] | None = None) -> None:
    """Folder and store hold the same paths and bytes, and nothing but the expected ones."""
    assert worker.files() == await memories_of(admin, store)
    if expected is not None:
        assert worker.files() == {path: text.encode() for path, text in expected.items()}


class TestDownload:
    async def test_brings_every_byte(self, start: Any, admin: Any, store: Any) -> None:
        texts = {f"/texts/{n:02}-{name}.md": text for n, (name, text) in enumerate(HOSTILE_TEXTS.items())}
        # The worker takes a backslash for a slash on every system (C 7.9).
        texts |= {path: path for path in LEGAL_PATHS if "\\" not in path and len(path.encode()) < 255}
        await fill(admin, store, texts)
        worker, sent = await start()
        await assert_same(worker, admin, store, texts)
        assert sent[0] == "GET memories?limit=20&view=full"
        assert len(sent) == -(-len(texts) // 20)

    async def test_is_followed_by_syncs_that_cost_the_listing_only(
        self, start: Any, admin: Any, store: Any
    ) -> None:
        texts = {f"/{n % 7}/{n:03}": f"text {n}\n" for n in range(130)}
        await fill(admin, store, texts)
        worker, sent = await start()
        sent.clear()
        await worker.sync()
        assert len(sent) == 2
        assert sent[0] == "GET memories?limit=100&view=basic"
        assert sent[1].startswith("GET memories?limit=100&view=basic&page=page_")
        await assert_same(worker, admin, store, texts)

    async def test_of_an_empty_store_is_an_empty_folder(self, start: Any, admin: Any, store: Any) -> None:
        worker, _ = await start()
        await assert_same(worker, admin, store, {})

    async def test_fails_for_a_store_that_is_not_there(
        self, served: Any, tmp_path: Path, clock: Clock, store: Any
    ) -> None:
        async with AsyncAnthropic(base_url=served.base_url, api_key=served.admin_key) as client:
            gone = store.model_copy(update={"id": "memstore_01gone"})
            with pytest.raises(SessionMemoryError, match="memstore_01gone"):
                await Worker(client, gone, tmp_path / "mount", clock, "read_write").download()

    async def test_leaves_alone_what_the_disk_cannot_hold(self, start: Any, admin: Any, store: Any) -> None:
        long_name = "/" + "n" * 1000
        await fill(admin, store, {long_name: "too long a name for a file", "/a": "x"})
        worker, sent = await start()
        assert worker.files() == {"/a": b"x"}
        await worker.sync_deletes()
        await worker.stores.finish()
        assert sent.writes == []
        assert set(await memories_of(admin, store)) == {long_name, "/a"}

    async def test_leaves_out_a_memory_at_the_markers_path(self, start: Any, admin: Any, store: Any) -> None:
        await fill(admin, store, {"/" + MARKER_PATH: "mine", "/a": "x"})
        worker, sent = await start()
        assert worker.files() == {"/a": b"x"}
        await worker.sync_deletes()
        assert sent.writes == []


class TestUpload:
    async def test_sends_new_and_changed_files_byte_by_byte(self, start: Any, admin: Any, store: Any) -> None:
        texts = {f"/{n:02}": text for n, text in enumerate(HOSTILE_TEXTS.values())}
        before = await fill(admin, store, dict.fromkeys(texts, "before"))
        worker, sent = await start()
        new = {f"/new{path}/{'d/' * 10}{path[1:]}": text for path, text in texts.items()}
        for path, text in (texts | new).items():
            worker.write(path, text)
        sent.clear()
        await worker.sync()
        await assert_same(worker, admin, store, texts | new)
        assert len(sent.writes) == len(texts) + len(new)
        # Changed files stayed the memories they were.
        after = {memory.path: memory.id for memory in await every(admin.memories.list(store.id))}
        assert {path: after[path] for path in before} == {path: before[path].id for path in before}
        # What the answers said about the hashes is what the next listing says: nothing is sent again.
        sent.clear()
        await worker.sync()
        assert sent == ["GET memories?limit=100&view=basic"]

    async def test_is_written_by_the_workers_key(
        self, start: Any, admin: Any, store: Any, served: Any
    ) -> None:
        [mine] = (await fill(admin, store, {"/a": "x"})).values()
        worker, _ = await start(key=served.key(access="read_write", store_ids=[store.id]))
        worker.write("/a", "y")
        await worker.sync()
        by_worker, by_admin = await every(admin.memory_versions.list(store.id, memory_id=mine.id))
        assert by_worker.created_by.api_key_id != by_admin.created_by.api_key_id

    async def test_does_not_hammer_with_what_is_refused(self, start: Any, admin: Any, store: Any) -> None:
        await fill(admin, store, {"/ok": "x"})
        worker, sent = await start()
        worker.write("/large", "x" * (LARGEST + 1))
        worker.write("/binary", b"\xff\xfe")
        worker.write("/zero\u200bwidth", "x")
        worker.write("/nul", "a\0b")
        worker.write("/ok", "y")
        await worker.sync()
        sent.clear()
        await worker.sync()
        await worker.sync()
        assert sent.writes == []
        # A text with NUL may be kept or refused; whichever it is, it is not altered.
        there = await memories_of(admin, store)
        assert there.pop("/nul", b"a\0b") == b"a\0b"
        assert there == {"/ok": b"y"}
        # A file that was put right goes up.
        worker.write("/large", "x" * LARGEST)
        worker.write("/binary", "text")
        worker.remove("/zero\u200bwidth")
        worker.remove("/nul")
        await worker.sync_deletes()
        await assert_same(worker, admin, store, {"/ok": "y", "/large": "x" * LARGEST, "/binary": "text"})

    async def test_of_an_emptied_file_is_an_empty_memory(self, start: Any, admin: Any, store: Any) -> None:
        await fill(admin, store, {"/a": "text"})
        worker, _ = await start()
        worker.write("/a", "")
        worker.write("/b", "")
        await worker.sync()
        await assert_same(worker, admin, store, {"/a": "", "/b": ""})

    async def test_brings_back_what_was_deleted_but_edited_here(
        self, start: Any, admin: Any, store: Any
    ) -> None:
        made = await fill(admin, store, {"/a": "x", "/b": "x"})
        worker, _ = await start()
        await admin.memories.delete(made["/a"].id, memory_store_id=store.id)
        worker.write("/a", "only copy")
        await worker.sync()
        await assert_same(worker, admin, store, {"/a": "only copy", "/b": "x"})


class TestPull:
    async def test_brings_what_others_changed(self, start: Any, admin: Any, store: Any) -> None:
        made = await fill(admin, store, {f"/{n:02}": "before" for n in range(20)})
        worker, sent = await start()
        expected = {}
        for n, (path, text) in enumerate(zip(made, HOSTILE_TEXTS.values(), strict=False)):
            await admin.memories.update(made[path].id, memory_store_id=store.id, content=text)
            expected[path] = text
            expected[f"/new/{n}"] = text
            await admin.memories.create(store.id, path=f"/new/{n}", content=text)
        await admin.memories.update(made["/18"].id, memory_store_id=store.id, path="/moved/18")
        expected["/moved/18"] = "before"
        await admin.memories.delete(made["/19"].id, memory_store_id=store.id)
        expected["/17"] = "before"
        sent.clear()
        await worker.sync()
        await assert_same(worker, admin, store, expected)
        assert sent.writes == []


class TestConflict:
    async def test_is_won_by_the_server(self, start: Any, admin: Any, store: Any) -> None:
        made = await fill(admin, store, {"/a": "x", "/same": "x"})
        worker, sent = await start()
        worker.write("/a", "local")
        worker.write("/same", "agreed")
        worker.write("/new", "local")
        for path, text in (("/a", "remote"), ("/same", "agreed")):
            await admin.memories.update(made[path].id, memory_store_id=store.id, content=text)
        await admin.memories.create(store.id, path="/new", content="remote")
        sent.clear()
        await worker.sync()
        await assert_same(worker, admin, store, {"/a": "remote", "/same": "agreed", "/new": "remote"})
        assert sent.writes == []
        assert [v.operation for v in await every(admin.memory_versions.list(store.id))] == [
            "created",
            "modified",
            "modified",
            "created",
            "created",
        ]

    async def test_between_listing_and_update_costs_one_request(
        self, start: Any, admin: Any, store: Any
    ) -> None:
        made = await fill(admin, store, {"/a": "x"})
        worker, sent = await start()
        worker.write("/a", "local")

        async def somebody_is_faster(request: httpx2.Request) -> None:
            if request.method == "POST":
                await admin.memories.update(made["/a"].id, memory_store_id=store.id, content="remote")

        hooks = worker.client._client.event_hooks
        worker.client._client.event_hooks = {"request": [*hooks["request"], somebody_is_faster]}
        sent.clear()
        await worker.sync()
        assert len(sent.writes) == 1
        assert worker.files() == {"/a": b"local"}
        worker.client._client.event_hooks = hooks
        await worker.sync()
        await assert_same(worker, admin, store, {"/a": "remote"})
        assert len(await every(admin.memory_versions.list(store.id))) == 2

    @pytest.mark.parametrize(("there", "now"), [("/a", "/a/b"), ("/a/b", "/a")])
    async def test_of_a_file_and_a_folder_loses_neither(
        self, start: Any, admin: Any, store: Any, there: str, now: str
    ) -> None:
        await fill(admin, store, {there: "there", "/z": "x"})
        worker, sent = await start()
        worker.remove(there)
        shutil.rmtree(worker.folder / "a", ignore_errors=True)
        worker.write(now, "now")
        # The create is refused while the memory is there, at one request a sync; and 2.14.0 never deletes a
        # memory while it finds a folder where the file was, or a file where the folder was.
        for _ in range(3):
            sent.clear()
            await worker.sync_deletes()
            assert sent.writes == ["POST memories"] * 2
        assert await memories_of(admin, store) == {there: b"there", "/z": b"x"}
        assert worker.files() == {now: b"now", "/z": b"x"}


class TestDelete:
    async def test_waits_half_a_minute(self, start: Any, admin: Any, store: Any) -> None:
        made = await fill(admin, store, {"/a": "x", "/b": "x"})
        worker, sent = await start()
        worker.remove("/a")
        sent.clear()
        for _ in range(5):  # the first at 0 seconds, the last at 20
            await worker.sync()
        assert sent.writes == []
        worker.clock.forward(10)
        await worker.sync()
        assert sent.writes == [
            f"DELETE memories/{made['/a'].id}?expected_content_sha256={made['/a'].content_sha256}"
        ]
        await assert_same(worker, admin, store, {"/b": "x"})
        newest = (await every(admin.memory_versions.list(store.id)))[0]
        assert (newest.operation, newest.path) == ("deleted", "/a")

    async def test_does_not_wait_at_the_end(self, start: Any, admin: Any, store: Any) -> None:
        await fill(admin, store, {"/a": "x", "/b": "x"})
        worker, _ = await start()
        worker.remove("/a")
        await worker.stores.finish()
        await assert_same(worker, admin, store, {"/b": "x"})

    async def test_gives_way_to_a_change_by_others(self, start: Any, admin: Any, store: Any) -> None:
        made = await fill(admin, store, {"/a": "x", "/b": "x"})
        worker, sent = await start()
        worker.remove("/a")
        await worker.sync()
        await admin.memories.update(made["/a"].id, memory_store_id=store.id, content="changed meanwhile")
        worker.clock.forward(30)
        await worker.sync()
        assert sent.writes == []
        await assert_same(worker, admin, store, {"/a": "changed meanwhile", "/b": "x"})

    async def test_gives_way_to_a_change_that_comes_with_it(self, start: Any, admin: Any, store: Any) -> None:
        made = await fill(admin, store, {"/a": "x", "/b": "x"})
        worker, sent = await start()
        worker.remove("/a")
        await worker.sync()
        worker.clock.forward(30)

        async def somebody_is_faster(request: httpx2.Request) -> None:
            if request.method == "DELETE":
                await admin.memories.update(made["/a"].id, memory_store_id=store.id, content="faster")

        hooks = worker.client._client.event_hooks
        worker.client._client.event_hooks = {"request": [*hooks["request"], somebody_is_faster]}
        await worker.sync()
        assert len(sent.writes) == 1
        worker.client._client.event_hooks = hooks
        await worker.sync()
        await assert_same(worker, admin, store, {"/a": "faster", "/b": "x"})

    async def test_is_sent_in_small_numbers(self, start: Any, admin: Any, store: Any) -> None:
        await fill(admin, store, {f"/{n:02}": "x" for n in range(40)})
        worker, sent = await start()
        for n in range(15):
            worker.remove(f"/{n:02}")
        await worker.sync()
        sent.clear()
        worker.clock.forward(30)
        await worker.sync()
        assert len(sent.writes) == 10
        await worker.sync()
        await assert_same(worker, admin, store, {f"/{n:02}": "x" for n in range(15, 40)})

    async def test_is_not_what_a_wiped_folder_means(self, start: Any, admin: Any, store: Any) -> None:
        texts = {f"/{n}": text for n, text in enumerate(HOSTILE_TEXTS.values())}
        await fill(admin, store, texts)
        worker, sent = await start()
        for path in texts:
            worker.remove(path)
        await worker.sync()
        assert sent.writes == []
        await assert_same(worker, admin, store, texts)


class TestReadOnly:
    async def test_pulls_and_never_pushes(self, start: Any, admin: Any, store: Any) -> None:
        made = await fill(admin, store, {"/a": "x", "/b": "x", "/c": "x", "/d": "x"})
        worker, sent = await start("read_only")
        worker.write("/a", "local")
        worker.write("/new", "local")
        worker.remove("/b")
        worker.remove("/c")
        await admin.memories.update(made["/c"].id, memory_store_id=store.id, content="remote")
        await admin.memories.update(made["/d"].id, memory_store_id=store.id, content="remote")
        await worker.sync_deletes()
        await worker.stores.finish()
        await worker.stores.flush_writes()
        assert sent.writes == []
        assert worker.files() == {"/a": b"local", "/new": b"local", "/c": b"remote", "/d": b"remote"}
        there = {"/a": b"x", "/b": b"x", "/c": b"remote", "/d": b"remote"}
        assert await memories_of(admin, store) == there
        # What the server changes comes over what was changed here.
        await admin.memories.update(made["/a"].id, memory_store_id=store.id, content="remote")
        await worker.sync()
        assert worker.files()["/a"] == b"remote"


class TestFlushWrites:
    async def test_uploads_and_does_nothing_else(self, start: Any, admin: Any, store: Any) -> None:
        made = await fill(admin, store, {f"/{n}": "x" for n in range(6)})
        worker, sent = await start()
        new = {f"/new/{n:02}": text for n, text in enumerate(HOSTILE_TEXTS.values())}
        for path, text in new.items():
            worker.write(path, text)
        worker.write("/0", "local")
        worker.write("/1", "local")
        worker.remove("/2")
        await admin.memories.update(made["/1"].id, memory_store_id=store.id, content="remote")
        await admin.memories.update(made["/3"].id, memory_store_id=store.id, content="remote")
        sent.clear()
        await worker.stores.flush_writes()
        assert len(sent.writes) == len(new) + 1
        expected = {path: text.encode() for path, text in new.items()}
        expected |= {"/0": b"local", "/1": b"remote", "/2": b"x", "/3": b"remote", "/4": b"x", "/5": b"x"}
        assert await memories_of(admin, store) == expected
        # Nothing is left to send.
        sent.clear()
        await worker.stores.flush_writes()
        assert sent.writes == []


class TestLostAnswers:
    async def test_are_settled_by_the_next_listing(
        self, served: Any, store: Any, admin: Any, tmp_path: Path, clock: Clock
    ) -> None:
        """Every answer to a write is lost, and so is every repeat's: the worker finds its bytes listed."""
        await fill(admin, store, {"/changed": "x", "/gone": "x", "/kept": "x"})
        transport = LosesAnswersAsync()
        async with AsyncAnthropic(
            base_url=served.base_url,
            api_key=served.admin_key,
            http_client=httpx2.AsyncClient(transport=transport),
            max_retries=0,
        ) as client:
            worker = Worker(client, store, tmp_path / "mount", clock, "read_write")
            await worker.download()
            worker.write("/new", "new")
            worker.write("/changed", "new")
            worker.remove("/gone")
            await worker.sync()
            worker.write("/newer", "new")
            worker.write("/changed", "newer")
            clock.forward(30)

            async def lose_writes(request: httpx2.Request) -> None:
                transport.lose = int(request.method != "GET")

            client._client.event_hooks = {"request": [lose_writes]}
            await worker.sync()
            client._client.event_hooks = {"request": []}
            assert await memories_of(admin, store) == {
                "/changed": b"newer",
                "/new": b"new",
                "/newer": b"new",
                "/kept": b"x",
            }
            versions = await every(admin.memory_versions.list(store.id))
            await worker.sync()
            await worker.stores.finish()
            await assert_same(worker, admin, store)
            assert await every(admin.memory_versions.list(store.id)) == versions


class TestTwoWorkers:
    async def test_lose_and_invent_nothing_over_a_long_run(
        self, start: Any, admin: Any, store: Any, served: Any
    ) -> None:
        """Two agents and a person at one store; whatever the server took is in its history, byte by byte."""
        chance = random.Random(20_261_130)
        texts = list(HOSTILE_TEXTS.values())
        await fill(admin, store, {f"/{n % 3}/{n}": text for n, text in enumerate(texts)})
        first, _ = await start()
        second, _ = await start()
        written = set(texts)
        for turn in range(8):
            for worker in (first, second):
                for _ in range(4):
                    paths = sorted(worker.files())
                    path = chance.choice(paths)
                    text = f"{turn} {id(worker)} {chance.random()}\r\n{chance.choice(texts[:-2])}"
                    kind = chance.choice(("edit", "edit", "make", "remove"))
                    if kind == "remove" and len(paths) > 10:
                        worker.remove(path)
                    else:
                        written.add(text)
                        worker.write(path if kind == "edit" else f"/{turn}/{chance.random()}.md", text)
                await worker.sync()
            memory = chance.choice(await every(admin.memories.list(store.id)))
            written.add(f"by hand {turn}")
            await admin.memories.update(memory.id, memory_store_id=store.id, content=f"by hand {turn}")
            first.clock.forward(chance.choice((0, 31)))
        for worker in (first, second):
            await worker.sync_deletes()
            await worker.stores.finish()
        await first.sync()
        await assert_same(first, admin, store)
        await assert_same(second, admin, store)

        versions = await every(admin.memory_versions.list(store.id, view="full"))
        assert len(versions) > 60
        kept = {version.content for version in versions if version.operation != "deleted"}
        assert kept <= written
        live = await every(admin.memories.list(store.id, view="full"))
        newest: dict[str, Any] = {}
        for version in versions:
            newest.setdefault(version.memory_id, version)
        assert {m.id: m.memory_version_id for m in live} == {
            memory_id: v.id for memory_id, v in newest.items() if v.operation != "deleted"
        }
        served.manage("verify_history", "--store", store.id)
