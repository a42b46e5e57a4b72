"""A store as it was at a moment, from its versions alone.

Ids are in time order, so a moment is a bound: what lies below it had happened. Only memories that changed
since are looked up by version, each by one step in the index (memory, id); the others are their live rows.
"""

from functools import cache
from typing import Any

import msgspec

from stores.models.statements.acts import one_of
from stores.models.statements.engine import Statement, is_postgresql
from stores.models.statements.reads import text_list, version_columns, version_row
from stores.models.statements.rows import VersionRow
from stores.models.version import Operation

# Above every id of a version.
NEVER = "memver_~"


class StateRow(msgspec.Struct, frozen=True, gc=False):
    """A memory that lived at the moment, by its newest version then; redacted since: path and hash None."""

    memory_id: str
    version_id: str
    path: str | None
    content_sha256: str | None
    content_size_bytes: int | None


class ChangeRow(msgspec.Struct, frozen=True, gc=False):
    """A memory at two moments; None where it did not live then."""

    memory_id: str
    before: StateRow | None
    after: StateRow | None


# The memories that have a version at or above the bound: live ones by their head, others by their deletion.
CHANGED_SINCE = (
    "SELECT m.id FROM stores_memory m WHERE m.store_id = %(store_id)s AND m.head_version_id >= {bound} "
    "UNION SELECT d.memory_id FROM stores_memoryversion d WHERE d.store_id = %(store_id)s "
    f"AND d.operation = '{Operation.DELETED}' AND d.id >= {{bound}}"
)
STATE_COLUMNS = "{0}.id, {0}.path, {0}.content_sha256, {0}.content_size_bytes"


def newest_below(memory: str, bound: str, condition: str = "") -> str:
    """SQL for the id of a memory's newest version below a bound, by the index (memory, id) whatever the
    planner knows: as ANY(ARRAY[…]) the memory is not fixed to it, and no other index has this order.
    """
    if is_postgresql():
        where = f"x.memory_id = ANY(ARRAY[{memory}]) AND x.id < {bound}"
        table, order = "stores_memoryversion x", "x.memory_id DESC, x.id DESC"
    else:
        where = f"x.memory_id = {memory} AND x.id < {bound}"
        table, order = "stores_memoryversion x INDEXED BY version_memory_id", "x.id DESC"
    return f"(SELECT x.id FROM {table} WHERE {where}{condition} ORDER BY {order} LIMIT 1)"


@cache
def _state(narrowing: str) -> Statement:
    live, then = "", ""
    if narrowing == "folder":
        live = "AND m.path >= %(folder)s AND m.path < %(end)s"
        then = "AND (v.path IS NULL OR v.path >= %(folder)s AND v.path < %(end)s)"
    elif narrowing == "path":
        live, then = "AND m.path = %(path)s", "AND v.path = %(path)s"
    newest = newest_below("c.id", "%(bound)s")
    return Statement(
        f"SELECT m.id, m.head_version_id, m.path, m.content_sha256, m.content_size_bytes "
        f"FROM stores_memory m WHERE m.store_id = %(store_id)s AND m.head_version_id < %(bound)s {live} "
        f"UNION ALL SELECT v.memory_id, {STATE_COLUMNS.format('v')} "
        f"FROM ({CHANGED_SINCE.format(bound='%(bound)s')}) AS c "
        f"JOIN stores_memoryversion v ON v.id = {newest} "
        f"WHERE v.operation <> '{Operation.DELETED}' {then}"
    )


def state_of_store(*, store_id: str, bound: str, folder: str = "/", end: str = "0") -> list[StateRow]:
    """Every memory that lived in the folder before `bound`, in no order; redacted ones of any folder."""
    whole = folder == "/"
    rows = _state("" if whole else "folder").rows(
        {"store_id": store_id, "bound": bound, "folder": folder, "end": end}
    )
    return [StateRow(*row) for row in rows]


def state_at_path(*, store_id: str, bound: str, path: str) -> StateRow | None:
    rows = _state("path").rows({"store_id": store_id, "bound": bound, "path": path})
    return StateRow(*rows[0]) if rows else None


@cache
def _newest_of_memory() -> Statement:
    newest = newest_below("%(memory_id)s", "%(bound)s")
    return Statement(
        f"SELECT v.memory_id, {STATE_COLUMNS.format('v')} FROM stores_memoryversion v WHERE v.id = {newest} "
        f"AND v.store_id = %(store_id)s AND v.operation <> '{Operation.DELETED}'"
    )


def state_of_memory(*, store_id: str, bound: str, memory_id: str) -> StateRow | None:
    rows = _newest_of_memory().rows({"store_id": store_id, "bound": bound, "memory_id": memory_id})
    return StateRow(*rows[0]) if rows else None


@cache
def _changes() -> Statement:
    before = newest_below("c.id", "%(before)s")
    after = newest_below("c.id", "%(after)s")
    return Statement(
        f"SELECT c.id, b.operation, {STATE_COLUMNS.format('b')}, a.operation, {STATE_COLUMNS.format('a')} "
        f"FROM ({CHANGED_SINCE.format(bound='%(before)s')}) AS c "
        f"LEFT JOIN stores_memoryversion b ON b.id = {before} "
        f"LEFT JOIN stores_memoryversion a ON a.id = {after}"
    )


def changes_between(*, store_id: str, before: str, after: str) -> list[ChangeRow]:
    """The memories with a version in `before <= id < after`, as they were at both bounds, and maybe some that
    are the same at both.
    """
    rows = _changes().rows({"store_id": store_id, "before": before, "after": after})
    return [ChangeRow(row[0], _side(row[0], row[1:6]), _side(row[0], row[6:11])) for row in rows]


def _side(memory_id: str, columns: tuple[Any, ...]) -> StateRow | None:
    operation, *state = columns
    if operation is None or operation == Operation.DELETED:
        return None
    return StateRow(memory_id, *state)


@cache
def _versions_by_id(with_content: bool) -> Statement:
    return Statement(
        f"SELECT {version_columns(with_content=with_content)} FROM stores_memoryversion v "
        f"WHERE {one_of('v.id', 'ids')} AND v.store_id = %(store_id)s"
    )


def versions_by_id(*, store_id: str, version_ids: list[str], with_content: bool) -> dict[str, VersionRow]:
    rows = _versions_by_id(with_content).rows({"store_id": store_id, "ids": text_list(version_ids)})
    return {row[0]: version_row(row) for row in rows}


@cache
def _lineage() -> Statement:
    return Statement(
        f"SELECT {version_columns(with_content=False)} FROM stores_memoryversion v "
        "WHERE v.memory_id = %(memory_id)s AND v.store_id = %(store_id)s AND v.id <= %(last)s "
        "ORDER BY v.id DESC LIMIT %(limit)s"
    )


def lineage(*, store_id: str, memory_id: str, last: str, limit: int) -> list[VersionRow]:
    """The newest versions of a memory up to `last`, newest first."""
    rows = _lineage().rows({"store_id": store_id, "memory_id": memory_id, "last": last, "limit": limit})
    return [version_row(row) for row in rows]


# A deleted memory that is brought back is a new one; how many such beginnings are followed back.
FORMER_MEMORIES = 8
# How many of its paths, and of the memories begun after its end, are looked at for what became of a memory.
SUCCESSORS_TRIED = 100


def source_of(memory: str) -> str:
    """SQL for the id of the version that a memory was brought back from, as its first version names it."""
    return (
        "(SELECT x.restored_from FROM stores_memoryversion x "
        f"WHERE x.memory_id = {memory} AND x.seq = 1 AND x.store_id = %(store_id)s)"
    )


@cache
def _former(columns: str) -> Statement:
    """With `columns` of `f`, the versions that were brought back, and of `v`, all up to these."""
    versions = "ON v.memory_id = f.memory_id AND v.seq <= f.seq AND v.seq > f.seq - %(limit)s"
    if columns == "sources":
        versions = "ON v.id = f.id"
    return Statement(
        "WITH RECURSIVE former(id, memory_id, seq, hop) AS ("
        "SELECT s.id, s.memory_id, s.seq, 1 FROM stores_memoryversion s "
        f"WHERE s.id = {source_of('%(memory_id)s')} AND s.store_id = %(store_id)s "
        "UNION ALL SELECT s.id, s.memory_id, s.seq, f.hop + 1 FROM former f "
        f"JOIN stores_memoryversion s ON s.id = {source_of('f.memory_id')} AND s.store_id = %(store_id)s "
        f"WHERE f.hop < {FORMER_MEMORIES}) "
        f"SELECT {version_columns(with_content=False)} "
        # Planners take a recursion for long and would read all versions once, were it not for the limit.
        f"FROM (SELECT * FROM former ORDER BY hop LIMIT {FORMER_MEMORIES}) AS f "
        f"JOIN stores_memoryversion v {versions} "
        "WHERE v.store_id = %(store_id)s ORDER BY f.hop, v.seq DESC LIMIT %(limit)s"
    )


def brought_back_from(*, store_id: str, memory_id: str) -> list[VersionRow]:
    """The version of a deleted memory that this one began as, then the one that that memory began as, and so
    on.
    """
    rows = _former("sources").rows({"store_id": store_id, "memory_id": memory_id, "limit": FORMER_MEMORIES})
    return [version_row(row) for row in rows]


def former_lineage(*, store_id: str, memory_id: str, limit: int) -> list[VersionRow]:
    """The newest versions of the memories that this one continues, up to those brought back, newest first."""
    rows = _former("versions").rows({"store_id": store_id, "memory_id": memory_id, "limit": limit})
    return [version_row(row) for row in rows]


@cache
def _successor() -> Statement:
    """No index leads from a version to those restored from it. So the memories that it can be are tried: what
    lives at one of its paths, and what was begun soon after its end, which may have been renamed since.
    """
    return Statement(
        "WITH RECURSIVE candidate(id) AS ("
        "SELECT m.id FROM stores_memory m WHERE m.store_id = %(store_id)s AND m.path IN ("
        "SELECT p.path FROM (SELECT v.path FROM stores_memoryversion v WHERE v.memory_id = %(memory_id)s "
        f"AND v.store_id = %(store_id)s ORDER BY v.id DESC LIMIT {SUCCESSORS_TRIED}) AS p) "
        "UNION SELECT c.memory_id FROM (SELECT v.memory_id, v.restored_from FROM stores_memoryversion v "
        f"WHERE v.store_id = %(store_id)s AND v.operation = '{Operation.CREATED}' AND v.id > %(last)s "
        f"ORDER BY v.id LIMIT {SUCCESSORS_TRIED}) AS c WHERE c.restored_from IS NOT NULL"
        "), former(live_id, memory_id, hop) AS ("
        "SELECT c.id, c.id, 0 FROM candidate c "
        "UNION ALL SELECT f.live_id, s.memory_id, f.hop + 1 FROM former f "
        f"JOIN stores_memoryversion s ON s.id = {source_of('f.memory_id')} AND s.store_id = %(store_id)s "
        f"WHERE f.hop < {FORMER_MEMORIES}) "
        "SELECT m.id, m.path FROM former f JOIN stores_memory m ON m.id = f.live_id "
        "WHERE f.memory_id = %(memory_id)s AND f.hop > 0 ORDER BY m.id DESC LIMIT 1"
    )


def successor(*, store_id: str, memory_id: str, last: str) -> tuple[str, str] | None:
    """Id and path of the live memory, the newest of several, that continues one that ended with `last`."""
    row = _successor().row({"store_id": store_id, "memory_id": memory_id, "last": last})
    return (row[0], row[1]) if row else None
