"""Many clients at one store: nothing acknowledged is lost, nothing is invented, nobody waits for ever."""

import random
import time
from collections import Counter
from collections.abc import Callable
from itertools import count, pairwise
from math import inf
from typing import Any

import pytest

from tests.served.callers import Caller, Refused, Span, Store, in_each_others_way, sha256

pytestmark = pytest.mark.served

CLIENTS = 8
SECONDS = 2.0  # of hammering, where a test has no other end


@pytest.fixture
def store(served: Any) -> Store:
    return Store(served)


@pytest.fixture(autouse=True)
def no_stack_trace(served: Any) -> Any:
    """A conflict is an answer, not an event for the log; a deadlock would be one."""
    before = len(served.log.read_text())
    yield
    assert "Traceback" not in served.log.read_text()[before:]


def matching(text: str) -> dict[str, str]:
    return {"type": "content_sha256", "content_sha256": sha256(text)}


def kept(outcomes: list[Any]) -> list[dict[str, Any]]:
    return [outcome for outcome in outcomes if not isinstance(outcome, Refused)]


def refusals(outcomes: list[Any]) -> Counter[str]:
    return Counter(outcome.type for outcome in outcomes if isinstance(outcome, Refused))


def for_a_while(act: Callable[[], Any]) -> list[Any]:
    end = time.monotonic() + SECONDS
    outcomes = []
    while time.monotonic() < end:
        outcomes.append(act())
    return outcomes


class TestOneMemory:
    @pytest.fixture
    def counter(self, store: Store) -> dict[str, Any]:
        return store.create("/counter", "0")

    def test_counts_every_acknowledged_increment_once(self, store: Store, counter: dict[str, Any]) -> None:
        """Read, add one, write if nobody was faster, else again: what every careful client does.

        Each signs its text: two that ask for the very same text are both told that it is there (C 4.3).
        """
        address = f"{store.memories}/{counter['id']}"

        def increment(number: int, caller: Caller) -> list[Any]:
            turns = count()

            def once() -> Any:
                text = caller("GET", address)["content"]
                new = f"{int(text.split()[0]) + 1} by {number} in turn {next(turns)}"
                answer = caller.outcome("POST", address, {"content": new, "precondition": matching(text)})
                return answer if isinstance(answer, Refused) else answer | {"sent": new}

            return for_a_while(once)

        outcomes = [outcome for each in store.at_once(CLIENTS, increment) for outcome in each]
        acknowledged = kept(outcomes)
        assert len(acknowledged) > CLIENTS
        assert set(refusals(outcomes)) <= {"memory_precondition_failed_error"}
        assert refusals(outcomes).total() > 0, "the clients never met"
        final = store.caller("GET", address)["content"]
        assert int(final.split()[0]) == len(acknowledged)

        history = store.assert_consistent()
        assert len(history) == len(acknowledged) + 1
        by_number = sorted(acknowledged, key=lambda answer: int(answer["sent"].split()[0]))
        for n, (answer, version) in enumerate(zip(by_number, history[1:], strict=True), 1):
            assert answer["sent"] == version["content"]
            assert int(version["content"].split()[0]) == n
            assert (answer["memory_version_id"], answer["content_sha256"]) == (
                version["id"],
                version["content_sha256"],
            )

    def test_numbers_versions_without_gaps(self, store: Store, counter: dict[str, Any], served: Any) -> None:
        """Writers who look at nothing: all are acknowledged, each has its version, in one order."""
        address = f"{store.memories}/{counter['id']}"

        def write(number: int, caller: Caller) -> list[dict[str, Any]]:
            return [caller("POST", address, {"content": f"{number} {n}"}) for n in range(15)]

        answers = store.at_once(CLIENTS, write)
        acknowledged = {memory["memory_version_id"]: memory for each in answers for memory in each}
        history = store.assert_consistent()
        assert len(acknowledged) == CLIENTS * 15
        assert acknowledged.keys() == {version["id"] for version in history[1:]}
        for version in history[1:]:
            answer = acknowledged[version["id"]]
            assert answer["content_sha256"] == version["content_sha256"]
            assert answer["updated_at"] == version["created_at"]
        # Each client's writes are in the order in which it made them.
        place = {version["content"]: n for n, version in enumerate(history)}
        for number in range(CLIENTS):
            places = [place[f"{number} {n}"] for n in range(15)]
            assert places == sorted(places)
        times = [version["created_at"] for version in history]
        assert times == sorted(set(times))
        script = (
            "from stores.models import MemoryVersion\n"
            f"rows = MemoryVersion.objects.filter(memory_id={counter['id']!r}).order_by('id')\n"
            "print(*rows.values_list('seq', flat=True))"
        )
        numbers = served.manage("shell", "--verbosity", "0", "--command", script)
        assert numbers.split() == [str(n + 1) for n in range(len(history))]

    def test_keeps_text_and_path_apart(self, store: Store, counter: dict[str, Any]) -> None:
        """Some write texts and some rename: neither undoes what the other did meanwhile."""
        address = f"{store.memories}/{counter['id']}"

        def act(number: int, caller: Caller) -> list[tuple[str, dict[str, Any]]]:
            field = "content" if number % 2 else "path"
            values = (f"/{number}/{n}" for n in count())
            return for_a_while(lambda: (field, caller("POST", address, {field: next(values)})))

        changed = {
            memory["memory_version_id"]: field
            for each in store.at_once(CLIENTS, act)
            for field, memory in each
        }
        assert set(changed.values()) == {"content", "path"}
        history = store.assert_consistent()
        assert len(history) == len(changed) + 1
        for before, version in pairwise(history):
            other = "path" if changed[version["id"]] == "content" else "content"
            assert version[other] == before[other]

    def test_has_one_winner_per_precondition(self, store: Store) -> None:
        made = store.at_once(
            20, lambda n, caller: caller("POST", store.memories, {"path": f"/{n}", "content": "x"})
        )
        assert len({memory["id"] for memory in made}) == len(store.live()) == 20

        address = f"{store.memories}/{made[0]['id']}"
        outcomes = store.at_once(
            20,
            lambda n, caller: caller.outcome(
                "POST", address, {"content": f"by {n}", "precondition": matching("x")}
            ),
        )
        [winner] = kept(outcomes)
        assert refusals(outcomes) == {"memory_precondition_failed_error": 19}
        history = store.assert_consistent()
        assert len(history) == 21
        assert history[-1]["id"] == winner["memory_version_id"]

    def test_takes_one_text_from_many_once(self, store: Store, counter: dict[str, Any]) -> None:
        """Who asks for what already is gets it, whatever the precondition said: one version for all."""
        address = f"{store.memories}/{counter['id']}"
        answers = store.at_once(
            20, lambda n, caller: caller("POST", address, {"content": "same", "precondition": matching("0")})
        )
        assert len({memory["memory_version_id"] for memory in answers}) == 1
        assert len(store.assert_consistent()) == 2

    def test_ends_once(self, store: Store, counter: dict[str, Any]) -> None:
        """Writers and a deleter: what was acknowledged lies before the end, nothing behind it."""
        address = f"{store.memories}/{counter['id']}"

        def act(number: int, caller: Caller) -> list[Any]:
            if number < 3:
                time.sleep(SECONDS / 2)
                return [caller.outcome("DELETE", address)]
            return for_a_while(
                lambda: caller.outcome("POST", address, {"content": f"{number} {random.random()}"})
            )

        outcomes = [outcome for each in store.at_once(CLIENTS, act) for outcome in each]
        assert set(refusals(outcomes)) == {"not_found_error"}
        deleted = [answer for answer in kept(outcomes) if answer["type"] == "memory_deleted"]
        assert len(deleted) == 1
        history = store.assert_consistent()
        assert history[-1]["operation"] == "deleted"
        written = {answer["memory_version_id"] for answer in kept(outcomes) if answer["type"] == "memory"}
        assert written == {version["id"] for version in history[1:-1]}


class TestPaths:
    @pytest.mark.parametrize(
        "paths",
        [["/a", "/a/b"], ["/a"], ["/a/b/c", "/a/b", "/a"], ["/x/y", "/x/y/z", "/x", "/x/y"]],
        ids=" ".join,
    )
    def test_of_creators_in_each_others_way_one_wins(self, store: Store, paths: list[str]) -> None:
        def create(number: int, caller: Caller) -> Any:
            path = paths[number % len(paths)]
            return caller.outcome("POST", store.memories, {"path": path, "content": str(number)})

        for turn in range(1, 7):
            outcomes = store.at_once(CLIENTS, create)
            [winner] = kept(outcomes)
            assert refusals(outcomes) == {"memory_path_conflict_error": CLIENTS - 1}
            assert [memory["id"] for memory in store.live()] == [winner["id"]]
            store.caller("DELETE", f"{store.memories}/{winner['id']}")
            assert len(store.history()) == 2 * turn
        store.assert_consistent()

    @pytest.mark.parametrize("targets", [["/target"], ["/target", "/target/below"]], ids=" ".join)
    def test_of_renames_onto_one_path_one_wins(self, store: Store, targets: list[str]) -> None:
        memories = [store.create(f"/from/{n}", str(n)) for n in range(CLIENTS)]

        def rename(number: int, caller: Caller) -> Any:
            target = targets[number % len(targets)]
            return caller.outcome("POST", f"{store.memories}/{memories[number]['id']}", {"path": target})

        outcomes = store.at_once(CLIENTS, rename)
        [winner] = kept(outcomes)
        assert refusals(outcomes) == {"memory_path_conflict_error": CLIENTS - 1}
        untouched = [memory for memory in memories if memory["id"] != winner["id"]]
        live = {memory["id"]: memory for memory in store.live()}
        assert live == {memory["id"]: memory for memory in [*untouched, winner]}
        assert len(store.assert_consistent()) == CLIENTS + 1

    def test_of_renames_and_creates_one_wins(self, store: Store) -> None:
        memories = [store.create(f"/from/{n}", str(n)) for n in range(CLIENTS)]

        def act(number: int, caller: Caller) -> Any:
            if number % 2:
                return caller.outcome("POST", store.memories, {"path": "/target", "content": "made"})
            return caller.outcome("POST", f"{store.memories}/{memories[number]['id']}", {"path": "/target/x"})

        outcomes = store.at_once(CLIENTS, act)
        assert len(kept(outcomes)) >= 1
        assert set(refusals(outcomes)) == {"memory_path_conflict_error"}
        assert len({outcome["path"] for outcome in kept(outcomes)}) == 1
        assert len(kept(outcomes)) == 1
        store.assert_consistent()

    def test_creating_and_deleting_one_path_leaves_whole_lives(self, store: Store) -> None:
        """Between the answer to its create and the request to delete it, a memory has the path for itself."""

        def act(number: int, caller: Caller) -> list[Any]:
            def once() -> Any:
                made = caller.outcome("POST", store.memories, {"path": "/a", "content": str(number)})
                if isinstance(made, Refused):
                    return made
                since = time.monotonic()
                time.sleep(0.001)
                span = ("/a", since, time.monotonic())
                caller("DELETE", f"{store.memories}/{made['id']}")
                return made | {"span": span}

            return for_a_while(once)

        outcomes = [outcome for each in store.at_once(CLIENTS, act) for outcome in each]
        assert set(refusals(outcomes)) == {"memory_path_conflict_error"}
        assert not list(in_each_others_way([outcome["span"] for outcome in kept(outcomes)]))
        history = store.assert_consistent()
        made = {outcome["id"] for outcome in kept(outcomes)}
        assert len(made) > CLIENTS
        assert Counter(version["memory_id"] for version in history) == dict.fromkeys(made, 2)
        # The times tell it in the order in which it was: no life begins before the last one is over.
        assert [version["operation"] for version in history] == ["created", "deleted"] * len(made)
        assert store.live() == []

    def test_anything_at_once_stays_one_story(self, store: Store) -> None:
        """Every kind of write over few paths, some in each other's way: the hardest case for locks."""
        paths = ["/a", "/a/b", "/a/b/c", "/b", "/b/a", "/c", "/d/e", "/d/f"]
        outcomes = [
            outcome
            for each in store.at_once(CLIENTS, lambda n, caller: stir(store, n, caller, paths))
            for outcome in each
        ]
        answers = [answer for _, answer, _ in outcomes]
        assert set(refusals(answers)) <= {"memory_path_conflict_error", "not_found_error"}
        history = store.assert_consistent()
        assert {version["operation"] for version in history} == {"created", "modified", "deleted"}
        answered = {answer["memory_version_id"] for answer in kept(answers) if answer["type"] == "memory"}
        ended = {answer["id"] for answer in kept(answers) if answer["type"] == "memory_deleted"}
        assert answered == {version["id"] for version in history if version["operation"] != "deleted"}
        assert ended == {version["memory_id"] for version in history if version["operation"] == "deleted"}
        spans = certain_spans(history, outcomes)
        assert len(spans) > CLIENTS
        assert not list(in_each_others_way(spans))


def stir(store: Store, number: int, caller: Caller, paths: list[str]) -> list[tuple[float, Any, float]]:
    """Random writes for a while, each with when it was sent and when answered."""
    chance = random.Random(number)
    known: list[str] = []

    def once() -> tuple[float, Any, float]:
        if not known or chance.random() < 0.25:
            known[:] = [memory["id"] for memory in caller.every(store.memories)] or known
        kind = chance.choice(["create", "text", "rename", "both", "delete"]) if known else "create"
        address = store.memories if kind == "create" else f"{store.memories}/{chance.choice(known)}"
        body = {"path": chance.choice(paths), "content": f"{number} {chance.random()}"}
        if kind in ("text", "rename"):
            del body["path" if kind == "text" else "content"]
        sent = time.monotonic()
        answer = (
            caller.outcome("DELETE", address) if kind == "delete" else caller.outcome("POST", address, body)
        )
        return sent, answer, time.monotonic()

    return for_a_while(once)


def certain_spans(history: list[dict[str, Any]], outcomes: list[tuple[float, Any, float]]) -> list[Span]:
    """From when until when each memory surely had a path, as its clients saw it: from the answer to the write
    that brought it there until the request for the one that ended it.
    """
    sent: dict[str, float] = {}
    answered: dict[str, float] = {}
    for start, answer, end in outcomes:
        if isinstance(answer, Refused):
            continue
        # What changes nothing is answered with the version there is, which so has come about before.
        key = answer["memory_version_id"] if answer["type"] == "memory" else answer["id"]
        sent[key] = min(start, sent.get(key, inf))
        answered[key] = min(end, answered.get(key, inf))
    lives: dict[str, list[dict[str, Any]]] = {}
    for version in history:
        lives.setdefault(version["memory_id"], []).append(version)
    spans = []
    for memory_id, versions in lives.items():
        keys = [memory_id if version["operation"] == "deleted" else version["id"] for version in versions]
        for version, key, following in zip(versions, keys, [*keys[1:], None], strict=True):
            until = inf if following is None else sent[following]
            if version["operation"] != "deleted" and answered[key] < until:
                spans.append((version["path"], answered[key], until))
    return spans


class TestStore:
    def test_is_never_fuller_than_full(self, store: Store, served: Any) -> None:
        script = (
            "from contextlib import nullcontext\n"
            "from django.db import connection, transaction\n"
            "from stores.domain import actors, memories\n"
            "from stores.models import ApiKey\n"
            f"store_id, workspace_id = {store.id!r}, {served.workspace_id!r}\n"
            "keys = ApiKey.objects.filter(workspace_id=workspace_id, access='admin')\n"
            "actor = actors.key_actor(api_key=keys.filter(store_ids__isnull=True).first())\n"
            # SQLite waits for the disk at the end of each transaction. PostgreSQL, here, does not; it gets
            # slower with each change of one row, the store's, in one transaction.
            "with transaction.atomic() if connection.vendor == 'sqlite' else nullcontext():\n"
            "    for n in range(9_990):\n"
            "        memories.create_memory(actor=actor, store_id=store_id, path=f'/{n}', content='')\n"
        )
        served.manage("shell", "--verbosity", "0", "--command", script)
        store.caller = store.new_caller()  # the server does not keep an idle connection for that long

        def create(number: int, caller: Caller) -> list[Any]:
            return [
                caller.outcome("POST", store.memories, {"path": f"/new/{number}/{n}", "content": ""})
                for n in range(4)
            ]

        outcomes = [outcome for each in store.at_once(CLIENTS, create) for outcome in each]
        assert len(kept(outcomes)) == 10
        assert refusals(outcomes) == {"invalid_request_error": 4 * CLIENTS - 10}
        # What is there can still be changed and moved, and a place that gets free is given once.
        memory = kept(outcomes)[0]
        address = f"{store.memories}/{memory['id']}"
        assert store.caller("POST", address, {"path": "/moved", "content": "x"})["path"] == "/moved"
        store.caller("DELETE", address)
        outcomes = store.at_once(
            CLIENTS,
            lambda n, caller: caller.outcome("POST", store.memories, {"path": f"/again{n}", "content": ""}),
        )
        assert len(kept(outcomes)) == 1
        served.manage("verify_history", "--store", store.id)

    def test_takes_nothing_once_archived(self, store: Store) -> None:
        memory = store.create("/a", "x")
        archived: list[float] = []

        def act(number: int, caller: Caller) -> list[Any]:
            if number == 0:
                time.sleep(SECONDS / 2)
                caller("POST", f"/{store.id}/archive")
                archived.append(time.monotonic())
                return []

            def once() -> tuple[float, Any]:
                start = time.monotonic()
                text = f"{number} {start}"
                if number % 2:
                    address, body = f"{store.memories}/{memory['id']}", {"content": text}
                else:
                    address, body = store.memories, {"path": f"/{number}/{start}", "content": text}
                return start, caller.outcome("POST", address, body)

            return for_a_while(once)

        outcomes = [outcome for each in store.at_once(CLIENTS, act) for outcome in each]
        late = [outcome for start, outcome in outcomes if start > archived[0]]
        assert late
        assert kept(late) == []
        assert set(refusals(late)) == {"invalid_request_error"}
        history = store.assert_consistent()
        written = kept([outcome for _, outcome in outcomes])
        assert {answer["memory_version_id"] for answer in written} == {v["id"] for v in history[1:]}

    def test_goes_wholly_while_others_write(self, store: Store, served: Any) -> None:
        memories = [store.create(f"/{n}", "x") for n in range(CLIENTS)]

        def act(number: int, caller: Caller) -> list[Any]:
            if number == 0:
                time.sleep(SECONDS / 2)
                return [caller("DELETE", f"/{store.id}")]
            address = f"{store.memories}/{memories[number]['id']}"
            texts = map(str, count())
            return for_a_while(lambda: caller.outcome("POST", address, {"content": next(texts)}))

        outcomes = [outcome for each in store.at_once(CLIENTS, act) for outcome in each]
        assert set(refusals(outcomes)) == {"not_found_error"}
        script = (
            "from stores.models import Memory, MemoryStore, MemoryVersion\n"
            f"left = [m.objects.filter(store_id={store.id!r}).count() for m in (Memory, MemoryVersion)]\n"
            f"print(*left, MemoryStore.objects.filter(id={store.id!r}).count())"
        )
        assert served.manage("shell", "--verbosity", "0", "--command", script).split() == ["0", "0", "0"]


class TestReaders:
    def test_see_their_own_writes_at_once(self, store: Store) -> None:
        """The sync worker takes what a listing leaves out for deleted, and removes the local file."""

        def act(number: int, caller: Caller) -> list[None]:
            def mine() -> list[dict[str, Any]]:
                return list(caller.every(store.memories, path_prefix=f"/{number}/"))

            def once() -> None:
                memory = caller("POST", store.memories, {"path": f"/{number}/x", "content": "one"})
                assert mine() == [memory]
                address = f"{store.memories}/{memory['id']}"
                memory = caller("POST", address, {"content": "two"})
                assert mine() == [memory]
                caller("DELETE", address)
                assert mine() == []

            return for_a_while(once)

        assert all(store.at_once(CLIENTS, act))

    def test_of_pages_skip_and_repeat_nothing(self, store: Store) -> None:
        lasting = [store.create(f"/{n:02}/lasting") for n in range(12)]
        versions_before = [version["id"] for version in store.history()]

        def act(number: int, caller: Caller) -> list[Any]:
            if number % 2:

                def write() -> None:
                    path = f"/{random.randrange(12):02}/{number}"
                    memory = caller("POST", store.memories, {"path": path, "content": ""})
                    caller("DELETE", f"{store.memories}/{memory['id']}")

                return for_a_while(write)

            def read() -> None:
                paths = [memory["path"] for memory in caller.every(store.memories, limit="3")]
                assert paths == sorted(set(paths))
                assert {memory["path"] for memory in lasting} <= set(paths)
                ids = [version["id"] for version in caller.every(store.versions, limit="20")]
                assert ids == sorted(set(ids), reverse=True)
                assert ids[-len(versions_before) :] == versions_before[::-1]

            return for_a_while(read)

        assert all(store.at_once(CLIENTS, act))
        store.assert_consistent()

    def test_of_a_memory_never_see_half_a_write(self, store: Store) -> None:
        memory = store.create("/a", "0" * 1000)
        address = f"{store.memories}/{memory['id']}"

        def act(number: int, caller: Caller) -> list[Any]:
            if number % 2:
                return for_a_while(lambda: caller("POST", address, {"content": str(random.random()) * 50}))

            def read() -> None:
                seen = caller("GET", address)
                assert seen["content_sha256"] == sha256(seen["content"])
                version = caller("GET", f"{store.versions}/{seen['memory_version_id']}")
                assert version["content"] == seen["content"]
                assert version["created_at"] == seen["updated_at"]

            return for_a_while(read)

        assert all(store.at_once(CLIENTS, act))


class TestRedaction:
    def test_never_takes_the_head(self, store: Store) -> None:
        memory = store.create("/a", "0")
        address = f"{store.memories}/{memory['id']}"

        def act(number: int, caller: Caller) -> list[Any]:
            if number % 2:
                return for_a_while(lambda: caller("POST", address, {"content": str(random.random())}))

            def redact_what_is_newest() -> Any:
                newest = caller("GET", address)["memory_version_id"]
                return caller.outcome("POST", f"{store.versions}/{newest}/redact")

            return for_a_while(redact_what_is_newest)

        outcomes = [outcome for each in store.at_once(CLIENTS, act) for outcome in each]
        assert set(refusals(outcomes)) <= {"invalid_request_error"}
        redacted = {answer["id"] for answer in kept(outcomes) if answer["type"] == "memory_version"}
        head = store.caller("GET", address)
        assert head["content_sha256"] == sha256(head["content"])
        history = store.history()
        assert history[-1]["id"] == head["memory_version_id"]
        assert redacted == {version["id"] for version in history if version["redacted_at"]}
        store.served.manage("verify_history", "--store", store.id)
