"""Many memories at once: moved, deleted, a folder renamed. A page shows first what will happen.

What was ticked travels with that page, and a digest of what it showed: when the store has changed so that
something else would happen, the page is shown again instead. What fits into an address has one there, so that
Back and Forward find the page again.
"""

from typing import Any
from urllib.parse import urlencode

from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from stores.console import notices, plans, query
from stores.console.access import ConsoleRequest, for_members
from stores.console.htmx import render_main
from stores.console.paths import show_path
from stores.console.tree import folder_url
from stores.console.views.edit import typed_path, undo_url
from stores.console.views.stores import store_context
from stores.domain import bulk, clock
from stores.domain.actors import Right
from stores.domain.acts import GONE, Act, Plan
from stores.domain.bulk import Selection
from stores.domain.errors import Conflict, InvalidInput, PathInvalid, Refused
from stores.domain.paths import check_path_prefix
from stores.domain.stores import get_store
from stores.models import MemoryStore, MemoryVersion, Operation, ids

WISHES = {"move": "Move", "delete": "Delete", "rename": "Rename"}
# Some hundred ticks; servers and proxies on the way take no address of any length.
LONGEST_ADDRESS = 4_000
DONE_AND_CHANGED = (
    "This was done already, and the store has changed since. This is what would happen if it were done again."
)


@require_http_methods(["GET", "HEAD", "POST"])
@for_members
def store_bulk(request: ConsoleRequest, store_id: str) -> HttpResponse:
    """`do` is what to do with what is ticked; posted with `digest` it is done, without it is shown."""
    asked = asked_of(request)
    here = folder_of(asked.get("folder", "/"))
    if request.method != "POST" and "do" not in asked:
        return redirect(folder_url(store_id, here))
    actor = request.member.actor
    actor.require(Right.WRITE)
    store = get_store(actor=actor, store_id=store_id)
    wish = asked.get("do", "")
    if wish not in WISHES:
        wish = "move"
    shown = request.POST.get("digest")
    address = "" if shown or request.method != "POST" else preview_address(store_id, wish, asked)
    if address and len(address) <= LONGEST_ADDRESS:
        response = redirect(address)
        response.status_code = 303  # to be got, not posted again
        return response
    target = typed_folder(asked.get("to", ""))
    try:
        plan = make_plan(request, store_id, wish, target)
    except (InvalidInput, Refused, Conflict) as error:
        return show_plan(request, store, wish, here, target, error=error.message)
    if plan is None or not shown:
        return show_plan(request, store, wish, here, target, plan=plan)
    if shown != plans.digest(plan):
        return changed(request, store, wish, here, target, plan, error=plans.CHANGED_SINCE)
    try:
        act = bulk.apply_plan(actor=actor, plan=plan, reason=request.POST.get("reason", ""))
    except (InvalidInput, Refused, Conflict) as error:
        return show_plan(request, store, wish, here, target, plan=plan, error=error.message)
    if act.id is None and plan.steps:
        # Somebody, or the first of two clicks, was quicker.
        again = make_plan(request, store_id, wish, target)
        assert again is not None
        error_words = f"Nothing was done.{plans.words_left(act.left)}"
        return changed(request, store, wish, here, target, again, error=error_words)
    say_done(request, store_id, wish, act)
    return redirect(after_url(store_id, wish, here, target))


def asked_of(request: ConsoleRequest) -> QueryDict:
    return request.POST if request.method == "POST" else request.GET


def preview_address(store_id: str, wish: str, asked: QueryDict) -> str:
    fields = [("do", wish)]
    for name in ("folder", "to", "folders", "memory"):
        fields += [(name, value) for value in asked.getlist(name) if value]
    return f"{reverse('console:store_bulk', kwargs={'store_id': store_id})}?{urlencode(fields)}"


def after_url(store_id: str, wish: str, here: str, target: str) -> str:
    return folder_url(store_id, here if wish == "delete" else target)


def changed(
    request: ConsoleRequest,
    store: MemoryStore,
    wish: str,
    here: str,
    target: str,
    plan: Plan,
    *,
    error: str,
) -> HttpResponse:
    """The preview again, with what would happen now; unless it is done already, as after a second click."""
    done = done_before(request, store.id, wish, target)
    if done and all(step.seen_head in done for step in plan.steps):
        left = plans.words_left([each for each in plan.left if each.why != GONE])
        words = f"This was done already: {memories_done(wish, len(done))}.{left}"
        notices.say(request, words, undo_url=undo_url(store.id, done[0]))
        return redirect(after_url(store.id, wish, here, target))
    # What was there then, and was not taken along, shows that it was not this that was done.
    if done and all(step.seen_head is not None and step.seen_head >= min(done) for step in plan.steps):
        error = DONE_AND_CHANGED
    return show_plan(request, store, wish, here, target, plan=plan, error=error)


def done_before(request: ConsoleRequest, store_id: str, wish: str, target: str) -> list[str]:
    """The versions of the act by which this person did what the page showed, if so: it begins with what was
    written next to the first memory that the page listed.
    """
    actor = request.member.actor
    first = request.POST.get("first", "")
    versions = MemoryVersion.objects.filter(store_id=store_id)
    seen = versions.filter(id=first if query.is_id(first, ids.MEMORY_VERSION) else "")
    if (shown := seen.values_list("memory_id", "seq").first()) is None:
        return []
    following = versions.filter(memory_id=shown[0], seq=shown[1] + 1, actor_id=actor.id)
    found = following.values_list("operation", "path", "created_at").first()
    if found is None:
        return []
    operation, path, at = found
    is_deletion = operation == Operation.DELETED
    if is_deletion != (wish == "delete") or not (is_deletion or (path or "").startswith(target)):
        return []
    # All versions of an act bear the same instant.
    of_act = versions.filter(
        actor_id=actor.id,
        operation=operation,
        id__gte=ids.lowest_id(ids.MEMORY_VERSION, at),
        id__lt=ids.lowest_id(ids.MEMORY_VERSION, at + clock.MICROSECOND),
    )
    return list(of_act.order_by("id").values_list("id", flat=True))


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
    asked = asked_of(request)
    memory_ids = [i for i in asked.getlist("memory") if i.startswith(ids.MEMORY) and i.isascii()]
    folders = [check_path_prefix(folder) or "/" for folder in asked.getlist("folders")]
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
    asked = asked_of(request)
    context: dict[str, Any] = {
        **store_context(store, now=now),
        "title": WISHES[wish],
        "tab": "memories",
        "wish": wish,
        "word": WISHES[wish],
        "memory_ids": asked.getlist("memory"),
        "folders": asked.getlist("folders"),
        "here": here,
        "here_path": show_path(here[:-1]) if here != "/" else None,
        "to": asked.get("to", "") or (asked.getlist("folders") or [here])[0],
        "reason": request.POST.get("reason", ""),
        "plan": plan_context(plan) if plan else None,
        "bulk_url": reverse("console:store_bulk", kwargs={"store_id": store.id}),
        "back_url": folder_url(store.id, here),
        "error": error,
    }
    if wish == "move" and not asked.get("to"):
        context["to"] = here
    response = render_main(request, "stores/bulk.html", context)
    response.status_code = 400 if error else 200
    return response


def plan_context(plan: Plan) -> dict[str, Any]:
    # By what was written next to this one it is known again, when the page is sent twice.
    first = plan.steps[0].seen_head if plan.steps else None
    return {"digest": plans.digest(plan), "first": first, **plans.plan_rows(plan)}


def memories_done(wish: str, number: int) -> str:
    return f"{plans.memories(number)} {'deleted' if wish == 'delete' else 'moved'}"


def say_done(request: ConsoleRequest, store_id: str, wish: str, act: Act) -> None:
    words = f"{memories_done(wish, len(act.version_ids))}.{plans.words_left(act.left)}"
    undo = undo_url(store_id, act.id) if act.id else None
    (notices.warn if act.left else notices.say)(request, words, undo_url=undo)
