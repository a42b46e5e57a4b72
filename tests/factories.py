"""The things that tests are about, made through the domain functions as in real life.

Give a workspace, a store or an actor where it matters; whatever is left out is made for the occasion.
"""

from datetime import UTC, datetime
from itertools import count

from stores.domain import api_keys, memories, stores, versions, workspaces
from stores.domain.actors import Actor, key_actor, member_actor
from stores.models import ApiKey, Membership, MemoryStore, Role, User, Workspace
from stores.models.statements.rows import MemoryRow, VersionRow

_numbers = count(1)


def make_workspace(*, name: str = "", **fields) -> Workspace:
    return workspaces.create_workspace(name=name or f"Workspace {next(_numbers)}", **fields)


def make_default_workspace() -> Workspace:
    """The one that `migrate` made, again where another test has emptied the tables."""
    first = Workspace.objects.order_by("id").first()
    if first is not None and first.name == "Default":
        return first
    return make_workspace(name="Default", now=datetime(2020, 1, 1, tzinfo=UTC))


def make_user(*, email: str = "", name: str = "Robin Reed", password: str | None = None, **fields) -> User:
    email = email or f"person-{next(_numbers)}@example.com"
    return workspaces.create_user(email=email, name=name, password=password, **fields)


def make_member(
    *, workspace: Workspace | None = None, user: User | None = None, role: str = Role.ADMIN
) -> Membership:
    return workspaces.add_member(workspace=workspace or make_workspace(), user=user or make_user(), role=role)


def make_api_key(
    *, workspace: Workspace | None = None, name: str = "Agent", access: str = "admin", **fields
) -> tuple[ApiKey, str]:
    """The key and its secret."""
    return api_keys.create_api_key(
        workspace=workspace or make_workspace(), name=name, access=access, **fields
    )


def make_actor(*, workspace: Workspace | None = None, access: str = "admin", **fields) -> Actor:
    """The actor behind a new API key."""
    key, _secret = make_api_key(workspace=workspace, access=access, **fields)
    return key_actor(api_key=key)


def make_person(*, workspace: Workspace | None = None, role: str = Role.ADMIN) -> Actor:
    """The actor behind a new member."""
    return member_actor(membership=make_member(workspace=workspace, role=role))


def make_store(*, actor: Actor | None = None, name: str = "Notes", **fields) -> MemoryStore:
    return stores.create_store(actor=actor or make_actor(), name=name, **fields)


def make_memory(
    *,
    actor: Actor,
    store: MemoryStore,
    path: str = "",
    content: str = "Tea, not coffee.\n",
    **fields,
) -> MemoryRow:
    return memories.create_memory(
        actor=actor,
        store_id=store.id,
        path=path or f"/notes/{next(_numbers)}.md",
        content=content,
        **fields,
    )


def make_version(*, actor: Actor, memory: MemoryRow, content: str = "", **fields) -> VersionRow:
    """A further version of a live memory."""
    written = memories.update_memory(
        actor=actor,
        store_id=memory.store_id,
        memory_id=memory.id,
        content=content or f"Text {next(_numbers)}.\n",
        **fields,
    )
    return versions.get_version(actor=actor, store_id=memory.store_id, version_id=written.head_version_id)
