"""Stores: named sets of memories."""

from django.db import models
from django.utils import timezone
from simple_history.models import HistoricalRecords

from stores.models import ids
from stores.models.fields import IdField
from stores.models.workspace import Workspace


def make_store_id() -> str:
    return ids.make_id(ids.STORE, timezone.now())


class MemoryStore(models.Model):
    id = IdField(primary_key=True, default=make_store_id, editable=False)
    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="stores", db_index=False)
    name = models.CharField(max_length=255)
    description = models.CharField(max_length=1024, blank=True, default="")
    metadata = models.JSONField(default=dict, blank=True)
    created_at = models.DateTimeField(default=timezone.now)
    updated_at = models.DateTimeField(default=timezone.now)
    archived_at = models.DateTimeField(null=True, blank=True)
    # Deleted for everybody at once; the rows below it are removed in batches afterwards.
    deleted_at = models.DateTimeField(null=True, blank=True)
    # Kept by each write in its own transaction: count(*) for the limit of 10,000 costs four fifths of
    # the create rate (performance.md, finding 6).
    memory_count = models.PositiveIntegerField(default=0)

    history = HistoricalRecords(excluded_fields=["memory_count"])

    class Meta:
        indexes = [models.Index(fields=["workspace", "id"], name="store_workspace_id")]

    def __str__(self) -> str:
        return self.name
