"""One memory, one version, and pages of both."""

from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

from stores.models.statements.engine import Statement, is_postgresql, read_instant, select_instant
from stores.models.statements.rows import MemoryRow, PrefixRow, VersionRow
from stores.models.version import Operation

MEMORY_COLUMNS = (
    "m.id, m.store_id, m.path, m.head_version_id, m.head_seq, m.content_sha256, m.content_size_bytes"
)
VERSION_COLUMNS = (
    "v.id, v.store_id, v.memory_id, v.seq, v.operation, v.path, v.content_sha256, v.content_size_bytes"
)


def memory_columns(*, with_content: bool) -> str:
    times = ", ".join(select_instant(f"m.{name}") for name in ("created_at", "updated_at", "last_read_at"))
    return f"{MEMORY_COLUMNS}, {times}" + (", h.content" if with_content else "")


def memory_row(row: tuple[Any, ...]) -> MemoryRow:
    """A row of `memory_columns`."""
    created, updated, read = row[7:10]
    times = read_instant(created), read_instant(updated), read_instant(read) if read else None
    return MemoryRow(*(row[:7] + times + row[10:]))


def version_row(row: tuple[Any, ...]) -> VersionRow:
    """A row of `version_columns`."""
    created, redacted = (read_instant(row[8]),), (read_instant(row[15]) if row[15] else None,)
    return VersionRow(*(row[:8] + created + row[9:15] + redacted + row[16:]))


def head_join(*, with_content: bool) -> str:
    return "JOIN stores_memoryversion h ON h.id = m.head_version_id" if with_content else ""


def version_columns(*, with_content: bool) -> str:
    return (
        f"{VERSION_COLUMNS}, {select_instant('v.created_at')}, v.actor_type, v.actor_id, "
        f"v.actor_label, v.road, v.reason, v.restored_from, {select_instant('v.redacted_at')}, "
        "v.redacted_by_type, v.redacted_by_id, v.redacted_by_label, v.redacted_reason"
        + (", v.content" if with_content else "")
    )


VISIBLE_STORE = "s.id = %(store_id)s AND s.workspace_id = %(workspace_id)s AND s.deleted_at IS NULL"


@cache
def _store_exists() -> Statement:
    return Statement(f"SELECT 1 FROM stores_memorystore s WHERE {VISIBLE_STORE}")


def store_exists(*, workspace_id: str, store_id: str) -> bool:
    return _store_exists().row({"workspace_id": workspace_id, "store_id": store_id}) is not None


@cache
def _memory(with_content: bool) -> Statement:
    return Statement(
        f"SELECT {memory_columns(with_content=with_content)} FROM stores_memory m "
        f"JOIN stores_memorystore s ON s.id = m.store_id {head_join(with_content=with_content)} "
        f"WHERE m.id = %(memory_id)s AND {VISIBLE_STORE}"
    )


def read_memory(*, workspace_id: str, store_id: str, memory_id: str, with_content: bool) -> MemoryRow | None:
    row = _memory(with_content).row(
        {"workspace_id": workspace_id, "store_id": store_id, "memory_id": memory_id}
    )
    return memory_row(row) if row else None


@cache
def _version(with_content: bool) -> Statement:
    return Statement(
        f"SELECT {version_columns(with_content=with_content)} FROM stores_memoryversion v "
        f"JOIN stores_memorystore s ON s.id = v.store_id "
        f"WHERE v.id = %(version_id)s AND {VISIBLE_STORE}"
    )


def read_version(
    *, workspace_id: str, store_id: str, version_id: str, with_content: bool
) -> VersionRow | None:
    row = _version(with_content).row(
        {"workspace_id": workspace_id, "store_id": store_id, "version_id": version_id}
    )
    return version_row(row) if row else None


@cache
def _memories(with_content: bool, with_end: bool, lower: str) -> Statement:
    end = "AND m.path < %(end)s" if with_end else ""
    return Statement(
        f"SELECT {memory_columns(with_content=with_content)} FROM stores_memory m "
        f"{head_join(with_content=with_content)} "
        f"WHERE m.store_id = %(store_id)s AND m.path {lower} %(start)s {end} "
        f"ORDER BY m.path LIMIT %(limit)s"
    )


def page_of_memories(
    *,
    store_id: str,
    start: str,
    including_start: bool,
    end: str | None,
    with_content: bool,
    limit: int,
) -> list[MemoryRow]:
    """Live memories in byte order of their paths, from `start` (one lower bound only: SQLite seeks with
    one, and a second made deep pages five times slower) up to below `end`.
    """
    statement = _memories(with_content, end is not None, ">=" if including_start else ">")
    rows = statement.rows({"store_id": store_id, "start": start, "end": end, "limit": limit})
    return [memory_row(row) for row in rows]


@cache
def _children(with_content: bool, with_end: bool) -> Statement:
    """A loose index scan: each step seeks the next path that is not inside the folder just met.

    `item` is a file's path or a folder's with its final "/"; the text after a folder in byte order is the
    folder's with "0" for "/". Reading and folding all rows costs 50 to 140 times a page (performance.md, 2).
    """
    end = "AND n.path < %(end)s" if with_end else ""
    if is_postgresql():
        slash_in = "strpos(substr({0}, %(skip)s), '/')"
        item = f"CASE {slash_in} WHEN 0 THEN {{0}} ELSE left({{0}}, %(skip)s - 1 + {slash_in}) END"
        ends_with_slash, without_last = "right(w.item, 1) = '/'", "left(w.item, -1)"
        # The type must be told: a bare parameter in a recursive term has none.
        first = "CAST(%(start)s AS text)"
        nth = "CAST(%(limit)s AS integer)"
    else:
        slash_in = "instr(substr({0}, %(skip)s), '/')"
        item = f"CASE {slash_in} WHEN 0 THEN {{0}} ELSE substr({{0}}, 1, %(skip)s - 1 + {slash_in}) END"
        ends_with_slash, without_last = (
            "substr(w.item, -1) = '/'",
            "substr(w.item, 1, length(w.item) - 1)",
        )
        first, nth = "%(start)s", "%(limit)s"
    collate = 'COLLATE "C"' if is_postgresql() else ""

    def seek(condition: str) -> str:
        found = item.format("n.path")
        return (
            f"(SELECT {found} FROM stores_memory n WHERE n.store_id = %(store_id)s "
            f"AND {condition} {end} ORDER BY n.path LIMIT 1)"
        )

    # ">= after_folder" for folders and "> path" for files become one bound: a file's successor in byte
    # order is its path with the lowest character behind it, and no path holds that one.
    next_bound = (
        f"(CASE WHEN {ends_with_slash} THEN {without_last} || '0' ELSE w.item || {lowest_character()} END)"
    )
    return Statement(
        f"WITH RECURSIVE walk(item, place) AS ("
        f" SELECT {seek(f'n.path >= {first}')} {collate}, 1"
        f" UNION ALL"
        f" SELECT {seek(f'n.path >= {next_bound}')} {collate}, w.place + 1"
        f" FROM walk w WHERE w.item IS NOT NULL AND w.place < {nth}"
        f") SELECT w.item, {memory_columns(with_content=with_content)} FROM walk w "
        # For a folder there is nothing to look up.
        f"LEFT JOIN stores_memory m ON m.store_id = %(store_id)s "
        f"AND m.path = CASE WHEN {ends_with_slash} THEN NULL ELSE w.item END "
        + ("LEFT " + head_join(with_content=True) if with_content else "")
        + " WHERE w.item IS NOT NULL ORDER BY w.place"
    )


def lowest_character() -> str:
    return "chr(1)" if is_postgresql() else "char(1)"


LOWEST = "\x01"


def page_of_children(
    *, store_id: str, folder: str, start: str, end: str | None, with_content: bool, limit: int
) -> list[MemoryRow | PrefixRow]:
    """What lies directly in `folder` ("/" or "/a/b/"), files and sub-folders mixed in byte order.

    `start` is a lower bound that is itself included.
    """
    if with_content:
        return _walk_children(store_id, folder, start, end, True, limit)
    # A walk step costs some ten rows of a plain page. So a few plain rows first; if these lie in many
    # sub-folders or in none, the rest of the page as plain rows too; and what a sub-folder hid by a walk.
    items: list[MemoryRow | PrefixRow] = []
    for size in (PROBE, limit):
        size = min(size, limit - len(items))
        page = page_of_memories(
            store_id=store_id, start=start, including_start=True, end=end, with_content=False, limit=size
        )
        found = roll_up(page, folder)
        items += found
        if len(page) < size or len(items) >= limit:
            return items
        start = start_behind(items[-1].path)
        if len(found) < size // 2:
            break
    return items + _walk_children(store_id, folder, start, end, False, limit - len(items))


def walk_children(
    *, store_id: str, folder: str, start: str, end: str | None, limit: int
) -> list[MemoryRow | PrefixRow]:
    """The same by one query, always: the better way to a few items of many folders."""
    return _walk_children(store_id, folder, start, end, False, limit)


PROBE = 12


def start_behind(item: str) -> str:
    """The lowest path behind a listed item: behind all of a folder ("/a/"), else behind the file."""
    return item[:-1] + "0" if item[-1] == "/" else item + LOWEST


def roll_up(memories: list[MemoryRow], folder: str) -> list[MemoryRow | PrefixRow]:
    """Memories in path order, those in sub-folders of `folder` folded into one row per sub-folder."""
    items: list[MemoryRow | PrefixRow] = []
    within = "\0"  # no path begins with it
    for memory in memories:
        if memory.path.startswith(within):
            continue
        slash = memory.path.find("/", len(folder))
        if slash < 0:
            items.append(memory)
        else:
            within = memory.path[: slash + 1]
            items.append(PrefixRow(within))
    return items


def _walk_children(
    store_id: str, folder: str, start: str, end: str | None, with_content: bool, limit: int
) -> list[MemoryRow | PrefixRow]:
    rows = _children(with_content, end is not None).rows(
        {
            "store_id": store_id,
            "start": start,
            "end": end,
            "skip": len(folder) + 1,
            "limit": limit,
        }
    )
    return [PrefixRow(row[0]) if row[0][-1] == "/" else memory_row(row[1:]) for row in rows]


class Driver(NamedTuple):
    """An index whose order ends with the id, and the columns before it, which the query must fix."""

    name: str
    key: tuple[str, ...]


# By what is most selective: a memory has few versions, an actor fewer than an operation.
DRIVERS = {
    "memory_id": Driver("version_memory_id", ("memory_id",)),
    "actor_id": Driver("version_store_actor_op_id", ("store_id", "actor_id", "operation")),
    "operation": Driver("version_store_operation_id", ("store_id", "operation")),
}
WHOLE_STORE = Driver("version_store_id", ("store_id",))
# Below and above every id.
LOWEST_ID, HIGHEST_ID = "", "~"


def _newest(columns: str, driver: Driver, others: Sequence[str], operation: str | None = None) -> str:
    """SQL for versions newest first along one index."""
    values = {name: f"%({name})s" for name in (*driver.key, *others)}
    if operation:
        values["operation"] = f"'{operation}'"
    # SQLite knows nothing of how common a value is and would take any index with two matching columns.
    forced = "" if is_postgresql() else f" INDEXED BY {driver.name}"
    where = [f"v.{name} = {value}" for name, value in values.items()]
    where += ["v.id >= %(lowest_id)s", "v.id < %(below_id)s"]
    return (
        f"SELECT {columns} FROM stores_memoryversion v{forced} "
        f"WHERE {' AND '.join(where)} ORDER BY v.id DESC LIMIT %(limit)s"
    )


@cache
def _versions(filters: tuple[str, ...], with_content: bool) -> Statement:
    """`filters` are columns of DRIVERS."""
    driver = next((DRIVERS[name] for name in DRIVERS if name in filters), WHOLE_STORE)
    others = [name for name in ("store_id", *filters) if name not in driver.key]
    columns = version_columns(with_content=with_content)
    if "operation" not in driver.key or "operation" in filters:
        return Statement(_newest(columns, driver, others), prepare=False)
    # The newest of each operation, then the newest of those.
    runs = " UNION ALL ".join(
        f"SELECT id FROM ({_newest('v.id', driver, others, operation)}) AS {operation}"
        for operation in Operation.values
    )
    return Statement(
        f"SELECT {columns} FROM (SELECT id FROM ({runs}) AS runs ORDER BY id DESC LIMIT %(limit)s) AS found "
        "JOIN stores_memoryversion v ON v.id = found.id ORDER BY v.id DESC",
        prepare=False,
    )


def page_of_versions(
    *,
    store_id: str,
    memory_id: str | None,
    operation: str | None,
    actor_id: str | None,
    lowest_id: str | None,
    below_id: str | None,
    with_content: bool,
    limit: int,
) -> list[VersionRow]:
    """Versions newest first. Ids are in time order, so a span of time is a span of ids."""
    values = {"memory_id": memory_id, "operation": operation, "actor_id": actor_id}
    filters = tuple(name for name, value in values.items() if value is not None)
    rows = _versions(filters, with_content).rows(
        {
            **values,
            "store_id": store_id,
            "lowest_id": lowest_id or LOWEST_ID,
            "below_id": below_id or HIGHEST_ID,
            "limit": limit,
        }
    )
    return [version_row(row) for row in rows]


def conflict_sql() -> str:
    # LATERAL makes PostgreSQL seek each candidate, whatever it believes of the table: a prepared statement
    # with "= ANY" reads a whole store where most are small (1.4 ms instead of 0.04 at 5,000 memories).
    candidates = (
        "unnest(CAST(%(candidates)s AS text[])) AS c(path) CROSS JOIN LATERAL "
        "(SELECT m.path, m.id FROM stores_memory m "
        "WHERE m.store_id = %(store_id)s AND m.path = c.path AND m.id <> %(except_id)s LIMIT 1) AS m"
        if is_postgresql()
        else "stores_memory m WHERE m.store_id = %(store_id)s AND m.id <> %(except_id)s "
        "AND m.path IN (SELECT value FROM json_each(%(candidates)s))"
    )
    return (
        f"SELECT path, id FROM (SELECT m.path, m.id FROM {candidates} "
        "UNION ALL SELECT * FROM (SELECT m.path, m.id FROM stores_memory m "
        "WHERE m.store_id = %(store_id)s AND m.path >= %(below)s AND m.path < %(after)s "
        "AND m.id <> %(except_id)s ORDER BY m.path LIMIT 1) AS inside) AS found "
        "ORDER BY path LIMIT 1"
    )


@cache
def _conflict() -> Statement:
    return Statement(conflict_sql())


def find_path_conflict(*, store_id: str, parameters: dict[str, Any]) -> tuple[str, str] | None:
    """(path, id) of the first live memory in the way, as `conflict_parameters` describes it."""
    row = _conflict().row({"store_id": store_id, **parameters})
    return (row[0], row[1]) if row else None


def conflict_parameters(
    *, candidates: Sequence[str], below: str, after: str, except_id: str
) -> dict[str, Any]:
    """A memory is in the way, but for `except_id`, when its path is one of the `candidates` or lies in
    `below <= path < after`.
    """
    return {
        "candidates": text_list(candidates),
        "below": below,
        "after": after,
        "except_id": except_id,
    }


def text_list(texts: Sequence[str]) -> Any:
    """A list of texts as one parameter."""
    if is_postgresql():
        return list(texts)
    import msgspec  # only this engine needs JSON here

    return msgspec.json.encode(list(texts)).decode()
