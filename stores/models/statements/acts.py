"""The statements of an act: many memories of one store changed in one transaction.

Their number grows with the batches, never with the memories; each batch is one round trip on PostgreSQL.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import msgspec
from django.db import connection

from stores.models.statements import writes
from stores.models.statements.engine import PARAMETER, Statement, instant, is_postgresql
from stores.models.statements.reads import memory_columns, memory_row, text_list
from stores.models.statements.writes import Head, NewVersion


def run_many(sql: str, parameters: Sequence[Mapping[str, Any]]) -> int:
    """The same statement for each of many rows; answers how many rows were touched in all."""
    if not parameters:
        return 0
    connection.ensure_connection()
    if connection.queries_logged or connection.execute_wrappers:
        with connection.cursor() as listened:
            listened.executemany(sql, parameters)
            return int(listened.rowcount)
    with connection.wrap_database_errors:
        if is_postgresql():
            import psycopg  # not installed where only SQLite is used

            # Binds on the server and sends all rows before it waits for the first answer.
            cursor: Any = psycopg.Cursor(connection.connection)
            cursor.executemany(sql, parameters)
            return int(cursor.rowcount)
        found = connection.connection.executemany(PARAMETER.sub(r":\1", sql), parameters)
        return int(found.rowcount)


def one_of(column: str, parameter: str) -> str:
    """SQL: the column is one of a list of texts, made by reads.text_list."""
    if is_postgresql():
        return f"{column} = ANY(%({parameter})s)"
    return f"{column} IN (SELECT value FROM json_each(%({parameter})s))"


@cache
def _lock_heads() -> Statement:
    lock = " FOR UPDATE" if is_postgresql() else ""
    return Statement(
        f"SELECT m.head_chain, {memory_columns(with_content=False)} FROM stores_memory m "
        f"WHERE {one_of('m.id', 'ids')} AND m.store_id = %(store_id)s ORDER BY m.id{lock}"
    )


def lock_heads(*, store_id: str, memory_ids: Sequence[str]) -> dict[str, Head]:
    """The live ones of these memories, locked in the order of their ids. The store is locked."""
    rows = _lock_heads().rows({"store_id": store_id, "ids": text_list(memory_ids)})
    return {row[1]: Head(memory_row(row[1:]), bytes(row[0])) for row in rows}


@cache
def _live_paths() -> Statement:
    return Statement(
        f"SELECT m.id, m.path, m.store_id FROM stores_memory m WHERE {one_of('m.store_id', 'ids')}"
    )


def live_paths(*, store_ids: Sequence[str]) -> dict[str, dict[str, str]]:
    """For each of these stores the path of every live memory by its id (C 4.3: at most 10,000 a store)."""
    found: dict[str, dict[str, str]] = {store_id: {} for store_id in store_ids}
    for memory_id, path, store_id in _live_paths().rows({"ids": text_list(store_ids)}):
        found[store_id][memory_id] = path
    return found


@cache
def _selected(with_ids: bool) -> Statement:
    which = one_of("m.id", "ids") if with_ids else "m.path >= %(folder)s AND m.path < %(end)s"
    return Statement(
        f"SELECT {memory_columns(with_content=False)} FROM stores_memory m "
        f"WHERE m.store_id = %(store_id)s AND {which} ORDER BY m.path"
    )


def memories_by_id(*, store_id: str, memory_ids: Sequence[str]) -> list[Any]:
    """Those of these memories that live in the store, in the order of their paths."""
    rows = _selected(True).rows({"store_id": store_id, "ids": text_list(memory_ids)})
    return [memory_row(row) for row in rows]


def memories_inside(*, store_id: str, folder: str, end: str) -> list[Any]:
    """Every live memory with `folder <= path < end`, in the order of their paths."""
    rows = _selected(False).rows({"store_id": store_id, "folder": folder, "end": end})
    return [memory_row(row) for row in rows]


class Text(msgspec.Struct, frozen=True, gc=False):
    """What a version says; `content` is None in a redacted one and in the record of a deletion."""

    id: str
    memory_id: str
    path: str | None
    content_sha256: str | None
    content_size_bytes: int | None
    content: str | None = None


@cache
def _texts(with_content: bool) -> Statement:
    content = ", v.content" if with_content else ""
    return Statement(
        f"SELECT v.id, v.memory_id, v.path, v.content_sha256, v.content_size_bytes{content} "
        f"FROM stores_memoryversion v WHERE {one_of('v.id', 'ids')} AND v.store_id = %(store_id)s"
    )


def read_texts(*, store_id: str, version_ids: Sequence[str], with_content: bool) -> dict[str, Text]:
    """Those of these versions that are of the store."""
    rows = _texts(with_content).rows({"store_id": store_id, "ids": text_list(version_ids)})
    return {row[0]: Text(*row) for row in rows}


def insert_versions(versions: Sequence[NewVersion]) -> None:
    run_many(writes.INSERT_VERSION, [_parameters(version) for version in versions])


PARK = "UPDATE stores_memory SET path = '//' || id WHERE id = %(memory_id)s"
MOVE_HEAD = (
    "UPDATE stores_memory SET path = %(path)s, head_version_id = %(id)s, head_seq = %(seq)s, "
    "head_chain = %(chain)s, content_sha256 = %(content_sha256)s, "
    "content_size_bytes = %(content_size_bytes)s, updated_at = %(created_at)s, is_indexed = false "
    "WHERE id = %(memory_id)s"
)
DROP_HEAD = "DELETE FROM stores_memory WHERE id = %(memory_id)s"


def write_heads(
    *,
    store_id: str,
    ended: Sequence[NewVersion],
    moved: Sequence[NewVersion],
    begun: Sequence[NewVersion],
    parked: Sequence[str],
) -> None:
    """The live rows after an act, whose store and heads are locked.

    `parked` are the memories whose present path another one of the act takes: out of the way first, to a
    place that is no path ("//"), because the paths of a store are unique after every single row.
    """
    touched = run_many(DROP_HEAD, [{"memory_id": version.memory_id} for version in ended])
    run_many(PARK, [{"memory_id": memory_id} for memory_id in parked])
    touched += run_many(MOVE_HEAD, [_parameters(version) for version in moved])
    touched += run_many(writes.INSERT_MEMORY, [_parameters(version) for version in begun])
    if touched != len(ended) + len(moved) + len(begun):
        raise RuntimeError(f"Heads of {store_id} moved although their rows were locked.")
    step = len(begun) - len(ended)
    if step:
        Statement(writes.COUNT).run({"store_id": store_id, "step": step})


def _parameters(version: NewVersion) -> dict[str, Any]:
    parameters = msgspec.structs.asdict(version)
    parameters["created_at"] = instant(version.created_at)
    return parameters
