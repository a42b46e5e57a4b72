"""A function per wire type (contract/memory_stores_api.md, 3): every key always, null where unset."""

from typing import Any, Generic, Literal, TypeVar

import msgspec

from stores.domain.clock import rfc3339
from stores.models import MemoryStore
from stores.models.statements.rows import MemoryRow, PrefixRow, VersionRow

Item = TypeVar("Item")


class WireType(msgspec.Struct, tag_field="type", frozen=True, gc=False):
    """An object that says in `type` which one it is."""


class MemoryStoreObject(WireType, tag="memory_store", frozen=True, gc=False):
    id: str
    name: str
    description: str
    metadata: dict[str, str]
    created_at: str
    updated_at: str
    archived_at: str | None


class MemoryObject(WireType, tag="memory", frozen=True, gc=False):
    id: str
    memory_store_id: str
    memory_version_id: str
    path: str
    content: str | None
    content_size_bytes: int
    content_sha256: str
    created_at: str
    updated_at: str


class MemoryPrefixObject(WireType, tag="memory_prefix", frozen=True, gc=False):
    path: str


class ApiActor(WireType, tag="api_actor", frozen=True, gc=False):
    api_key_id: str


class SessionActor(WireType, tag="session_actor", frozen=True, gc=False):
    session_id: str


class UserActor(WireType, tag="user_actor", frozen=True, gc=False):
    user_id: str


class ServiceAccountActor(WireType, tag="service_account_actor", frozen=True, gc=False):
    service_account_id: str


ActorObject = ApiActor | SessionActor | UserActor | ServiceAccountActor
ACTOR_OBJECTS: dict[str, Any] = {
    "api_actor": ApiActor,
    "session_actor": SessionActor,
    "user_actor": UserActor,
    "service_account_actor": ServiceAccountActor,
}


class MemoryVersionObject(WireType, tag="memory_version", frozen=True, gc=False):
    id: str
    memory_store_id: str
    memory_id: str
    operation: Literal["created", "modified", "deleted"]
    path: str | None
    content: str | None
    content_size_bytes: int | None
    content_sha256: str | None
    created_at: str
    created_by: ActorObject | None
    redacted_at: str | None
    redacted_by: ActorObject | None


class DeletedStoreObject(WireType, tag="memory_store_deleted", frozen=True, gc=False):
    id: str


class DeletedMemoryObject(WireType, tag="memory_deleted", frozen=True, gc=False):
    id: str


class PageObject(msgspec.Struct, Generic[Item], frozen=True):
    data: list[Item]
    next_page: str | None


def memory_store(store: MemoryStore) -> MemoryStoreObject:
    return MemoryStoreObject(
        store.id,
        store.name,
        store.description,
        store.metadata,
        rfc3339(store.created_at),
        rfc3339(store.updated_at),
        rfc3339(store.archived_at) if store.archived_at else None,
    )


def memory(row: MemoryRow, with_content: bool) -> MemoryObject:
    return MemoryObject(
        row.id,
        row.store_id,
        row.head_version_id,
        row.path,
        row.content if with_content else None,
        row.content_size_bytes,
        row.content_sha256,
        row.created_at,
        row.updated_at,
    )


def memory_item(row: MemoryRow | PrefixRow, with_content: bool) -> MemoryObject | MemoryPrefixObject:
    if isinstance(row, PrefixRow):
        return MemoryPrefixObject(row.path)
    return memory(row, with_content)


def memory_version(row: VersionRow, with_content: bool) -> MemoryVersionObject:
    return MemoryVersionObject(
        row.id,
        row.store_id,
        row.memory_id,
        row.operation,  # type: ignore[arg-type]
        row.path,
        row.content if with_content else None,
        row.content_size_bytes,
        row.content_sha256,
        row.created_at,
        actor(row.actor_type, row.actor_id),
        row.redacted_at,
        actor(row.redacted_by_type, row.redacted_by_id),
    )


def actor(kind: str | None, actor_id: str | None) -> ActorObject | None:
    return None if kind is None else ACTOR_OBJECTS[kind](actor_id)
