"""Undoing what a session, a key, a person or a span of time wrote: shown first, then done as one act.

The filters are those of the stream of changes, as far as undoing knows them. One that it does not know is
said and refused: left out, it would undo more than was asked for.
"""

from datetime import datetime

from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from stores.console import filters, formats, notices, plans, text
from stores.console.access import ConsoleRequest, for_members
from stores.console.htmx import render_main
from stores.console.plans import Ticks
from stores.console.rows import ACTOR_KINDS, Row, activity_url, actor_row, version_url
from stores.console.views import activity
from stores.console.views.edit import undo_url
from stores.domain import clock
from stores.domain.actors import ID_PREFIXES, ActorType, Right
from stores.domain.acts import Act
from stores.domain.errors import Conflict, InvalidInput, Refused
from stores.domain.undo import MOST_MEMORIES, Choice, Item, Outcome, Scope, UndoPlan, apply_undo, plan_undo
from stores.models import MemoryStore, MemoryVersion

IMPOSSIBLE = (Outcome.BUILT_ON, Outcome.NO_TEXT, Outcome.PATH_TAKEN, Outcome.ARCHIVED)
DONE_ALREADY = "Nothing was left to do: what was ticked is undone already."


@require_http_methods(["GET", "HEAD", "POST"])
@for_members
def activity_undo(request: ConsoleRequest) -> HttpResponse:
    """`?store=`, `actor`, `road`, `since`, `until` say what; posted, what is ticked is undone."""
    actor = request.member.actor
    actor.require(Right.WRITE)
    asked = read_filters(request)
    refused = why_not(asked)
    if refused:
        return show(request, asked, None, error=refused)
    plan = plan_undo(actor=actor, scope=scope_of(asked))
    if request.method != "POST":
        return show(request, asked, plan)
    ticks = plans.read_ticks(request.POST)
    later = set(request.POST.getlist("later"))
    steps = [item.step for item in plan.items if item.step is not None]
    is_same = request.POST.get("digest") == plans.digest(plan)
    if not is_same and (later or not ticks.fit(steps)):
        return changed(request, asked, plan, ticks, later)
    if ticks.is_empty and not later:
        return show(request, asked, plan, ticks=ticks, error=plans.NOTHING_TICKED)
    choices = read_choices(plan, ticks, later)
    try:
        act = apply_undo(actor=actor, plan=plan, choices=choices, reason=request.POST.get("reason", ""))
    except (InvalidInput, Refused, Conflict) as error:
        return show(request, asked, plan, ticks=ticks, error=error.message)
    if act.id is None:
        # Somebody, or the first of two clicks, was quicker; or the store is full.
        again = plan_undo(actor=actor, scope=plan.scope)
        return changed(
            request, asked, again, ticks, later, error=f"Nothing was done.{plans.words_left(act.left)}"
        )
    say_done(request, act)
    return redirect(back_url(asked))


def read_filters(request: ConsoleRequest) -> Row:
    """As the stream reads them, but what is no filter is refused. Raises Http404."""
    asked = activity.read_filters(request)
    if any(value and not asked.get(name) for name, value in request.GET.items()):
        raise Http404("There is no such filter.")
    return asked


def why_not(asked: Row) -> str:
    """What undoing cannot do of what is asked for; "" when it can."""
    if asked["operation"]:
        word = filters.OPERATIONS[asked["operation"]].lower()
        return f"What was {word} cannot be undone alone: a memory goes back to what it was before all of it."
    if asked["actor"] is None and asked["kind"]:
        word = filters.KINDS[asked["kind"]].lower()
        return f"Undoing is of one writer, or of everybody: it cannot be narrowed to {word} as a kind."
    if asked["actor"] and asked["kind"] and not asked["actor"].startswith(ID_PREFIXES[asked["kind"]]):
        return "The writer that was chosen is of another kind than the filter says."
    if asked["actor"] is None and asked["since"] is None:
        return "Say whose writing to undo, or since when."
    return ""


def scope_of(asked: Row) -> Scope:
    return Scope(
        store_id=asked["store"],
        actor_id=asked["actor"],
        road=asked["road"],
        since=filters.begin_of(asked["since"]),
        until=filters.end_of(asked["until"]),
    )


def read_choices(plan: UndoPlan, ticks: Ticks, later: set[str]) -> dict[str, Choice]:
    """What is not ticked is left; of what others built on, what came after on wish. Raises Http404."""
    chosen = {id(step) for step in ticks.of([i.step for i in plan.items if i.step is not None])}
    offered = {item.memory_id for item in plan.items if item.later_step is not None}
    if later - offered:
        raise Http404("What is ticked was not shown.")
    choices = {
        item.memory_id: Choice.LEAVE
        for item in plan.items
        if item.step is not None and id(item.step) not in chosen
    }
    return choices | dict.fromkeys(later, Choice.UNDO_LATER)


def changed(
    request: ConsoleRequest, asked: Row, plan: UndoPlan, ticks: Ticks, later: set[str], *, error: str = ""
) -> HttpResponse:
    """The preview again, with what is otherwise now; unless what was ticked is undone already, as after a
    second click.
    """
    steps = [item.step for item in plan.items if item.step is not None]
    finished = {
        i
        for item in plan.items
        if item.outcome == Outcome.NOTHING
        for i in (item.memory_id, item.base_version_id)
    }
    still_later = {item.memory_id for item in plan.items if item.later_step is not None}
    ticked = bool(plan.items) and not (ticks.is_empty and not later)
    if ticked and ticks.ids <= finished and not ticks.leaves_some(len(steps)) and not later & still_later:
        notices.say(request, DONE_ALREADY, link=(activity_url(actor=request.member.actor.id), "Activity"))
        return redirect(back_url(asked))
    if request.POST.get("digest") != plans.digest(plan):
        error = plans.changed_since(ticks, steps)
    return show(request, asked, plan, ticks=ticks, error=error)


def say_done(request: ConsoleRequest, act: Act) -> None:
    assert act.id is not None
    [store_id] = MemoryVersion.objects.filter(id=act.id).values_list("store_id", flat=True)
    words = f"Undone: {plans.memories(len(act.version_ids))}.{plans.words_left(act.left)}"
    (notices.warn if act.left else notices.say)(request, words, undo_url=undo_url(store_id, act.id))


def back_url(asked: Row) -> str:
    """To the newest changes, of the same store: what was done stands on top there."""
    return activity_url(store=asked["store"])


def show(
    request: ConsoleRequest,
    asked: Row,
    plan: UndoPlan | None,
    *,
    ticks: Ticks | None = None,
    error: str = "",
) -> HttpResponse:
    now = clock.now_utc()
    items = plan.items if plan else []
    impossible = [item for item in items if item.outcome in IMPOSSIBLE]
    shown = [item for item in items if item.step is not None]
    names = store_names(request, asked, [*shown[: plans.STEPS_SHOWN], *impossible[: plans.LEFT_SHOWN]])
    known = {key: asked[key] for key in ("store", "actor", "road", "since", "until")}
    context: Row = {
        "title": "Undo",
        "asked": asked,
        "who": who(asked, items),
        "in_store": text.show(names[asked["store"]]) if asked["store"] in names else None,
        "span": span(asked, now=now),
        "stream_url": activity_url(**asked),
        # Without the filters that undoing does not know, where that leaves something to undo.
        "instead_url": undo_address(known) if plan is None and not why_not({**asked, **NO_KIND}) else None,
        "post_url": undo_address(asked),
        "reason": request.POST.get("reason", ""),
        "error": error,
        "plan": None,
    }
    if plan is not None:
        context["plan"] = plan_context(
            plan, shown, impossible, names, ticks, set(request.POST.getlist("later"))
        )
    response = render_main(request, "activity/undo.html", context)
    response.status_code = 400 if error else 200
    return response


NO_KIND: Row = {"kind": None, "operation": None}


def plan_context(
    plan: UndoPlan,
    shown: list[Item],
    impossible: list[Item],
    names: dict[str, str],
    ticks: Ticks | None,
    later: set[str],
) -> Row:
    rows = plans.ticked_rows([item.step for item in shown if item.step is not None], ticks)
    with_store = len(names) > 1
    if with_store:
        for row, item in zip(rows["steps"], shown, strict=False):
            row["store"] = text.show(names[item.store_id])
    return {
        **rows,
        "digest": plans.digest(plan),
        "left": [impossible_row(item, later) for item in impossible[: plans.LEFT_SHOWN]],
        **plans.left_totals(len(impossible)),
        **plans.unchanged(len(plan.items) - len(shown) - len(impossible)),
        "versions": formats.count(plan.versions),
        "with_store": with_store,
        "has_later": any(item.later_step for item in impossible[: plans.LEFT_SHOWN]),
        "is_complete": plan.complete,
        "most": formats.count(MOST_MEMORIES),
    }


def impossible_row(item: Item, later: set[str]) -> Row:
    assert item.left is not None
    # The memory's own id: of one that is deleted the step that is left has none.
    row = {**plans.left_row(item.left), **plans.history_of(item.store_id, item.memory_id)}
    if item.outcome == Outcome.BUILT_ON and item.built_on_version_id is not None:
        row["by"] = actor_row(
            item.built_on_by_type or "", item.built_on_by_id or "", item.built_on_by_label or ""
        )
        row["by_deletion"] = item.built_on_by_deletion
        row["by_url"] = version_url(item.store_id, item.built_on_version_id)
        if item.later_step is not None:
            row["later"] = item.memory_id
            row["later_ticked"] = item.memory_id in later
    return row


def store_names(request: ConsoleRequest, asked: Row, items: list[Item]) -> dict[str, str]:
    wanted = {item.store_id for item in items} | ({asked["store"]} if asked["store"] else set())
    actor = request.member.actor
    stores = MemoryStore.objects.filter(workspace_id=actor.workspace_id, id__in=wanted, deleted_at=None)
    return dict(stores.values_list("id", "name"))


def who(asked: Row, items: list[Item]) -> Row | None:
    """The actor that is asked for: by name where a change is there to take it from."""
    if not asked["actor"]:
        return None
    found = None
    if items:
        versions = MemoryVersion.objects.filter(id=items[0].first_version_id)
        found = versions.values_list("actor_type", "actor_id", "actor_label").first()
    if found:
        return actor_row(*found)
    kind = next((k for k, prefix in ID_PREFIXES.items() if asked["actor"].startswith(prefix)), ActorType.USER)
    return actor_row(kind, asked["actor"], "") | {"word": ACTOR_KINDS[kind][1]}


def span(asked: Row, *, now: datetime) -> Row:
    begin, end = filters.begin_of(asked["since"]), filters.end_of(asked["until"])
    return {
        "since": formats.instant(begin, now=now) if begin else None,
        "until": formats.instant(end, now=now) if end else None,
    }


def undo_address(asked: Row) -> str:
    return filters.address(reverse("console:activity_undo"), asked)
