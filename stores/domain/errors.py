"""What can be wrong with a request to the domain. Each road turns these into its own words (pure).

`message` is written for the caller and never holds memory text. `details` are further facts that a
road may hand on.
"""

from typing import Any


class DomainError(Exception):
    """The root of the family: something the caller asked for cannot be done."""

    def __init__(self, message: str, **details: Any) -> None:
        super().__init__(message)
        self.message = message
        self.details = details


class InvalidInput(DomainError):
    """A value breaks a rule that holds whatever the state of the store."""


class PathInvalid(InvalidInput):
    """The text is not a memory path (contract/memory_stores_api.md, 4.2)."""


class ContentInvalid(InvalidInput):
    """The text cannot be a memory's content (contract/memory_stores_api.md, 4.3)."""


class PermissionDenied(DomainError):
    """The actor may not do this, whatever the state of the store."""


class NotFound(DomainError):
    """There is no such thing, or it is somebody else's, which must look the same."""


class StoreNotFound(NotFound):
    pass


class MemoryNotFound(NotFound):
    pass


class VersionNotFound(NotFound):
    pass


class Refused(DomainError):
    """The rule that refuses depends on the state of the store."""


class StoreArchived(Refused):
    pass


class LimitReached(Refused):
    pass


class VersionIsHead(Refused):
    pass


class VersionRedacted(Refused):
    pass


class Conflict(DomainError):
    """Somebody else got there first; the caller has to look again."""


class PreconditionFailed(Conflict):
    pass


class PathTaken(Conflict):
    """`details` name the memory in the way: `conflicting_path`, `conflicting_memory_id`."""
