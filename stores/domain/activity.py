"""Every change by everybody, in all stores that the actor reaches: one stream, newest first."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

import msgspec

from stores.domain import clock
from stores.domain.actors import ID_PREFIXES, Actor, ActorType, Right, Road
from stores.domain.errors import InvalidInput, StoreNotFound
from stores.models import MemoryStore, Operation, ids
from stores.models.statements import activity
from stores.models.statements.rows import VersionRow

# What an export fetches at a time, and where it ends.
EXPORTED_AT_ONCE = 1_000
MOST_EXPORTED = 100_000


# By which people and jobs write, not agents.
RARE_ROADS = (Road.CONSOLE.value, Road.IMPORT.value, Road.DREAM.value, Road.RETENTION.value)


class Filters(msgspec.Struct, frozen=True):
    """None is any; they combine with AND. `created_lte` is included."""

    store_id: str | None = None
    actor_id: str | None = None
    actor_type: ActorType | None = None
    operation: Operation | None = None
    road: Road | None = None
    created_gte: datetime | None = None
    created_lte: datetime | None = None


class ActivityPage(msgspec.Struct, frozen=True):
    """`next` is what to hand back as `after`; `store_names` names the stores that occur, by id."""

    items: list[VersionRow]
    next: str | None
    store_names: dict[str, str]


def list_activity(
    *, actor: Actor, filters: Filters | None = None, after: str | None = None, limit: int
) -> ActivityPage:
    """A page of the stream, without texts. An actor of another kind than asked for gives an empty one.

    Raises StoreNotFound, PermissionDenied.
    """
    actor.require(Right.READ)
    filters = filters or Filters()
    names = _store_names(actor, filters.store_id)
    found = _find(filters, list(names), after, limit + 1)
    items = found[:limit]
    return ActivityPage(
        items,
        items[-1].id if len(found) > limit else None,
        {row.store_id: names[row.store_id] for row in items},
    )


def count_writes(*, actor: Actor, bounds: Sequence[datetime]) -> list[dict[str, int]]:
    """For each span between the bounds, which are in order, the changes in it by the kind of actor."""
    actor.require(Right.READ)
    spans: list[dict[str, int]] = [{} for _ in bounds[1:]]
    for kind, place, count in activity.count_writes(
        store_ids=list(_store_names(actor, None)),
        roads=[road.value for road in Road],
        actor_types=[actor_type.value for actor_type in ActorType],
        bounds=[ids.lowest_id(ids.MEMORY_VERSION, bound) for bound in bounds],
    ):
        spans[place][kind] = count
    return spans


def count_writers(*, actor: Actor, since: datetime) -> tuple[int, dict[ActorType, int]]:
    """How many changes there were since a moment, and by how many actors of each kind."""
    actor.require(Right.READ)
    by_writer = activity.count_by_writer(
        store_ids=list(_store_names(actor, None)), lowest_id=ids.lowest_id(ids.MEMORY_VERSION, since)
    )
    writers = {
        kind: sum(actor_id.startswith(prefix) for actor_id in by_writer)
        for kind, prefix in ID_PREFIXES.items()
    }
    return sum(by_writer.values()), writers


def export_activity(
    *, actor: Actor, filters: Filters | None = None, most: int = MOST_EXPORTED
) -> Iterator[dict[str, Any]]:
    """The newest `most` changes as flat rows: ids, and times in UTC; never a text. For
    spreadsheets.to_csv and spreadsheets.to_json_lines.

    Raises, before the first row: InvalidInput, StoreNotFound, PermissionDenied.
    """
    actor.require(Right.READ)
    if not 1 <= most <= MOST_EXPORTED:
        raise InvalidInput(f"An export has 1 to {MOST_EXPORTED} rows.")
    filters = filters or Filters()
    return _export(filters, _store_names(actor, filters.store_id), most)


def _export(filters: Filters, names: dict[str, str], most: int) -> Iterator[dict[str, Any]]:
    after: str | None = None
    while most > 0:
        size = min(EXPORTED_AT_ONCE, most)
        found = _find(filters, list(names), after, size)
        for version in found:
            yield _row(version, names[version.store_id])
        if len(found) < size:
            return
        most -= size
        after = found[-1].id


def _row(version: VersionRow, store_name: str) -> dict[str, Any]:
    return {
        "created_at": version.created_at,
        "operation": version.operation,
        "store_id": version.store_id,
        "store_name": store_name,
        "path": version.path,
        "memory_id": version.memory_id,
        "version_id": version.id,
        "version_number": version.seq,
        "content_size_bytes": version.content_size_bytes,
        "content_sha256": version.content_sha256,
        "actor_type": version.actor_type,
        "actor_id": version.actor_id,
        "actor_label": version.actor_label,
        "road": version.road,
        "reason": version.reason,
        "restored_from": version.restored_from,
        "redacted_at": version.redacted_at,
        "redacted_by_type": version.redacted_by_type,
        "redacted_by_id": version.redacted_by_id,
        "redacted_reason": version.redacted_reason,
    }


def _store_names(actor: Actor, store_id: str | None) -> dict[str, str]:
    stores = MemoryStore.objects.filter(workspace_id=actor.workspace_id, deleted_at__isnull=True)
    if store_id is not None:
        stores = stores.filter(id=store_id)
    names = dict(stores.order_by("id").values_list("id", "name"))
    reached = {key: name for key, name in names.items() if actor.reaches(key)}
    if store_id is not None and not reached:
        raise StoreNotFound(f"There is no memory store {store_id!r}.")
    return reached


def _find(filters: Filters, store_ids: list[str], after: str | None, limit: int) -> list[VersionRow]:
    kind, actor_id = filters.actor_type, filters.actor_id
    if kind and actor_id and not actor_id.startswith(ID_PREFIXES[kind]):
        return []
    below = after
    if filters.created_lte is not None:
        bound = ids.lowest_id(ids.MEMORY_VERSION, filters.created_lte + clock.MICROSECOND)
        below = bound if below is None else min(bound, below)
    return activity.stream(
        store_ids=store_ids,
        roads=[road.value for road in Road],
        rare_roads=RARE_ROADS,
        actor_types=[actor_type.value for actor_type in ActorType],
        actor_id=actor_id,
        operation=filters.operation.value if filters.operation else None,
        road=filters.road.value if filters.road else None,
        # An actor's id tells its kind already.
        actor_type=kind.value if kind and not actor_id else None,
        lowest_id=None
        if filters.created_gte is None
        else ids.lowest_id(ids.MEMORY_VERSION, filters.created_gte),
        below_id=below,
        limit=limit,
    )
