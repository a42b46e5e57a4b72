"""The list of stores, and one store: its folder tree and what lies in the chosen folder."""

from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django.db.models import Count, Q
from django.http import HttpResponse
from django.urls import reverse
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import require_safe
from django_htmx.http import replace_url

from stores.console import formats, query, text
from stores.console.access import ConsoleRequest, for_members
from stores.console.htmx import render_main, render_part, wants_partial
from stores.console.paths import show_path
from stores.console.rows import Row, folder_rows, store_rows, version_rows
from stores.console.tree import build_tree, find_paths, folder_crumbs, folder_url, read_folder
from stores.console.views.connect import base_url
from stores.domain import clock, listing
from stores.domain.actors import Actor
from stores.domain.limits import MEMORIES_PER_STORE
from stores.domain.listing import Page, StoreSort
from stores.domain.stores import get_store
from stores.models import MemoryStore, ids
from stores.models.statements.rows import MemoryRow, PrefixRow

STORES_A_PAGE = 50
LATEST_CHANGES = 8
# What may stand in `?sort=`, and how it is said.
SORTS = {
    StoreSort.NEWEST: "newest first",
    StoreSort.NAME: "by name",
    StoreSort.WRITTEN: "those written last first",
    StoreSort.FILL: "the fullest first",
    StoreSort.SIZE: "those with the most text first",
}


@require_safe
@for_members
def store_list(request: ConsoleRequest) -> HttpResponse:
    """All stores of the workspace. Its partial is the list alone, for the filter."""
    words = query.search_text(request)
    archived = query.flag(request, "archived")
    after = query.id_after(request, ids.STORE)
    sort = next((each for each in SORTS if each == request.GET.get("sort")), StoreSort.NEWEST)
    actor = request.member.actor
    page = listing.list_stores(
        actor=actor, words=words, include_archived=archived, sort=sort, after=after, limit=STORES_A_PAGE
    )
    numbers = MemoryStore.objects.filter(workspace_id=actor.workspace_id, deleted_at__isnull=True).aggregate(
        live=Count("id", filter=Q(archived_at__isnull=True)),
        archived=Count("id", filter=Q(archived_at__isnull=False)),
    )
    archived_matches = ""
    if words and not page.items and numbers["archived"] and not archived and after is None:
        hidden = listing.list_stores(actor=actor, words=words, include_archived=True, limit=STORES_A_PAGE)
        if hidden.items:
            archived_matches = formats.count(len(hidden.items)) + ("+" if hidden.next else "")
    context = {
        "title": "Stores",
        "stores": store_rows(page.items, now=clock.now_utc()),
        "words": words,
        "archived": archived,
        "after": after,
        "numbers": numbers,
        "first_url": list_url(words, archived, sort),
        "next_url": list_url(words, archived, sort, page.next) if page.next else None,
        "archived_url": list_url(words, not archived, sort),
        "sort": sort.value,
        "sorted": SORTS[sort],
        "sort_urls": {each.value: list_url(words, archived, each) for each in SORTS},
        "archived_matches": archived_matches,
        "most": MEMORIES_PER_STORE,
    }
    if not numbers["live"] and not numbers["archived"]:
        context["base_url"] = base_url(request)
        return render_main(request, "stores/empty.html", context)
    return render_part(request, "stores/list.html", "stores/_list.html", context)


def list_url(words: str, archived: bool, sort: StoreSort, after: str | None = None) -> str:
    asked = {
        "q": words,
        "archived": "1" if archived else "",
        "sort": "" if sort is StoreSort.NEWEST else sort.value,
        "after": after or "",
    }
    query = urlencode({name: value for name, value in asked.items() if value})
    address = reverse("console:store_list")
    return f"{address}?{query}" if query else address


@require_safe
@for_members
def store_detail(request: ConsoleRequest, store_id: str) -> HttpResponse:
    """A folder of a store: `?folder=/a/b/`, and `&after=` for a later page of it; `filter` is what the paths
    beside it must hold.
    """
    actor = request.member.actor
    store = get_store(actor=actor, store_id=store_id)
    folder = query.folder(request)
    after = query.path_after(request, folder)
    now = clock.now_utc()
    title = text.plain(folder if folder != "/" else store.name)
    kept = {"folder": folder if folder != "/" else ""}
    if wants_tree(request):
        beside = tree_context(request, store_id=store_id, folder=folder, kept=kept)
        return render_tree(request, {**store_context(store, now=now), **beside, "title": title})
    here = read_folder(actor=actor, store_id=store_id, folder=folder, after=after)
    beside = tree_context(request, store_id=store_id, folder=folder, here=here, kept=kept)
    page, _ = here
    context = {
        **store_context(store, now=now),
        **beside,
        "title": title,
        "tab": "memories",
        "folder": folder,
        "folder_path": show_path(folder[:-1]) if folder != "/" else None,
        "crumbs": folder_crumbs(store_id, folder),
        "rows": with_counts(
            folder_rows(page.items, store_id=store_id, folder=folder, now=now), store_id, folder
        ),
        "after": after,
        "first_url": folder_url(store_id, folder),
        "next_url": folder_url(store_id, folder, page.next) if page.next else None,
        "latest": latest_changes(actor, store_id, now),
        "facts": store_facts(store, now=now),
    }
    if not store.memory_count and folder == "/":
        context["base_url"] = base_url(request)
    return render_main(request, "stores/detail.html", context)


def with_counts(rows: list[Row], store_id: str, folder: str) -> list[Row]:
    """The rows of a folder, its sub-folders with how many memories lie below each: one query."""
    inner = [row for row in rows if row["folder"]]
    if not inner:
        return rows
    first, last = inner[0]["path"], inner[-1]["path"]
    counts = listing.count_below(store_id=store_id, folder=folder, first=first, last=last)
    for row in inner:
        row["count"] = formats.count(counts.get(row["path"], 0))
    return rows


Folder = tuple[Page[MemoryRow | PrefixRow], bool]


def tree_context(
    request: ConsoleRequest,
    *,
    store_id: str,
    folder: str,
    here: Folder | None = None,
    showing: MemoryRow | None = None,
    kept: dict[str, str],
) -> dict[str, Any]:
    """The folder tree of a store, or the paths that hold what `?filter=` says. `kept` is what else stands in
    the address of the page.
    """
    actor = request.member.actor
    words = query.search_text(request, "filter")
    context: dict[str, Any] = {
        "filter": words,
        "filter_kept": {name: value for name, value in kept.items() if value},
        "filter_off_url": page_url(request, **kept),
        "filter_url": page_url(request, **kept, filter=words),
        "folder": folder if showing is None else None,
    }
    memory_id = showing.id if showing else None
    if words:
        return context | {"found": find_paths(store_id=store_id, words=words, memory_id=memory_id)}
    if here is None:
        path = showing.path if showing else None
        here = read_folder(actor=actor, store_id=store_id, folder=folder, showing=path)
    tree = build_tree(actor=actor, store_id=store_id, folder=folder, here=here, memory_id=memory_id)
    return context | {"tree": tree}


def page_url(request: ConsoleRequest, **asked: str) -> str:
    asked = {name: value for name, value in asked.items() if value}
    return f"{request.path}?{urlencode(asked)}" if asked else request.path


def wants_tree(request: ConsoleRequest) -> bool:
    """Whether the filter above the tree asks, and not a link to the page."""
    return wants_partial(request) and request.htmx.target == "tree"


def render_tree(request: ConsoleRequest, context: dict[str, Any]) -> HttpResponse:
    """The tree alone; the address of the page says from now on what it is filtered by."""
    response = render_part(request, "stores/detail.html", "stores/_tree_box.html", context)
    patch_vary_headers(response, ["HX-Target"])
    return replace_url(response, context["filter_url"])


def store_context(store: MemoryStore, *, now: datetime) -> dict[str, Any]:
    """What the head of every page below a store shows."""
    return {
        "store": store,
        "store_name": text.show(store.name),
        "store_description": text.show(store.description) if store.description else None,
        # More than two lines of the head's width.
        "store_description_is_long": len(store.description) > 160 or store.description.count("\n") > 1,
        "store_url": folder_url(store.id, "/"),
        "store_memories": formats.count(store.memory_count),
        "store_archived": formats.instant(store.archived_at, now=now) if store.archived_at else None,
    }


def store_facts(store: MemoryStore, *, now: datetime) -> dict[str, Any]:
    return {
        "created": formats.instant(store.created_at, now=now),
        "updated": formats.instant(store.updated_at, now=now),
        "most": MEMORIES_PER_STORE,
        "most_text": formats.count(MEMORIES_PER_STORE),
        "share": formats.share(store.memory_count, MEMORIES_PER_STORE),
        "metadata": [(text.show(key), text.show(value)) for key, value in store.metadata.items()],
    }


def latest_changes(actor: Actor, store_id: str, now: datetime) -> list[dict[str, Any]]:
    page = listing.list_versions(actor=actor, store_id=store_id, limit=LATEST_CHANGES)
    return version_rows(page.items, now=now)
