"""Reading a version, and redacting one."""

from datetime import datetime

from django.db import transaction
from django.db.models import Exists, OuterRef

from stores.domain import clock
from stores.domain.actors import Actor, Right
from stores.domain.errors import VersionIsHead, VersionNotFound
from stores.domain.stores import require_visible
from stores.models import Memory, MemoryVersion
from stores.models.statements import reads, storage
from stores.models.statements.rows import VersionRow


def get_version(*, actor: Actor, store_id: str, version_id: str, with_content: bool = True) -> VersionRow:
    """One version, redacted or not. Raises StoreNotFound, VersionNotFound."""
    actor.require(Right.READ)
    version = None
    if actor.reaches(store_id):
        version = reads.read_version(
            workspace_id=actor.workspace_id,
            store_id=store_id,
            version_id=version_id,
            with_content=with_content,
        )
    if version is None:
        require_visible(actor=actor, store_id=store_id)
        raise VersionNotFound(f"There is no memory version {version_id!r} in this store.")
    return version


@transaction.atomic
def redact_version(
    *, actor: Actor, store_id: str, version_id: str, now: datetime | None = None
) -> VersionRow:
    """Empties a version for good and keeps what proves that it was there (C 4.5).

    Works in archived stores and on versions of deleted memories. A second redaction changes nothing: the
    first time and actor stay. Raises StoreNotFound, VersionNotFound, VersionIsHead, PermissionDenied.
    """
    actor.require(Right.REDACT)
    require_visible(actor=actor, store_id=store_id)
    # One conditional update: a version that is not the head now never becomes it again.
    is_head = Memory.objects.filter(id=OuterRef("memory_id"), head_version_id=OuterRef("id"))
    emptied = (
        MemoryVersion.objects.filter(id=version_id, store_id=store_id, redacted_at__isnull=True)
        .filter(~Exists(is_head))
        .update(
            path=None,
            content=None,
            content_sha256=None,
            content_size_bytes=None,
            salt=None,
            redacted_at=now or clock.now_utc(),
            redacted_by_type=actor.type,
            redacted_by_id=actor.id,
            redacted_by_label=actor.label,
        )
    )
    version = get_version(actor=actor, store_id=store_id, version_id=version_id)
    if version.redacted_at is None:
        raise VersionIsHead(
            "This version is the current content of a live memory. Update or delete the memory first, "
            "then redact this version."
        )
    if emptied:
        transaction.on_commit(storage.overwrite_removed_text, robust=True)
    return version
