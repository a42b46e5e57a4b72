"""kill -9 of `serve` while eight clients write: what was acknowledged is there, and the history is whole."""

import http.client
import os
import random
import signal
import threading
import time
from typing import Any

import pytest

from tests.served.callers import Caller, Refused, Store, sha256
from tests.served_instance import ServedInstance, serve_instance

pytestmark = pytest.mark.served

CLIENTS = 8
# What a client that is cut off sees.
CUT_OFF = (OSError, http.client.HTTPException)


class Writer(threading.Thread):
    """Writes until it is cut off, and remembers what it asked for and what it was told."""

    def __init__(self, store: Store, number: int, shared_id: str) -> None:
        super().__init__(name=f"writer {number}")
        self.store = store
        self.chance = random.Random(number)
        self.shared_id = shared_id
        self.mine: list[str] = []
        self.asked: set[str] = set()  # hashes of the texts that it sent
        self.told: dict[str, tuple[str, str, str]] = {}  # version id: memory, path, hash
        self.told_deleted: set[str] = set()
        self.fault: BaseException | None = None

    def run(self) -> None:
        caller = self.store.new_caller()
        try:
            while True:
                self.write(caller)
        except CUT_OFF:
            pass
        except BaseException as fault:  # noqa: BLE001 - handed to the test, which raises it
            self.fault = fault

    def write(self, caller: Caller) -> None:
        text = f"{self.name} {self.chance.random()}" * self.chance.choice((1, 200))
        path = f"/{self.name}/{self.chance.random()}"
        memory_id = self.chance.choice([self.shared_id, *self.mine])
        address = f"{self.store.memories}/{memory_id}"
        kind = self.chance.choice(("create", "text", "text", "rename", "delete"))
        if not self.mine:
            kind = "create"
        if kind == "delete":
            memory_id = self.mine.pop()
            caller("DELETE", f"{self.store.memories}/{memory_id}")
            self.told_deleted.add(memory_id)
            return
        if kind in ("create", "text"):
            self.asked.add(sha256(text))
        if kind == "create":
            answer = caller("POST", self.store.memories, {"path": path, "content": text})
            self.mine.append(answer["id"])
        else:
            answer = caller("POST", address, {"path": path} if kind == "rename" else {"content": text})
        self.told[answer["memory_version_id"]] = (answer["id"], answer["path"], answer["content_sha256"])


def kill_all_of(instance: ServedInstance) -> None:
    """The whole tree at once, as an operating system out of memory or a container does it."""
    children = instance.children()
    assert children
    assert instance.process is not None
    os.kill(instance.process.pid, signal.SIGSTOP)  # so that it starts nobody anew meanwhile
    for pid in children:
        os.kill(pid, signal.SIGKILL)
    instance.kill9()


@pytest.mark.parametrize(
    "kill", [kill_all_of, ServedInstance.kill9], ids=["the whole tree", "the parent, whose children notice"]
)
def test_nothing_acknowledged_is_lost(kill: Any) -> None:
    with serve_instance() as instance:
        for seconds in (1.0, 0.6):
            store = Store(instance)
            shared_id = store.create("/shared", "")["id"]
            writers = [Writer(store, number, shared_id) for number in range(CLIENTS)]
            for writer in writers:
                writer.start()
            time.sleep(seconds)
            assert all(writer.is_alive() for writer in writers), [writer.fault for writer in writers]
            kill(instance)
            for writer in writers:
                writer.join(20)
                assert not writer.is_alive()
                assert writer.fault is None, writer.fault
            # Before a server touches the database again, and once more afterwards, in `check`.
            instance.manage("verify_history")
            instance.start()
            store.caller = store.new_caller()
            check(store, writers)


def check(store: Store, writers: list[Writer]) -> None:
    history = store.assert_consistent()
    by_id = {version["id"]: version for version in history}
    told = {version_id: facts for writer in writers for version_id, facts in writer.told.items()}
    assert len(told) > CLIENTS
    for version_id, (memory_id, path, content_sha256) in told.items():
        version = by_id[version_id]
        assert (version["memory_id"], version["path"], version["content_sha256"]) == (
            memory_id,
            path,
            content_sha256,
        )
    told_deleted = set().union(*(writer.told_deleted for writer in writers))
    deleted = {version["memory_id"] for version in history if version["operation"] == "deleted"}
    assert told_deleted <= deleted
    # Each writer had one request under way when it was cut off: so much may be there unacknowledged, no more.
    unheard = [v for v in history if v["operation"] != "deleted" and v["id"] not in told]
    assert len(unheard) - 1 + len(deleted - told_deleted) <= CLIENTS
    # And nobody's text is there that nobody sent.
    asked = set().union({sha256("")}, *(writer.asked for writer in writers))
    assert {version["content_sha256"] for version in history if version["content_sha256"]} <= asked
    # The server goes on where it was.
    shared = f"{store.memories}/{writers[0].shared_id}"
    after = store.caller("POST", shared, {"content": "after the crash"})
    assert after["memory_version_id"] > max(by_id)
    for memory_id in told_deleted:
        assert isinstance(store.caller.outcome("GET", f"{store.memories}/{memory_id}"), Refused)
