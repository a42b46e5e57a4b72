"""Moving, deleting and restoring a memory, and taking any change back.

What can be undone happens at once, by POST, and the next page offers the undo.
"""

from typing import Any
from urllib.parse import urlencode

from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from stores.console import formats, notices, plans, text
from stores.console.access import ConsoleRequest, for_members
from stores.console.htmx import render_main
from stores.console.paths import parent, show_path
from stores.console.rows import actor_row, history_url, version_rows, version_url
from stores.console.tree import folder_url, memory_url
from stores.console.views.edit import changes, hint_at_lookalike, typed_path, undo_url
from stores.console.views.memories import memory_context
from stores.console.views.stores import store_context
from stores.domain import clock, listing
from stores.domain.actors import Actor, Right
from stores.domain.acts import Act
from stores.domain.errors import Conflict, InvalidInput, MemoryNotFound, PathTaken, Refused
from stores.domain.memories import delete_memory, get_memory, update_memory
from stores.domain.rollback import restore_version
from stores.domain.stores import get_store
from stores.domain.undo import undo_act
from stores.domain.versions import get_version
from stores.models import MemoryStore, MemoryVersion
from stores.models.statements.rows import MemoryRow, VersionRow

Refusal = InvalidInput | Refused | Conflict


@require_http_methods(["GET", "HEAD", "POST"])
@for_members
def memory_move(request: ConsoleRequest, store_id: str, memory_id: str) -> HttpResponse:
    """Another name, another folder, or both: one field holds the whole path."""
    actor = request.member.actor
    actor.require(Right.WRITE)
    store = get_store(actor=actor, store_id=store_id)
    memory = get_memory(actor=actor, store_id=store_id, memory_id=memory_id, with_content=False)
    if request.method != "POST":
        return show_move(request, store, memory, path=memory.path)
    path = typed_path(request.POST.get("path", ""))
    try:
        written = update_memory(
            actor=actor,
            store_id=store_id,
            memory_id=memory_id,
            path=path,
            reason=request.POST.get("reason", ""),
        )
    except (InvalidInput, Refused, Conflict) as error:
        return show_move(request, store, memory, path=path, error=error)
    if written.head_version_id == memory.head_version_id:
        notices.say(request, "Nothing was changed: this is its path already.")
    else:
        notices.say(request, "Moved.", undo_url=undo_url(store_id, written.head_version_id))
        hint_at_lookalike(request, written)
    return redirect(memory_url(store_id, memory_id))


def show_move(
    request: ConsoleRequest,
    store: MemoryStore,
    memory: MemoryRow,
    *,
    path: str,
    error: Refusal | None = None,
) -> HttpResponse:
    now = clock.now_utc()
    context = {
        **store_context(store, now=now),
        **memory_context(memory, now=now),
        "title": f"Move {text.plain(memory.path[1:])}",
        "tab": "memories",
        "path": path,
        "reason": request.POST.get("reason", ""),
        **refusal(store.id, error),
    }
    response = render_main(request, "memories/move.html", context)
    response.status_code = status_of(error)
    return response


def refusal(store_id: str, error: Refusal | None) -> dict[str, Any]:
    """Why something was refused, with a link to the memory that is in the way."""
    blocking = None
    if isinstance(error, PathTaken):
        blocking = {
            "url": memory_url(store_id, error.details["conflicting_memory_id"]),
            "path": show_path(error.details["conflicting_path"]),
        }
    return {"error": error.message if error else "", "blocking": blocking}


def status_of(error: Refusal | None) -> int:
    if error is None:
        return 200
    return 400 if isinstance(error, InvalidInput) else 409


@require_http_methods(["GET", "HEAD", "POST"])
@for_members
def memory_delete(request: ConsoleRequest, store_id: str, memory_id: str) -> HttpResponse:
    """At once, with an undo bar; but never what the person has not seen. Its address leads to the memory."""
    if request.method != "POST":
        return redirect(memory_url(store_id, memory_id))
    actor = request.member.actor
    actor.require(Right.WRITE)
    try:
        memory = get_memory(actor=actor, store_id=store_id, memory_id=memory_id, with_content=False)
    except MemoryNotFound:
        # A double click, or somebody else: its history says which.
        if not newest_version(actor, store_id, memory_id):
            raise
        notices.say(request, "This memory is deleted already.")
        return redirect(history_url(store_id, memory_id))
    try:
        delete_memory(
            actor=actor,
            store_id=store_id,
            memory_id=memory_id,
            expected_sha256=request.POST.get("seen"),
            reason=request.POST.get("reason", ""),
        )
    except InvalidInput as error:
        notices.warn(request, f"Not deleted: {error.message}")
        return redirect(memory_url(store_id, memory_id))
    except Conflict:
        notices.warn(
            request, "Not deleted: the memory has changed since you opened it. This is its text now."
        )
        return redirect(memory_url(store_id, memory_id))
    except MemoryNotFound:
        notices.say(request, "This memory is deleted already.")
        return redirect(history_url(store_id, memory_id))
    deletion = newest_version(actor, store_id, memory_id)
    notices.say(
        request,
        "Deleted. Its history is kept.",
        undo_url=undo_url(store_id, deletion.id) if deletion else None,
        link=(history_url(store_id, memory_id), "History"),
        saved=memory_id,
    )
    return redirect(folder_url(store_id, parent(memory.path)))


def newest_version(actor: Actor, store_id: str, memory_id: str) -> VersionRow | None:
    page = listing.list_versions(actor=actor, store_id=store_id, memory_id=memory_id, limit=1)
    return page.items[0] if page.items else None


@require_http_methods(["GET", "HEAD", "POST"])
@for_members
def version_restore(request: ConsoleRequest, store_id: str, version_id: str) -> HttpResponse:
    """The text and path of a version become the live ones; of a deleted memory, a new memory's."""
    actor = request.member.actor
    actor.require(Right.WRITE)
    store = get_store(actor=actor, store_id=store_id)
    version = get_version(actor=actor, store_id=store_id, version_id=version_id)
    if request.method != "POST":
        return show_restore(request, store, version)
    before = newest_version(actor, store_id, version.memory_id)
    try:
        written = restore_version(
            actor=actor,
            store_id=store_id,
            version_id=version_id,
            reason=request.POST.get("reason", ""),
        )
    except (InvalidInput, Refused, Conflict) as error:
        return show_restore(request, store, version, error=error)
    if before is not None and written.head_version_id == before.id:
        notices.say(request, f"Nothing was changed: the live text is that of v{version.seq}.")
    else:
        notices.say(
            request,
            f"Restored: v{written.head_seq} is a restore of v{version.seq}.",
            undo_url=undo_url(store_id, written.head_version_id),
        )
    if request.POST.get("others"):
        query = urlencode({"actor": request.POST["others"]})
        return redirect(f"{reverse('console:activity_undo')}?{query}")
    return redirect(memory_url(store_id, written.id))


def written_after(version: VersionRow) -> dict[str, Any] | None:
    """Who made the first of the changes that going back to this version takes away."""
    after = MemoryVersion.objects.filter(memory_id=version.memory_id, seq__gt=version.seq).order_by("seq")
    found = after.values_list("actor_type", "actor_id", "actor_label").first()
    return actor_row(*found) if found else None


def show_restore(
    request: ConsoleRequest, store: MemoryStore, version: VersionRow, *, error: Refusal | None = None
) -> HttpResponse:
    actor = request.member.actor
    now = clock.now_utc()
    try:
        memory = get_memory(actor=actor, store_id=store.id, memory_id=version.memory_id)
    except MemoryNotFound:
        memory = None
    [row] = version_rows([version], now=now)
    live = (memory.content or "") if memory else ""
    context = {
        **store_context(store, now=now),
        "title": f"Restore version {version.seq}",
        "tab": "memories",
        "version": row,
        "is_live": memory is not None,
        "path": show_path(version.path) if version.path else None,
        "path_now": show_path(memory.path) if memory and memory.path != version.path else None,
        "changes": changes(live, version.content) if version.content is not None else None,
        "reason": request.POST.get("reason", ""),
        "undone_by": written_after(version),
        "restore_url": reverse(
            "console:version_restore", kwargs={"store_id": store.id, "version_id": version.id}
        ),
        "history_url": history_url(store.id, version.memory_id),
        **refusal(store.id, error),
    }
    response = render_main(request, "versions/restore.html", context)
    response.status_code = status_of(error)
    return response


@require_http_methods(["GET", "HEAD", "POST"])
@for_members
def version_undo(request: ConsoleRequest, store_id: str, version_id: str) -> HttpResponse:
    """Takes back the act that a version belongs to: one write, or all memories of a bulk act. Its address
    leads to the version.
    """
    if request.method != "POST":
        return redirect(version_url(store_id, version_id))
    actor = request.member.actor
    actor.require(Right.WRITE)
    version = get_version(actor=actor, store_id=store_id, version_id=version_id, with_content=False)
    try:
        act = undo_act(actor=actor, act_id=version_id, reason=f"Undo of v{version.seq}")
    except (InvalidInput, Refused, Conflict) as error:
        notices.warn(request, error.message)
        return redirect(version_url(store_id, version_id))
    say_undone(request, store_id, act)
    return redirect(where_to(actor, store_id, version, act))


def say_undone(request: ConsoleRequest, store_id: str, act: Act) -> None:
    done = len(act.version_ids)
    if act.id is None:
        why = plans.words_left(act.left) or " It is as it was before already."
        notices.warn(request, f"Nothing was undone.{why}")
        return
    words = "Undone." if done == 1 else f"Undone: {formats.count(done)} memories."
    notices.say(request, words + plans.words_left(act.left), undo_url=undo_url(store_id, act.id))


def where_to(actor: Actor, store_id: str, version: VersionRow, act: Act) -> str:
    """The memory that it is about, where it lives now; of many, the store."""
    if len(act.version_ids) > 1:
        return folder_url(store_id, "/")
    memory_id = version.memory_id
    if act.id is not None:
        written = get_version(actor=actor, store_id=store_id, version_id=act.id, with_content=False)
        memory_id = written.memory_id
        if written.operation == "deleted" and written.path:
            return folder_url(store_id, parent(written.path))
    return memory_url(store_id, memory_id)
