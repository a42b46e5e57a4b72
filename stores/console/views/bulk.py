"""Many memories at once: moved, deleted, a folder renamed. A page shows first what will happen.

What was ticked travels with that page, and a digest of what it showed: when the store has changed so that
something else would happen, the page is shown again instead.
"""

from typing import Any

from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from stores.console import notices, plans
from stores.console.access import ConsoleRequest, for_members
from stores.console.htmx import render_main
from stores.console.paths import show_path
from stores.console.tree import folder_url
from stores.console.views.edit import typed_path, undo_url
from stores.console.views.stores import store_context
from stores.domain import bulk, clock
from stores.domain.actors import Right
from stores.domain.acts import Act, Plan
from stores.domain.bulk import Selection
from stores.domain.errors import Conflict, InvalidInput, PathInvalid, Refused
from stores.domain.paths import check_path_prefix
from stores.domain.stores import get_store
from stores.models import MemoryStore, ids

WISHES = {"move": "Move", "delete": "Delete", "rename": "Rename"}


@require_POST
@for_members
def store_bulk(request: ConsoleRequest, store_id: str) -> HttpResponse:
    """`do` is what to do with what is ticked; with `digest` it is done, without it is shown."""
    actor = request.member.actor
    actor.require(Right.WRITE)
    store = get_store(actor=actor, store_id=store_id)
    wish = request.POST.get("do", "")
    if wish not in WISHES:
        wish = "move"
    here = folder_of(request.POST.get("folder", "/"))
    target = typed_folder(request.POST.get("to", ""))
    try:
        plan = make_plan(request, store_id, wish, target)
    except (InvalidInput, Refused, Conflict) as error:
        return show_plan(request, store, wish, here, target, error=error.message)
    if plan is None:
        return show_plan(request, store, wish, here, target)
    shown = request.POST.get("digest")
    if not shown:
        return show_plan(request, store, wish, here, target, plan=plan)
    if shown != plans.digest(plan):
        return show_plan(request, store, wish, here, target, plan=plan, error=plans.CHANGED_SINCE)
    try:
        act = bulk.apply_plan(actor=actor, plan=plan, reason=request.POST.get("reason", ""))
    except (InvalidInput, Refused, Conflict) as error:
        return show_plan(request, store, wish, here, target, plan=plan, error=error.message)
    say_done(request, store_id, wish, act)
    return redirect(folder_url(store_id, here if wish == "delete" else target))


def make_plan(request: ConsoleRequest, store_id: str, wish: str, target: str) -> Plan | None:
    """What would happen; None as long as nobody has said where to."""
    actor = request.member.actor
    selection = selected(request)
    if wish == "delete":
        return bulk.plan_delete(actor=actor, store_id=store_id, selection=selection)
    if not selection.memory_ids and not selection.folders:
        raise InvalidInput("Nothing is ticked.")
    if not target:
        return None
    check_path_prefix(target)
    if wish == "rename":
        [folder] = selection.folders[:1] or [""]
        if not folder:
            raise InvalidInput("Tick the folder that is to be renamed.")
        return bulk.plan_rename_folder(actor=actor, store_id=store_id, folder=folder, to=target)
    return bulk.plan_move(actor=actor, store_id=store_id, selection=selection, to_folder=target)


def selected(request: ConsoleRequest) -> Selection:
    """What was ticked; raises PathInvalid."""
    memory_ids = [i for i in request.POST.getlist("memory") if i.startswith(ids.MEMORY) and i.isascii()]
    folders = [check_path_prefix(folder) or "/" for folder in request.POST.getlist("folders")]
    return Selection(memory_ids=[i for i in memory_ids if i.isprintable()], folders=folders)


def folder_of(value: str) -> str:
    try:
        return check_path_prefix(value) or "/"
    except PathInvalid:
        return "/"


def typed_folder(value: str) -> str:
    """A folder as a person types it; "" when nothing was typed."""
    if not value:
        return ""
    path = typed_path(value)
    return path if path.endswith("/") else f"{path}/"


def show_plan(
    request: ConsoleRequest,
    store: MemoryStore,
    wish: str,
    here: str,
    target: str,
    *,
    plan: Plan | None = None,
    error: str = "",
) -> HttpResponse:
    now = clock.now_utc()
    context: dict[str, Any] = {
        **store_context(store, now=now),
        "title": WISHES[wish],
        "tab": "memories",
        "wish": wish,
        "word": WISHES[wish],
        "memory_ids": request.POST.getlist("memory"),
        "folders": request.POST.getlist("folders"),
        "here": here,
        "here_path": show_path(here[:-1]) if here != "/" else None,
        "to": request.POST.get("to", "") or (request.POST.getlist("folders") or [here])[0],
        "reason": request.POST.get("reason", ""),
        "plan": {"digest": plans.digest(plan), **plans.plan_rows(plan)} if plan else None,
        "bulk_url": reverse("console:store_bulk", kwargs={"store_id": store.id}),
        "back_url": folder_url(store.id, here),
        "error": error,
    }
    if wish == "move" and not request.POST.get("to"):
        context["to"] = here
    response = render_main(request, "stores/bulk.html", context)
    response.status_code = 400 if error else 200
    return response


def say_done(request: ConsoleRequest, store_id: str, wish: str, act: Act) -> None:
    done = plans.memories(len(act.version_ids))
    words = f"{done} {'deleted' if wish == 'delete' else 'moved'}.{plans.words_left(act.left)}"
    undo = undo_url(store_id, act.id) if act.id else None
    (notices.warn if act.left else notices.say)(request, words, undo_url=undo)
