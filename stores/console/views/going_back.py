"""A store, or some of it, back to what it was at a moment: shown first, then done as one act."""

from dataclasses import dataclass
from datetime import datetime

from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods

from stores.console import notices, plans, query, text
from stores.console.access import ConsoleRequest, for_members
from stores.console.htmx import render_main
from stores.console.paths import show_path
from stores.console.plans import Ticks
from stores.console.rows import Row, activity_url
from stores.console.tree import folder_url
from stores.console.views.edit import undo_url
from stores.console.views.moments import address, moment_row, read_moment, restore_address
from stores.console.views.stores import store_context
from stores.domain import clock
from stores.domain.actors import Actor, Right
from stores.domain.acts import Act, Plan
from stores.domain.errors import Conflict, InvalidInput, Refused
from stores.domain.paths import check_path_prefix
from stores.domain.stores import get_store
from stores.domain.timeline import apply_plan, plan_restore_as_of
from stores.models import MemoryStore, ids

DONE_ALREADY = "Nothing was left to do: what was ticked is as it was then already."


@dataclass(frozen=True)
class Wanted:
    """What is to go back, and to when. `later` deletes what was written first after the moment."""

    at: datetime
    memory_ids: list[str]
    folders: list[str]
    later: bool

    def plan(self, actor: Actor, store_id: str) -> Plan:
        return plan_restore_as_of(
            actor=actor,
            store_id=store_id,
            at=self.at,
            memory_ids=self.memory_ids,
            folders=self.folders,
            remove_later=self.later,
        )


@require_http_methods(["GET", "HEAD", "POST"])
@for_members
def as_of_restore(request: ConsoleRequest, store_id: str) -> HttpResponse:
    """Back to `?at=`: what `memory` and `folders` name ("/" is all of it). Posted with `digest`, what is
    ticked is done.
    """
    actor = request.member.actor
    actor.require(Right.WRITE)
    store = get_store(actor=actor, store_id=store_id)
    wanted = read_wanted(request)
    if not wanted.folders and not wanted.memory_ids:
        notices.warn(request, "Tick what is to be restored.")
        return redirect(address(store_id, at=wanted.at))
    try:
        plan = wanted.plan(actor, store_id)
    except Refused as error:
        return show(request, store, wanted, None, error=error.message)
    if request.method == "POST" and "digest" in request.POST:
        return carry_out(request, store, wanted, plan)
    return show(request, store, wanted, plan)


def read_wanted(request: ConsoleRequest) -> Wanted:
    """From a link or from ticks. Raises Http404, PathInvalid."""
    at = read_moment(request, "at")
    asked = request.POST if request.method == "POST" else request.GET
    memory_ids = list(dict.fromkeys(asked.getlist("memory")))
    if at is None or not all(query.is_id(memory_id, ids.MEMORY) for memory_id in memory_ids):
        raise Http404("There is no such moment or memory.")
    folders = [check_path_prefix(folder) or "/" for folder in asked.getlist("folders")]
    return Wanted(at, memory_ids, folders, asked.get("later") == "1")


def carry_out(request: ConsoleRequest, store: MemoryStore, wanted: Wanted, plan: Plan) -> HttpResponse:
    actor = request.member.actor
    ticks = plans.read_ticks(request.POST)
    if request.POST["digest"] != plans.digest(plan) and not ticks.fit(plan.steps):
        return changed(request, store, wanted, plan, ticks, error=plans.changed_since(ticks, plan.steps))
    if ticks.is_empty:
        return show(request, store, wanted, plan, ticks=ticks, error=plans.NOTHING_TICKED)
    chosen = Plan(ticks.of(plan.steps), [])
    try:
        act = apply_plan(actor=actor, plan=chosen, reason=request.POST.get("reason", ""))
    except (InvalidInput, Refused, Conflict) as error:
        return show(request, store, wanted, plan, ticks=ticks, error=error.message)
    if act.id is None:
        # Somebody, or the first of two clicks, was quicker; or the store is full.
        error_words = f"Nothing was done.{plans.words_left(act.left)}"
        return changed(request, store, wanted, wanted.plan(actor, store.id), ticks, error=error_words)
    say_done(request, store.id, act)
    return redirect(folder_url(store.id, "/"))


def changed(
    request: ConsoleRequest, store: MemoryStore, wanted: Wanted, plan: Plan, ticks: Ticks, *, error: str
) -> HttpResponse:
    """The preview again; unless what was ticked is done already, as after a second click."""
    still = {i for step in plan.steps for i in (step.memory_id, step.source_version_id) if i is not None}
    still |= {left.memory_id for left in plan.left if left.memory_id is not None}
    # What could not be brought back names no memory, and might be what was ticked.
    is_known = all(left.memory_id is not None for left in plan.left)
    is_done = is_known and ticks.ids.isdisjoint(still) and not ticks.leaves_some(len(plan.steps))
    if is_done and not ticks.is_empty:
        notices.say(request, DONE_ALREADY, link=(activity_url(actor=request.member.actor.id), "Activity"))
        return redirect(folder_url(store.id, "/"))
    return show(request, store, wanted, plan, ticks=ticks, error=error)


def say_done(request: ConsoleRequest, store_id: str, act: Act) -> None:
    assert act.id is not None
    words = f"Back as then: {plans.memories(len(act.version_ids))}.{plans.words_left(act.left)}"
    (notices.warn if act.left else notices.say)(request, words, undo_url=undo_url(store_id, act.id))


def show(
    request: ConsoleRequest,
    store: MemoryStore,
    wanted: Wanted,
    plan: Plan | None,
    *,
    ticks: Ticks | None = None,
    error: str = "",
) -> HttpResponse:
    now = clock.now_utc()
    context: Row = {
        **store_context(store, now=now),
        "title": f"Restore {text.plain(store.name)}",
        "at": moment_row(wanted.at, now=now),
        "wanted": wanted,
        "is_all": "/" in wanted.folders,
        # What fits into an address has one.
        "by_address": len(wanted.folders) == 1 and not wanted.memory_ids,
        "shown_folders": [show_path(folder[:-1]) for folder in wanted.folders if folder != "/"],
        "memories_ticked": plans.memories(len(wanted.memory_ids)) if wanted.memory_ids else "",
        "restore_url": restore_address(store.id, wanted.at, None),
        "back_url": address(store.id, at=wanted.at),
        "reason": request.POST.get("reason", ""),
        "error": error,
        "plan": plan_context(plan, ticks) if plan else None,
    }
    response = render_main(request, "stores/as_of_restore.html", context)
    response.status_code = 400 if error else 200
    return response


def plan_context(plan: Plan, ticks: Ticks | None) -> Row:
    return {
        **plans.ticked_rows(plan.steps, ticks),
        "digest": plans.digest(plan),
        "left": [plans.left_row(left) for left in plan.left[: plans.LEFT_SHOWN]],
        **plans.left_totals(len(plan.left)),
        **plans.unchanged(plan.unchanged),
    }
