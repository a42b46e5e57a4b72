"""Which versions hold any of some fragments, byte for byte, in text, path or reason.

Scans, so every call is bounded.
"""

from collections.abc import Sequence
from functools import cache
from typing import Any

import msgspec

from stores.models.statements.engine import Statement, is_postgresql, read_instant, select_instant
from stores.models.statements.reads import text_list


class HolderRow(msgspec.Struct, frozen=True, gc=False):
    """A version that holds a fragment in its text, its path or a reason; `path` as people may see it."""

    version_id: str
    store_id: str
    memory_id: str
    seq: int
    operation: str
    path: str | None
    created_at: str
    actor_type: str
    actor_id: str
    actor_label: str
    is_head: bool
    in_content: bool
    in_path: bool
    in_reason: bool


def _holds(expression: str) -> str:
    if is_postgresql():
        # Looking for the same bytes: no collation makes two different texts equal.
        return (
            "EXISTS (SELECT 1 FROM unnest(%(fragments)s::text[]) AS f(piece) "
            f"WHERE strpos({expression}, f.piece) > 0)"
        )
    return f"EXISTS (SELECT 1 FROM json_each(%(fragments)s) AS f WHERE instr({expression}, f.value) > 0)"


def _newest() -> str:
    return (
        "SELECT b.id FROM stores_memoryversion b WHERE b.store_id = %(store_id)s AND b.id < %(below)s "
        "ORDER BY b.id DESC LIMIT %(limit)s"
    )


@cache
def _holders(scope: str) -> Statement:
    scopes = {
        "memory": "v.memory_id = %(memory_id)s AND v.store_id = %(store_id)s",
        "heads": ("v.id IN (SELECT m.head_version_id FROM stores_memory m WHERE m.store_id = %(store_id)s)"),
        "history": f"v.id IN ({_newest()})",
    }
    return Statement(
        "WITH looked_at AS MATERIALIZED ("
        "SELECT v.id, v.store_id, v.memory_id, v.seq, v.operation, "
        f"coalesce(v.path, v.masked_path) AS path, {select_instant('v.created_at')} AS at, v.actor_type, "
        "v.actor_id, v.actor_label, "
        f"{_holds('coalesce(v.content, v.masked_content)')} AS in_content, "
        f"{_holds('coalesce(v.path, v.masked_path)')} AS in_path, "
        f"({_holds('v.reason')} OR {_holds('v.redacted_reason')}) AS in_reason "
        f"FROM stores_memoryversion v WHERE {scopes[scope]}) "
        "SELECT l.id, l.store_id, l.memory_id, l.seq, l.operation, l.path, l.at, l.actor_type, l.actor_id, "
        "l.actor_label, EXISTS (SELECT 1 FROM stores_memory m WHERE m.id = l.memory_id "
        "AND m.head_version_id = l.id), l.in_content, l.in_path, l.in_reason "
        "FROM looked_at l WHERE l.in_content OR l.in_path OR l.in_reason ORDER BY l.id DESC"
    )


def _rows(scope: str, fragments: Sequence[str], parameters: dict[str, Any]) -> list[HolderRow]:
    rows = _holders(scope).rows({**parameters, "fragments": text_list(fragments)})
    return [_row(row) for row in rows]


def _row(row: tuple[Any, ...]) -> HolderRow:
    values = [*row[:6], read_instant(row[6]), *row[7:10], *map(bool, row[10:])]
    return HolderRow(*values)


def holders_of_memory(*, store_id: str, memory_id: str, fragments: Sequence[str]) -> list[HolderRow]:
    return _rows("memory", fragments, {"store_id": store_id, "memory_id": memory_id})


def holders_among_heads(*, store_id: str, fragments: Sequence[str]) -> list[HolderRow]:
    """Among the live texts of a store (C 4.3: at most 10,000)."""
    return _rows("heads", fragments, {"store_id": store_id})


def holders_in_history(*, store_id: str, below: str, fragments: Sequence[str], limit: int) -> list[HolderRow]:
    """Among the newest `limit` versions of a store below an id."""
    return _rows("history", fragments, {"store_id": store_id, "below": below, "limit": limit})


@cache
def _end_of_history() -> Statement:
    return Statement(f"SELECT count(*), min(id) FROM ({_newest()}) AS b")


def end_of_history(*, store_id: str, below: str, limit: int) -> tuple[int, str | None]:
    """How many versions such a step looks at, and the oldest of them."""
    row = _end_of_history().row({"store_id": store_id, "below": below, "limit": limit})
    return (row[0], row[1]) if row else (0, None)
