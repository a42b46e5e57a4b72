"""V1 to V3: memory versions."""

from stores.api import representations
from stores.api.pagination import make_cursor, read_cursor
from stores.api.representations import MemoryVersionObject, PageObject
from stores.api.road import Call, Resource
from stores.domain import listing, versions
from stores.domain.actors import ActorType, Right
from stores.domain.limits import PAGE_ITEMS_WITH_CONTENT
from stores.domain.stores import require_visible
from stores.models import Operation

store_versions = Resource()
store_version = Resource()
store_version_redact = Resource()

ACTOR_FILTERS = {
    "session_id": ActorType.SESSION,
    "api_key_id": ActorType.API,
    "service_account_id": ActorType.SERVICE_ACCOUNT,
}


@store_versions.on("GET", right=Right.READ)
def list_memory_versions(call: Call, store_id: str) -> PageObject[MemoryVersionObject]:
    query = call.query
    memory_id = query.text("memory_id")
    operation = query.choice("operation", tuple(Operation.values), None)
    actors = [(kind, value) for name, kind in ACTOR_FILTERS.items() if (value := query.text(name))]
    created_gte = query.instant("created_at[gte]")
    created_lte = query.instant("created_at[lte]")
    with_content = query.with_content("basic")
    limit = query.limit()
    scope = ["versions", store_id, memory_id, operation, actors, created_gte, created_lte]
    after = read_cursor(query.text("page"), scope)
    if len(actors) > 1:
        # The filters combine with AND, and a version has one actor.
        require_visible(actor=call.actor, store_id=store_id)
        return PageObject([], None)
    actor_type, actor_id = actors[0] if actors else (None, None)
    page = listing.list_versions(
        actor=call.actor,
        store_id=store_id,
        memory_id=memory_id,
        operation=operation,
        actor_type=actor_type,
        actor_id=actor_id,
        created_gte=created_gte,
        created_lte=created_lte,
        with_content=with_content,
        after=after,
        limit=min(limit, PAGE_ITEMS_WITH_CONTENT) if with_content else limit,
    )
    return PageObject(
        [representations.memory_version(version, with_content) for version in page.items],
        make_cursor(page.next, scope) if page.next else None,
    )


@store_version.on("GET", right=Right.READ)
def retrieve_memory_version(call: Call, store_id: str, version_id: str) -> MemoryVersionObject:
    with_content = call.query.with_content("full")
    version = versions.get_version(
        actor=call.actor, store_id=store_id, version_id=version_id, with_content=with_content
    )
    return representations.memory_version(version, with_content)


@store_version_redact.on("POST", right=Right.REDACT)
def redact_memory_version(call: Call, store_id: str, version_id: str) -> MemoryVersionObject:
    version = versions.redact_version(actor=call.actor, store_id=store_id, version_id=version_id)
    return representations.memory_version(version, with_content=False)
