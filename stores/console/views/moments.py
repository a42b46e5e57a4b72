"""A store as it was at a moment, and what differs between two moments."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.http import Http404, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from stores.console import filters, formats, query, text
from stores.console.access import ConsoleRequest, for_members
from stores.console.htmx import render_main
from stores.console.paths import chain, parent, show_path, show_segment
from stores.console.rows import Row, actor_row, diff_url, version_url
from stores.console.views.stores import store_context
from stores.domain import clock
from stores.domain.stores import get_store
from stores.domain.timeline import AsOfPage, Comparison, Difference, compare_as_of, list_as_of
from stores.models import MemoryStore
from stores.models.statements.moments import StateRow
from stores.models.statements.rows import PrefixRow, VersionRow

ITEMS_A_PAGE = 200
# Of each kind of difference on a page. Four kinds have boxes to tick, and a form may have
# 1,000 fields.
DIFFERENCES_LISTED = 200
REDACTED_LISTED = 50
NOW = "now"


@require_safe
@for_members
def as_of(request: ConsoleRequest, store_id: str) -> HttpResponse:
    """`?at=` is the moment, `folder` and `after` as in a store; `with` another moment, or `now`, and then
    `page` counts from 1.
    """
    actor = request.member.actor
    store = get_store(actor=actor, store_id=store_id)
    now = clock.now_utc()
    at = read_moment(request, "at") or now
    context: Row = {
        **store_context(store, now=now),
        "title": f"{text.plain(store.name)} as of {formats.instant(at, now=now)['exact']}",
        "tab": "as-of",
        "at": moment_row(at, now=now),
        "asked": bool(request.GET.get("at")),
        "here_url": address(store_id),
        "before_store": at < store.created_at,
        "created_url": address(store_id, at=store.created_at),
        "can_restore": request.member.can_write and store.archived_at is None and at < now,
        "restore_url": restore_address(store_id, at),
        "ticks_url": restore_address(store_id, at, None),
    }
    context["can_tick"] = context["can_restore"] and context["asked"]
    if request.GET.get("with"):
        other = None if request.GET["with"] == NOW else read_moment(request, "with")
        context |= compared(store, request, at, other, now=now)
        return render_main(request, "stores/as_of_compare.html", context)
    folder = query.folder(request)
    after = query.path_after(request, folder)
    found = list_as_of(
        actor=actor, store_id=store_id, at=at, path_prefix=folder, depth=1, after=after, limit=ITEMS_A_PAGE
    )
    context |= {
        "folder": folder,
        "crumbs": [
            {
                "name": show_segment(inner[len(parent(inner)) : -1]),
                "url": address(store_id, at=at, folder=inner),
            }
            for inner in chain(folder)[1:]
        ],
        "top_url": address(store_id, at=at),
        "restore_folder_url": restore_address(store_id, at, folder) if folder != "/" else None,
        "rows": item_rows(found, store_id=store_id, folder=folder, at=at, now=now),
        "redacted": redacted_rows(found.redacted, now=now),
        "redacted_more": max(0, len(found.redacted) - REDACTED_LISTED),
        "compare_url": address(store_id, at=at, **{"with": NOW}),
        "after": after,
        "first_url": address(store_id, at=at, folder=folder),
        "next_url": address(store_id, at=at, folder=folder, after=found.page.next)
        if found.page.next
        else None,
    }
    return render_main(request, "stores/as_of.html", context)


def read_moment(request: ConsoleRequest, name: str) -> datetime | None:
    """With a zone, or in the one that times are shown in, as browsers send it."""
    value = request.GET.get(name, "")
    if not value:
        return None
    try:
        moment = datetime.fromisoformat(value)
        moment = timezone.make_aware(moment) if timezone.is_naive(moment) else moment
        in_utc = moment.astimezone(timezone.get_fixed_timezone(0))
    except (ValueError, OverflowError) as error:
        raise Http404("This is no moment.") from error
    if not filters.FIRST_DAY <= in_utc.date() <= filters.LAST_DAY:
        raise Http404("Nothing was or will be written then.")
    return moment


def address(store_id: str, *, at: datetime | None = None, folder: str = "/", **more: Any) -> str:
    asked = {"at": at.isoformat() if at else "", "folder": "" if folder == "/" else folder, **more}
    return filters.address(reverse("console:as_of", kwargs={"store_id": store_id}), asked)


def moment_row(at: datetime, *, now: datetime) -> Row:
    local = timezone.localtime(at)
    # What a field for date and time takes: to the second, for no hand writes more.
    return {**formats.instant(at, now=now), "field": f"{local:%Y-%m-%dT%H:%M:%S}", "address": at.isoformat()}


def item_rows(found: AsOfPage, *, store_id: str, folder: str, at: datetime, now: datetime) -> list[Row]:
    rows: list[Row] = []
    for item in found.page.items:
        path = item.path or "/"
        name = show_segment(path[len(folder) :].rstrip("/"))
        if isinstance(item, PrefixRow):
            url = address(store_id, at=at, folder=item.path)
            rows.append({"folder": True, "path": item.path, "url": url, "name": name})
            continue
        rows.append(
            {
                "folder": False,
                "id": item.memory_id,
                "url": version_url(store_id, item.id),
                "name": name,
                "seq": item.seq,
                "who": actor_row(item.actor_type, item.actor_id, item.actor_label),
                "reason": text.show(item.reason) if item.reason else None,
                "size": formats.size(item.content_size_bytes or 0),
                "when": formats.instant(item.created_at, now=now),
            }
        )
    return rows


def redacted_rows(versions: Sequence[VersionRow], *, now: datetime) -> list[Row]:
    return [
        {
            "url": version_url(version.store_id, version.id),
            "seq": version.seq,
            "when": formats.instant(version.created_at, now=now),
        }
        for version in versions[:REDACTED_LISTED]
    ]


def compared(
    store: MemoryStore, request: ConsoleRequest, at: datetime, other: datetime | None, *, now: datetime
) -> Row:
    found = compare_as_of(actor=request.member.actor, store_id=store.id, at=at, other=other)
    first, last = (other, at) if other is not None and other < at else (at, other)
    folder = query.folder(request)
    page = max(1, query.number(request, "page") or 1)
    groups = groups_of(store.id, found, folder=folder, page=page)
    asked: Row = {"at": at, "folder": folder, "with": other.isoformat() if other else NOW}
    return {
        "folder": folder,
        "folder_path": show_path(folder[:-1]) if folder != "/" else None,
        "whole_url": address(store.id, **(asked | {"folder": "/"})),
        "with": asked["with"],
        "after": page > 1,
        "first_url": address(store.id, **asked),
        "next_url": address(store.id, **asked, page=page + 1)
        if any(group["more"] for group in groups)
        else None,
        "restore_url": restore_address(store.id, first, folder),
        "ticks_url": restore_address(store.id, first, None),
        "can_restore": request.member.can_write and store.archived_at is None and first < now,
        "first": moment_row(first, now=now),
        "last": moment_row(last, now=now) if last else None,
        "other": moment_row(other or now, now=now),
        "groups": groups,
        "counts": ", ".join(f"{group['count']} {group['word']}" for group in groups),
        "browse_url": address(store.id, at=first),
        "browse_last_url": address(store.id, at=last) if last else None,
        "now_url": None if other is None else address(store.id, at=at, folder=folder, **{"with": NOW}),
    }


def groups_of(store_id: str, found: Comparison, *, folder: str, page: int) -> list[Row]:
    """The differences below a folder, those of the page. What is redacted has no path, so no folder."""
    start, end = DIFFERENCES_LISTED * (page - 1), DIFFERENCES_LISTED * page
    kinds = (
        ("added", "+", "add", found.added),
        ("removed", "−", "del", found.removed),
        ("changed", "~", "edit", found.changed),
        ("renamed", "→", "move", found.renamed),
        ("not known, because redacted", "×", "gone", found.redacted),
    )
    return [
        {
            "word": word,
            "op": op,
            "op_kind": op_kind,
            "can_tick": kind is not found.redacted,
            "count": formats.count(len(differences)),
            "first": formats.count(start + 1),
            "last": formats.count(min(end, len(differences))),
            "more": len(differences) > end,
            "is_cut": len(differences) > DIFFERENCES_LISTED,
            "rows": [difference_row(store_id, each) for each in differences[start:end]],
        }
        for word, op, op_kind, kind in kinds
        for differences in [[each for each in kind if is_below(each, folder)]]
        if differences
    ]


def is_below(each: Difference, folder: str) -> bool:
    """Whether one of its paths is in the folder."""
    paths = [side.path for side in (each.before, each.after) if side is not None and side.path]
    return folder == "/" or any(path.startswith(folder) for path in paths)


def difference_row(store_id: str, each: Difference) -> Row:
    before, after = each.before, each.after
    renamed = before is not None and after is not None and before.path != after.path
    shown = after or before
    assert shown is not None
    if before is not None and after is not None:
        url = diff_url(store_id, from_=before.version_id, to=after.version_id)
    else:
        url = version_url(store_id, shown.version_id)
    return {
        "id": shown.memory_id,
        "url": url,
        "path": show_path(each.path) if each.path else None,
        "from": show_path(before.path) if renamed and before is not None and before.path else None,
        "size": change_of_size(before, after),
    }


def change_of_size(before: StateRow | None, after: StateRow | None) -> str:
    sizes = [0 if side is None else side.content_size_bytes for side in (before, after)]
    if None in sizes:
        return ""
    old, new = (size or 0 for size in sizes)
    return formats.change(new - old)


def restore_address(store_id: str, at: datetime, folder: str | None = "/") -> str:
    """The preview of going back, of a folder or all; without a folder, where a form sends its ticks."""
    path = reverse("console:as_of_restore", kwargs={"store_id": store_id})
    return filters.address(path, {"at": at.isoformat(), "folders": folder})
