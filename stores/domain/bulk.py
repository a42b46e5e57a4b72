"""Moving, renaming and deleting many memories at once; each is planned, shown, and then carried out.

    plan = plan_move(actor=actor, store_id=..., selection=Selection(folders=["/notes/"]), to_folder="/old/")
    act = apply_plan(actor=actor, plan=plan)
    undo.undo_act(actor=actor, act_id=act.id)

A folder is what its name says, byte for byte: `_` and `%` are characters like any other.
"""

from collections.abc import Callable, Sequence

import msgspec

from stores.domain.actors import Actor, Right
from stores.domain.acts import GONE, PATH_INVALID, Act, Left, Plan, Step, apply_plan, make_plan
from stores.domain.errors import InvalidInput, PathInvalid
from stores.domain.paths import after_folder, check_path, check_path_prefix
from stores.domain.stores import archived, get_store
from stores.models.statements import acts
from stores.models.statements.rows import MemoryRow

__all__ = ["Act", "Plan", "Selection", "apply_plan", "plan_delete", "plan_move", "plan_rename_folder"]


class Selection(msgspec.Struct, frozen=True):
    """What somebody ticked: memories by id, and folders ("/a/b/", everything below them; "/" for all)."""

    memory_ids: Sequence[str] = ()
    folders: Sequence[str] = ()


class _Selected(msgspec.Struct, frozen=True):
    memory: MemoryRow
    # The ticked folder it lies in; "" when it was ticked itself.
    folder: str


def plan_move(*, actor: Actor, store_id: str, selection: Selection, to_folder: str) -> Plan:
    """Ticked memories go directly into `to_folder`, ticked folders with their name and all below.

    Raises PathInvalid, InvalidInput (nothing selected, the whole store), StoreNotFound, StoreArchived,
    PermissionDenied.
    """
    target = check_path_prefix(to_folder) or "/"
    if any(check_path_prefix(folder) == "" for folder in selection.folders):
        raise InvalidInput("The whole store has no name that it could be moved under.")

    def path_after(selected: _Selected) -> str:
        # What is kept of the path begins where the ticked thing's own name does.
        kept_from = selected.folder[:-1] if selected.folder else selected.memory.path
        return target + selected.memory.path[kept_from.rfind("/") + 1 :]

    return _plan_paths(actor, store_id, selection, path_after)


def plan_rename_folder(*, actor: Actor, store_id: str, folder: str, to: str) -> Plan:
    """Everything below `folder` goes to the same place below `to` ("/a/b/" both; "/" is the whole store).

    A folder is only what its memories' paths say, so this moves them all. Raises as plan_move.
    """
    source, target = check_path_prefix(folder) or "/", check_path_prefix(to) or "/"

    def path_after(selected: _Selected) -> str:
        return target + selected.memory.path[len(source) :]

    return _plan_paths(actor, store_id, Selection(folders=[source]), path_after)


def plan_delete(*, actor: Actor, store_id: str, selection: Selection) -> Plan:
    """Works in archived stores too (decisions.md, 22).

    Raises PathInvalid, InvalidInput (nothing selected), StoreNotFound, PermissionDenied.
    """
    actor.require(Right.WRITE)
    get_store(actor=actor, store_id=store_id)
    found, left = _select(store_id, selection)
    steps = [
        Step(
            store_id=store_id,
            memory_id=selected.memory.id,
            seen_head=selected.memory.head_version_id,
            path_before=selected.memory.path,
            path_after=None,
            size_bytes=selected.memory.content_size_bytes,
        )
        for selected in found
    ]
    return Plan(steps, left)


def _plan_paths(
    actor: Actor, store_id: str, selection: Selection, path_after: Callable[[_Selected], str]
) -> Plan:
    actor.require(Right.WRITE)
    if get_store(actor=actor, store_id=store_id).archived_at is not None:
        raise archived()
    found, left = _select(store_id, selection)
    steps, unchanged = [], 0
    for selected in found:
        memory, path = selected.memory, path_after(selected)
        if path == memory.path:
            unchanged += 1
            continue
        try:
            check_path(path)
        except PathInvalid as error:
            left.append(Left(store_id, memory.id, memory.path, PATH_INVALID, error.message, path))
            continue
        steps.append(
            Step(
                store_id=store_id,
                memory_id=memory.id,
                seen_head=memory.head_version_id,
                path_before=memory.path,
                path_after=path,
                size_bytes=memory.content_size_bytes,
            )
        )
    return make_plan(steps=steps, left=left, unchanged=unchanged)


def _select(store_id: str, selection: Selection) -> tuple[list[_Selected], list[Left]]:
    """The selected memories in the order of their paths, each once, and the ids that name none."""
    if not selection.memory_ids and not selection.folders:
        raise InvalidInput("Nothing is selected.")
    found: dict[str, _Selected] = {}
    # The outermost folder first: a memory moves with that one.
    for folder in sorted({check_path_prefix(folder) or "/" for folder in selection.folders}):
        inside = acts.memories_inside(store_id=store_id, folder=folder, end=after_folder(folder))
        for memory in inside:
            found.setdefault(memory.id, _Selected(memory, folder))
    left = []
    if selection.memory_ids:
        wanted = list(dict.fromkeys(selection.memory_ids))
        rows = {m.id: m for m in acts.memories_by_id(store_id=store_id, memory_ids=wanted)}
        for memory_id in wanted:
            if memory_id in rows:
                found.setdefault(memory_id, _Selected(rows[memory_id], ""))
            else:
                message = "There is no such memory in this store."
                left.append(Left(store_id, memory_id, None, GONE, message))
    return sorted(found.values(), key=lambda selected: selected.memory.path), left
