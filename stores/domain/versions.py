"""Reading a version, and redacting one."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Case, Exists, F, OuterRef, Q, Value, When

from stores.domain import clock, search_index
from stores.domain.actors import Actor, Right
from stores.domain.errors import VersionIsHead, VersionNotFound
from stores.domain.memories import check_reason
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
    *, actor: Actor, store_id: str, version_id: str, reason: str = "", now: datetime | None = None
) -> VersionRow:
    """Empties a version for good and keeps what proves that it was there (C 4.5).

    Works in archived stores and on versions of deleted memories. A second redaction changes nothing: the
    first time, actor and reason stay; of one with redacted spans it takes the rest too.

    Raises InvalidInput (the reason), StoreNotFound, VersionNotFound, VersionIsHead, PermissionDenied.
    """
    actor.require(Right.REDACT)
    require_visible(actor=actor, store_id=store_id)
    by = redaction_by(actor, reason, now)
    empty_versions(store_id=store_id, version_ids=[version_id], by=by)
    version = get_version(actor=actor, store_id=store_id, version_id=version_id)
    if version.redacted_at is None:
        raise VersionIsHead(
            "This version is the current content of a live memory. Update or delete the memory first, "
            "then redact this version."
        )
    return version


def empty_versions(*, store_id: str, version_ids: Sequence[str], by: Mapping[str, Any]) -> list[str]:
    """Empties those of these versions of a store that have anything left and are no head; answers which.
    `by` is what `redaction_by` gave.

    In the caller's transaction, who has checked the right and the store.
    """
    # A version that is not the head now never becomes it again.
    is_head = Memory.objects.filter(id=OuterRef("memory_id"), head_version_id=OuterRef("id"))
    rows = MemoryVersion.objects.filter(id__in=version_ids, store_id=store_id).filter(
        Q(redacted_at__isnull=True) | Q(masked_content__isnull=False), ~Exists(is_head)
    )
    emptied = list(rows.values_list("id", flat=True))
    if not emptied:
        return []
    # While the text is still there: SQLite's index needs it to forget it.
    search_index.forget_versions(emptied)
    rows.update(
        path=None,
        content=None,
        content_sha256=None,
        content_size_bytes=None,
        salt=None,
        # It may quote the text.
        reason="",
        masked_path=None,
        masked_content=None,
        span_redacted_at=None,
        span_redacted_by_type=None,
        span_redacted_by_id=None,
        span_redacted_by_label=None,
        **by,
    )
    transaction.on_commit(storage.overwrite_removed_text, robust=True)
    return emptied


def redaction_by(actor: Actor, reason: str, now: datetime | None) -> dict[str, Any]:
    """Who redacted, when and why, for an update of rows: those of the first time stay.

    Raises InvalidInput.
    """
    values = {
        "redacted_at": now or clock.now_utc(),
        "redacted_by_type": actor.type.value,
        "redacted_by_id": actor.id,
        "redacted_by_label": actor.label,
        "redacted_reason": check_reason(reason),
    }
    fields: Any = MemoryVersion._meta
    return {
        name: Case(
            When(redacted_at__isnull=True, then=Value(value, output_field=fields.get_field(name))),
            default=F(name),
        )
        for name, value in values.items()
    }
