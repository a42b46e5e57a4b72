"""Many clients at once, each on a connection of its own, and what a store's history says they did."""

import hashlib
import http.client
import json
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from math import inf
from typing import Any, TypeVar
from urllib.parse import quote, urlsplit

BETA = "agent-memory-2026-07-22"
PATIENCE_SECONDS = 30

Outcome = TypeVar("Outcome")


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


class Refused(Exception):
    """A 4xx: the server has taken the request in and turned it down."""

    def __init__(self, status: int, error: dict[str, Any]) -> None:
        super().__init__(f"{status} {error}")
        self.status = status
        self.type = error["type"]


class Caller:
    """One client that repeats nothing by itself, so that each request is one attempt.

    Anything but a 200 or a 4xx is an AssertionError: no number of clients makes it right.
    """

    def __init__(self, base_url: str, key: str) -> None:
        address = urlsplit(base_url)
        self.connection = http.client.HTTPConnection(
            address.hostname or "", address.port, timeout=PATIENCE_SECONDS
        )
        self.headers = {
            "Authorization": f"Bearer {key}",
            "anthropic-beta": BETA,
            "Content-Type": "application/json",
        }

    def __call__(self, method: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        data = None if body is None else json.dumps(body)
        self.connection.request(method, "/v1/memory_stores" + path, data, self.headers)
        response = self.connection.getresponse()
        answer: dict[str, Any] = json.loads(response.read())
        if response.status == 200:
            return answer
        assert 400 <= response.status < 500, f"{method} {path}: {response.status} {answer}"
        raise Refused(response.status, answer["error"])

    def outcome(
        self, method: str, path: str, body: dict[str, Any] | None = None
    ) -> "dict[str, Any] | Refused":
        try:
            return self(method, path, body)
        except Refused as refused:
            return refused

    def every(self, path: str, **query: str) -> Iterator[dict[str, Any]]:
        """All items of all pages of a list."""
        page: str | None = ""
        while page is not None:
            parameters = {"limit": "100", **query, "page": page}
            words = "&".join(f"{name}={quote(value, safe='')}" for name, value in parameters.items())
            answer = self("GET", f"{path}?{words}")
            yield from answer["data"]
            page = answer["next_page"]


class Store:
    """A new store, and callers for it."""

    def __init__(self, served: Any) -> None:
        self.served = served
        self.caller = self.new_caller()
        self.id: str = self.caller("POST", "", {"name": "crowded"})["id"]
        self.memories = f"/{self.id}/memories"
        self.versions = f"/{self.id}/memory_versions"

    def new_caller(self) -> Caller:
        return Caller(self.served.base_url, self.served.admin_key)

    def create(self, path: str, content: str = "") -> dict[str, Any]:
        return self.caller("POST", self.memories, {"path": path, "content": content})

    def at_once(self, count: int, act: Callable[[int, Caller], Outcome]) -> list[Outcome]:
        """`act(number, caller)` in so many threads that set off together; what each came back with."""
        line = threading.Barrier(count)

        def run(number: int) -> Outcome:
            caller = self.new_caller()
            caller("GET", f"/{self.id}")  # the connection is there before the start
            line.wait(PATIENCE_SECONDS)
            return act(number, caller)

        with ThreadPoolExecutor(count) as threads:
            return list(threads.map(run, range(count)))

    def history(self, **query: str) -> list[dict[str, Any]]:
        """All versions with their texts, oldest first."""
        return list(self.caller.every(self.versions, view="full", **query))[::-1]

    def live(self) -> list[dict[str, Any]]:
        return list(self.caller.every(self.memories))

    def assert_consistent(self) -> list[dict[str, Any]]:
        """The history, played back, ends in what is there, and `verify_history` finds nothing in it.

        Answers the history, oldest first.
        """
        history = self.history()
        heads: dict[str, dict[str, Any]] = {}
        for version in history:
            assert (version["operation"] == "created") == (version["memory_id"] not in heads)
            heads[version["memory_id"]] = version
            if version["operation"] != "deleted":
                assert version["content_sha256"] == sha256(version["content"])
        live = {memory["path"]: memory for memory in self.live()}
        assert live.keys() == {head["path"] for head in heads.values() if head["operation"] != "deleted"}
        for memory in live.values():
            head = heads[memory["id"]]
            assert memory["memory_version_id"] == head["id"]
            assert memory["content_sha256"] == head["content_sha256"]
        assert not list(in_each_others_way([(memory["path"], 0.0, inf) for memory in live.values()]))
        self.served.manage("verify_history", "--store", self.id)
        return history


Span = tuple[str, float, float]


def in_each_others_way(spans: list[Span]) -> Iterator[tuple[Span, Span]]:
    """Pairs of (path, since, until) of which one is a folder of the other, or the same, at one time."""
    holders: list[Span] = []
    for path, since, until in sorted(spans, key=lambda span: span[1]):
        holders = [holder for holder in holders if holder[2] > since]
        for holder in holders:
            if (holder[0] + "/").startswith(path + "/") or (path + "/").startswith(holder[0] + "/"):
                yield holder, (path, since, until)
        holders.append((path, since, until))
