"""Creating, changing, archiving and deleting stores. Rules: contract/memory_stores_api.md, 4.1."""

import unicodedata
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import transaction

from stores.domain import clock, limits, search_index
from stores.domain.actors import Actor, ActorType, Right
from stores.domain.errors import InvalidInput, PermissionDenied, StoreArchived, StoreNotFound
from stores.models import Memory, MemoryStore, MemoryVersion, User, ids
from stores.models.statements import reads, storage


def check_name(name: str) -> str:
    """The name itself; raises InvalidInput. Blanks alone are allowed."""
    if not 1 <= len(name) <= limits.STORE_NAME_CHARACTERS:
        raise InvalidInput(f"name must have 1 to {limits.STORE_NAME_CHARACTERS} characters.")
    if any(unicodedata.category(character) == "Cc" for character in name):
        raise InvalidInput("name must not hold control characters.")
    _check_storable(name, "name")
    return name


def check_description(description: str) -> str:
    """The description itself; raises InvalidInput."""
    if len(description) > limits.STORE_DESCRIPTION_CHARACTERS:
        raise InvalidInput(f"description must have at most {limits.STORE_DESCRIPTION_CHARACTERS} characters.")
    _check_storable(description, "description")
    return description


def check_metadata(metadata: Mapping[str, str]) -> dict[str, str]:
    """The pairs themselves; raises InvalidInput."""
    if len(metadata) > limits.METADATA_PAIRS:
        raise InvalidInput(f"metadata must have at most {limits.METADATA_PAIRS} pairs.")
    for key, value in metadata.items():
        if not 1 <= len(key) <= limits.METADATA_KEY_CHARACTERS:
            raise InvalidInput(f"metadata keys must have 1 to {limits.METADATA_KEY_CHARACTERS} characters.")
        if len(value) > limits.METADATA_VALUE_CHARACTERS:
            raise InvalidInput(
                f"metadata values must have at most {limits.METADATA_VALUE_CHARACTERS} characters."
            )
        _check_storable(key, "metadata keys")
        _check_storable(value, "metadata values")
    return dict(metadata)


def _check_storable(text: str, name: str) -> None:
    if "\0" in text:
        raise InvalidInput(f"{name} must not hold the character U+0000.")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InvalidInput(f"{name} must not hold half a surrogate pair.") from None


def require_visible(*, actor: Actor, store_id: str) -> None:
    """Raises StoreNotFound unless the store is there, in the actor's workspace and within its reach."""
    if not actor.reaches(store_id) or not reads.store_exists(
        workspace_id=actor.workspace_id, store_id=store_id
    ):
        raise _not_found(store_id)


def get_store(*, actor: Actor, store_id: str) -> MemoryStore:
    """A store, archived or not. Raises StoreNotFound."""
    actor.require(Right.READ)
    return _get(actor, store_id)


@transaction.atomic
def create_store(
    *,
    actor: Actor,
    name: str,
    description: str = "",
    metadata: Mapping[str, str] | None = None,
    now: datetime | None = None,
) -> MemoryStore:
    """A new, empty store. Names need not be unique. Raises InvalidInput, PermissionDenied."""
    actor.require(Right.MANAGE)
    if actor.store_ids is not None:
        raise PermissionDenied("A credential limited to certain stores may not create others.")
    now = now or clock.now_utc()
    store = MemoryStore(
        id=ids.make_id(ids.STORE, now),
        workspace_id=actor.workspace_id,
        name=check_name(name),
        description=check_description(description),
        metadata=check_metadata(metadata or {}),
        created_at=now,
        updated_at=now,
    )
    _save(store, actor, "created", now)
    return store


@transaction.atomic
def update_store(
    *,
    actor: Actor,
    store_id: str,
    name: str | None = None,
    description: str | None = None,
    metadata: Mapping[str, str | None] | None = None,
    now: datetime | None = None,
) -> MemoryStore:
    """Changes what is given; None leaves a field as it is. `metadata` is a patch: None removes a key.

    A change of nothing moves nothing. Raises StoreNotFound, StoreArchived, InvalidInput, PermissionDenied.
    """
    actor.require(Right.MANAGE)
    # What is wrong by itself is refused before anything is looked up (C 2, order of checks).
    if name is not None:
        check_name(name)
    if description is not None:
        check_description(description)
    store = _get(actor, store_id, lock=True)
    if store.archived_at is not None:
        raise archived()
    before = (store.name, store.description, store.metadata)
    if name is not None:
        store.name = name
    if description is not None:
        store.description = description
    if metadata is not None:
        merged: dict[str, str | None] = {**store.metadata, **metadata}
        store.metadata = check_metadata({k: v for k, v in merged.items() if v is not None})
    if (store.name, store.description, store.metadata) != before:
        store.updated_at = clock.strictly_after(now or clock.now_utc(), store.updated_at)
        _save(store, actor, "updated", store.updated_at)
    return store


@transaction.atomic
def archive_store(*, actor: Actor, store_id: str, now: datetime | None = None) -> MemoryStore:
    """Makes a store read-only, for good. A second call changes nothing.

    Raises StoreNotFound, PermissionDenied.
    """
    actor.require(Right.MANAGE)
    store = _get(actor, store_id, lock=True)
    if store.archived_at is None:
        now = clock.strictly_after(now or clock.now_utc(), store.updated_at)
        store.archived_at = store.updated_at = now
        _save(store, actor, "archived", now)
    return store


def delete_store(*, actor: Actor, store_id: str, now: datetime | None = None) -> None:
    """Removes a store with all its memories and versions, for good. It is gone for everybody at once.

    Raises StoreNotFound, PermissionDenied.
    """
    actor.require(Right.MANAGE)
    with transaction.atomic():
        store = _get(actor, store_id, lock=True)
        store.deleted_at = now or clock.now_utc()
        _save(store, actor, "deleted", store.deleted_at)
    purge_deleted_store(store_id=store_id)


PURGE_BATCH = 2000
# Fewer, for their texts leave the search index with them.
MEMORIES_PURGED_AT_ONCE = 100


def purge_deleted_store(*, store_id: str) -> None:
    """Removes the rows of a store that is marked as deleted, in batches, so that nobody waits for long.

    Safe to repeat: whatever a killed process left, the next call removes.
    """
    # Memories first: a write that was under way holds its memory's row, so once that is gone no further
    # version of it can come.
    for model, batch_size in ((Memory, MEMORIES_PURGED_AT_ONCE), (MemoryVersion, PURGE_BATCH)):
        while True:
            with transaction.atomic():
                batch = list(
                    model.objects.filter(store_id=store_id, store__deleted_at__isnull=False)
                    .order_by("id")
                    .values_list("id", flat=True)[:batch_size]
                )
                if not batch:
                    break
                rows = model.objects.filter(id__in=batch)
                # _raw_delete: nothing hangs on these rows, so Django need not load them to find out.
                rows._raw_delete(rows.db)
                if model is Memory:
                    search_index.forget_memories(batch)
    with transaction.atomic():
        search_index.note_removal()
        MemoryStore.objects.filter(id=store_id, deleted_at__isnull=False).delete()
    storage.overwrite_removed_text()


def purge_deleted_stores() -> int:
    """Finishes every deletion that was cut short; answers how many stores it removed."""
    store_ids = list(MemoryStore.objects.filter(deleted_at__isnull=False).values_list("id", flat=True))
    for store_id in store_ids:
        purge_deleted_store(store_id=store_id)
    return len(store_ids)


def archived() -> StoreArchived:
    """The one refusal of every write to an archived store."""
    return StoreArchived("This memory store is archived and can no longer be changed.")


def _not_found(store_id: str) -> StoreNotFound:
    return StoreNotFound(f"There is no memory store {store_id!r}.")


def _get(actor: Actor, store_id: str, *, lock: bool = False) -> MemoryStore:
    if not actor.reaches(store_id):
        raise _not_found(store_id)
    stores = MemoryStore.objects.filter(workspace_id=actor.workspace_id, deleted_at__isnull=True)
    if lock:
        # Does nothing on SQLite, where the transaction is the only writer already.
        stores = stores.select_for_update(no_key=True)
    try:
        return stores.get(id=store_id)
    except MemoryStore.DoesNotExist:
        raise _not_found(store_id) from None


def _save(store: MemoryStore, actor: Actor, what: str, now: datetime) -> None:
    """Writes the row and its history with who did it, as plain values where it is not a person."""
    history: Any = store  # django-simple-history reads these attributes off the instance
    if actor.type is ActorType.USER:
        history._history_user = User.objects.filter(id=actor.id).first()
    history._history_date = now
    history._change_reason = f"{what} by {actor.type} {actor.id} via {actor.road}"
    if store._state.adding:
        store.save(force_insert=True)
    else:
        # Not memory_count: the writers of memories move that meanwhile.
        store.save(
            update_fields=["name", "description", "metadata", "updated_at", "archived_at", "deleted_at"]
        )
