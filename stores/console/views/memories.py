"""One live memory: its text, what is known of it, and its newest versions."""

from datetime import datetime
from typing import Any

from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_safe

from stores.console import agent_view, formats, markdown, query, text
from stores.console.access import ConsoleRequest, for_members
from stores.console.htmx import render_main
from stores.console.paths import parent, show_path
from stores.console.rows import blame_url, diff_url, history_url, version_rows, version_url
from stores.console.tree import folder_crumbs, memory_url
from stores.console.views.stores import render_tree, store_context, tree_context, wants_tree
from stores.domain import clock, listing
from stores.domain.errors import MemoryNotFound
from stores.domain.limits import CONTENT_BYTES
from stores.domain.memories import get_memory
from stores.domain.stores import get_store
from stores.models.statements.rows import MemoryRow

NEWEST_VERSIONS = 12
VIEWS = {"text": "Text", "rendered": "Rendered", "agent": "Agent’s view"}
# What can be drawn as Markdown; of other names it is not offered.
MARKDOWN = (".md", ".markdown", ".txt")


@require_safe
@for_members
def memory_detail(request: ConsoleRequest, store_id: str, memory_id: str) -> HttpResponse:
    """The text; `?view=rendered` draws it as Markdown, `?view=agent` is what an agent gets. `from` is the
    line to begin with, `filter` what the paths beside it must hold.
    """
    actor = request.member.actor
    store = get_store(actor=actor, store_id=store_id)
    try:
        memory = get_memory(actor=actor, store_id=store_id, memory_id=memory_id)
    except MemoryNotFound:
        if not listing.list_versions(actor=actor, store_id=store_id, memory_id=memory_id, limit=1).items:
            raise
        # Deleted: what is left of it is its history.
        return redirect(history_url(store_id, memory_id))
    now = clock.now_utc()
    title = text.plain(memory.path[1:])
    folder = parent(memory.path)
    beside = tree_context(
        request,
        store_id=store_id,
        folder=folder,
        showing=memory,
        kept={"view": request.GET.get("view", "") if request.GET.get("view") in VIEWS else ""},
    )
    if wants_tree(request):
        return render_tree(request, {**store_context(store, now=now), **beside, "title": title})
    versions = listing.list_versions(
        actor=actor, store_id=store_id, memory_id=memory_id, limit=NEWEST_VERSIONS
    )
    context = {
        **store_context(store, now=now),
        **memory_context(memory, now=now),
        **beside,
        "title": title,
        "tab": "memories",
        "crumbs": folder_crumbs(store_id, folder),
        **view_context(request, memory),
        "versions": version_rows(versions.items, now=now, head_ids=frozenset({memory.head_version_id})),
        "has_more_versions": versions.next is not None,
    }
    return render_main(request, "memories/detail.html", context)


def memory_context(memory: MemoryRow, *, now: datetime) -> dict[str, Any]:
    """What pages about a live memory show of it."""
    return {
        "memory": {
            "id": memory.id,
            "path": show_path(memory.path),
            "url": memory_url(memory.store_id, memory.id),
            "history_url": history_url(memory.store_id, memory.id),
            "head_url": version_url(memory.store_id, memory.head_version_id),
            "blame_url": blame_url(memory.store_id, memory.id),
            "diff_url": diff_url(memory.store_id, to=memory.head_version_id),
            "seq": memory.head_seq,
            "versions": formats.count(memory.head_seq),
            "sha256": memory.content_sha256,
            "size": formats.size(memory.content_size_bytes),
            "size_bytes": memory.content_size_bytes,
            "most_bytes": CONTENT_BYTES,
            "share": formats.share(memory.content_size_bytes, CONTENT_BYTES),
            "created": formats.instant(memory.created_at, now=now),
            "updated": formats.instant(memory.updated_at, now=now),
            "last_read": formats.instant(memory.last_read_at, now=now) if memory.last_read_at else None,
        }
    }


def view_context(request: ConsoleRequest, memory: MemoryRow) -> dict[str, Any]:
    """The text in the way that was asked for, and the ways there are."""
    view = request.GET.get("view", "")
    view = view if view in VIEWS else "text"
    content = memory.content or ""
    first = query.line_number(request)
    address = memory_url(memory.store_id, memory.id)
    context: dict[str, Any] = {
        "view": view,
        "views": [
            {"name": name, "word": word, "url": f"{address}?view={name}" if name != "text" else address}
            for name, word in VIEWS.items()
            if name != "rendered" or view == name or is_drawn(memory.path)
        ],
        "line_facts": text.line_facts(content),
    }
    if view == "agent":
        return context | {
            "tool": agent_view.by_tool(memory, first=first),
            "api": agent_view.by_api(memory),
        }
    rendered = markdown.render(content) if view == "rendered" else None
    if rendered is None or rendered.html is None:
        context["lines"] = shown_lines(content, path=memory.path, first=first)
    return context | {"rendered": rendered}


def is_drawn(path: str) -> bool:
    """Whether the name is one of prose: `.md`, `.txt`, or without an extension."""
    name = path.rpartition("/")[2].lower()
    return name.endswith(MARKDOWN) or "." not in name.lstrip(".")


def shown_lines(content: str, *, path: str, first: int) -> dict[str, Any]:
    """The lines from number `first` on; the last page of them where that is beyond the end."""
    markdown = path.endswith((".md", ".markdown"))
    shown = text.lines_page(content, first=first, markdown=markdown)
    if first > shown["total"] > 0:
        shown = text.lines_page(content, first=text.first_of_page(shown["total"]), markdown=markdown)
    return {**shown, "a_page": text.LINES_A_PAGE}
