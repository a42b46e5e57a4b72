"""An act: many memories changed at once, in one transaction, one version each.

Bulk moves and deletions, going back to a moment and undoing what somebody wrote are all acts. Each is
planned first, so that people see exactly what will happen; a plan names for every memory the head version
that it was made on. Carrying it out leaves alone, and reports, whatever changed meanwhile. This is the second
door for writes, beside memories.py: whatever refuses a write there must refuse it here.

All versions of an act bear the same instant, so that no moment shows half of it, and the id of any one of
them names the act: same actor, same instant (see undo.plan_undo_of_act). It needs no table of its own.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

import msgspec
from django.db import transaction

from stores.domain import clock, search_index
from stores.domain.actors import Actor, Right
from stores.domain.content import Content, check_content
from stores.domain.errors import InvalidInput
from stores.domain.limits import MEMORIES_PER_STORE
from stores.domain.memories import check_reason, lock_store, next_version
from stores.domain.occupancy import InTheWay, Move, find_conflicts
from stores.domain.paths import check_path
from stores.models import Operation, ids
from stores.models.statements import acts, engine
from stores.models.statements.writes import Head, LockedStore, NewVersion

# How many texts are held at a time: at most 100 kB each.
BATCH = 200

# Why a memory is left alone, for programs; `Left.message` says it for people.
CHANGED = "changed"
GONE = "gone"
PATH_TAKEN = "path_taken"
PATH_INVALID = "path_invalid"
STORE_FULL = "store_full"
ARCHIVED = "archived"
NO_TEXT = "no_text"
BUILT_ON = "built_on"

MESSAGES = {
    CHANGED: "The memory has changed since the preview.",
    GONE: "The memory has been deleted since the preview.",
    PATH_TAKEN: "Another memory is in the way at {path}.",
    STORE_FULL: f"The memory store is full: it holds {MEMORIES_PER_STORE} memories.",
    ARCHIVED: "The memory store is archived and can no longer be changed.",
    NO_TEXT: "The text is redacted or no longer kept.",
    BUILT_ON: "Somebody else has changed the memory afterwards.",
}


class Step(msgspec.Struct, frozen=True, gc=False):
    """What happens to one memory.

    `memory_id` None brings a deleted one back as a new memory; `path_after` None ends it. The text, and
    `restored_from`, come from `source_version_id`; None keeps the text. `size_bytes` is that of the text in
    question: the new one, or the one that goes.
    """

    store_id: str
    memory_id: str | None
    seen_head: str | None
    path_before: str | None
    path_after: str | None
    source_version_id: str | None = None
    size_bytes: int = 0


class Left(msgspec.Struct, frozen=True, gc=False):
    """A memory that is left alone, and why. `path` is the memory's own, None where it is not known;
    `other_path` and `other_memory_id` name what is in the way (no id: another step of the same act).
    """

    store_id: str
    memory_id: str | None
    path: str | None
    why: str
    message: str
    other_path: str | None = None
    other_memory_id: str | None = None


class Plan(msgspec.Struct, frozen=True):
    """What an act will do, `steps`, and what it will not although it was asked to, `left`."""

    steps: list[Step]
    left: list[Left]
    # Asked for, and already as it would be.
    unchanged: int = 0

    @property
    def size_bytes(self) -> int:
        return sum(step.size_bytes for step in self.steps)


class Act(msgspec.Struct, frozen=True):
    """What an act did. `id` is one of its versions and names it; None when nothing was done."""

    id: str | None
    at: str
    version_ids: list[str]
    left: list[Left]


def dump_plan(plan: msgspec.Struct) -> str:
    """A plan as text: two are equal when these are, as a page and what it sends back may be compared."""
    return msgspec.json.encode(plan).decode()


def left_alone(step: Step, why: str, in_the_way: InTheWay | None = None) -> Left:
    other_path = in_the_way.path if in_the_way else None
    return Left(
        store_id=step.store_id,
        memory_id=step.memory_id,
        path=step.path_before or step.path_after,
        why=why,
        message=MESSAGES[why].format(path=other_path),
        other_path=other_path,
        other_memory_id=in_the_way.memory_id if in_the_way else None,
    )


def make_plan(*, steps: list[Step], left: list[Left], unchanged: int = 0) -> Plan:
    """A plan without the steps whose paths are in each other's or somebody else's way; those are left."""
    refused: dict[int, Left] = {}
    if any(step.path_after not in (None, step.path_before) for step in steps):
        store_ids = sorted({step.store_id for step in steps})
        live = acts.live_paths(store_ids=store_ids)
        for store_id in store_ids:
            places = [place for place, step in enumerate(steps) if step.store_id == store_id]
            # A memory that went meanwhile is found out when the plan is carried out.
            places = [p for p in places if steps[p].memory_id is None or steps[p].memory_id in live[store_id]]
            moves = [Move(steps[place].memory_id, steps[place].path_after) for place in places]
            for number, found in find_conflicts(moves, live[store_id]).items():
                place = places[number]
                refused[place] = left_alone(steps[place], PATH_TAKEN, found)
    kept = [step for place, step in enumerate(steps) if place not in refused]
    return Plan(kept, [*left, *refused.values()], unchanged)


def apply_plan(*, actor: Actor, plan: Plan, reason: str = "", now: datetime | None = None) -> Act:
    """Does what a plan says, in one transaction, and nothing else: one version for each memory.

    What changed since the plan was made is left alone and reported; so is what is in the way by now. Raises
    InvalidInput, PathInvalid, StoreNotFound, PermissionDenied.
    """
    actor.require(Right.WRITE)
    check_reason(reason)
    _check_steps(plan.steps)
    left: list[Left] = []
    version_ids: list[str] = []
    with transaction.atomic():
        # Every store before any memory, and in one order: two acts never wait for each other.
        store_ids = sorted({step.store_id for step in plan.steps})
        locked = {store_id: lock_store(actor, store_id) for store_id in store_ids}
        prepared = []
        for store_id in store_ids:
            steps = [step for step in plan.steps if step.store_id == store_id]
            prepared.append(_prepare(store_id, locked[store_id], steps, left))
        instant = _instant_of(prepared, now)
        for part in prepared:
            version_ids += _carry_out(actor, part, reason, instant)
    return Act(version_ids[0] if version_ids else None, clock.rfc3339(instant), version_ids, left)


class _Part(msgspec.Struct, frozen=True):
    """What is left to do in one store once its rows are locked."""

    store_id: str
    steps: list[Step]
    heads: dict[str, Head]


def _check_steps(steps: Sequence[Step]) -> None:
    """A plan may come from a browser: nothing in it is taken on trust."""
    seen: set[str] = set()
    for step in steps:
        if step.path_after is None and step.memory_id is None:
            raise InvalidInput("A step of the plan names no memory.")
        if step.memory_id is None and step.source_version_id is None:
            raise InvalidInput("A step of the plan names no text.")
        if step.memory_id is not None:
            if step.memory_id in seen:
                raise InvalidInput("A memory is twice in the plan.")
            seen.add(step.memory_id)
        if step.path_after is not None:
            check_path(step.path_after)


def _prepare(store_id: str, store: LockedStore, steps: list[Step], left: list[Left]) -> _Part:
    """The steps that can be done now; the others are added to `left`."""
    wanted = [step.memory_id for step in steps if step.memory_id is not None]
    heads = acts.lock_heads(store_id=store_id, memory_ids=wanted) if wanted else {}
    sources = [step.source_version_id for step in steps if step.source_version_id is not None]
    texts = acts.read_texts(store_id=store_id, version_ids=sources, with_content=False) if sources else {}
    doable = []
    for step in steps:
        why = _obstacle(step, store, heads, texts)
        if why is not None:
            left.append(left_alone(step, why))
        elif not _already_so(step, heads, texts):
            doable.append(step)
    doable = _without_conflicts(store_id, doable, heads, left)
    doable = _that_fit(store, doable, left)
    return _Part(store_id, doable, heads)


def _obstacle(
    step: Step, store: LockedStore, heads: dict[str, Head], texts: dict[str, acts.Text]
) -> str | None:
    if store.is_archived and step.path_after is not None:
        return ARCHIVED
    if step.memory_id is not None:
        head = heads.get(step.memory_id)
        if head is None:
            return GONE
        if head.memory.head_version_id != step.seen_head:
            return CHANGED
    if step.source_version_id is not None:
        text = texts.get(step.source_version_id)
        # A redacted version and the record of a deletion have no hash.
        if text is None or text.content_sha256 is None:
            return NO_TEXT
    return None


def _already_so(step: Step, heads: dict[str, Head], texts: dict[str, acts.Text]) -> bool:
    """A write that changes nothing makes no version."""
    if step.memory_id is None or step.path_after is None:
        return False
    memory = heads[step.memory_id].memory
    source = texts[step.source_version_id].content_sha256 if step.source_version_id else memory.content_sha256
    return (step.path_after, source) == (memory.path, memory.content_sha256)


def _without_conflicts(
    store_id: str, steps: list[Step], heads: dict[str, Head], left: list[Left]
) -> list[Step]:
    if all(
        step.path_after is None or (step.memory_id and step.path_after == heads[step.memory_id].memory.path)
        for step in steps
    ):
        return steps
    live = acts.live_paths(store_ids=[store_id])[store_id]
    conflicts = find_conflicts([Move(step.memory_id, step.path_after) for step in steps], live)
    left += [left_alone(steps[number], PATH_TAKEN, found) for number, found in conflicts.items()]
    return [step for number, step in enumerate(steps) if number not in conflicts]


def _that_fit(store: LockedStore, steps: list[Step], left: list[Left]) -> list[Step]:
    """A store never holds more than its limit; what it would not hold is not brought back."""
    ended = sum(step.path_after is None for step in steps)
    room = MEMORIES_PER_STORE - store.memory_count + ended
    fitting = []
    for step in steps:
        if step.memory_id is None:
            room -= 1
            if room < 0:
                left.append(left_alone(step, STORE_FULL))
                continue
        fitting.append(step)
    return fitting


def _instant_of(parts: Iterable[_Part], now: datetime | None) -> datetime:
    """One for the whole act, above that of every version that it follows (decisions.md, 6), so it is drawn
    under the locks.
    """
    last = max(
        (head.memory.updated_at for part in parts for head in part.heads.values()),
        default=None,
    )
    return clock.strictly_after(now or clock.now_utc(), None if last is None else engine.parse_instant(last))


def _carry_out(actor: Actor, part: _Part, reason: str, instant: datetime) -> list[str]:
    ended: list[NewVersion] = []
    moved: list[NewVersion] = []
    begun: list[NewVersion] = []
    for batch in _batches(part.steps):
        contents = _contents(part, batch)
        versions = [
            _version(actor, part, step, content, reason, instant)
            for step, content in zip(batch, contents, strict=True)
        ]
        acts.insert_versions(versions)
        for step, version in zip(batch, versions, strict=True):
            if step.path_after is None:
                ended.append(version)
            else:
                # The live row holds no text, and many texts are too much to keep.
                light = msgspec.structs.replace(version, content=None)
                (begun if step.memory_id is None else moved).append(light)
    targets = {version.path for version in (*moved, *begun)}
    parked = [
        version.memory_id
        for version in moved
        if (old := part.heads[version.memory_id].memory.path) != version.path and old in targets
    ]
    acts.write_heads(store_id=part.store_id, ended=ended, moved=moved, begun=begun, parked=parked)
    search_index.forget_memories([version.memory_id for version in ended])
    return [version.id for version in (*ended, *moved, *begun)]


def _batches(steps: list[Step]) -> Iterator[list[Step]]:
    for start in range(0, len(steps), BATCH):
        yield steps[start : start + BATCH]


def _contents(part: _Part, steps: list[Step]) -> list[Content | None]:
    """The text that each of these memories will have; None for those that end."""
    named = [
        None
        if step.path_after is None
        else step.source_version_id or part.heads[step.memory_id or ""].memory.head_version_id
        for step in steps
    ]
    wanted = [version_id for version_id in named if version_id is not None]
    if not wanted:
        return [None] * len(steps)
    texts = acts.read_texts(store_id=part.store_id, version_ids=wanted, with_content=True)
    return [
        None if version_id is None else check_content(texts[version_id].content or "") for version_id in named
    ]


def _version(
    actor: Actor, part: _Part, step: Step, content: Content | None, reason: str, instant: datetime
) -> NewVersion:
    head = part.heads[step.memory_id] if step.memory_id else None
    if step.path_after is None:
        assert head is not None
        operation, path = Operation.DELETED, head.memory.path
    else:
        operation, path = Operation.MODIFIED if head else Operation.CREATED, step.path_after
    return next_version(
        actor=actor,
        operation=operation,
        head=head,
        store_id=part.store_id,
        memory_id=step.memory_id or ids.make_id(ids.MEMORY, instant),
        path=path,
        content=content,
        reason=reason,
        restored_from=step.source_version_id,
        now=instant,
    )
