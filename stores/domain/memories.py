"""Creating, changing and deleting memories: the one door for every write.

Rules: contract/memory_stores_api.md, 4.2 and 4.3. The order of refusals is that of its section 2: store,
memory, archived, nothing to do, precondition, path conflict, store full.

A change and its version are one transaction. Locks are taken in one order, store before memory, so that two
writers never wait for each other; a change of content alone locks the memory only.
"""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import msgspec
from django.db import transaction

from stores.domain import chain, clock, search_index
from stores.domain.actors import Actor, Right
from stores.domain.content import Content, check_content
from stores.domain.errors import (
    InvalidInput,
    LimitReached,
    MemoryNotFound,
    PathTaken,
    StoreNotFound,
)
from stores.domain.limits import MEMORIES_PER_STORE, REASON_CHARACTERS
from stores.domain.paths import after_folder, ancestors, check_path
from stores.domain.preconditions import check_sha256, require_match
from stores.domain.stores import archived, require_visible
from stores.models import Operation, ids
from stores.models.statements import engine, reads, writes
from stores.models.statements.rows import MemoryRow

READ_COUNTED_EVERY = timedelta(hours=1)

MakeVersion = Callable[[], writes.NewVersion]


def get_memory(*, actor: Actor, store_id: str, memory_id: str, with_content: bool = True) -> MemoryRow:
    """One live memory. Its text, served to an agent, counts as a read (decisions.md, 10).

    Raises StoreNotFound, MemoryNotFound.
    """
    actor.require(Right.READ)
    memory = None
    if actor.reaches(store_id):
        memory = reads.read_memory(
            workspace_id=actor.workspace_id,
            store_id=store_id,
            memory_id=memory_id,
            with_content=with_content,
        )
    if memory is None:
        require_visible(actor=actor, store_id=store_id)
        raise _not_found(memory_id)
    if with_content:
        count_reads(actor=actor, memories=[memory])
    return memory


def count_reads(*, actor: Actor, memories: list[MemoryRow], now: datetime | None = None) -> None:
    """Notes that an agent was served these texts; people and operators' keys do not count."""
    if not actor.is_agent:
        return
    now = now or clock.now_utc()
    before = now - READ_COUNTED_EVERY
    edge = clock.rfc3339(before)
    due = [m.id for m in memories if m.last_read_at is None or m.last_read_at < edge]
    if due:
        ids_due = reads.text_list(due)
        engine.write_if_free(lambda: writes.touch_reads(memory_ids=ids_due, now=now, before=before))


def create_memory(
    *,
    actor: Actor,
    store_id: str,
    path: str,
    content: str,
    reason: str = "",
    restored_from: str | None = None,
    now: datetime | None = None,
) -> MemoryRow:
    """A new memory and its first version. Never overwrites, not even with the same text.

    Raises PathInvalid, ContentInvalid, StoreNotFound, StoreArchived, PathTaken, LimitReached.
    """
    actor.require(Right.WRITE)
    check_path(path)
    checked = check_content(content)
    check_reason(reason)

    def make_version() -> writes.NewVersion:
        at = now or clock.now_utc()
        return next_version(
            actor=actor,
            operation=Operation.CREATED,
            head=None,
            store_id=store_id,
            memory_id=ids.make_id(ids.MEMORY, at),
            path=path,
            content=checked,
            reason=reason,
            restored_from=restored_from,
            now=at,
        )

    version = _insert_if_free(actor, store_id, path, make_version)
    version = version or _insert_under_lock(actor, store_id, path, make_version)
    return _written(version, created_at=clock.rfc3339(version.created_at), last_read_at=None)


def update_memory(
    *,
    actor: Actor,
    store_id: str,
    memory_id: str,
    content: str | None = None,
    path: str | None = None,
    expected_sha256: str | None = None,
    reason: str = "",
    restored_from: str | None = None,
    now: datetime | None = None,
) -> MemoryRow:
    """Changes content, path or both in one version; None leaves a field as it is.

    When the memory already is as asked, it is returned as it stands, without a version and whatever the
    precondition says: that makes a repeated request harmless (C 6). `expected_sha256` always speaks of the
    current content, also for a rename.

    Raises InvalidInput, PathInvalid, ContentInvalid, StoreNotFound, MemoryNotFound, StoreArchived,
    PreconditionFailed, PathTaken.
    """
    actor.require(Right.WRITE)
    if content is None and path is None:
        raise InvalidInput("An update needs content, path or both.")
    checked = None if content is None else check_content(content)
    if path is not None:
        check_path(path)
    if expected_sha256 is not None:
        check_sha256(expected_sha256, "precondition.content_sha256")
    check_reason(reason)
    if checked is not None and path is None and restored_from is None and engine.is_postgresql():
        written = _replace_content(
            actor=actor,
            store_id=store_id,
            memory_id=memory_id,
            content=checked,
            expected_sha256=expected_sha256,
            reason=reason,
            now=now,
        )
        if written is not None:
            return written
    return _update_under_lock(
        actor=actor,
        store_id=store_id,
        memory_id=memory_id,
        content=checked,
        path=path,
        expected_sha256=expected_sha256,
        reason=reason,
        restored_from=restored_from,
        now=now,
    )


@transaction.atomic
def delete_memory(
    *,
    actor: Actor,
    store_id: str,
    memory_id: str,
    expected_sha256: str | None = None,
    reason: str = "",
    now: datetime | None = None,
) -> None:
    """Ends a memory with a `deleted` version; its path is free at once. Works in archived stores.

    Raises InvalidInput, StoreNotFound, MemoryNotFound, PreconditionFailed.
    """
    actor.require(Right.WRITE)
    if expected_sha256 is not None:
        check_sha256(expected_sha256, "expected_content_sha256")
    check_reason(reason)
    lock_store(actor, store_id)
    head = _lock_head(store_id, memory_id)
    require_match(expected_sha256=expected_sha256, current_sha256=head.memory.content_sha256)
    version = next_version(
        actor=actor,
        operation=Operation.DELETED,
        head=head,
        store_id=store_id,
        memory_id=memory_id,
        path=head.memory.path,
        content=None,
        reason=reason,
        restored_from=None,
        now=now,
    )
    if not writes.end_memory(version, expected_head=head.memory.head_version_id):
        raise _lost_lock(memory_id)
    search_index.forget_memories([memory_id])


def check_reason(reason: str) -> str:
    """The reason itself; raises InvalidInput."""
    if len(reason) > REASON_CHARACTERS:
        raise InvalidInput(f"reason must have at most {REASON_CHARACTERS} characters.")
    if "\0" in reason:
        raise InvalidInput("reason must not hold the character U+0000.")
    if any("\ud800" <= character <= "\udfff" for character in reason):
        raise InvalidInput("reason must not hold half a surrogate pair.")
    return reason


def _insert_if_free(
    actor: Actor, store_id: str, path: str, make_version: MakeVersion
) -> writes.NewVersion | None:
    """The common case in one round trip; None when anything stands in the way."""
    if not engine.can_pipeline() or not actor.reaches(store_id):
        return None
    version = make_version()
    inserted = writes.insert_if_free(
        version,
        workspace_id=actor.workspace_id,
        most=MEMORIES_PER_STORE,
        conflict=_conflict_parameters(path, except_id=""),
    )
    return version if inserted else None


@transaction.atomic
def _insert_under_lock(
    actor: Actor, store_id: str, path: str, make_version: MakeVersion
) -> writes.NewVersion:
    store = lock_store(actor, store_id)
    if store.is_archived:
        raise archived()
    _require_free(store_id, path, except_id="")
    if store.memory_count >= MEMORIES_PER_STORE:
        raise LimitReached(
            f"The memory store is full: it holds {MEMORIES_PER_STORE} memories. "
            "Existing memories can still be updated; delete some to make room."
        )
    # Made only now: its time must lie behind that of whatever freed the path while this one waited.
    version = make_version()
    writes.insert_memory(version)
    return version


def _replace_content(
    *,
    actor: Actor,
    store_id: str,
    memory_id: str,
    content: Content,
    expected_sha256: str | None,
    reason: str,
    now: datetime | None,
) -> MemoryRow | None:
    """The common case in one statement; None when anything stands in the way."""
    if not actor.reaches(store_id):
        return None
    now = now or clock.now_utc()
    version_id = ids.make_id(ids.MEMORY_VERSION, now)
    return writes.replace_content(
        {
            "workspace_id": actor.workspace_id,
            "store_id": store_id,
            "memory_id": memory_id,
            "id": version_id,
            "content": content.text,
            "content_sha256": content.sha256,
            "content_size_bytes": content.size_bytes,
            "expected_sha256": expected_sha256,
            "created_at": now,
            "actor_type": actor.type.value,
            "actor_id": actor.id,
            "actor_label": actor.label,
            "road": actor.road.value,
            "reason": reason,
            "salt": chain.make_salt(),
            "zero": b"\0",
            "after_seq": chain.metadata_after_seq(
                store_id=store_id,
                memory_id=memory_id,
                version_id=version_id,
                operation=Operation.MODIFIED.value,
                actor_type=actor.type.value,
                actor_id=actor.id,
                road=actor.road.value,
                created_at=clock.rfc3339(now),
            ),
        }
    )


@transaction.atomic
def _update_under_lock(
    *,
    actor: Actor,
    store_id: str,
    memory_id: str,
    content: Content | None,
    path: str | None,
    expected_sha256: str | None,
    reason: str,
    restored_from: str | None,
    now: datetime | None,
) -> MemoryRow:
    # A rename must not meet another writer of paths, so it queues at the store.
    store = lock_store(actor, store_id) if path is not None else _read_store(actor, store_id)
    head = _lock_head(store_id, memory_id)
    if store.is_archived:
        raise archived()
    memory = head.memory
    same_content = content is None or content.sha256 == memory.content_sha256
    same_path = path is None or path == memory.path
    if same_content and same_path:
        return memory if content is None else msgspec.structs.replace(memory, content=content.text)
    require_match(expected_sha256=expected_sha256, current_sha256=memory.content_sha256)
    if path is not None and not same_path:
        _require_free(store_id, path, except_id=memory_id)
    version = next_version(
        actor=actor,
        operation=Operation.MODIFIED,
        head=head,
        store_id=store_id,
        memory_id=memory_id,
        path=memory.path if path is None else path,
        content=content or check_content(writes.read_content(memory.head_version_id)),
        reason=reason,
        restored_from=restored_from,
        now=now,
    )
    if not writes.append_version(version, expected_head=memory.head_version_id):
        raise _lost_lock(memory_id)
    return _written(version, created_at=memory.created_at, last_read_at=memory.last_read_at)


def _read_store(actor: Actor, store_id: str) -> writes.LockedStore:
    return _found(actor, store_id, writes.read_store_state)


def lock_store(actor: Actor, store_id: str) -> writes.LockedStore:
    """The store, others that change its paths waiting. Raises StoreNotFound."""
    return _found(actor, store_id, writes.lock_store)


def _found(actor: Actor, store_id: str, find: writes.FindStore) -> writes.LockedStore:
    store = None
    if actor.reaches(store_id):
        store = find(workspace_id=actor.workspace_id, store_id=store_id)
    if store is None:
        raise StoreNotFound(f"There is no memory store {store_id!r}.")
    return store


def _lock_head(store_id: str, memory_id: str) -> writes.Head:
    head = writes.lock_head(store_id=store_id, memory_id=memory_id)
    if head is None:
        raise _not_found(memory_id)
    return head


def _require_free(store_id: str, path: str, *, except_id: str) -> None:
    """Raises PathTaken when a live memory is at, above or below the path.

    Files and folders share one namespace (C 4.2). The store is locked, so nobody can come between.
    """
    found = reads.find_path_conflict(
        store_id=store_id, parameters=_conflict_parameters(path, except_id=except_id)
    )
    if found is not None:
        taken_path, taken_id = found
        raise PathTaken(
            "A memory already exists at this path."
            if taken_path == path
            else "The path runs through an existing memory."
            if path.startswith(taken_path)
            else "The path is a folder that holds an existing memory.",
            conflicting_path=taken_path,
            conflicting_memory_id=taken_id,
        )


def _conflict_parameters(path: str, *, except_id: str) -> dict[str, Any]:
    folder = path + "/"
    return reads.conflict_parameters(
        candidates=[*ancestors(path), path],
        below=folder,
        after=after_folder(folder),
        except_id=except_id,
    )


def next_version(
    *,
    actor: Actor,
    operation: Operation,
    head: writes.Head | None,
    store_id: str,
    memory_id: str,
    path: str,
    content: Content | None,
    reason: str,
    restored_from: str | None,
    now: datetime | None,
) -> writes.NewVersion:
    """The next version behind `head`, with its id and time above the head's (decisions.md, 6)."""
    instant = now or clock.now_utc()
    if head is not None:
        instant = clock.strictly_after(instant, engine.parse_instant(head.memory.updated_at))
    version_id = ids.make_id(ids.MEMORY_VERSION, instant)
    seq = head.memory.head_seq + 1 if head else 1
    salt = chain.make_salt()
    commitment = chain.commit(salt=salt, path=path, content=content.data if content else b"")
    return writes.NewVersion(
        id=version_id,
        store_id=store_id,
        memory_id=memory_id,
        seq=seq,
        operation=operation.value,
        path=path,
        content=content.text if content else None,
        content_sha256=content.sha256 if content else None,
        content_size_bytes=content.size_bytes if content else None,
        created_at=instant,
        actor_type=actor.type.value,
        actor_id=actor.id,
        actor_label=actor.label,
        road=actor.road.value,
        reason=reason,
        restored_from=restored_from,
        salt=salt,
        commitment=commitment,
        chain=chain.link(
            previous=head.chain if head else chain.GENESIS,
            seq=seq,
            after_seq=chain.metadata_after_seq(
                store_id=store_id,
                memory_id=memory_id,
                version_id=version_id,
                operation=operation.value,
                actor_type=actor.type.value,
                actor_id=actor.id,
                road=actor.road.value,
                created_at=clock.rfc3339(instant),
            ),
            commitment=commitment,
        ),
    )


def _written(version: writes.NewVersion, *, created_at: str, last_read_at: str | None) -> MemoryRow:
    assert version.content_sha256 is not None
    assert version.content_size_bytes is not None
    return MemoryRow(
        version.memory_id,
        version.store_id,
        version.path,
        version.id,
        version.seq,
        version.content_sha256,
        version.content_size_bytes,
        created_at,
        clock.rfc3339(version.created_at),
        last_read_at,
        version.content,
    )


def _not_found(memory_id: str) -> MemoryNotFound:
    return MemoryNotFound(f"There is no memory {memory_id!r} in this store.")


def _lost_lock(memory_id: str) -> RuntimeError:
    return RuntimeError(f"The head of {memory_id} moved although its row was locked.")
