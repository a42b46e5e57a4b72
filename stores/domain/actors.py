"""Who acts, by which road, and what that one may do (pure).

Every domain function is handed an actor; nothing is taken from a thread-local or the current request.
The three plain values `type`, `id` and `label` are what a version keeps; they outlive whom they name.
"""

from dataclasses import dataclass
from enum import StrEnum

from stores.domain.errors import PermissionDenied
from stores.models import Access, ApiKey, Membership, Role, ids


class ActorType(StrEnum):
    """The four types of the wire; there is no fifth (contract/memory_stores_api.md, 3.5)."""

    API = "api_actor"
    SESSION = "session_actor"
    USER = "user_actor"
    SERVICE_ACCOUNT = "service_account_actor"


# What each kind's ids begin with (contract/memory_stores_api.md, 3.7).
ID_PREFIXES = {
    ActorType.API: ids.API_KEY,
    ActorType.SESSION: ids.SESSION,
    ActorType.USER: ids.USER,
    ActorType.SERVICE_ACCOUNT: ids.SERVICE_ACCOUNT,
}


class Road(StrEnum):
    """By which way a change came in."""

    API = "api"
    CONSOLE = "console"
    TOOL = "tool"
    MCP = "mcp"
    SYNC = "sync"
    IMPORT = "import"
    DREAM = "dream"
    RETENTION = "retention"


class Right(StrEnum):
    READ = "read"
    WRITE = "write"  # create, update, rename, delete memories
    REDACT = "redact"  # empty versions
    MANAGE = "manage"  # create, update, archive, delete stores


# decisions.md, 1
RIGHTS_OF_ACCESS = {
    Access.READ_ONLY: frozenset({Right.READ}),
    Access.READ_WRITE: frozenset({Right.READ, Right.WRITE}),
    Access.ADMIN: frozenset(Right),
}
# console.md, last paragraph of "Pages"
RIGHTS_OF_ROLE = {
    Role.VIEWER: frozenset({Right.READ}),
    Role.EDITOR: frozenset({Right.READ, Right.WRITE}),
    Role.REVIEWER: frozenset({Right.READ, Right.WRITE, Right.REDACT}),
    Role.ADMIN: frozenset(Right),
}
SENTENCE_OF_RIGHT = {
    Right.READ: "read memories",
    Right.WRITE: "write memories",
    Right.REDACT: "redact versions",
    Right.MANAGE: "create, change, archive or delete stores",
}


@dataclass(frozen=True, slots=True)
class Actor:
    """`store_ids` limits what the actor reaches; None is the whole workspace."""

    type: ActorType
    id: str
    label: str
    workspace_id: str
    rights: frozenset[Right]
    road: Road
    store_ids: frozenset[str] | None = None
    # An agent in the sense of decisions.md, 2: what it is served counts as a read.
    is_agent: bool = False

    def require(self, right: Right) -> None:
        """Raises PermissionDenied when the actor lacks the right."""
        if right not in self.rights:
            raise PermissionDenied(f"This credential may not {SENTENCE_OF_RIGHT[right]}.")

    def reaches(self, store_id: str) -> bool:
        return self.store_ids is None or store_id in self.store_ids


def key_actor(*, api_key: ApiKey, road: Road = Road.API) -> Actor:
    """The actor behind an API key."""
    access = Access(api_key.access)
    return Actor(
        type=ActorType.API,
        id=api_key.id,
        label=api_key.name,
        workspace_id=api_key.workspace_id,
        rights=RIGHTS_OF_ACCESS[access],
        road=road,
        store_ids=None if api_key.store_ids is None else frozenset(api_key.store_ids),
        is_agent=access is not Access.ADMIN,
    )


def member_actor(*, membership: Membership, road: Road = Road.CONSOLE) -> Actor:
    """A person in a workspace."""
    user = membership.user
    return Actor(
        type=ActorType.USER,
        id=user.id,
        label=str(user),
        workspace_id=membership.workspace_id,
        rights=RIGHTS_OF_ROLE[Role(membership.role)],
        road=road,
    )


def session_actor(
    *,
    session_id: str,
    label: str,
    workspace_id: str,
    store_ids: frozenset[str] | None = None,
    read_only: bool = False,
    road: Road = Road.API,
) -> Actor:
    """An agent's run. It writes memories but never redacts or manages stores (C 4.5)."""
    access = Access.READ_ONLY if read_only else Access.READ_WRITE
    return Actor(
        type=ActorType.SESSION,
        id=session_id,
        label=label,
        workspace_id=workspace_id,
        rights=RIGHTS_OF_ACCESS[access],
        road=road,
        store_ids=store_ids,
        is_agent=True,
    )
