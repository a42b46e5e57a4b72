"""Every change by everybody in one stream, narrowed by filters; the same as a file."""

from collections.abc import Iterator
from typing import Any

from django.http import Http404, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from stores.console import filters, formats, query, text
from stores.console.access import ConsoleRequest, for_members
from stores.console.htmx import render_main
from stores.console.rows import Row, activity_url, version_rows
from stores.console.tree import folder_url
from stores.domain import activity, clock, spreadsheets
from stores.domain.actors import Road
from stores.models import MemoryStore, ids

CHANGES_A_PAGE = 50
STORES_LISTED = 200
FORMATS = {"csv": "text/csv; charset=utf-8", "jsonl": "application/x-ndjson; charset=utf-8"}
COLUMNS = (
    "created_at", "operation", "store_name", "path", "version_number", "reason", "actor_type", "actor_id",
    "actor_label", "road", "content_size_bytes", "content_sha256", "store_id", "memory_id", "version_id",
    "restored_from", "redacted_at", "redacted_by_type", "redacted_by_id", "redacted_reason",
)  # fmt: skip
# What tells a spreadsheet program that the file is UTF-8.
BYTE_ORDER_MARK = "\ufeff"


@require_safe
@for_members
def stream(request: ConsoleRequest) -> HttpResponse:
    """All stores, newest first: `?store=`, `actor`, `kind`, `road`, `operation`, `since`, `until`."""
    actor = request.member.actor
    asked = read_filters(request)
    after = query.id_after(request, ids.MEMORY_VERSION)
    page = activity.list_activity(
        actor=actor, filters=domain_filters(asked), after=after, limit=CHANGES_A_PAGE
    )
    now = clock.now_utc()
    rows = version_rows(page.items, now=now)
    for row, version in zip(rows, page.items, strict=True):
        row["store"] = text.show(page.store_names[version.store_id])
        row["store_url"] = folder_url(version.store_id, "/")
        row["actor_url"] = activity_url(**{**asked, "actor": version.actor_id})
    stores = dict(
        MemoryStore.objects.filter(workspace_id=actor.workspace_id, deleted_at__isnull=True)
        .order_by("-id")
        .values_list("id", "name")[:STORES_LISTED]
    )
    chosen = asked["store"]
    if chosen:
        stores.setdefault(chosen, str(page.store_names.get(chosen, chosen)))
    context = {
        "title": "Activity",
        "rows": rows,
        "is_filtered": any(asked.values()),
        "fields": fields(asked, stores),
        "asked": asked,
        "who": who(rows, asked),
        "anyone_url": activity_url(**{**asked, "actor": None}),
        "all_url": activity_url(),
        "undo_url": undo_address(request, asked),
        "stream_url": reverse("console:activity"),
        "csv_url": export_url("csv", asked),
        "json_url": export_url("jsonl", asked),
        "note": spreadsheets.NOTE,
        "after": after,
        "most": formats.count(activity.MOST_EXPORTED),
        "first_url": activity_url(**asked),
        "next_url": activity_url(**asked, after=page.next) if page.next else None,
    }
    return render_main(request, "activity/stream.html", context)


@require_safe
@for_members
def export(request: ConsoleRequest, kind: str) -> HttpResponseBase:
    """What the filters leave, as a file that is made while it is sent."""
    if kind not in FORMATS:
        raise Http404("There is no such file.")
    rows = activity.export_activity(actor=request.member.actor, filters=domain_filters(read_filters(request)))
    lines = csv_lines(rows) if kind == "csv" else spreadsheets.to_json_lines(rows)
    response = StreamingHttpResponse(lines, content_type=FORMATS[kind])
    name = f"activity-{clock.now_utc():%Y-%m-%d}.{kind}"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def csv_lines(rows: Iterator[dict[str, Any]]) -> Iterator[str]:
    yield BYTE_ORDER_MARK
    yield from spreadsheets.to_csv(rows, COLUMNS)


def read_filters(request: ConsoleRequest) -> Row:
    store = request.GET.get("store") or None
    if store and not query.is_id(store, ids.STORE):
        raise Http404("There is no such store.")
    return {
        "store": store,
        "actor": filters.actor_id(request),
        "kind": filters.kind(request),
        "road": filters.road(request),
        "operation": filters.operation(request),
        "since": filters.day(request, "since"),
        "until": filters.day(request, "until"),
    }


def domain_filters(asked: Row) -> activity.Filters:
    return activity.Filters(
        store_id=asked["store"],
        actor_id=asked["actor"],
        actor_type=asked["kind"],
        operation=asked["operation"],
        road=asked["road"],
        created_gte=filters.begin_of(asked["since"]),
        created_lte=filters.end_of(asked["until"]),
    )


def export_url(kind: str, asked: Row) -> str:
    return filters.address(reverse("console:activity_export", kwargs={"kind": kind}), asked)


def undo_address(request: ConsoleRequest, asked: Row) -> str | None:
    """Where what is listed can be undone, once a writer or a beginning is chosen."""
    if not request.member.can_write or not (asked["actor"] or asked["since"]):
        return None
    return filters.address(reverse("console:activity_undo"), asked)


def fields(asked: Row, stores: dict[str, str]) -> Row:
    names = {id_: text.plain(name)[:60] for id_, name in stores.items()}
    return {
        "stores": filters.choices(names, asked["store"]),
        "kinds": filters.choices(filters.KINDS, asked["kind"]),
        "roads": filters.choices({road: road.value for road in Road}, asked["road"]),
        "operations": filters.choices(filters.OPERATIONS, asked["operation"]),
    }


def who(rows: list[Row], asked: Row) -> Row | None:
    """The actor that is asked for: by name where a change is there to take it from."""
    if not asked["actor"]:
        return None
    return rows[0]["who"] if rows else {"name": text.show(asked["actor"]), "id": asked["actor"], "kind": ""}
