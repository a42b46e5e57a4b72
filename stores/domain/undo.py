"""Undoing what a session, a key, a person or everybody in a span of time wrote, or one act.

For each memory: back to the version before the first of these changes, as a new version. What somebody else
changed afterwards is never overwritten: such memories are named, and left alone. Where others only brought
back what was written last, as an undoing and its undoing do, nobody built on it. Undoing is an act itself and
can be undone.
"""

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum

import msgspec

from stores.domain import clock
from stores.domain.actors import Actor, Right
from stores.domain.acts import BUILT_ON, NO_TEXT, Act, Left, Plan, Step, apply_plan, left_alone, make_plan
from stores.domain.errors import InvalidInput, StoreNotFound, VersionNotFound
from stores.models import MemoryStore, MemoryVersion, Operation, ids
from stores.models.statements import spans
from stores.models.statements.spans import WrittenRow

MOST_MEMORIES = 20_000
DELETED_BY_OTHERS = "Somebody else has deleted the memory afterwards."


class Scope(msgspec.Struct, frozen=True):
    """Whose writing, where and when; None is any. `until` is included. Never all of it: an actor or a `since`
    must be given.
    """

    store_id: str | None = None
    actor_id: str | None = None
    road: str | None = None
    since: datetime | None = None
    until: datetime | None = None


class Outcome(StrEnum):
    """What undoing does to a memory."""

    RESTORE = "restore"  # text, path or both as before
    BRING_BACK = "bring_back"  # it was deleted
    DELETE = "delete"  # it was created
    NOTHING = "nothing"  # it is as before already
    BUILT_ON = "built_on"  # somebody else changed it afterwards
    NO_TEXT = "no_text"  # the text before is redacted or no longer kept
    PATH_TAKEN = "path_taken"
    ARCHIVED = "archived"


class Choice(StrEnum):
    UNDO = "undo"
    LEAVE = "leave"
    # Of what somebody built on: only what was written after that.
    UNDO_LATER = "undo_later"


class Item(msgspec.Struct, frozen=True):
    """One memory of a plan. `step` is what undoing does, None where nothing can be done; `later_step` goes
    back to `built_on_version_id`, the newest version by somebody else, where something was written behind it.
    `first_version_id` is the first change that would be undone, `base_version_id` what is gone back to.
    """

    store_id: str
    memory_id: str
    outcome: Outcome
    path: str | None
    versions: int
    first_version_id: str
    base_version_id: str | None
    step: Step | None = None
    later_step: Step | None = None
    left: Left | None = None
    built_on_version_id: str | None = None
    built_on_by_type: str | None = None
    built_on_by_id: str | None = None
    built_on_by_label: str | None = None
    built_on_by_deletion: bool = False


class UndoPlan(msgspec.Struct, frozen=True):
    """`items` in the order of their first changes. `complete` is False when the scope is larger than can be
    undone at once; `items` are then its beginning, and a narrower span has to be chosen.
    """

    scope: Scope
    items: list[Item]
    complete: bool

    @property
    def versions(self) -> int:
        """How many versions the scope wrote."""
        return sum(item.versions for item in self.items)


def plan_undo(*, actor: Actor, scope: Scope) -> UndoPlan:
    """What undoing would do, memory by memory. Raises InvalidInput, StoreNotFound, PermissionDenied."""
    actor.require(Right.WRITE)
    if scope.actor_id is None and scope.since is None:
        raise InvalidInput("Say whose writing to undo, or since when.")
    archived = _archived_by_store(actor, scope)
    rows = spans.written_in_span(
        store_ids=list(archived),
        actor_id=scope.actor_id,
        road=scope.road,
        lowest_id=None if scope.since is None else ids.lowest_id(ids.MEMORY_VERSION, scope.since),
        below_id=None
        if scope.until is None
        else ids.lowest_id(ids.MEMORY_VERSION, scope.until + clock.MICROSECOND),
        limit=MOST_MEMORIES + 1,
    )
    complete = len(rows) <= MOST_MEMORIES
    # All versions of an act bear the same instant.
    rows = sorted(rows[:MOST_MEMORIES], key=lambda row: (row.first_at, row.last_path or "", row.first_id))
    items = [_item(row, archived[row.store_id]) for row in rows]
    items = _without_the_brought_back(items, rows)
    return UndoPlan(scope, _without_conflicts(items), complete)


def plan_undo_of_act(*, actor: Actor, act_id: str) -> UndoPlan:
    """The same for one act, or one single write, named by any of its versions.

    Raises VersionNotFound, PermissionDenied.
    """
    actor.require(Right.WRITE)
    version = (
        MemoryVersion.objects.filter(
            id=act_id, store__workspace_id=actor.workspace_id, store__deleted_at__isnull=True
        )
        .only("store_id", "actor_id", "road", "created_at")
        .first()
    )
    if version is None or not actor.reaches(version.store_id):
        raise VersionNotFound(f"There is no memory version {act_id!r}.")
    at = version.created_at
    return plan_undo(
        actor=actor, scope=Scope(actor_id=version.actor_id, road=version.road, since=at, until=at)
    )


def apply_undo(
    *,
    actor: Actor,
    plan: UndoPlan,
    choices: Mapping[str, Choice | str] | None = None,
    reason: str = "",
    now: datetime | None = None,
) -> Act:
    """Undoes what the plan can undo, but for what `choices`, by memory id, say otherwise.

    Whatever changed since the plan was made is left alone and reported. Raises InvalidInput (a choice that
    the memory does not offer, a scope that is too large), StoreNotFound, PermissionDenied.
    """
    if not plan.complete:
        raise InvalidInput(
            f"This would undo changes of more than {MOST_MEMORIES} memories. Choose less at a time."
        )
    chosen = choices or {}
    unknown = set(chosen) - {item.memory_id for item in plan.items}
    if unknown:
        raise InvalidInput(f"The plan has no memory {min(unknown)!r}.")
    steps = [step for item in plan.items if (step := _chosen(item, chosen.get(item.memory_id))) is not None]
    left = [item.left for item in plan.items if item.left is not None and item.memory_id not in chosen]
    act = apply_plan(actor=actor, plan=Plan(steps, []), reason=reason, now=now)
    return msgspec.structs.replace(act, left=[*left, *act.left])


def undo_act(*, actor: Actor, act_id: str, reason: str = "", now: datetime | None = None) -> Act:
    """Undoes one act at once: the button behind "500 memories moved".

    Raises InvalidInput, VersionNotFound, PermissionDenied.
    """
    plan = plan_undo_of_act(actor=actor, act_id=act_id)
    return apply_undo(actor=actor, plan=plan, reason=reason, now=now)


def _archived_by_store(actor: Actor, scope: Scope) -> dict[str, bool]:
    """The stores that are looked at, and whether each is archived."""
    stores = MemoryStore.objects.filter(workspace_id=actor.workspace_id, deleted_at__isnull=True)
    if scope.store_id is not None:
        if not actor.reaches(scope.store_id):
            stores = stores.none()
        stores = stores.filter(id=scope.store_id)
    found = dict(stores.order_by("id").values_list("id", "archived_at"))
    if scope.store_id is not None and not found:
        raise StoreNotFound(f"There is no memory store {scope.store_id!r}.")
    return {key: at is not None for key, at in found.items() if actor.reaches(key)}


def _item(row: WrittenRow, is_archived: bool) -> Item:
    is_gone = row.base_id is None and row.first_seq > 1  # pruned
    before = None if row.base_id is None else (row.base_path, row.base_sha256)
    now = (row.last_path, row.last_sha256) if row.is_live else None
    item = Item(
        store_id=row.store_id,
        memory_id=row.memory_id,
        outcome=Outcome.NOTHING,
        path=row.last_path or row.base_path,
        versions=row.count,
        first_version_id=row.first_id,
        base_version_id=row.base_id,
        built_on_version_id=row.other_id,
        built_on_by_type=row.other_actor_type,
        built_on_by_id=row.other_actor_id,
        built_on_by_label=row.other_actor_label,
    )
    if before == now and not is_gone:
        return item
    step = _step(row, row.base_id, row.base_path, row.base_size_bytes)
    if row.other_id is not None and not _is_as_written(row):
        left = left_alone(step, BUILT_ON)
        is_deletion = row.other_id == row.last_id and row.last_operation == Operation.DELETED
        if is_deletion:
            left = msgspec.structs.replace(left, message=DELETED_BY_OTHERS)
        return _with(
            item,
            Outcome.BUILT_ON,
            later_step=_later_step(row),
            left=left,
            built_on_by_deletion=is_deletion,
        )
    if is_archived:
        return _with(item, Outcome.ARCHIVED, left=left_alone(step, "archived"))
    if is_gone or (row.base_id is not None and row.base_sha256 is None):
        return _with(item, Outcome.NO_TEXT, left=left_alone(step, NO_TEXT))
    if row.base_id is None:
        return _with(item, Outcome.DELETE, step=step)
    return _with(item, Outcome.RESTORE if row.is_live else Outcome.BRING_BACK, step=step)


def _is_as_written(row: WrittenRow) -> bool:
    """Whether the memory lives as the span wrote it last, and nobody else wrote between its changes: what
    others did after that took itself back.
    """
    is_unbroken = row.own_seq - row.first_seq + 1 == row.count
    is_same = (row.last_path, row.last_sha256) == (row.own_path, row.own_sha256)
    return row.is_live and row.own_sha256 is not None and is_unbroken and is_same


def _with(item: Item, outcome: Outcome, **changes: object) -> Item:
    return msgspec.structs.replace(item, outcome=outcome, **changes)


def _later_step(row: WrittenRow) -> Step | None:
    """Back to the newest version by somebody else, when it is not what the memory is already."""
    if row.other_id == row.last_id or row.other_sha256 is None:
        return None
    if row.is_live and (row.other_path, row.other_sha256) == (row.last_path, row.last_sha256):
        return None
    return _step(row, row.other_id, row.other_path, row.other_size_bytes)


def _step(row: WrittenRow, version_id: str | None, path: str | None, size_bytes: int | None) -> Step:
    return Step(
        store_id=row.store_id,
        memory_id=row.memory_id if row.is_live else None,
        seen_head=row.last_id if row.is_live else None,
        path_before=row.last_path if row.is_live else None,
        path_after=path,
        source_version_id=version_id,
        size_bytes=size_bytes or row.last_size_bytes or 0,
    )


def _without_the_brought_back(items: list[Item], rows: list[WrittenRow]) -> list[Item]:
    """Whose text of before stands at its path of before again, under another memory, needs no undoing; nor
    does that other memory, where the span wrote it too: an earlier undoing did.
    """
    gone = [
        (row.store_id, row.base_path, row.base_sha256)
        for item, row in zip(items, rows, strict=True)
        if item.outcome == Outcome.BRING_BACK and row.base_path is not None
    ]
    if not gone:
        return items
    live = spans.live_at_paths(
        store_ids=sorted({store_id for store_id, _, _ in gone}), paths=[path for _, path, _ in gone]
    )
    doomed = {
        (item.store_id, item.step.path_before)
        for item in items
        if item.step is not None and item.outcome != Outcome.BRING_BACK
    }
    wanted = set(gone)
    again = {
        (row.store_id, row.last_path)
        for item, row in zip(items, rows, strict=True)
        if item.outcome == Outcome.DELETE and (row.store_id, row.last_path, row.last_sha256) in wanted
    }

    def is_back(item: Item, row: WrittenRow) -> bool:
        if item.outcome == Outcome.DELETE:
            return (row.store_id, row.last_path) in again
        place = (row.store_id, row.base_path)
        return (
            item.outcome == Outcome.BRING_BACK
            and (*place, row.base_sha256) in live
            and (place not in doomed or place in again)
        )

    return [
        _with(item, Outcome.NOTHING, step=None) if is_back(item, row) else item
        for item, row in zip(items, rows, strict=True)
    ]


def _without_conflicts(items: list[Item]) -> list[Item]:
    """Those whose path of before is somebody else's now are named as such."""
    steps = [item.step for item in items if item.step is not None]
    plan = make_plan(steps=steps, left=[])
    if not plan.left:
        return items
    possible = {id(step) for step in plan.steps}
    refused = iter(plan.left)
    reasons = {(left.memory_id, left.path): left for left in refused}
    return [
        item
        if item.step is None or id(item.step) in possible
        else _with(
            item,
            Outcome.PATH_TAKEN,
            step=None,
            left=reasons[item.step.memory_id, item.step.path_before or item.step.path_after],
        )
        for item in items
    ]


def _chosen(item: Item, choice: Choice | str | None) -> Step | None:
    if choice is None:
        return item.step
    if choice == Choice.LEAVE:
        return None
    step = {Choice.UNDO: item.step, Choice.UNDO_LATER: item.later_step}.get(Choice(choice))
    if step is None:
        raise InvalidInput(f"{choice!r} is not possible for the memory {item.memory_id!r}.")
    return step
