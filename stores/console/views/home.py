"""The start page: the stores, who wrote how much, and what changed since the last visit."""

from datetime import date, datetime, timedelta

from django.db.models import F, OuterRef, Subquery
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_safe

from stores.console import filters, formats, text, visits
from stores.console.access import ConsoleRequest, for_members
from stores.console.charts import writes_per_day
from stores.console.htmx import render_main
from stores.console.rows import Row, activity_url, store_rows, version_rows
from stores.console.tree import folder_url
from stores.domain import activity, clock
from stores.domain.actors import Actor, ActorType
from stores.domain.limits import MEMORIES_PER_STORE
from stores.models import MemoryStore, MemoryVersion

STORES_SHOWN = 8
CHANGES_SHOWN = 10
DAYS = 14


@require_safe
@for_members
def overview(request: ConsoleRequest) -> HttpResponse:
    actor = request.member.actor
    stores = latest_stores(actor)
    if not stores:
        # What to do first is said there.
        return redirect("console:store_list")
    now = clock.now_utc()
    since, was_here = visits.last_visit(request, now=now)
    days = last_days(now)
    context = {
        "title": "Overview",
        "stores": store_rows(stores, now=now),
        "most": MEMORIES_PER_STORE,
        "since": formats.instant(since, now=now),
        "was_here": was_here,
        "written": written_since(actor, since),
        "chart": writes_per_day(days, count_writes(actor, days)),
        "activity_url": activity_url(),
        **changes_since(actor, since, now=now),
    }
    response = render_main(request, "overview/detail.html", context)
    visits.note_visit(request, response, now=now)
    return response


def latest_stores(actor: Actor) -> list[MemoryStore]:
    """The live stores that were written last; those never written come by their age behind them."""
    newest = MemoryVersion.objects.filter(store_id=OuterRef("id")).order_by("-id").values("id")[:1]
    stores = MemoryStore.objects.filter(
        workspace_id=actor.workspace_id, deleted_at__isnull=True, archived_at__isnull=True
    ).annotate(newest=Subquery(newest))
    return list(stores.order_by(F("newest").desc(nulls_last=True), "-id")[:STORES_SHOWN])


def last_days(now: datetime) -> list[date]:
    today = timezone.localtime(now).date()
    return [today - timedelta(days=age) for age in range(DAYS - 1, -1, -1)]


def count_writes(actor: Actor, days: list[date]) -> dict[tuple[date, str], int]:
    """Versions by day, in the zone that times are shown in, and type of actor."""
    bounds = [filters.begin_of(day) or clock.now_utc() for day in [*days, days[-1] + timedelta(days=1)]]
    spans = activity.count_writes(actor=actor, bounds=bounds)
    return {
        (day, type_): count
        for day, counts in zip(days, spans, strict=True)
        for type_, count in counts.items()
    }


def written_since(actor: Actor, since: datetime) -> Row:
    """How much by how many."""
    total, writers = activity.count_writers(actor=actor, since=since)
    words = (
        (ActorType.SESSION, "session"),
        (ActorType.API, "API key"),
        (ActorType.SERVICE_ACCOUNT, "service account"),
        (ActorType.USER, "person"),
    )
    by = [plural(writers[type_], word) for type_, word in words if writers[type_]]
    return {"count": plural(total, "write"), "by": joined(by), "any": total > 0}


def plural(number: int, word: str) -> str:
    if number != 1:
        word = "people" if word == "person" else f"{word}s"
    return f"{formats.count(number)} {word}"


def joined(words: list[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def changes_since(actor: Actor, since: datetime, *, now: datetime) -> Row:
    page = activity.list_activity(
        actor=actor, filters=activity.Filters(created_gte=since), limit=CHANGES_SHOWN
    )
    rows = version_rows(page.items, now=now)
    for row, version in zip(rows, page.items, strict=True):
        row["store"] = text.show(page.store_names[version.store_id])
        row["store_url"] = folder_url(version.store_id, "/")
    since_day = timezone.localtime(since).date()
    return {
        "changes": rows,
        "more_changes_url": activity_url(since=since_day) if page.next is not None else None,
    }
