"""Lists of stores, memories and versions, by keyset: a page costs the same wherever it lies.

Rules: contract/memory_stores_api.md, 4.1 (stores), 4.3 (memories), 4.4 (versions), 4.7 (pages).
"""

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from typing import Generic, TypeVar

import msgspec
from django.db.models import Count, F, OrderBy, OuterRef, Q, QuerySet, Subquery, Sum, Value
from django.db.models.functions import Lower, StrIndex, Substr

from stores.domain import clock
from stores.domain.actors import ID_PREFIXES, Actor, ActorType, Right
from stores.domain.errors import InvalidInput
from stores.domain.memories import count_reads
from stores.domain.paths import after_folder, check_path_prefix
from stores.domain.stores import require_visible
from stores.models import Memory, MemoryStore, MemoryVersion, ids
from stores.models.statements import moments, reads
from stores.models.statements.rows import MemoryRow, PrefixRow, VersionRow

Item = TypeVar("Item")


class Page(msgspec.Struct, Generic[Item], frozen=True):
    """`next` is what to hand back as `after` for the page that follows; None on the last."""

    items: list[Item]
    next: str | None


def _cut(found: list[Item], limit: int, key: str) -> Page[Item]:
    """A page from up to `limit` + 1 items; the one too many tells that another page follows."""
    items = found[:limit]
    return Page(items, getattr(items[-1], key) if len(found) > limit else None)


class StoreSort(StrEnum):
    """By what stores are ordered; of equals the newest comes first."""

    NEWEST = "newest"
    NAME = "name"
    WRITTEN = "written"
    FILL = "fill"
    SIZE = "size"


def list_stores(
    *,
    actor: Actor,
    words: str = "",
    include_archived: bool = False,
    created_gte: datetime | None = None,
    created_lte: datetime | None = None,
    sort: StoreSort = StoreSort.NEWEST,
    after: str | None = None,
    limit: int,
) -> Page[MemoryStore]:
    """The stores the actor reaches; `words` must stand in the name or the description. The name goes from A
    on, everything else from the greatest down.
    """
    actor.require(Right.READ)
    stores = MemoryStore.objects.filter(workspace_id=actor.workspace_id, deleted_at__isnull=True)
    if actor.store_ids is not None:
        stores = stores.filter(id__in=actor.store_ids)
    if words:
        stores = stores.filter(Q(name__icontains=words) | Q(description__icontains=words))
    if not include_archived:
        stores = stores.filter(archived_at__isnull=True)
    # Ids are made from `created_at`, so their order is its order.
    if created_gte is not None:
        stores = stores.filter(id__gte=ids.lowest_id(ids.STORE, created_gte))
    if created_lte is not None:
        stores = stores.filter(id__lt=ids.lowest_id(ids.STORE, created_lte + clock.MICROSECOND))
    if sort is not StoreSort.NEWEST:
        return _sorted_stores(stores, sort, after, limit)
    if after is not None:
        stores = stores.filter(id__lt=after)
    return _cut(list(stores.order_by("-id")[: limit + 1]), limit, "id")


def _sorted_stores(
    stores: QuerySet[MemoryStore], sort: StoreSort, after: str | None, limit: int
) -> Page[MemoryStore]:
    """By what changes with every write no index can order; so the ids of all are, which are few, and the page
    goes on behind the store where the one before ended, wherever that stands by now.
    """
    # The newest version of a store tells when it was written: ids are in time order.
    newest = MemoryVersion.objects.filter(store_id=OuterRef("id")).order_by("-id").values("id")[:1]
    size = Memory.objects.filter(store_id=OuterRef("id")).order_by().values("store_id")
    key: OrderBy = {
        StoreSort.NAME: Lower("name").asc(),
        StoreSort.WRITTEN: Subquery(newest).desc(nulls_last=True),
        StoreSort.FILL: F("memory_count").desc(),
        StoreSort.SIZE: Subquery(size.values_list(Sum("content_size_bytes"))).desc(nulls_last=True),
    }[sort]
    ordered = list(stores.order_by(key, "-id").values_list("id", flat=True))
    start = ordered.index(after) + 1 if after in ordered else 0
    wanted = ordered[start : start + limit + 1]
    found = MemoryStore.objects.in_bulk(wanted)
    return _cut([found[store_id] for store_id in wanted if store_id in found], limit, "id")


def list_memories(
    *,
    actor: Actor,
    store_id: str,
    path_prefix: str = "",
    depth: int = 0,
    with_content: bool = False,
    after: str | None = None,
    limit: int,
) -> Page[MemoryRow | PrefixRow]:
    """Live memories below a folder, in byte order of their paths.

    `depth` 0 lists the whole subtree, flat; 1 only what lies directly inside, deeper paths rolled up into one
    PrefixRow per sub-folder. Texts served to an agent count as reads. Raises PathInvalid, InvalidInput,
    StoreNotFound.
    """
    actor.require(Right.READ)
    folder = check_path_prefix(path_prefix) or "/"
    if depth not in (0, 1):
        raise InvalidInput("depth must be 0 or 1.")
    require_visible(actor=actor, store_id=store_id)
    end = None if folder == "/" else after_folder(folder)
    found: list[MemoryRow | PrefixRow]
    if depth == 1:
        found = reads.page_of_children(
            store_id=store_id,
            folder=folder,
            start=reads.start_behind(after) if after else folder,
            end=end,
            with_content=with_content,
            limit=limit + 1,
        )
    else:
        found = list(
            reads.page_of_memories(
                store_id=store_id,
                start=folder if after is None else after,
                including_start=after is None,
                end=end,
                with_content=with_content,
                limit=limit + 1,
            )
        )
    page = _cut(found, limit, "path")
    if with_content:
        count_reads(actor=actor, memories=[m for m in page.items if isinstance(m, MemoryRow)])
    return page


def count_below(*, store_id: str, folder: str, first: str, last: str) -> dict[str, int]:
    """How many memories lie below each sub-folder of a folder, from the first to the last of them, by path.

    Of a store that the caller may read. One query, over a part of an index that has 10,000 entries at most.
    """
    behind = Substr("path", len(folder) + 1)
    found = (
        Memory.objects.filter(store_id=store_id, path__gte=first, path__lt=after_folder(last))
        # What lies directly in the folder has no further slash, and so no name here.
        .annotate(inner=Substr(behind, 1, StrIndex(behind, Value("/"))))
        .values_list("inner")
        .annotate(Count("id"))
        .order_by()
    )
    return {folder + name: count for name, count in found if name}


def list_siblings(
    *, actor: Actor, store_id: str, paths: Sequence[tuple[str, str]], limit: int
) -> list[tuple[Page[MemoryRow | PrefixRow], bool]]:
    """For each (folder, sub-folder directly in it) a few items of the folder with the sub-folder among them,
    and whether there are some before them: from the first on where that reaches it, else from itself on.

    Two queries for each at most. Raises StoreNotFound.
    """
    actor.require(Right.READ)
    require_visible(actor=actor, store_id=store_id)
    found: list[tuple[Page[MemoryRow | PrefixRow], bool]] = []
    for folder, inner in paths:
        end = None if folder == "/" else after_folder(folder)
        for start in (folder, inner):
            page = _cut(
                reads.walk_children(store_id=store_id, folder=folder, start=start, end=end, limit=limit + 1),
                limit,
                "path",
            )
            if page.next is None or inner <= page.next:
                break
        found.append((page, start == inner))
    return found


def list_versions(
    *,
    actor: Actor,
    store_id: str,
    memory_id: str | None = None,
    operation: str | None = None,
    actor_type: ActorType | None = None,
    actor_id: str | None = None,
    created_gte: datetime | None = None,
    created_lte: datetime | None = None,
    with_content: bool = False,
    after: str | None = None,
    limit: int,
) -> Page[VersionRow]:
    """A store's versions, newest first; the filters combine with AND. A filter that matches nothing gives an
    empty page; so does an `actor_id` that is not of the `actor_type` it is said to be. Raises StoreNotFound.
    """
    actor.require(Right.READ)
    require_visible(actor=actor, store_id=store_id)
    if actor_id and actor_type and not actor_id.startswith(ID_PREFIXES[actor_type]):
        return Page([], None)
    lowest, below = _span(created_gte, created_lte, after)
    found = reads.page_of_versions(
        store_id=store_id,
        memory_id=memory_id,
        operation=operation,
        actor_id=actor_id,
        lowest_id=lowest,
        below_id=below,
        with_content=with_content,
        limit=limit + 1,
    )
    return _cut(found, limit, "id")


def _span(
    created_gte: datetime | None, created_lte: datetime | None, after: str | None
) -> tuple[str | None, str | None]:
    """The lowest id of versions made in a span of time, and the one that theirs lie below; ids are in the
    order of time.
    """
    lowest = None if created_gte is None else ids.lowest_id(ids.MEMORY_VERSION, created_gte)
    if created_lte is None:
        return lowest, after
    bound = ids.lowest_id(ids.MEMORY_VERSION, created_lte + clock.MICROSECOND)
    return lowest, bound if after is None else min(bound, after)


class Mark(StrEnum):
    """What a version is besides its operation."""

    RESTORED = "restored"  # it names the version it was restored from
    REDACTED = "redacted"


def list_marked_versions(
    *,
    actor: Actor,
    store_id: str,
    memory_id: str,
    mark: Mark,
    actor_id: str | None = None,
    created_gte: datetime | None = None,
    created_lte: datetime | None = None,
    after: str | None = None,
    limit: int,
) -> Page[VersionRow]:
    """Those versions of one memory that were restored, or are redacted, newest first, without texts.

    Only of one memory: the index leads to its versions, and no other tells these apart. What is restored and
    redacted since counts as redacted alone. Raises StoreNotFound.
    """
    actor.require(Right.READ)
    require_visible(actor=actor, store_id=store_id)
    versions = MemoryVersion.objects.filter(memory_id=memory_id, store_id=store_id)
    if mark is Mark.REDACTED:
        versions = versions.filter(redacted_at__isnull=False)
    else:
        versions = versions.filter(restored_from__isnull=False, redacted_at__isnull=True)
    if actor_id is not None:
        versions = versions.filter(actor_id=actor_id)
    lowest, below = _span(created_gte, created_lte, after)
    if lowest is not None:
        versions = versions.filter(id__gte=lowest)
    if below is not None:
        versions = versions.filter(id__lt=below)
    found = list(versions.order_by("-id").values_list("id", flat=True)[: limit + 1])
    rows = moments.versions_by_id(store_id=store_id, version_ids=found, with_content=False)
    return _cut([rows[version_id] for version_id in found], limit, "id")
