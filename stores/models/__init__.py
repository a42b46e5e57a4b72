"""Tables: fields, constraints, cheap properties; no rules (those live in stores/domain/)."""

from stores.models.api_key import Access, ApiKey
from stores.models.memory import Memory
from stores.models.search import SearchEntry, SearchRemoval
from stores.models.store import MemoryStore
from stores.models.user import User
from stores.models.version import MemoryVersion, Operation
from stores.models.workspace import Membership, Role, Workspace

__all__ = [
    "Access",
    "ApiKey",
    "Membership",
    "Memory",
    "MemoryStore",
    "MemoryVersion",
    "Operation",
    "Role",
    "SearchEntry",
    "SearchRemoval",
    "User",
    "Workspace",
]
