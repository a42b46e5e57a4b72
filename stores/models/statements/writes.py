"""The statements of a write. Callers hold a transaction; `replace_content` is one by itself."""

from datetime import datetime
from functools import cache
from typing import Any, Protocol

import msgspec

from stores.models.statements.engine import (
    Statement,
    in_one_trip,
    instant,
    is_postgresql,
    select_instant,
)
from stores.models.statements.reads import VISIBLE_STORE, conflict_sql, memory_columns, memory_row
from stores.models.statements.rows import MemoryRow

NEW_VERSION_COLUMNS = (
    "id, store_id, memory_id, seq, operation, path, content, content_sha256, content_size_bytes, "
    "created_at, actor_type, actor_id, actor_label, road, reason, restored_from, salt, commitment, chain"
)


class NewVersion(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A version about to be written; the names are the columns'."""

    id: str
    store_id: str
    memory_id: str
    seq: int
    operation: str
    path: str
    content: str | None
    content_sha256: str | None
    content_size_bytes: int | None
    created_at: datetime
    actor_type: str
    actor_id: str
    actor_label: str
    road: str
    reason: str
    restored_from: str | None
    salt: bytes
    commitment: bytes
    chain: bytes


class Head(msgspec.Struct, frozen=True, gc=False):
    """A live memory as a writer needs it, its row locked where the engine locks rows."""

    memory: MemoryRow
    chain: bytes


class LockedStore(msgspec.Struct, frozen=True, gc=False):
    is_archived: bool
    memory_count: int


def _parameters(version: NewVersion) -> dict[str, Any]:
    parameters = msgspec.structs.asdict(version)
    parameters["created_at"] = instant(version.created_at)
    return parameters


@cache
def _replace_content() -> Statement:
    # The commitment covers the path and the chain the number, which only the row knows: PostgreSQL computes
    # both, by the formulas of domain/chain.py.
    returned = ", ".join(
        ["h.id", "h.store_id", "h.path", "h.head_version_id", "h.head_seq", "h.content_sha256"]
        + ["h.content_size_bytes"]
        + [select_instant(f"h.{name}") for name in ("created_at", "updated_at", "last_read_at")]
    )
    return Statement(
        f"""
        WITH found AS (
            UPDATE stores_memory m
            SET head_version_id = %(id)s,
                head_seq = m.head_seq + 1,
                head_chain = sha256(
                    m.head_chain
                    || convert_to('[' || (m.head_seq + 1) || %(after_seq)s, 'UTF8')
                    || sha256(%(salt)s || convert_to(m.path, 'UTF8') || %(zero)s
                              || convert_to(%(content)s, 'UTF8'))),
                content_sha256 = %(content_sha256)s,
                content_size_bytes = %(content_size_bytes)s,
                updated_at = %(created_at)s,
                is_indexed = false
            FROM stores_memorystore s
            WHERE m.id = %(memory_id)s AND s.id = m.store_id AND {VISIBLE_STORE}
              AND s.archived_at IS NULL
              AND m.updated_at < %(created_at)s AND m.head_version_id < %(id)s
              AND m.content_sha256 <> %(content_sha256)s
              AND m.content_sha256 = coalesce(%(expected_sha256)s::text, m.content_sha256)
            RETURNING m.*
        ), written AS (
            INSERT INTO stores_memoryversion ({NEW_VERSION_COLUMNS})
            SELECT head_version_id, store_id, id, head_seq, 'modified', path, %(content)s,
                   content_sha256, content_size_bytes, updated_at, %(actor_type)s, %(actor_id)s,
                   %(actor_label)s, %(road)s, %(reason)s, NULL, %(salt)s,
                   sha256(%(salt)s || convert_to(path, 'UTF8') || %(zero)s
                          || convert_to(%(content)s, 'UTF8')),
                   head_chain
            FROM found
        )
        SELECT {returned} FROM found h
        """
    )


def replace_content(parameters: dict[str, Any]) -> MemoryRow | None:
    """PostgreSQL only: the whole update in one statement, if and only if it would simply succeed.

    None when anything at all stands in the way (no such memory, archived store, same content, another hash
    than expected, a newer head): the caller then finds out what under a lock.
    """
    row = _replace_content().row(parameters)
    return memory_row((*row, parameters["content"])) if row else None


class FindStore(Protocol):
    def __call__(self, *, workspace_id: str, store_id: str) -> LockedStore | None: ...


@cache
def _lock_store() -> Statement:
    lock = " FOR NO KEY UPDATE" if is_postgresql() else ""
    return Statement(
        "SELECT s.archived_at IS NOT NULL, s.memory_count FROM stores_memorystore s "
        f"WHERE {VISIBLE_STORE}{lock}"
    )


def lock_store(*, workspace_id: str, store_id: str) -> LockedStore | None:
    """Queues the writers that add, move or remove paths of one store. Always before `lock_head`."""
    row = _lock_store().row({"workspace_id": workspace_id, "store_id": store_id})
    return LockedStore(bool(row[0]), row[1]) if row else None


@cache
def _store_state() -> Statement:
    return Statement(
        f"SELECT s.archived_at IS NOT NULL, s.memory_count FROM stores_memorystore s WHERE {VISIBLE_STORE}"
    )


def read_store_state(*, workspace_id: str, store_id: str) -> LockedStore | None:
    """The same without a lock, for writes that touch one memory only."""
    row = _store_state().row({"workspace_id": workspace_id, "store_id": store_id})
    return LockedStore(bool(row[0]), row[1]) if row else None


@cache
def _lock_head() -> Statement:
    lock = " FOR UPDATE" if is_postgresql() else ""
    return Statement(
        f"SELECT m.head_chain, {memory_columns(with_content=False)} FROM stores_memory m "
        f"WHERE m.id = %(memory_id)s AND m.store_id = %(store_id)s{lock}"
    )


def lock_head(*, store_id: str, memory_id: str) -> Head | None:
    row = _lock_head().row({"store_id": store_id, "memory_id": memory_id})
    return Head(memory_row(row[1:]), bytes(row[0])) if row else None


INSERT_VERSION = (
    f"INSERT INTO stores_memoryversion ({NEW_VERSION_COLUMNS}) SELECT %(id)s, %(store_id)s, "
    "%(memory_id)s, %(seq)s, %(operation)s, %(path)s, %(content)s, %(content_sha256)s, "
    "%(content_size_bytes)s, %(created_at)s, %(actor_type)s, %(actor_id)s, %(actor_label)s, %(road)s, "
    "%(reason)s, %(restored_from)s, %(salt)s, %(commitment)s, %(chain)s"
)
INSERT_MEMORY = (
    "INSERT INTO stores_memory (id, store_id, path, head_version_id, head_seq, head_chain, "
    "content_sha256, content_size_bytes, created_at, updated_at) SELECT %(memory_id)s, %(store_id)s, "
    "%(path)s, %(id)s, %(seq)s, %(chain)s, %(content_sha256)s, %(content_size_bytes)s, %(created_at)s, "
    "%(created_at)s"
)
COUNT = "UPDATE stores_memorystore SET memory_count = memory_count + %(step)s WHERE id = %(store_id)s"

_insert_version = Statement(INSERT_VERSION)
_insert_memory = Statement(INSERT_MEMORY)
_count = Statement(COUNT)


def insert_memory(version: NewVersion) -> None:
    """The memory, its first version, and the store's count. The store is locked."""
    parameters = _parameters(version) | {"step": 1}
    _insert_memory.run(parameters)
    _insert_version.run(parameters)
    _count.run(parameters)


@cache
def _insert_if_free() -> Statement:
    return Statement(
        f"""
        WITH room AS (
            SELECT s.id FROM stores_memorystore s
            WHERE {VISIBLE_STORE} AND s.archived_at IS NULL AND s.memory_count < %(most)s
              AND NOT EXISTS ({conflict_sql()})
              -- What freed the path while this waited must not be younger than the new memory.
              AND NOT EXISTS (
                  SELECT 1 FROM stores_memoryversion v
                  WHERE v.store_id = s.id AND v.id > %(id)s AND v.operation <> 'created')
        ), memory AS (
            {INSERT_MEMORY} FROM room RETURNING id
        ), version AS (
            {INSERT_VERSION} FROM memory
        )
        UPDATE stores_memorystore s SET memory_count = s.memory_count + 1
        FROM memory WHERE s.id = %(store_id)s RETURNING memory.id
        """
    )


def insert_if_free(version: NewVersion, *, workspace_id: str, most: int, conflict: dict[str, Any]) -> bool:
    """PostgreSQL only, outside a transaction: a whole create in one round trip, if and only if it would
    simply succeed: a live store with fewer than `most` memories and nothing at, above or below the path
    (`conflict` as reads.conflict_parameters makes it).
    """
    parameters = _parameters(version) | conflict | {"workspace_id": workspace_id, "most": most}
    return bool(in_one_trip(_lock_store(), _insert_if_free(), parameters))


_move_head = Statement(
    "UPDATE stores_memory SET path = %(path)s, head_version_id = %(id)s, head_seq = %(seq)s, "
    "head_chain = %(chain)s, content_sha256 = %(content_sha256)s, "
    "content_size_bytes = %(content_size_bytes)s, updated_at = %(created_at)s, is_indexed = false "
    "WHERE id = %(memory_id)s AND head_version_id = %(expected_head)s"
)
_drop_head = Statement(
    "DELETE FROM stores_memory WHERE id = %(memory_id)s AND head_version_id = %(expected_head)s"
)


def append_version(version: NewVersion, *, expected_head: str) -> bool:
    """A further version of a live memory, and its head moved onto it.

    False, with nothing written, when the head is no longer the expected one.
    """
    parameters = _parameters(version) | {"expected_head": expected_head}
    if _move_head.run(parameters) != 1:
        return False
    _insert_version.run(parameters)
    return True


def end_memory(version: NewVersion, *, expected_head: str) -> bool:
    """The `deleted` version of a memory; the path is free again. The store is locked.

    False, with nothing written, when the head is no longer the expected one.
    """
    parameters = _parameters(version) | {"expected_head": expected_head, "step": -1}
    if _drop_head.run(parameters) != 1:
        return False
    _insert_version.run(parameters)
    _count.run(parameters)
    return True


_head_content = Statement("SELECT content FROM stores_memoryversion WHERE id = %(id)s")


def read_content(version_id: str) -> str:
    """The text of a version that is known to be there and to have one."""
    row = _head_content.row({"id": version_id})
    if row is None or row[0] is None:
        raise LookupError(f"The version {version_id} has no text.")
    return str(row[0])


@cache
def _touch_reads() -> Statement:
    due = "(last_read_at IS NULL OR last_read_at < %(before)s)"
    if is_postgresql():
        # A read never waits for a writer: a row that is locked is noted at the next read.
        which = f"(SELECT id FROM stores_memory WHERE id = ANY(%(ids)s) AND {due} FOR UPDATE SKIP LOCKED)"
    else:
        which = "(SELECT value FROM json_each(%(ids)s))"
    return Statement(f"UPDATE stores_memory SET last_read_at = %(now)s WHERE id IN {which} AND {due}")


def touch_reads(*, memory_ids: Any, now: datetime, before: datetime) -> None:
    """Sets `last_read_at` where it is older than `before`. `memory_ids` as reads.text_list makes them."""
    _touch_reads().run({"ids": memory_ids, "now": instant(now), "before": instant(before)})
