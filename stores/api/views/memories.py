"""M1 to M5: memories."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from stores.api import representations
from stores.api.errors import invalid_request
from stores.api.pagination import make_cursor, read_cursor
from stores.api.representations import DeletedMemoryObject, MemoryObject, MemoryPrefixObject, PageObject
from stores.api.road import Call, Resource
from stores.domain import listing, memories
from stores.domain.actors import Right
from stores.domain.limits import CONTENT_BYTES, PAGE_ITEMS_WITH_CONTENT, PATH_BYTES, PATH_SEGMENTS
from stores.domain.paths import check_path_prefix

store_memories = Resource()
store_memory = Resource()


# The limits are written here for the OpenAPI document only; the domain holds requests to them.
Path = Annotated[
    str,
    Meta(
        description=f"At most {PATH_BYTES} bytes of UTF-8 in Normalization Form C and {PATH_SEGMENTS} "
        "segments, none of them empty, '.' or '..'; no control or format characters.",
        examples=["/notes/todo.md"],
        extra_json_schema={
            "maxLength": PATH_BYTES,
            "pattern": f"^(/[^/\\u0000-\\u001f\\u007f-\\u009f]+){{1,{PATH_SEGMENTS}}}$",
        },
    ),
]
Content = Annotated[
    str,
    Meta(
        description=f"At most {CONTENT_BYTES} bytes of UTF-8, kept byte for byte; not the character U+0000.",
        extra_json_schema={"maxLength": CONTENT_BYTES},
    ),
]


class CreateMemory(msgspec.Struct, forbid_unknown_fields=True):
    path: Path
    content: Content


class ContentPrecondition(msgspec.Struct, forbid_unknown_fields=True):
    type: Literal["content_sha256"]
    content_sha256: Annotated[
        str,
        Meta(
            description="What the caller believes the current content's hash to be.",
            extra_json_schema={"pattern": "^[0-9a-f]{64}$"},
        ),
    ]


class UpdateMemory(msgspec.Struct, forbid_unknown_fields=True):
    """Content, path or both. An explicit null is the same as leaving the key out (C 4.3)."""

    content: Content | None = None
    path: Path | None = None
    precondition: ContentPrecondition | None = None


@store_memories.on("POST", right=Right.WRITE, body=CreateMemory)
def create_memory(call: Call, store_id: str) -> MemoryObject:
    body: CreateMemory = call.body
    with_content = call.query.with_content("basic")
    memory = memories.create_memory(actor=call.actor, store_id=store_id, path=body.path, content=body.content)
    return representations.memory(memory, with_content)


@store_memories.on("GET", right=Right.READ)
def list_memories(call: Call, store_id: str) -> PageObject[MemoryObject | MemoryPrefixObject]:
    query = call.query
    path_prefix = check_path_prefix(query.text("path_prefix") or "")
    depth = query.integer("depth", 0, low=0, high=1)
    with_content = query.with_content("basic")
    limit = query.limit()
    scope = ["memories", store_id, path_prefix, depth]
    page = listing.list_memories(
        actor=call.actor,
        store_id=store_id,
        path_prefix=path_prefix,
        depth=depth,
        with_content=with_content,
        after=read_cursor(query.text("page"), scope),
        # A page of texts is cut to twenty, whatever is asked for (C 4.6).
        limit=min(limit, PAGE_ITEMS_WITH_CONTENT) if with_content else limit,
    )
    return PageObject(
        [representations.memory_item(item, with_content) for item in page.items],
        make_cursor(page.next, scope) if page.next else None,
    )


@store_memory.on("GET", right=Right.READ)
def retrieve_memory(call: Call, store_id: str, memory_id: str) -> MemoryObject:
    with_content = call.query.with_content("full")
    memory = memories.get_memory(
        actor=call.actor, store_id=store_id, memory_id=memory_id, with_content=with_content
    )
    return representations.memory(memory, with_content)


@store_memory.on("POST", right=Right.WRITE, body=UpdateMemory)
def update_memory(call: Call, store_id: str, memory_id: str) -> MemoryObject:
    body: UpdateMemory = call.body
    with_content = call.query.with_content("basic")
    if body.content is None and body.path is None:
        raise invalid_request("An update needs content, path or both.")
    memory = memories.update_memory(
        actor=call.actor,
        store_id=store_id,
        memory_id=memory_id,
        content=body.content,
        path=body.path,
        expected_sha256=body.precondition.content_sha256 if body.precondition else None,
    )
    if with_content and memory.content is None:
        # A rename to the path the memory has already: nothing was written and no text read.
        memory = memories.get_memory(actor=call.actor, store_id=store_id, memory_id=memory_id)
    return representations.memory(memory, with_content)


@store_memory.on("DELETE", right=Right.WRITE)
def delete_memory(call: Call, store_id: str, memory_id: str) -> DeletedMemoryObject:
    memories.delete_memory(
        actor=call.actor,
        store_id=store_id,
        memory_id=memory_id,
        expected_sha256=call.query.parameters.get("expected_content_sha256"),
    )
    return DeletedMemoryObject(memory_id)
