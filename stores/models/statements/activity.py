"""The stream of all changes in several stores, newest first.

Each combination of filters is the merge of runs of one index, each of them in the order of ids: a run for
each store, and for each value of the other columns before the id. The newest few of each run, then the newest
of those. So a page costs the same whatever is rare.
"""

from collections.abc import Sequence
from functools import cache
from typing import Any

from stores.models.statements.engine import Statement, is_postgresql
from stores.models.statements.reads import (
    HIGHEST_ID,
    LOWEST_ID,
    text_list,
    version_columns,
    version_row,
)
from stores.models.statements.rows import VersionRow
from stores.models.version import Operation

STORE_INDEX = "version_store_id"
OPERATION_INDEX = "version_store_operation_id"
ACTOR_INDEX = "version_store_actor_op_id"
ROAD_INDEX = "version_store_road_kind_op_id"
# By index the columns before the id. A run has one value of each.
COLUMNS = {
    STORE_INDEX: ("store_id",),
    OPERATION_INDEX: ("store_id", "operation"),
    ACTOR_INDEX: ("store_id", "actor_id", "operation"),
    ROAD_INDEX: ("store_id", "road", "actor_type", "operation"),
}


def _index(filters: tuple[str, ...], *, is_rare_road: bool) -> str:
    if "actor_id" in filters and not is_rare_road:
        return ACTOR_INDEX
    if "road" in filters or "actor_type" in filters:
        return ROAD_INDEX
    return OPERATION_INDEX if "operation" in filters else STORE_INDEX


@cache
def _stream(filters: tuple[str, ...], index: str) -> Statement:
    key = COLUMNS[index]
    values = [f"r_{name}.value" for name in key]
    if is_postgresql():
        lists = " CROSS JOIN ".join(f"unnest(%({name}_list)s::text[]) AS r_{name}(value)" for name in key)
        # Written so, the store is not fixed to the planner, and only an index that begins with the store has
        # this order: it never walks the ids of everything. Whole keys compared (reads._newest) would not do:
        # such a scan ends with the store, not with the run.
        where = [
            f"v.{key[0]} = ANY(ARRAY[{values[0]}])",
            *(f"v.{name} = {value}" for name, value in zip(key[1:], values[1:], strict=True)),
        ]
        order = f"v.{key[0]} DESC, v.id DESC"
        table = "stores_memoryversion v"
    else:
        lists = " CROSS JOIN ".join(f"json_each(%({name}_list)s) AS r_{name}" for name in key)
        where = [f"v.{name} = {value}" for name, value in zip(key, values, strict=True)]
        order, table = "v.id DESC", f"stores_memoryversion v INDEXED BY {index}"
    where += ["v.id >= %(lowest_id)s", "v.id < %(below_id)s"]
    # As an expression, so that it speaks for no other index.
    where += [f"(v.{name} || '') = %({name})s" for name in filters if name not in key]
    run = f"SELECT v.id FROM {table} WHERE {' AND '.join(where)} ORDER BY {order} LIMIT %(limit)s"
    if is_postgresql():
        found = f"SELECT f.id FROM {lists} CROSS JOIN LATERAL ({run}) AS f"
    else:
        # No LATERAL here; but a table-valued function may look at the tables before it.
        found = (
            f"SELECT f.value AS id FROM {lists} CROSS JOIN "
            f"json_each((SELECT json_group_array(n.id) FROM ({run}) AS n)) AS f"
        )
    # CROSS JOIN: SQLite would otherwise walk all versions and look each up in the page.
    return Statement(
        f"SELECT {version_columns(with_content=False)} "
        f"FROM (SELECT e.id FROM ({found}) AS e ORDER BY e.id DESC LIMIT %(limit)s) AS page "
        "CROSS JOIN stores_memoryversion v WHERE v.id = page.id ORDER BY v.id DESC"
    )


def stream(
    *,
    store_ids: Sequence[str],
    roads: Sequence[str],
    rare_roads: Sequence[str],
    actor_types: Sequence[str],
    actor_id: str | None,
    operation: str | None,
    road: str | None,
    actor_type: str | None,
    lowest_id: str | None,
    below_id: str | None,
    limit: int,
) -> list[VersionRow]:
    """`roads` and `actor_types` are all there are; on `rare_roads` there is less than most actors wrote, so
    with one of these the road is looked up and the actor picked out.
    """
    values = {"actor_id": actor_id, "operation": operation, "road": road, "actor_type": actor_type}
    filters = tuple(name for name, value in values.items() if value is not None)
    lists: dict[str, Any] = {
        "store_id_list": text_list(store_ids),
        "road_list": text_list([road] if road else roads),
        "actor_id_list": text_list([actor_id] if actor_id else []),
        "actor_type_list": text_list([actor_type] if actor_type else actor_types),
        "operation_list": text_list([operation] if operation else Operation.values),
    }
    bounds = {"lowest_id": lowest_id or LOWEST_ID, "below_id": below_id or HIGHEST_ID}
    index = _index(filters, is_rare_road=road in rare_roads)
    rows = _stream(filters, index).rows({**values, **lists, **bounds, "limit": limit})
    return [version_row(row) for row in rows]


@cache
def _writes() -> Statement:
    """Counts out of an index alone: looking into the rows for the kind of actor costs many times as much."""
    if is_postgresql():
        return Statement(
            "SELECT v.actor_type, width_bucket(v.id, %(bounds)s::text[]) - 1, count(*) "
            "FROM stores_memoryversion v WHERE v.store_id = ANY(%(store_id_list)s::text[]) "
            "AND v.id >= %(lowest_id)s AND v.id < %(below_id)s GROUP BY 1, 2",
            # The bounds as a constant: read once, not once a row.
            prepare=False,
        )
    key = COLUMNS[ROAD_INDEX]
    table = f"stores_memoryversion v INDEXED BY {ROAD_INDEX}"
    run = " AND ".join(f"v.{name} = r_{name}.value" for name in key)
    lists = " CROSS JOIN ".join(f"json_each(%({name}_list)s) AS r_{name}" for name in key)
    # Most runs are empty: one look at each, rather than one for each span.
    return Statement(
        "SELECT r_actor_type.value, span.key, SUM(("
        f"SELECT count(*) FROM {table} WHERE {run} AND v.id >= span.value AND v.id < other.value)) "
        f"FROM {lists} CROSS JOIN json_each(%(bounds)s) AS span "
        "CROSS JOIN json_each(%(bounds)s) AS other ON other.key = span.key + 1 "
        f"WHERE EXISTS (SELECT 1 FROM {table} WHERE {run} AND v.id >= %(lowest_id)s AND v.id < %(below_id)s) "
        "GROUP BY 1, 2"
    )


def count_writes(
    *, store_ids: Sequence[str], roads: Sequence[str], actor_types: Sequence[str], bounds: Sequence[str]
) -> list[tuple[str, int, int]]:
    """(kind of actor, number of the span from 0, versions), for the spans between bounds, which are ids."""
    asked: dict[str, Any] = {
        "store_id_list": text_list(store_ids),
        "road_list": text_list(roads),
        "actor_type_list": text_list(actor_types),
        "operation_list": text_list(Operation.values),
        "bounds": text_list(bounds),
        "lowest_id": bounds[0],
        "below_id": bounds[-1],
    }
    return [(kind, place, int(count)) for kind, place, count in _writes().rows(asked) if count]


@cache
def _writers() -> Statement:
    table = "stores_memoryversion v"
    if is_postgresql():
        stores = "unnest(%(store_id_list)s::text[]) AS s(value)"
    else:
        stores, table = "json_each(%(store_id_list)s) AS s", f"{table} INDEXED BY {ACTOR_INDEX}"
    return Statement(
        f"SELECT v.actor_id, count(*) FROM {stores} CROSS JOIN {table} "
        "WHERE v.store_id = s.value AND v.id >= %(lowest_id)s GROUP BY v.actor_id",
        prepare=False,
    )


def count_by_writer(*, store_ids: Sequence[str], lowest_id: str) -> dict[str, int]:
    """Versions from an id on, by the id of who wrote them; out of an index too."""
    asked = {"store_id_list": text_list(store_ids), "lowest_id": lowest_id}
    return dict(_writers().rows(asked))
