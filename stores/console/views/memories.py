"""One live memory: its text, what is known of it, and its newest versions."""

from datetime import datetime
from typing import Any

from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_safe

from stores.console import formats, query, text
from stores.console.access import ConsoleRequest, for_members
from stores.console.htmx import render_main
from stores.console.paths import parent, show_path
from stores.console.rows import blame_url, diff_url, history_url, version_rows, version_url
from stores.console.tree import build_tree, folder_crumbs, memory_url, read_folder
from stores.console.views.stores import store_context
from stores.domain import clock, listing
from stores.domain.errors import MemoryNotFound
from stores.domain.limits import CONTENT_BYTES
from stores.domain.memories import get_memory
from stores.domain.stores import get_store
from stores.models.statements.rows import MemoryRow

NEWEST_VERSIONS = 12


@require_safe
@for_members
def memory_detail(request: ConsoleRequest, store_id: str, memory_id: str) -> HttpResponse:
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
    folder = parent(memory.path)
    here = read_folder(actor=actor, store_id=store_id, folder=folder, showing=memory.path)
    versions = listing.list_versions(
        actor=actor, store_id=store_id, memory_id=memory_id, limit=NEWEST_VERSIONS
    )
    context = {
        **store_context(store, now=now),
        **memory_context(memory, now=now),
        "title": text.plain(memory.path[1:]),
        "tab": "memories",
        "tree": build_tree(actor=actor, store_id=store_id, folder=folder, here=here, memory_id=memory_id),
        "crumbs": folder_crumbs(store_id, folder),
        "lines": shown_lines(memory.content or "", path=memory.path, first=query.line_number(request)),
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


def page_of_line(line: int) -> int:
    """The first line of the page on which a line is."""
    return (line - 1) // text.LINES_A_PAGE * text.LINES_A_PAGE + 1


def shown_lines(content: str, *, path: str, first: int) -> dict[str, Any]:
    """The lines from number `first` on; the last page of them where that is beyond the end."""
    markdown = path.endswith((".md", ".markdown"))
    shown = text.lines_page(content, first=first, markdown=markdown)
    if first > shown["total"] > 0:
        shown = text.lines_page(content, first=page_of_line(shown["total"]), markdown=markdown)
    return {**shown, "a_page": text.LINES_A_PAGE}
