"""What somebody might take instead: Kinto with its history plugin, on the same PostgreSQL and server."""

import base64
import json
import os
import random
import subprocess
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

from bench import filling, peers, servers
from bench.databases import Database, Postgresql
from bench.load import Client, Load, Precondition
from bench.report import Round, rounds
from bench.setting import Setting
from bench.writes import STORES, filled, update_paths

SIZE = 2048
WRITTEN = 10_000  # memories that are updated, evenly over the stores; as many others are read
READ_STORE = STORES
READ_MEMORIES = f"/v1/memory_stores/{filling.store_id(READ_STORE)}/memories"
BUCKET = "/buckets/bench"
HASH = Precondition('"content_sha256": ?"(%x+)"')
LAST_MODIFIED = Precondition('"last_modified": ?(%d+)', header="If-Match")
OBJECT_COLUMNS = ("id", "parent_id", "resource_name", "last_modified", "data", "deleted")
PERMISSION_COLUMNS = ("object_id", "permission", "principal")


def peer(setting: Setting) -> None:
    """Update with a precondition, create, read and list, eight callers each."""
    if not setting.is_postgresql:
        setting.report.note("Kinto is measured on PostgreSQL only: it has no backend for SQLite.")
        return
    peers.install()
    with (
        filled(setting, SIZE, WRITTEN) as database,
        setting.product(database) as ours,
        _kinto(setting) as (kinto, their_database),
    ):
        paths = [f"/all/{n:05d}.md" for n in range(WRITTEN)]
        filling.add_memories(database, READ_STORE, paths, first=WRITTEN, size=SIZE)
        _fill_kinto(kinto, their_database)
        database.settle()
        their_database.settle()
        measures = _measures(ours, database, kinto, their_database)
        for measure in measures.values():  # warms up, and notes the first read of the hour
            measure()
        found = rounds(setting.rounds, measures)
    for what, name, theirs, goal in (
        ("update if unchanged", "update", "update", 3.0),
        ("create", "create", "create", 3.0),
        ("read by id", "one", "one", 2.5),
        ("list of 100, theirs with texts", "list", "list", 5.0),
        ("list of 100, theirs without", "list", "short list", 5.0),
        ("list of 20 with texts", "full list", "full list", None),
    ):
        ours_of, theirs_of = _rate(f"our {name}"), _rate(f"their {theirs}")
        setting.report.line(what, found, ours_of, theirs_of, of="Kinto", at_least=goal)
    for what in ("update", "create"):
        ours_refused, theirs_refused = _refused(found, f"our {what}"), _refused(found, f"their {what}")
        setting.report.note(f"{what}: refused or failed {ours_refused}; of Kinto's {theirs_refused}")


def _measures(
    ours: Client, database: Database, kinto: Client, their_database: Postgresql
) -> Mapping[str, Callable[[], Load]]:
    text = filling.prose(SIZE)[16:]
    creates = [f"/v1/memory_stores/{filling.store_id(n)}/memories" for n in range(STORES)]
    their_creates = [f"/v1{_collection(n)}/records" for n in range(STORES)]
    some = [filling.memory_id(WRITTEN + n * 97 % WRITTEN) for n in range(500)]
    all_records = f"/v1{_collection(READ_STORE)}/records"

    def our_update() -> Load:
        tags = _tags(database, "SELECT id, content_sha256 FROM stores_memory")
        precondition = {"type": "content_sha256", "content_sha256": "{tag}"}
        body = {"content": "{n}" + text, "precondition": precondition}
        return ours.send_if(HASH, _tagged(update_paths(WRITTEN), tags), body)

    def their_update() -> Load:
        tags = _tags(their_database, "SELECT id, as_epoch(last_modified) FROM objects")
        body = {"data": {"path": "/notes/a.md", "content": "{n}" + text}}
        return kinto.send_if(LAST_MODIFIED, _tagged(_record_paths(), tags), body, "PUT")

    created = {"path": "/notes/{n}.md", "content": filling.prose(SIZE)}
    return {
        "our update": our_update,
        "their update": their_update,
        "our create": partial(ours.send, creates, created),
        "their create": partial(kinto.send, their_creates, {"data": created}),
        "our one": partial(ours.get, *[f"{READ_MEMORIES}/{name}" for name in some]),
        "their one": partial(kinto.get, *[f"{all_records}/{name}" for name in some]),
        "our list": partial(ours.get, f"{READ_MEMORIES}?limit=100"),
        "their list": partial(kinto.get, f"{all_records}?_limit=100"),
        "their short list": partial(kinto.get, f"{all_records}?_limit=100&_fields=path"),
        "our full list": partial(ours.get, f"{READ_MEMORIES}?limit=20&view=full"),
        "their full list": partial(kinto.get, f"{all_records}?_limit=20"),
    }


def _rate(name: str) -> Callable[[Round], float]:
    return lambda found: found[name].rate


def _refused(found: Sequence[Round], name: str) -> str:
    refused = sum(found_round[name].refused for found_round in found)
    return f"{refused:,} of {sum(found_round[name].requests for found_round in found):,}"


def _tags(database: Database, sql: str) -> dict[str, str]:
    connection = database.connect()
    try:
        return {name: str(tag) for name, tag in connection.execute(sql).fetchall()}
    finally:
        connection.close()


def _tagged(paths: Sequence[str], tags: Mapping[str, str]) -> dict[str, str]:
    """From another place each time: the last measurement left requests behind that may still be running."""
    start = random.randrange(len(paths))
    return {path: tags[path.rpartition("/")[2]] for path in [*paths[start:], *paths[:start]]}


def _collection(number: int) -> str:
    return f"{BUCKET}/collections/store-{number}"


def _record_paths() -> list[str]:
    """The records in the order of `update_paths`."""
    each = WRITTEN // STORES
    return [
        f"/v1{_collection(store)}/records/{filling.memory_id(store * each + n)}"
        for n in range(each)
        for store in range(STORES)
    ]


@contextmanager
def _kinto(setting: Setting) -> Iterator[tuple[Client, Postgresql]]:
    assert isinstance(setting.template, Postgresql)
    database = Postgresql(setting.template.server, "bench_peer")
    database.create()
    try:
        environment = {"PEER_DATABASE_URL": database.url.replace("postgres://", "postgresql://", 1)}
        python = str(peers.python())
        with database.connect() as connection:  # Kinto asks for it
            connection.execute(f"ALTER DATABASE {database.name} SET timezone TO 'UTC'")
        done = subprocess.run(
            [python, "-m", "bench.kinto_app", "migrate"],
            cwd=servers.ROOT,
            env=os.environ | environment,
            capture_output=True,
            text=True,
        )
        if done.returncode:
            raise RuntimeError(f"Kinto could not make its tables: {done.stderr.strip()[-2000:]}")
        with servers.granian("bench.kinto_app:application", environment, python) as base:
            authorization = "Basic " + base64.b64encode(b"bench:bench").decode()
            yield Client(base, authorization, setting.seconds, may_refuse=True), database
    finally:
        database.drop()


def _fill_kinto(kinto: Client, database: Postgresql) -> None:
    """The same memories as records: a store is a collection, the workspace a bucket."""
    _put(kinto, BUCKET)
    for number in range(STORES + 1):
        _put(kinto, _collection(number))
    principal = _call(kinto, "GET", "/")["user"]["id"]
    each = WRITTEN // STORES
    places = [(n // each, n) for n in range(WRITTEN)] + [(READ_STORE, WRITTEN + n) for n in range(WRITTEN)]
    data = json.dumps({"path": "/notes/a.md", "content": filling.prose(SIZE)})
    database.insert(
        "objects",
        OBJECT_COLUMNS,
        (
            [
                *(filling.memory_id(n), _collection(store), "record"),
                *(filling.instant(n).replace(tzinfo=None), data, False),
            ]
            for store, n in places
        ),
    )
    database.insert(
        "access_control_entries",
        PERMISSION_COLUMNS,
        ((f"{_collection(store)}/records/{filling.memory_id(n)}", "write", principal) for store, n in places),
    )


def _put(kinto: Client, path: str) -> None:
    _call(kinto, "PUT", path, b"{}")


def _call(kinto: Client, method: str, path: str, body: bytes | None = None) -> Any:
    url = f"{kinto.base}/v1{path}"
    request = urllib.request.Request(url, body, kinto.header_pairs(), method=method)  # noqa: S310
    with urllib.request.urlopen(request) as response:  # noqa: S310
        return json.load(response)
