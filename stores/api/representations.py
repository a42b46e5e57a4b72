"""A function per wire type (contract/memory_stores_api.md, 3): every key always, null where unset."""

from typing import Any, Literal

import msgspec

from stores.domain.clock import rfc3339
from stores.models import MemoryStore
from stores.models.statements.rows import MemoryRow, PrefixRow, VersionRow


class MemoryStoreObject(msgspec.Struct, frozen=True, gc=False):
    id: str
    name: str
    description: str
    metadata: dict[str, str]
    created_at: str
    updated_at: str
    archived_at: str | None
    type: Literal["memory_store"] = "memory_store"


class MemoryObject(msgspec.Struct, frozen=True, gc=False):
    id: str
    memory_store_id: str
    memory_version_id: str
    path: str
    content: str | None
    content_size_bytes: int
    content_sha256: str
    created_at: str
    updated_at: str
    type: Literal["memory"] = "memory"


class MemoryPrefixObject(msgspec.Struct, frozen=True, gc=False):
    path: str
    type: Literal["memory_prefix"] = "memory_prefix"


class ApiActor(msgspec.Struct, frozen=True, gc=False):
    api_key_id: str
    type: Literal["api_actor"] = "api_actor"


class SessionActor(msgspec.Struct, frozen=True, gc=False):
    session_id: str
    type: Literal["session_actor"] = "session_actor"


class UserActor(msgspec.Struct, frozen=True, gc=False):
    user_id: str
    type: Literal["user_actor"] = "user_actor"


class ServiceAccountActor(msgspec.Struct, frozen=True, gc=False):
    service_account_id: str
    type: Literal["service_account_actor"] = "service_account_actor"


ActorObject = ApiActor | SessionActor | UserActor | ServiceAccountActor
ACTOR_OBJECTS: dict[str, Any] = {
    "api_actor": ApiActor,
    "session_actor": SessionActor,
    "user_actor": UserActor,
    "service_account_actor": ServiceAccountActor,
}


class MemoryVersionObject(msgspec.Struct, frozen=True, gc=False):
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
    type: Literal["memory_version"] = "memory_version"


class DeletedStoreObject(msgspec.Struct, frozen=True):
    id: str
    type: Literal["memory_store_deleted"] = "memory_store_deleted"


class DeletedMemoryObject(msgspec.Struct, frozen=True):
    id: str
    type: Literal["memory_deleted"] = "memory_deleted"


class PageObject(msgspec.Struct, frozen=True):
    data: list[Any]
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
