"""Rapid saves of one actor, folded to one line (pure)."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from stores.console import formats
from stores.console.rows import Row
from stores.domain.actors import ActorType
from stores.models.statements.rows import VersionRow

# Saves that follow each other within this are one piece of work.
RAPID = timedelta(minutes=10)
# A fold takes a line itself.
FOLDED_SAVES = 2


def fold_saves(
    versions: Sequence[VersionRow], rows: list[Row], *, heads: frozenset[str], unfold_url: str
) -> list[Row]:
    """`rows` of `versions`, newest first, with plain saves behind a newer one of the same run as one row."""
    result: list[Row] = []
    place = 0
    while place < len(versions):
        result.append(rows[place])
        end = place + 1
        while end < len(versions) and _continues(versions[end - 1], versions[end], heads):
            end += 1
        folded = versions[place + 1 : end]
        if len(folded) < FOLDED_SAVES:
            result += rows[place + 1 : end]
        else:
            result.append(_fold(folded, rows[place + 1 : end], unfold_url))
        place = end
    return result


def _continues(newer: VersionRow, older: VersionRow, heads: frozenset[str]) -> bool:
    """Whether the older one is a plain save shortly before, which nobody need look at for itself."""
    return (
        older.operation == newer.operation == "modified"
        and older.actor_id == newer.actor_id
        and older.actor_type == ActorType.SESSION
        and older.seq == newer.seq - 1
        and older.path == newer.path
        and not (older.redacted_at or newer.redacted_at or older.restored_from)
        and older.id not in heads
        and datetime.fromisoformat(newer.created_at) - datetime.fromisoformat(older.created_at) <= RAPID
    )


def _fold(versions: Sequence[VersionRow], rows: Sequence[Row], unfold_url: str) -> Row:
    changes = [row["change"]["bytes"] if row["change"] else None for row in rows]
    known = [change for change in changes if change is not None]
    first, last = rows[-1]["when"], rows[0]["when"]
    return {
        "fold": f"{len(versions)} more saves by the same session",
        "first": first,
        "last": last,
        "together": formats.change(sum(known)) if len(known) == len(changes) else "",
        "url": f"{unfold_url}#v{versions[0].seq}",
        "swap_url": unfold_url,
    }
