"""Versions: the history of a memory, of a store, and one version."""

from datetime import datetime
from typing import Any

from django.http import HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from stores.console import formats, query, text
from stores.console.access import ConsoleRequest, for_members
from stores.console.htmx import render_main
from stores.console.paths import show_path
from stores.console.rows import Row, actor_row, history_url, version_rows, version_url
from stores.console.tree import memory_url
from stores.console.views.memories import memory_context, shown_lines
from stores.console.views.stores import store_context
from stores.domain import clock, listing
from stores.domain.actors import Actor
from stores.domain.errors import MemoryNotFound
from stores.domain.memories import get_memory
from stores.domain.stores import get_store
from stores.domain.versions import get_version
from stores.models import MemoryVersion, ids
from stores.models.statements.rows import MemoryRow, VersionRow

VERSIONS_A_PAGE = 50


@require_safe
@for_members
def memory_history(request: ConsoleRequest, store_id: str, memory_id: str) -> HttpResponse:
    """All versions of a memory, newest first; also of one that is deleted."""
    actor = request.member.actor
    store = get_store(actor=actor, store_id=store_id)
    after = query.id_after(request, ids.MEMORY_VERSION)
    page = listing.list_versions(
        actor=actor, store_id=store_id, memory_id=memory_id, after=after, limit=VERSIONS_A_PAGE
    )
    now = clock.now_utc()
    memory = find_memory(actor, store_id, memory_id)
    about = memory_context(memory, now=now) if memory else {"deleted": deletion(store_id, memory_id, now=now)}
    heads = frozenset({memory.head_version_id} if memory else ())
    name = memory.path[1:] if memory else "a deleted memory"
    context = {
        **store_context(store, now=now),
        **about,
        "title": f"History of {text.plain(name)}",
        "tab": "memories",
        "rows": version_rows(page.items, now=now, head_ids=heads),
        "after": after,
        "first_url": history_url(store_id, memory_id),
        "next_url": f"?after={page.next}" if page.next else None,
    }
    return render_main(request, "versions/history.html", context)


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
        "rows": version_rows(page.items, now=now),
        "after": after,
        "first_url": reverse("console:store_activity", kwargs={"store_id": store_id}),
        "next_url": f"?after={page.next}" if page.next else None,
    }
    return render_main(request, "stores/activity.html", context)


@require_safe
@for_members
def version_detail(request: ConsoleRequest, store_id: str, version_id: str) -> HttpResponse:
    """The text as it was then; of a redacted version who and when, and nothing else."""
    actor = request.member.actor
    store = get_store(actor=actor, store_id=store_id)
    version = get_version(actor=actor, store_id=store_id, version_id=version_id)
    now = clock.now_utc()
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
        "memory_url": memory_url(store_id, version.memory_id) if memory else None,
        "details": None if version.redacted_at else version_facts(version),
        "lines": None
        if version.content is None
        else shown_lines(version.content, path=version.path or "", first=query.line_number(request)),
    }
    return render_main(request, "versions/detail.html", context)


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
        name: {"url": version_url(version.store_id, found[0]), "seq": found[1]} if found else None
        for name, found in (("older", older), ("newer", newer))
    }


def find_memory(actor: Actor, store_id: str, memory_id: str) -> MemoryRow | None:
    try:
        return get_memory(actor=actor, store_id=store_id, memory_id=memory_id, with_content=False)
    except MemoryNotFound:
        return None


def deletion(store_id: str, memory_id: str, *, now: datetime) -> Row:
    """What is left of a deleted memory: where it was, who deleted it and when. Raises MemoryNotFound."""
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
        "id": memory_id,
    }
