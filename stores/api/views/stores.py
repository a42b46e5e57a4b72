"""S1 to S6: memory stores."""

from typing import Annotated

import msgspec
from msgspec import Meta

from stores.api import representations
from stores.api.pagination import make_cursor, read_cursor
from stores.api.representations import DeletedStoreObject, MemoryStoreObject, PageObject
from stores.api.road import Call, Resource
from stores.domain import limits, listing, stores
from stores.domain.actors import Right

memory_stores = Resource()
memory_store = Resource()
memory_store_archive = Resource()


# The limits are written here for the OpenAPI document only; the domain holds requests to them.
Name = Annotated[
    str,
    Meta(
        description="Need not be unique. No control characters.",
        extra_json_schema={
            "minLength": 1,
            "maxLength": limits.STORE_NAME_CHARACTERS,
            "pattern": "^[^\\u0000-\\u001f\\u007f-\\u009f]*$",
        },
    ),
]
Description = Annotated[str, Meta(extra_json_schema={"maxLength": limits.STORE_DESCRIPTION_CHARACTERS})]
MetadataKey = Annotated[
    str, Meta(extra_json_schema={"minLength": 1, "maxLength": limits.METADATA_KEY_CHARACTERS})
]
MetadataValue = Annotated[str, Meta(extra_json_schema={"maxLength": limits.METADATA_VALUE_CHARACTERS})]


class CreateStore(msgspec.Struct, forbid_unknown_fields=True):
    name: Name
    description: Description = ""
    metadata: Annotated[
        dict[MetadataKey, MetadataValue],
        Meta(extra_json_schema={"maxProperties": limits.METADATA_PAIRS}),
    ] = {}


class UpdateStore(msgspec.Struct, forbid_unknown_fields=True):
    """A null means "leave as it is", but for a key of `metadata`, which it removes (C 4.1)."""

    name: Name | None = None
    description: Description | None = None
    metadata: (
        Annotated[
            dict[str, MetadataValue | None],
            Meta(description="A patch: a text sets its key, null removes it, other keys stay."),
        ]
        | None
    ) = None


@memory_stores.on("POST", right=Right.MANAGE, body=CreateStore)
def create_memory_store(call: Call) -> MemoryStoreObject:
    body: CreateStore = call.body
    store = stores.create_store(
        actor=call.actor, name=body.name, description=body.description, metadata=body.metadata
    )
    return representations.memory_store(store)


@memory_stores.on("GET", right=Right.READ)
def list_memory_stores(call: Call) -> PageObject[MemoryStoreObject]:
    query = call.query
    include_archived = query.boolean("include_archived")
    created_gte = query.instant("created_at[gte]")
    created_lte = query.instant("created_at[lte]")
    limit = query.limit()
    scope = ["stores", call.actor.workspace_id, include_archived, created_gte, created_lte]
    page = listing.list_stores(
        actor=call.actor,
        include_archived=include_archived,
        created_gte=created_gte,
        created_lte=created_lte,
        after=read_cursor(query.text("page"), scope),
        limit=limit,
    )
    return PageObject(
        [representations.memory_store(store) for store in page.items],
        make_cursor(page.next, scope) if page.next else None,
    )


@memory_store.on("GET", right=Right.READ)
def retrieve_memory_store(call: Call, store_id: str) -> MemoryStoreObject:
    return representations.memory_store(stores.get_store(actor=call.actor, store_id=store_id))


@memory_store.on("POST", right=Right.MANAGE, body=UpdateStore)
def update_memory_store(call: Call, store_id: str) -> MemoryStoreObject:
    body: UpdateStore = call.body
    store = stores.update_store(
        actor=call.actor,
        store_id=store_id,
        name=body.name,
        description=body.description,
        metadata=body.metadata,
    )
    return representations.memory_store(store)


@memory_store.on("DELETE", right=Right.MANAGE)
def delete_memory_store(call: Call, store_id: str) -> DeletedStoreObject:
    stores.delete_store(actor=call.actor, store_id=store_id)
    return DeletedStoreObject(store_id)


@memory_store_archive.on("POST", right=Right.MANAGE)
def archive_memory_store(call: Call, store_id: str) -> MemoryStoreObject:
    return representations.memory_store(stores.archive_store(actor=call.actor, store_id=store_id))
