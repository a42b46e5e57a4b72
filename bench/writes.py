"""Updates and creates, over many memories in several stores."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from itertools import count
from typing import Any

from bench import filling, load
from bench.databases import Database, Postgresql, Sqlite
from bench.load import CONNECTIONS, Load
from bench.report import Round, rounds
from bench.setting import Setting
from stores.domain.chain import metadata_after_seq
from stores.models import ids
from stores.models.statements import writes
from stores.models.statements.engine import Statement

STORES = 20


def update(setting: Setting) -> None:
    _update(setting, "update 2 kB", size=2048, memories=10_000)


def update_large(setting: Setting) -> None:
    _update(setting, "update 100 kB", size=100_000, memories=800)


def _update(setting: Setting, what: str, *, size: int, memories: int) -> None:
    with (
        filled(setting, size, memories) as database,
        _copy(database, "bench_raw") as raw,
        setting.product(database) as client,
        setting.bare() as bare,
    ):
        paths = update_paths(memories)
        body = {"content": "{n}" + filling.prose(size)[16:]}
        measures = {
            "ours": partial(client.send, paths, body),
            "raw": partial(raw_update, raw, size, memories, setting.seconds),
            "bare": partial(bare.get, "/bare"),
        }
        if isinstance(raw, Sqlite):
            measures["normal"] = partial(raw_update, raw, size, memories, setting.seconds, "NORMAL")
        client.send(paths, body)  # warms up
        found = rounds(setting.rounds, measures)
    line = setting.report.line
    is_small, is_postgresql = size < 10_000, setting.is_postgresql
    if is_postgresql:
        line(what, found, _rate("ours"), _ceiling, of="C", at_least=0.28 if is_small else None)
        line(what, found, _rate("ours"), _rate("raw"), of="raw", at_least=0.12 if is_small else 0.35)
    else:
        line(what, found, _rate("ours"), _rate("raw"), of="raw", at_least=0.18 if is_small else None)
        line(what, found, _rate("ours"), _rate("normal"), of="raw, synchronous=NORMAL")
    line(
        f"{what}, p99",
        found,
        lambda r: r["ours"].p99,
        lambda r: r["ours"].p50,
        of="its p50",
        unit=" ms",
        at_most=None if not is_small else 4 if is_postgresql else 6,
    )


def create(setting: Setting) -> None:
    memories = 10_000
    stores = count(1000)
    with (
        filled(setting, 2048, memories) as database,
        _copy(database, "bench_raw") as raw,
        setting.product(database) as client,
    ):
        content = filling.prose(2048)

        def new(how_many: int) -> Load:
            """Into stores of their own, so that none reaches its limit of 10,000 memories."""
            numbers = [next(stores) for _ in range(how_many)]
            filling.add_stores(database, numbers)
            paths = [f"/v1/memory_stores/{filling.store_id(n)}/memories" for n in numbers]
            return client.send(paths, {"path": "/notes/{n}.md", "content": content})

        measures = {
            "update": partial(client.send, update_paths(memories), {"content": "{n}" + content[16:]}),
            "many": partial(new, STORES),
            "one": partial(new, 1),
            "raw": partial(raw_create, raw, setting.seconds),
        }
        new(STORES)  # warms up
        found = rounds(setting.rounds, measures)
    line = setting.report.line
    line("create 2 kB, 20 stores", found, _rate("many"), _rate("update"), of="update", at_least=0.75)
    line("create 2 kB, one store", found, _rate("one"), _rate("update"), of="update", at_least=0.6)
    line("create 2 kB, 20 stores", found, _rate("many"), _rate("raw"), of="raw")


def _rate(name: str) -> Any:
    return lambda found: found[name].rate


def _ceiling(found: Round) -> float:
    """C: what is left when an update takes as long as the raw one and the bare request together."""
    return 1 / (1 / found["raw"].rate + 1 / found["bare"].rate)


@contextmanager
def filled(setting: Setting, size: int, memories: int) -> Iterator[Database]:
    """So many memories, evenly over the stores: memory N lies in store N % STORES."""
    each = memories // STORES
    with setting.database("ours") as database:
        for store in range(STORES):
            paths = [f"/notes/{n:05d}.md" for n in range(each)]
            filling.add_memories(database, store, paths, first=store * each, size=size)
        database.settle()
        yield database


@contextmanager
def _copy(database: Database, name: str) -> Iterator[Database]:
    made = database.copy(name)
    try:
        yield made
    finally:
        made.drop()


def update_paths(memories: int) -> list[str]:
    """In an order in which no two callers meet at a memory, and each next one lies in another store."""
    each = memories // STORES
    return [
        f"/v1/memory_stores/{filling.store_id(store)}/memories/{filling.memory_id(store * each + n)}"
        for n in range(each)
        for store in range(STORES)
    ]


AFTER_SEQ = metadata_after_seq(
    store_id=filling.store_id(0),
    memory_id=filling.memory_id(0),
    version_id=filling.numbered(ids.MEMORY_VERSION, 0),
    operation="modified",
    actor_type="api_actor",
    actor_id=filling.COMMON_KEY,
    road="api",
    created_at="2026-01-01T00:00:00.000000Z",
)
ACTOR = {
    "actor_type": "api_actor",
    "actor_id": filling.COMMON_KEY,
    "actor_label": "",
    "road": "api",
    "reason": "",
}
ACTOR_LITERALS = {name: f"'{value}'" for name, value in ACTOR.items()}
INSERTS = [Statement(sql).sqlite for sql in (writes.INSERT_MEMORY, writes.INSERT_VERSION, writes.COUNT)]
CONTENT = "lpad(:number::text, 16, '0') || :filler"
# Above every id that filling.py made, and every id that comes before it in the same benchmark.
NEXT_VERSION = "'memver_02' || lpad(:number::text, 20, '0') || lpad(:client_id::text, 2, '0')"


def raw_update(database: Database, size: int, memories: int, seconds: int, synchronous: str = "FULL") -> Load:
    if isinstance(database, Postgresql):
        return _postgresql_update(database, size, memories, seconds)
    return load.repeat(database, _SqliteUpdate(size, memories), seconds=seconds, synchronous=synchronous)


def _postgresql_update(database: Postgresql, size: int, memories: int, seconds: int) -> Load:
    """The product's own statement. Each client keeps to every eighth memory, so that none waits for another
    longer than the database makes it.
    """
    workspace_id = database.value("SELECT id FROM stores_workspace")
    sql = writes._replace_content().sql.strip()
    # The text is sent once, as the product does, however often the statement names it.
    sql = sql.replace("WITH ", f"WITH given AS (SELECT {CONTENT} AS content), ", 1)
    expressions = {
        "workspace_id": ":workspace_id",
        "store_id": f"('memstore_01' || lpad((:memory / {memories // STORES})::text, 22, '0'))",
        "memory_id": "('mem_01' || lpad(:memory::text, 22, '0'))",
        "id": f"({NEXT_VERSION})",
        "content": "(SELECT content FROM given)",
        "content_sha256": "lpad(:number::text, 64, '0')",
        "content_size_bytes": str(size),
        "expected_sha256": "NULL",
        "created_at": "clock_timestamp()",
        **ACTOR_LITERALS,
        **{name: f":{name}" for name in ("after_seq", "salt", "zero")},
    }
    return load.pgbench(
        database,
        sql,
        expressions,
        seconds=seconds,
        before=(
            "\\set number :number + 1\n"
            f"\\set memory :client_id + {CONNECTIONS} * random(0, {memories // CONNECTIONS - 1})\n"
        ),
        variables={
            "number": load.next_number(),
            "filler": filling.prose(size)[16:],
            "workspace_id": workspace_id,
            "after_seq": AFTER_SEQ,
            "salt": "\\x" + filling.SALT.hex(),
            "zero": "\\x00",
        },
    )


class _SqliteUpdate:
    """BEGIN IMMEDIATE; UPDATE … RETURNING; INSERT; COMMIT."""

    head = (
        "UPDATE stores_memory SET head_version_id = :id, head_seq = head_seq + 1, head_chain = :chain, "
        "content_sha256 = :content_sha256, content_size_bytes = :content_size_bytes, "
        "updated_at = :created_at WHERE id = :memory_id AND head_version_id < :id "
        "RETURNING store_id, path, head_seq"
    )

    def __init__(self, size: int, memories: int) -> None:
        self.filler = filling.prose(size)[16:]
        self.memories = memories
        self.parameters = {
            **ACTOR,
            "operation": "modified",
            "content_size_bytes": size,
            "restored_from": None,
            "salt": filling.SALT,
            "commitment": filling.CHAIN,
            "chain": filling.CHAIN,
        }

    def __call__(self, connection: Any, number: int) -> None:
        parameters = {
            **self.parameters,
            "id": f"memver_02{number:022d}",
            "memory_id": filling.memory_id(number * 7919 % self.memories),
            "content": f"{number:016d}{self.filler}",
            "content_sha256": f"{number:064d}",
            "created_at": f"2100-01-01 00:00:00.{number % 1_000_000:06d}",
        }
        connection.execute("BEGIN IMMEDIATE")
        row = connection.execute(self.head, parameters).fetchone()
        parameters["store_id"], parameters["path"], parameters["seq"] = row
        connection.execute(INSERTS[1], parameters)
        connection.execute("COMMIT")


def raw_create(database: Database, seconds: int) -> Load:
    """Memory, version and the store's count, over the same number of stores."""
    if isinstance(database, Postgresql):
        expressions = {
            "store_id": "('memstore_01' || lpad(:store::text, 22, '0'))",
            "memory_id": "('mem_02' || lpad(:number::text, 20, '0') || lpad(:client_id::text, 2, '0'))",
            "id": f"({NEXT_VERSION})",
            "path": "('/notes/' || :number || '-' || :client_id)",
            "created_at": "clock_timestamp()",
            **ACTOR_LITERALS,
            **{name: f":{name}" for name in ("content", "content_sha256", "salt", "chain")},
            "commitment": ":chain",
            "content_size_bytes": "2048",
            "operation": "'created'",
            "restored_from": "NULL",
            "seq": "1",
            "step": "1",
        }
        return load.pgbench(
            database,
            f"WITH counted AS ({writes.COUNT}), memory AS ({writes.INSERT_MEMORY}) {writes.INSERT_VERSION}",
            expressions,
            seconds=seconds,
            before=f"\\set number :number + 1\n\\set store random(0, {STORES - 1})\n",
            variables={
                "number": load.next_number(),
                "content": filling.prose(2048),
                "content_sha256": "0" * 64,
                "salt": "\\x" + filling.SALT.hex(),
                "chain": "\\x" + filling.CHAIN.hex(),
            },
        )

    def step(connection: Any, number: int) -> None:
        parameters = {
            **ACTOR,
            "store_id": filling.store_id(number % STORES),
            "memory_id": f"mem_02{number:022d}",
            "id": f"memver_02{number:022d}",
            "path": f"/notes/{number}",
            "created_at": "2100-01-01 00:00:00",
            "content": filling.prose(2048),
            "content_sha256": "0" * 64,
            "content_size_bytes": 2048,
            "operation": "created",
            "restored_from": None,
            "seq": 1,
            "step": 1,
            "salt": filling.SALT,
            "commitment": filling.CHAIN,
            "chain": filling.CHAIN,
        }
        connection.execute("BEGIN IMMEDIATE")
        for statement in INSERTS:
            connection.execute(statement, parameters)
        connection.execute("COMMIT")

    return load.repeat(database, step, seconds=seconds)
