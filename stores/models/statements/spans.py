"""What somebody wrote, or what was written in a span of time, with what undoing it has to know."""

from collections.abc import Sequence
from functools import cache
from typing import Any

import msgspec

from stores.models.statements.acts import one_of
from stores.models.statements.engine import Statement, is_postgresql, read_instant, select_instant
from stores.models.statements.moments import newest_below
from stores.models.statements.reads import text_list

# Above every id, as SQL.
NEVER = "'memver_~'"


class WrittenRow(msgspec.Struct, frozen=True, gc=False):
    """A memory that the span changed: how often, the version before the first change (`base_…`, None where
    there is none), its newest version (`last_…`), the newest one of the span itself (`own_…`), and the newest
    one behind that first change that is not of the span (`other_…`).
    """

    store_id: str
    memory_id: str
    first_seq: int
    first_id: str
    first_at: str
    count: int
    is_live: bool
    base_id: str | None
    base_path: str | None
    base_sha256: str | None
    base_size_bytes: int | None
    last_id: str
    last_operation: str
    last_path: str | None
    last_sha256: str | None
    last_size_bytes: int | None
    own_seq: int
    own_path: str | None
    own_sha256: str | None
    other_id: str | None
    other_path: str | None
    other_sha256: str | None
    other_size_bytes: int | None
    other_actor_type: str | None
    other_actor_id: str | None
    other_actor_label: str | None


CONDITIONS = {
    "actor_id": "{0}.actor_id = %(actor_id)s",
    "road": "{0}.road = %(road)s",
    "lowest_id": "{0}.id >= %(lowest_id)s",
    "below_id": "{0}.id < %(below_id)s",
}


@cache
def _written(filters: tuple[str, ...]) -> Statement:
    index = "version_store_actor_op_id" if "actor_id" in filters else "version_store_id"
    table = "stores_memoryversion v" + ("" if is_postgresql() else f" INDEXED BY {index}")
    of_span = " AND ".join(CONDITIONS[name].format("v") for name in filters)
    others = " AND ".join(CONDITIONS[name].format("x") for name in filters)
    newest_other = newest_below("t.memory_id", NEVER, f" AND x.id > t.first_id AND NOT ({others})")
    return Statement(
        "WITH touched AS MATERIALIZED ("
        "SELECT v.store_id, v.memory_id, min(v.seq) AS first_seq, min(v.id) AS first_id, "
        "min(v.created_at) AS first_at, max(v.id) AS own_id, count(*) AS written "
        f"FROM {table} WHERE {one_of('v.store_id', 'store_ids')} AND {of_span} "
        "GROUP BY v.store_id, v.memory_id ORDER BY first_id LIMIT %(limit)s) "
        f"SELECT t.store_id, t.memory_id, t.first_seq, t.first_id, {select_instant('t.first_at')}, "
        "t.written, m.id IS NOT NULL, "
        "b.id, b.path, b.content_sha256, b.content_size_bytes, "
        "l.id, l.operation, l.path, l.content_sha256, l.content_size_bytes, "
        "w.seq, w.path, w.content_sha256, "
        "o.id, o.path, o.content_sha256, o.content_size_bytes, o.actor_type, o.actor_id, o.actor_label "
        "FROM touched t "
        "LEFT JOIN stores_memory m ON m.id = t.memory_id "
        "LEFT JOIN stores_memoryversion b ON b.memory_id = t.memory_id AND b.seq = t.first_seq - 1 "
        f"JOIN stores_memoryversion l ON l.id = {newest_below('t.memory_id', NEVER)} "
        "JOIN stores_memoryversion w ON w.id = t.own_id "
        f"LEFT JOIN stores_memoryversion o ON o.id = {newest_other} ORDER BY t.first_id"
    )


def _row(row: tuple[Any, ...]) -> WrittenRow:
    values = list(row)
    values[4] = read_instant(values[4])
    values[6] = bool(values[6])
    return WrittenRow(*values)


def written_in_span(
    *,
    store_ids: Sequence[str],
    actor_id: str | None,
    road: str | None,
    lowest_id: str | None,
    below_id: str | None,
    limit: int,
) -> list[WrittenRow]:
    """At most `limit` memories, in the order of their first change. At least one of the filters is given."""
    values = {"actor_id": actor_id, "road": road, "lowest_id": lowest_id, "below_id": below_id}
    filters = tuple(name for name, value in values.items() if value is not None)
    rows = _written(filters).rows({**values, "store_ids": text_list(store_ids), "limit": limit})
    return [_row(row) for row in rows]


@cache
def _live_at() -> Statement:
    return Statement(
        "SELECT m.store_id, m.path, m.content_sha256 FROM stores_memory m "
        f"WHERE {one_of('m.store_id', 'store_ids')} AND {one_of('m.path', 'paths')}"
    )


def live_at_paths(*, store_ids: Sequence[str], paths: Sequence[str]) -> set[tuple[str, str, str]]:
    """(store, path, hash of the text) of what lives at these paths."""
    rows = _live_at().rows({"store_ids": text_list(store_ids), "paths": text_list(paths)})
    return {(row[0], row[1], row[2]) for row in rows}
