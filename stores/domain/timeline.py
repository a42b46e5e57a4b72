"""A store as it was at a moment: reading it, comparing two moments, going back to one.

Rebuilt from the versions alone. A version that was redacted since tells that a memory lived, not where: such
memories are listed by their ids, apart. Times have microseconds; a moment includes what was written in it.
"""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime

import msgspec

from stores.domain import clock
from stores.domain.actors import Actor, Right
from stores.domain.acts import NO_TEXT, Act, Left, Plan, Step, apply_plan, left_alone, make_plan
from stores.domain.blame import BlamedLine, blame
from stores.domain.errors import InvalidInput, MemoryNotFound, VersionNotFound
from stores.domain.listing import Page
from stores.domain.paths import after_folder, check_path, check_path_prefix
from stores.domain.stores import archived, get_store, require_visible
from stores.models import Memory, Operation, ids
from stores.models.statements import acts, moments
from stores.models.statements.moments import ChangeRow, StateRow
from stores.models.statements.reads import start_behind
from stores.models.statements.rows import PrefixRow, VersionRow

__all__ = [
    "Act", "AsOfPage", "Blame", "Comparison", "Plan", "Successor", "apply_plan", "blame_memory",
    "brought_back_from", "compare_as_of", "find_successor", "list_as_of", "plan_restore_as_of", "read_as_of",
]  # fmt: skip


# Older versions of one memory than these count as no longer kept.
BLAMED_VERSIONS = 2000
# How many texts are held at a time: at most 100 kB each.
BATCH = 100


class AsOfPage(msgspec.Struct, frozen=True):
    """`page` holds versions, without text, by their paths then, and folders. `redacted` are the versions of
    memories that lived then and whose path is not known any more: the same on every page and in every folder.
    """

    page: Page[VersionRow | PrefixRow]
    redacted: list[VersionRow]


class Difference(msgspec.Struct, frozen=True):
    """A memory at two moments. The two sides may have different ids: a path deleted and written anew."""

    before: StateRow | None
    after: StateRow | None

    @property
    def path(self) -> str:
        """The later one; the earlier of what is gone."""
        side = self.after or self.before
        assert side is not None
        return side.path or ""


class Comparison(msgspec.Struct, frozen=True):
    """Each in the order of paths. A memory that was changed and renamed is in both lists; `redacted` are
    those of which one side is redacted, so that nobody can say whether they differ.
    """

    added: list[Difference]
    removed: list[Difference]
    changed: list[Difference]
    renamed: list[Difference]
    redacted: list[Difference]


class Blame(msgspec.Struct, frozen=True):
    """Who wrote each line. A line's `version` and `earliest` are places in `versions`, oldest first, in which
    None stands for versions that are no longer kept; redacted ones are there, without text. `shown` is the
    version that the lines are of; None, and no lines, when what was asked for is redacted.

    A memory that was brought back after its deletion has a new id; its versions are preceded by those of the
    memory before, up to the one that was brought back.
    """

    lines: list[BlamedLine]
    versions: list[VersionRow | None]
    shown: VersionRow | None

    @property
    def brought_back(self) -> list[VersionRow]:
        """The newest version that counts of each memory that this one continues, the nearest first."""
        found: list[VersionRow] = []
        memory_id = None
        for version in reversed(self.versions):
            if version is not None and version.memory_id != memory_id:
                found.append(version)
                memory_id = version.memory_id
        return found[1:]


class Successor(msgspec.Struct, frozen=True):
    """The live memory as which a deleted one lives on. `is_back`: with its last text, at its last path, so
    that there is nothing to bring back.
    """

    memory_id: str
    path: str
    is_back: bool


def list_as_of(
    *,
    actor: Actor,
    store_id: str,
    at: datetime,
    path_prefix: str = "",
    depth: int = 0,
    after: str | None = None,
    limit: int,
) -> AsOfPage:
    """The memories that lived at a moment, like listing.list_memories, as the versions they had then.

    Raises PathInvalid, InvalidInput, StoreNotFound.
    """
    actor.require(Right.READ)
    folder = check_path_prefix(path_prefix) or "/"
    if depth not in (0, 1):
        raise InvalidInput("depth must be 0 or 1.")
    require_visible(actor=actor, store_id=store_id)
    state = moments.state_of_store(
        store_id=store_id, bound=_bound(at), folder=folder, end=after_folder(folder)
    )
    known = sorted((row.path, row.version_id) for row in state if row.path is not None)
    unknown = [row.version_id for row in state if row.path is None]
    items: list[tuple[str, str | None]] = []
    start = start_behind(after) if after else folder
    within = "\0"
    for path, version_id in known:
        if path < start or path.startswith(within):
            continue
        slash = path.find("/", len(folder)) if depth == 1 else -1
        if slash >= 0:
            within = path[: slash + 1]
            items.append((within, None))
        else:
            items.append((path, version_id))
        if len(items) > limit:
            break
    shown = items[:limit]
    wanted = [version_id for _, version_id in shown if version_id is not None] + unknown
    rows = moments.versions_by_id(store_id=store_id, version_ids=wanted, with_content=False)
    page: Page[VersionRow | PrefixRow] = Page(
        [PrefixRow(path) if version_id is None else rows[version_id] for path, version_id in shown],
        shown[-1][0] if len(items) > limit else None,
    )
    return AsOfPage(page, [rows[version_id] for version_id in sorted(unknown)])


def read_as_of(
    *, actor: Actor, store_id: str, at: datetime, path: str | None = None, memory_id: str | None = None
) -> VersionRow:
    """What stood at a path, or in a memory, at a moment: the version, with its text unless it is redacted.

    Raises InvalidInput (exactly one of the two), PathInvalid, StoreNotFound, MemoryNotFound.
    """
    actor.require(Right.READ)
    require_visible(actor=actor, store_id=store_id)
    if (path is None) == (memory_id is None):
        raise InvalidInput("Give either path or memory_id.")
    bound = _bound(at)
    if path is not None:
        state = moments.state_at_path(store_id=store_id, bound=bound, path=check_path(path))
    else:
        state = moments.state_of_memory(store_id=store_id, bound=bound, memory_id=memory_id or "")
    rows = {}
    if state is not None:
        wanted = [state.version_id]
        rows = moments.versions_by_id(store_id=store_id, version_ids=wanted, with_content=True)
    if state is None or state.version_id not in rows:
        raise MemoryNotFound("There was no such memory at that moment.")
    return rows[state.version_id]


def compare_as_of(*, actor: Actor, store_id: str, at: datetime, other: datetime | None = None) -> Comparison:
    """What differs between a moment and a later one, None for now; two moments may come in either order.

    Raises StoreNotFound.
    """
    actor.require(Right.READ)
    require_visible(actor=actor, store_id=store_id)
    if other is not None and other < at:
        at, other = other, at
    changes = moments.changes_between(
        store_id=store_id, before=_bound(at), after=moments.NEVER if other is None else _bound(other)
    )
    result = Comparison([], [], [], [], [])
    for difference in _paired(changes):
        _sort_in(result, difference)
    for found in (result.added, result.removed, result.changed, result.renamed):
        found.sort(key=lambda difference: difference.path)
    return result


def plan_restore_as_of(
    *,
    actor: Actor,
    store_id: str,
    at: datetime,
    memory_ids: Sequence[str] | None = None,
    folders: Sequence[str] | None = None,
    remove_later: bool = False,
) -> Plan:
    """What it takes that memories are as they were at a moment, for acts.apply_plan: one version each.

    `memory_ids` are those of that moment (or, to remove it, of a later one), `folders` what lay in them then;
    None for both is all of it. What was written first after the moment stays, unless `remove_later`; of a
    folder, what lies in it now then goes too. Whose version of then is redacted is left.
    Raises PathInvalid, StoreNotFound, StoreArchived, PermissionDenied.
    """
    actor.require(Right.WRITE)
    if get_store(actor=actor, store_id=store_id).archived_at is not None:
        raise archived()
    changes = moments.changes_between(store_id=store_id, before=_bound(at), after=moments.NEVER)
    is_chosen = _choice(memory_ids, folders, remove_later)
    steps: list[Step] = []
    left: list[Left] = []
    unchanged = 0
    for difference in _paired(changes):
        before, after = difference.before, difference.after
        if not is_chosen(difference):
            continue
        if before is None:
            if after is not None and remove_later:
                steps.append(_restoring(store_id, None, after))
            continue
        step = _restoring(store_id, before, after)
        if before.path is None:
            left.append(left_alone(step, NO_TEXT))
        elif after is not None and _same(before, after):
            unchanged += 1
        else:
            steps.append(step)
    steps.sort(key=lambda step: step.path_after or step.path_before or "")
    return make_plan(steps=steps, left=left, unchanged=unchanged)


def _choice(
    memory_ids: Sequence[str] | None, folders: Sequence[str] | None, remove_later: bool
) -> Callable[[Difference], bool]:
    inside = tuple(check_path_prefix(folder) or "/" for folder in folders or ())
    if (memory_ids is None and folders is None) or "/" in inside:
        return lambda difference: True
    chosen = set(memory_ids or ())

    def is_chosen(difference: Difference) -> bool:
        sides = [side for side in (difference.before, difference.after) if side is not None]
        if any(side.memory_id in chosen for side in sides):
            return True
        looked_at = sides if remove_later else [side for side in sides if side is difference.before]
        return any(side.path is not None and side.path.startswith(inside) for side in looked_at)

    return is_chosen


def blame_memory(
    *,
    actor: Actor,
    store_id: str,
    memory_id: str,
    version_id: str | None = None,
    ignore_space: bool = False,
) -> Blame:
    """Who wrote each line of a memory as it is, or was at a version; of a deleted one, as it was last. Of one
    that was brought back, also who wrote the lines before its deletion.

    Raises StoreNotFound, MemoryNotFound, VersionNotFound.
    """
    actor.require(Right.READ)
    require_visible(actor=actor, store_id=store_id)
    newest_first = moments.lineage(
        store_id=store_id, memory_id=memory_id, last=version_id or moments.NEVER, limit=BLAMED_VERSIONS
    )
    if version_id is not None and (not newest_first or newest_first[0].id != version_id):
        raise VersionNotFound(f"There is no version {version_id!r} of this memory.")
    if not newest_first:
        raise MemoryNotFound(f"There is no memory {memory_id!r} in this store.")
    asked = newest_first[1:] if newest_first[0].operation == Operation.DELETED else newest_first
    first = newest_first[-1]
    if first.seq == 1 and first.restored_from is not None and len(newest_first) < BLAMED_VERSIONS:
        newest_first = newest_first + moments.former_lineage(
            store_id=store_id, memory_id=memory_id, limit=BLAMED_VERSIONS - len(newest_first)
        )
    versions = _with_gaps(newest_first[::-1])
    if not asked or asked[0].redacted_at is not None:
        return Blame([], versions, None)
    lines = blame(_texts(store_id, versions), ignore_space=ignore_space)
    return Blame(lines, versions, asked[0])


def _with_gaps(versions: list[VersionRow]) -> list[VersionRow | None]:
    """The oldest that there is may go on from one that is not: it was brought back from a version that is no
    longer kept, or older than is followed.
    """
    found: list[VersionRow | None] = []
    memory_id, seq = "", 0
    for version in versions:
        if version.memory_id != memory_id:
            seq = 0
        if version.seq != seq + 1 or (not found and version.restored_from is not None):
            found.append(None)
        found.append(version)
        memory_id, seq = version.memory_id, version.seq
    return found


def brought_back_from(*, actor: Actor, store_id: str, memory_id: str) -> list[VersionRow]:
    """The versions of deleted memories that a memory goes back to, the nearest first; nearly always none.

    Raises StoreNotFound.
    """
    actor.require(Right.READ)
    require_visible(actor=actor, store_id=store_id)
    return moments.brought_back_from(store_id=store_id, memory_id=memory_id)


def find_successor(*, actor: Actor, store_id: str, memory_id: str) -> Successor | None:
    """What a deleted memory lives on as, where it was brought back; or the memory that holds its last text at
    its last path, however it came there. Raises StoreNotFound.
    """
    actor.require(Right.READ)
    require_visible(actor=actor, store_id=store_id)
    newest = moments.lineage(store_id=store_id, memory_id=memory_id, last=moments.NEVER, limit=2)
    if not newest or newest[0].operation != Operation.DELETED:
        return None
    found = moments.successor(store_id=store_id, memory_id=memory_id, last=newest[0].id)
    text = newest[-1]
    if text.path is not None and text.content_sha256 is not None:
        # What undoing the deletion would compare (undo.py).
        back = Memory.objects.filter(store_id=store_id, path=text.path, content_sha256=text.content_sha256)
        id_ = back.values_list("id", flat=True).first()
        if id_ is not None:
            return Successor(id_, text.path, is_back=True)
    return None if found is None else Successor(*found, is_back=False)


def _texts(store_id: str, versions: list[VersionRow | None]) -> Iterator[str | None]:
    for start in range(0, len(versions), BATCH):
        batch = versions[start : start + BATCH]
        wanted = [version.id for version in batch if version is not None]
        texts = acts.read_texts(store_id=store_id, version_ids=wanted, with_content=True)
        for version in batch:
            text = texts.get(version.id) if version is not None else None
            yield None if text is None else text.content


def _bound(at: datetime) -> str:
    return ids.lowest_id(ids.MEMORY_VERSION, at + clock.MICROSECOND)


def _paired(changes: list[ChangeRow]) -> list[Difference]:
    """A path that was deleted and then written anew begins a new memory; for people it is the same file."""
    appeared = {
        change.after.path: change
        for change in changes
        if change.before is None and change.after is not None and change.after.path is not None
    }
    found, paired = [], set()
    for change in changes:
        if change.before is not None and change.after is None and change.before.path in appeared:
            successor = appeared.pop(change.before.path)
            paired.add(successor.memory_id)
            found.append(Difference(change.before, successor.after))
        elif change.before is not None:
            found.append(Difference(change.before, change.after))
    found += [
        Difference(None, change.after)
        for change in changes
        if change.before is None and change.after is not None and change.memory_id not in paired
    ]
    return found


def _sort_in(result: Comparison, difference: Difference) -> None:
    before, after = difference.before, difference.after
    if any(side is not None and side.path is None for side in (before, after)):
        if before is None or after is None or before.version_id != after.version_id:
            result.redacted.append(difference)
    elif before is None:
        result.added.append(difference)
    elif after is None:
        result.removed.append(difference)
    else:
        if before.content_sha256 != after.content_sha256:
            result.changed.append(difference)
        if before.path != after.path:
            result.renamed.append(difference)


def _same(one: StateRow, other: StateRow) -> bool:
    return (one.path, one.content_sha256) == (other.path, other.content_sha256)


def _restoring(store_id: str, before: StateRow | None, after: StateRow | None) -> Step:
    """From the live state `after` back to `before`; None on either side is no memory."""
    shown = before or after
    return Step(
        store_id=store_id,
        memory_id=after.memory_id if after else None,
        seen_head=after.version_id if after else None,
        path_before=after.path if after else None,
        path_after=before.path if before else None,
        source_version_id=before.version_id if before else None,
        size_bytes=(shown.content_size_bytes or 0) if shown else 0,
    )
