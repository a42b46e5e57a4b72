"""The one table from what went wrong to status and body (contract/memory_stores_api.md, 5)."""

from dataclasses import dataclass, field
from typing import Any

from stores.domain import errors as domain


@dataclass
class ApiError(Exception):
    """Something wrong with the request itself, before the domain is asked."""

    status: int
    type: str
    message: str
    headers: dict[str, str] = field(default_factory=dict)


def invalid_request(message: str) -> ApiError:
    return ApiError(400, "invalid_request_error", message)


# The first class that fits counts, so the special ones come first.
TABLE: tuple[tuple[type[domain.DomainError], int, str], ...] = (
    (domain.InvalidInput, 400, "invalid_request_error"),
    (domain.PermissionDenied, 403, "permission_error"),
    (domain.NotFound, 404, "not_found_error"),
    (domain.PathTaken, 409, "memory_path_conflict_error"),
    (domain.PreconditionFailed, 409, "memory_precondition_failed_error"),
    (domain.Conflict, 409, "conflict_error"),
    (domain.Refused, 400, "invalid_request_error"),
)

# The SDKs repeat every 409 twice unless told not to; a conflict does not go away by itself (C 5.3).
DO_NOT_RETRY = {"x-should-retry": "false"}


def describe(error: Exception) -> tuple[int, dict[str, Any], dict[str, str]]:
    """Status, the `error` object, and headers, for what a view raised; re-raises what is not ours."""
    if isinstance(error, ApiError):
        return error.status, {"type": error.type, "message": error.message}, error.headers
    for kind, status, wire_type in TABLE:
        if isinstance(error, kind):
            body = {"type": wire_type, "message": error.message, **error.details}
            return status, body, DO_NOT_RETRY if status == 409 else {}
    raise error
