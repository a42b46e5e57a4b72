"""Going back writes something new: history is never rewound."""

from datetime import datetime

from django.db import transaction

from stores.domain.actors import Actor, Right
from stores.domain.errors import VersionRedacted
from stores.domain.memories import create_memory, update_memory
from stores.domain.versions import get_version
from stores.models import Memory
from stores.models.statements.rows import MemoryRow


@transaction.atomic
def restore_version(
    *,
    actor: Actor,
    store_id: str,
    version_id: str,
    reason: str = "",
    now: datetime | None = None,
) -> MemoryRow:
    """Gives a memory the content and path it had in `version_id`, as a new version that names it.

    A deleted memory comes back as a new memory at its old path (C 4.3: a path that was freed begins a new
    lineage). Restoring what the memory already holds changes nothing.

    Raises StoreNotFound, VersionNotFound, VersionRedacted (nothing is left to restore, also for a `deleted`
    version), StoreArchived, PathTaken, LimitReached.
    """
    actor.require(Right.WRITE)
    version = get_version(actor=actor, store_id=store_id, version_id=version_id)
    if version.redacted_at is not None:
        raise VersionRedacted("This version is redacted: nothing is left to restore.")
    if version.path is None or version.content is None:
        raise VersionRedacted("This version records a deletion: it holds no content to restore.")
    if Memory.objects.filter(id=version.memory_id, store_id=store_id).exists():
        return update_memory(
            actor=actor,
            store_id=store_id,
            memory_id=version.memory_id,
            content=version.content,
            path=version.path,
            reason=reason,
            restored_from=version.id,
            now=now,
        )
    return create_memory(
        actor=actor,
        store_id=store_id,
        path=version.path,
        content=version.content,
        reason=reason,
        restored_from=version.id,
        now=now,
    )
