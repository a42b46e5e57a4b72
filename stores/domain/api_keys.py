"""API keys: made, found by their secret, revoked. Only a hash of the secret is kept."""

import secrets
from collections.abc import Iterable
from datetime import datetime, timedelta
from hashlib import sha256

from django.db import transaction
from django.db.models import Q

from stores.domain import clock
from stores.domain.errors import InvalidInput
from stores.domain.workspaces import check_display_name
from stores.models import Access, ApiKey, MemoryStore, Workspace, ids
from stores.models.statements import engine

SECRET_PREFIX = "mck_"  # noqa: S105 - what every secret begins with
SECRET_BYTES = 32
USE_NOTED_EVERY = timedelta(minutes=1)


def hash_secret(secret: str) -> str:
    """256 random bits need no slow hash: nobody can try them out."""
    return sha256(secret.encode()).hexdigest()


@transaction.atomic
def create_api_key(
    *,
    workspace: Workspace,
    name: str,
    access: Access | str = Access.ADMIN,
    store_ids: Iterable[str] | None = None,
    expires_at: datetime | None = None,
    now: datetime | None = None,
) -> tuple[ApiKey, str]:
    """A new key and its secret, which cannot be had again. Raises InvalidInput."""
    if access not in Access.values:
        raise InvalidInput(f"access must be one of {', '.join(Access.values)}.")
    now = now or clock.now_utc()
    limited_to = None
    if store_ids is not None:
        limited_to = sorted(set(store_ids))
        known = MemoryStore.objects.filter(
            workspace=workspace, id__in=limited_to, deleted_at__isnull=True
        ).values_list("id", flat=True)
        unknown = sorted(set(limited_to) - set(known))
        if unknown:
            raise InvalidInput(f"There is no memory store {unknown[0]!r} in this workspace.")
    secret = SECRET_PREFIX + secrets.token_urlsafe(SECRET_BYTES)
    key = ApiKey.objects.create(
        id=ids.make_id(ids.API_KEY, now),
        workspace=workspace,
        name=check_display_name(name),
        secret_sha256=hash_secret(secret),
        access=access,
        store_ids=limited_to,
        created_at=now,
        expires_at=expires_at,
    )
    return key, secret


def find_api_key(*, secret: str, now: datetime | None = None) -> ApiKey | None:
    """The key with this secret, unless it is revoked or expired; notes its use once a minute."""
    now = now or clock.now_utc()
    key = ApiKey.objects.filter(secret_sha256=hash_secret(secret), revoked_at__isnull=True).first()
    if key is None or is_expired(key, now):
        return None
    stale = now - USE_NOTED_EVERY
    if key.last_used_at is None or key.last_used_at < stale:
        # update() writes no history row, which is right: use is not a change of the key.
        used = ApiKey.objects.filter(Q(last_used_at__isnull=True) | Q(last_used_at__lt=stale), id=key.id)
        engine.write_if_free(lambda: used.update(last_used_at=now))
    return key


def is_expired(key: ApiKey, now: datetime) -> bool:
    return key.expires_at is not None and key.expires_at <= now


@transaction.atomic
def revoke_api_key(*, api_key: ApiKey, now: datetime | None = None) -> None:
    """Ends a key for good; a second call keeps the first time."""
    if api_key.revoked_at is None:
        api_key.revoked_at = now or clock.now_utc()
        api_key.save(update_fields=["revoked_at"])
