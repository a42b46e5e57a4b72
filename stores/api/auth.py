"""From a request's credential to the actor behind it (contract/memory_stores_api.md, 1.1 to 1.3)."""

import time

from django.http import HttpRequest

from stores.api.errors import ApiError
from stores.domain.actors import Actor, key_actor
from stores.domain.api_keys import find_api_key

# Revocation must hold within one second in every process (decisions.md, 4).
CACHED_SECONDS = 0.9
CACHED_KEYS = 10_000
_cache: dict[str, tuple[float, Actor]] = {}


def authenticate(request: HttpRequest) -> Actor:
    """The actor of the key in `Authorization: Bearer` or `X-Api-Key`. Raises ApiError 401."""
    secret = _secret(request)
    known = _cache.get(secret)
    moment = time.monotonic()
    if known is not None and known[0] > moment:
        actor = known[1]
    else:
        key = find_api_key(secret=secret)
        if key is None:
            _cache.pop(secret, None)
            raise _unauthenticated("The API key is unknown, revoked or expired.")
        actor = key_actor(api_key=key)
        if len(_cache) >= CACHED_KEYS:
            _cache.clear()
        _cache[secret] = (moment + CACHED_SECONDS, actor)
    return actor


def check_workspace(request: HttpRequest, actor: Actor) -> None:
    """C 1.3: a workspace that is named must be the credential's. Raises ApiError 403."""
    named = request.META.get("HTTP_ANTHROPIC_WORKSPACE_ID")
    if named and named != actor.workspace_id:
        raise ApiError(
            403,
            "permission_error",
            "anthropic-workspace-id does not name this credential's workspace.",
        )


def _secret(request: HttpRequest) -> str:
    # Keys and tokens are told apart by value, so either header carries either.
    header = request.META.get("HTTP_AUTHORIZATION")
    if header:
        scheme, _, value = header.partition(" ")
        if scheme.lower() == "bearer" and value.strip():
            return value.strip()
        raise _unauthenticated("The Authorization header must be 'Bearer' and an API key.")
    value = request.META.get("HTTP_X_API_KEY", "").strip()
    if not value:
        raise _unauthenticated("An API key is needed, as 'Authorization: Bearer …' or 'x-api-key: …'.")
    return value


def _unauthenticated(message: str) -> ApiError:
    return ApiError(401, "authentication_error", message, {"www-authenticate": "Bearer"})
