"""Versions: the history of a memory, of a store, and one version."""

from datetime import datetime
from typing import Any

from django.contrib import messages
from django.db.models import Max
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from stores.console import evidence, filters, formats, query, text
from stores.console.access import ConsoleRequest, for_members
from stores.console.htmx import render_main
from stores.console.paths import show_path
from stores.console.rows import (
    Row,
    activity_url,
    actor_row,
    blame_url,
    diff_url,
    history_url,
    version_rows,
    version_url,
)
from stores.console.saves import fold_saves
from stores.console.tree import memory_url
from stores.console.views.memories import memory_context, shown_lines
from stores.console.views.stores import store_context
from stores.domain import clock, listing, timeline
from stores.domain.actors import Actor
from stores.domain.errors import MemoryNotFound
from stores.domain.memories import get_memory
from stores.domain.stores import get_store
from stores.domain.versions import get_version
from stores.models import MemoryVersion, ids
from stores.models.statements.rows import MemoryRow, VersionRow

VERSIONS_A_PAGE = 50
WRITERS_LISTED = 50


@require_safe
@for_members
def memory_history(request: ConsoleRequest, store_id: str, memory_id: str) -> HttpResponse:
    """All versions of a memory, newest first; also of one that is deleted. Two that are ticked, `v` and `v`,
    lead to their diff.
    """
    actor = request.member.actor
    store = get_store(actor=actor, store_id=store_id)
    if "compare" in request.GET:
        answer = compare_ticked(request, actor, store_id, memory_id)
        if answer is not None:
            return answer
    after = query.id_after(request, ids.MEMORY_VERSION)
    asked = history_filters(request)
    page = find_versions(actor, store_id, memory_id, asked, after)
    now = clock.now_utc()
    memory = find_memory(actor, store_id, memory_id)
    about = (
        memory_context(memory, now=now)
        if memory
        else {"deleted": deletion(actor, store_id, memory_id, now=now)}
    )
    heads = frozenset({memory.head_version_id} if memory else ())
    name = memory.path[1:] if memory else "a deleted memory"
    address = history_url(store_id, memory_id)
    all_saves = request.GET.get("saves") == "all"
    more = {**asked, "saves": "all" if all_saves else ""}
    rows = version_rows(page.items, now=now, head_ids=heads)
    continues = rows[-1].get("continues") if rows else None
    for row in rows:
        row["actor_url"] = row["wrote_url"]
    if not all_saves:
        unfold = filters.address(address, {**asked, "after": after, "saves": "all"})
        rows = fold_saves(page.items, rows, heads=heads, unfold_url=unfold)
    context = {
        **store_context(store, now=now),
        **about,
        "title": f"History of {text.plain(name)}",
        "tab": "memories",
        "rows": rows,
        "continues": continues,
        "ticks": True,
        "fields": history_fields(store_id, memory_id, asked),
        "is_filtered": any(asked.values()),
        "all_saves": all_saves,
        "folded_url": filters.address(address, asked),
        "after": after,
        "history_url": address,
        "first_url": filters.address(address, more),
        "next_url": filters.address(address, {**more, "after": page.next}) if page.next else None,
    }
    return render_main(request, "versions/history.html", context)


def find_versions(
    actor: Actor, store_id: str, memory_id: str, asked: Row, after: str | None
) -> listing.Page[VersionRow]:
    narrowed: dict[str, Any] = {
        "actor_id": asked["actor"],
        "created_gte": filters.begin_of(asked["since"]),
        "created_lte": filters.end_of(asked["until"]),
        "after": after,
        "limit": VERSIONS_A_PAGE,
    }
    what = asked["operation"]
    if isinstance(what, listing.Mark):
        return listing.list_marked_versions(
            actor=actor, store_id=store_id, memory_id=memory_id, mark=what, **narrowed
        )
    return listing.list_versions(
        actor=actor, store_id=store_id, memory_id=memory_id, operation=what, **narrowed
    )


def history_filters(request: ConsoleRequest) -> Row:
    return {
        "actor": filters.actor_id(request),
        "operation": filters.mark(request) or filters.operation(request),
        "since": filters.day(request, "since"),
        "until": filters.day(request, "until"),
    }


def history_fields(store_id: str, memory_id: str, asked: Row) -> Row:
    """The filters as fields: those who wrote this memory, the latest first."""
    writers = (
        MemoryVersion.objects.filter(store_id=store_id, memory_id=memory_id)
        .values_list("actor_type", "actor_id")
        .annotate(Max("actor_label"), newest=Max("id"))
        .order_by("-newest")[:WRITERS_LISTED]
    )
    people = {id_: filters.who(type_, id_, label) for type_, id_, label, _ in writers}
    if asked["actor"] and asked["actor"] not in people:
        people[asked["actor"]] = asked["actor"]
    return {
        "actors": filters.choices(people, asked["actor"]),
        "operations": filters.choices(filters.OPERATIONS | filters.MARKS, asked["operation"]),
        "since": asked["since"],
        "until": asked["until"],
    }


def compare_ticked(
    request: ConsoleRequest, actor: Actor, store_id: str, memory_id: str
) -> HttpResponse | None:
    """To the diff of two versions; one alone is compared with the newest. Else a word of what to do."""
    ticked = [value for value in request.GET.getlist("v") if query.is_id(value, ids.MEMORY_VERSION)]
    if len(ticked) == 1:
        newest = listing.list_versions(actor=actor, store_id=store_id, memory_id=memory_id, limit=1).items
        ticked += [version.id for version in newest if version.id not in ticked]
    if len(ticked) == 2:
        before, after = sorted(ticked)
        return redirect(diff_url(store_id, from_=before, to=after))
    messages.info(request, "Tick two versions to compare them.")
    return None


@require_safe
@for_members
def store_activity(request: ConsoleRequest, store_id: str) -> HttpResponse:
    """Every change in a store, newest first."""
    actor = request.member.actor
    store = get_store(actor=actor, store_id=store_id)
    after = query.id_after(request, ids.MEMORY_VERSION)
    page = listing.list_versions(actor=actor, store_id=store_id, after=after, limit=VERSIONS_A_PAGE)
    now = clock.now_utc()
    context = {
        **store_context(store, now=now),
        "title": f"Activity in {text.plain(store.name)}",
        "tab": "activity",
        "filter_url": activity_url(store=store_id),
        "rows": version_rows(page.items, now=now),
        "after": after,
        "first_url": reverse("console:store_activity", kwargs={"store_id": store_id}),
        "next_url": f"?after={page.next}" if page.next else None,
    }
    return render_main(request, "stores/activity.html", context)


@require_safe
@for_members
def version_detail(request: ConsoleRequest, store_id: str, version_id: str) -> HttpResponse:
    """The text as it was then; of a redacted version who and when, and nothing else. `format=print` is the
    same as evidence to keep.
    """
    actor = request.member.actor
    store = get_store(actor=actor, store_id=store_id)
    version = get_version(actor=actor, store_id=store_id, version_id=version_id)
    now = clock.now_utc()
    if request.GET.get("format") == "print":
        former = timeline.brought_back_from(actor=actor, store_id=store_id, memory_id=version.memory_id)
        return print_version(request, store_context(store, now=now), version, former)
    memory = find_memory(actor, store_id, version.memory_id)
    is_head = memory is not None and memory.head_version_id == version.id
    [row] = version_rows([version], now=now, head_ids=frozenset({version.id} if is_head else ()))
    context = {
        **store_context(store, now=now),
        **(memory_context(memory, now=now) if memory else {}),
        **neighbours(version),
        "title": version_title(version),
        "tab": "memories",
        "version": row,
        "history_url": history_url(store_id, version.memory_id),
        "blame_url": blame_url(store_id, version.memory_id, version=version.id),
        "memory_url": memory_url(store_id, version.memory_id) if memory else None,
        "lives_on": None if memory else lives_on(actor, store_id, version.memory_id),
        "then_url": f"{reverse('console:as_of', args=[store_id])}?at={version.created_at}",
        "details": None if version.redacted_at else version_facts(version),
        "lines": None
        if version.content is None
        else shown_lines(version.content, path=version.path or "", first=query.line_number(request)),
    }
    return render_main(request, "versions/detail.html", context)


def print_version(
    request: ConsoleRequest, context: dict[str, Any], version: VersionRow, former: list[VersionRow]
) -> HttpResponse:
    """The version as evidence to keep."""
    shown, more = evidence.of_version(version, former, first=query.line_number(request))
    here = version_url(version.store_id, version.id)
    context |= {
        **shown,
        "title": f"Evidence: {version_title(version)}",
        "back_url": here,
        "next_url": f"{here}?format=print&from={more}" if more else None,
    }
    return render(request, "evidence/version.html", context)


def version_title(version: VersionRow) -> str:
    if version.redacted_at is not None:
        return f"Version {version.seq}, redacted"
    return f"Version {version.seq} of {text.plain((version.path or '/')[1:])}"


def version_facts(version: VersionRow) -> Row:
    return {
        "sha256": version.content_sha256,
        "size_bytes": None
        if version.content_size_bytes is None
        else f"{formats.count(version.content_size_bytes)} B",
    }


def neighbours(version: VersionRow) -> dict[str, Any]:
    """Links to the versions before and after this one; numbers may have gaps where versions were pruned."""
    siblings = MemoryVersion.objects.filter(store_id=version.store_id, memory_id=version.memory_id)
    older = siblings.filter(seq__lt=version.seq).order_by("-seq").values_list("id", "seq").first()
    newer = siblings.filter(seq__gt=version.seq).order_by("seq").values_list("id", "seq").first()
    return {
        name: {"url": version_url(version.store_id, found[0]), "id": found[0], "seq": found[1]}
        if found
        else None
        for name, found in (("older", older), ("newer", newer))
    }


def find_memory(actor: Actor, store_id: str, memory_id: str) -> MemoryRow | None:
    try:
        return get_memory(actor=actor, store_id=store_id, memory_id=memory_id, with_content=False)
    except MemoryNotFound:
        return None


def lives_on(actor: Actor, store_id: str, memory_id: str) -> Row | None:
    """Where a deleted memory was brought back: under a new id, so its old addresses have to lead there."""
    found = timeline.find_successor(actor=actor, store_id=store_id, memory_id=memory_id)
    if found is None:
        return None
    url = memory_url(store_id, found.memory_id)
    return {"url": url, "path": show_path(found.path), "is_back": found.is_back}


def deletion(actor: Actor, store_id: str, memory_id: str, *, now: datetime) -> Row:
    """What is left of a deleted memory: where it was, who deleted it and when, and what it lives on as.

    Raises MemoryNotFound.
    """
    last = MemoryVersion.objects.filter(store_id=store_id, memory_id=memory_id).order_by("-seq").first()
    if last is None:
        raise MemoryNotFound("There is no such memory.")
    return {
        # A redacted last version names no path, and older ones must not fill in for it.
        "path": show_path(last.path) if last.path else None,
        "who": actor_row(last.actor_type, last.actor_id, last.actor_label),
        "when": formats.instant(last.created_at, now=now),
        "versions": formats.count(last.seq),
        "seq": last.seq,
        "version_id": last.id if last.operation == "deleted" else None,
        "id": memory_id,
        "lives_on": lives_on(actor, store_id, memory_id),
        "blame_url": blame_url(store_id, memory_id),
    }
