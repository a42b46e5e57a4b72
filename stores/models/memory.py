"""Memories: the live paths of a store, each pointing at its newest version."""

from django.db import models

from stores.models.fields import BytewiseField, IdField
from stores.models.store import MemoryStore


class Memory(models.Model):
    """A live path. It holds no text: the head version does, the only copy (performance.md, finding 3)."""

    id = IdField(primary_key=True, editable=False)
    # The unique constraint below begins with the store, so no index of its own is needed.
    store = models.ForeignKey(MemoryStore, models.CASCADE, related_name="memories", db_index=False)
    path = BytewiseField()
    # Plain values, not keys: checking them would cost every write a lookup, and verify_history
    # proves them.
    head_version_id = IdField()
    head_seq = models.PositiveIntegerField()
    head_chain = models.BinaryField()
    content_sha256 = BytewiseField()
    content_size_bytes = models.PositiveIntegerField()
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()
    # Moves at most once an hour, and only when an agent was served the text (decisions.md, 10).
    last_read_at = models.DateTimeField(null=True, blank=True)
    # Whether the search index holds the head's text; each write clears it (decisions.md, 11).
    is_indexed = models.BooleanField(default=False, db_default=False)

    class Meta:
        verbose_name_plural = "memories"
        constraints = [
            models.UniqueConstraint(fields=["store", "path"], name="memory_path_once_per_store"),
            models.CheckConstraint(condition=models.Q(head_seq__gte=1), name="memory_head_seq_from_1"),
        ]
        indexes = [
            # The few that a search has to scan and the job has to index.
            models.Index(fields=["store"], condition=models.Q(is_indexed=False), name="memory_not_indexed"),
        ]

    def __str__(self) -> str:
        return self.path
