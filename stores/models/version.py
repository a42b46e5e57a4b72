"""Versions: every change of a memory, one immutable row each."""

from django.db import models
from django.db.models import Q

from stores.models.fields import BytewiseField, IdField
from stores.models.store import MemoryStore


class Operation(models.TextChoices):
    CREATED = "created"
    MODIFIED = "modified"
    DELETED = "deleted"


class MemoryVersion(models.Model):
    """One change of a memory: what, who, when and why. Append-only; outlives its memory.

    Redaction empties `path`, `content`, its size and hash, and `salt`; what is left still proves order
    and authorship (decisions.md, 7; see domain/chain.py). Redaction of a span does the same and keeps the
    text without the span, for people only, in columns that no other reader looks at (decisions.md, 8).
    """

    id = IdField(primary_key=True, editable=False)
    # No database constraint: checking it takes a shared lock on the store's row in every write, over
    # which the writers of one store would queue. verify_history finds strays.
    store = models.ForeignKey(
        MemoryStore,
        models.DO_NOTHING,
        related_name="versions",
        db_constraint=False,
        db_index=False,
    )
    memory_id = IdField()
    # The number within its memory: 1, 2, 3 …
    seq = models.PositiveIntegerField()
    operation = BytewiseField(choices=Operation.choices)
    path = BytewiseField(null=True)
    content = models.TextField(null=True)
    content_sha256 = BytewiseField(null=True)
    content_size_bytes = models.PositiveIntegerField(null=True)
    created_at = models.DateTimeField()

    # Who did it, as plain values: the record outlives the key, the person and the session.
    actor_type = BytewiseField()
    actor_id = BytewiseField()
    actor_label = models.TextField(default="")
    road = BytewiseField()
    reason = models.TextField(default="")
    restored_from = IdField(null=True)

    redacted_at = models.DateTimeField(null=True)
    redacted_by_type = BytewiseField(null=True)
    redacted_by_id = BytewiseField(null=True)
    redacted_by_label = models.TextField(null=True)
    redacted_reason = models.TextField(null=True)

    # What people may still read after the redaction of spans; all empty in any other version.
    masked_path = BytewiseField(null=True)
    masked_content = models.TextField(null=True)
    span_redacted_at = models.DateTimeField(null=True)
    span_redacted_by_type = BytewiseField(null=True)
    span_redacted_by_id = BytewiseField(null=True)
    span_redacted_by_label = models.TextField(null=True)

    salt = models.BinaryField(null=True)
    commitment = models.BinaryField()
    chain = models.BinaryField()

    class Meta:
        constraints = [
            # The last guard against a lost update.
            models.UniqueConstraint(fields=["memory_id", "seq"], name="version_seq_once_per_memory"),
            models.CheckConstraint(
                condition=Q(operation__in=Operation.values), name="version_operation_known"
            ),
            models.CheckConstraint(
                condition=Q(redacted_at__isnull=False)
                | Q(path__isnull=False, salt__isnull=False, redacted_by_id__isnull=True),
                name="version_whole_unless_redacted",
            ),
            models.CheckConstraint(
                condition=Q(redacted_at__isnull=True)
                | Q(
                    path__isnull=True,
                    content__isnull=True,
                    content_sha256__isnull=True,
                    content_size_bytes__isnull=True,
                    salt__isnull=True,
                    redacted_by_id__isnull=False,
                ),
                name="version_empty_when_redacted",
            ),
            models.CheckConstraint(
                condition=Q(
                    masked_path__isnull=True,
                    masked_content__isnull=True,
                    span_redacted_at__isnull=True,
                    span_redacted_by_id__isnull=True,
                )
                | Q(
                    redacted_at__isnull=False,
                    masked_content__isnull=False,
                    span_redacted_at__isnull=False,
                    span_redacted_by_id__isnull=False,
                ),
                name="version_masked_only_when_span_redacted",
            ),
        ]
        indexes = [
            models.Index(fields=["store", "id"], name="version_store_id"),
            models.Index(fields=["memory_id", "id"], name="version_memory_id"),
            # With the operation, so that a rare one of a busy actor is found at once; the actor's
            # versions as a whole are three such runs, merged (statements/reads.py).
            models.Index(fields=["store", "actor_id", "operation", "id"], name="version_store_actor_op_id"),
            models.Index(fields=["store", "operation", "id"], name="version_store_operation_id"),
            # For the stream of everything: any of road, kind of actor and operation, those that are not
            # asked for as runs that are merged (statements/activity.py).
            models.Index(
                fields=["store", "road", "actor_type", "operation", "id"],
                name="version_store_road_kind_op_id",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.operation} {self.path or '(redacted)'} #{self.seq}"
