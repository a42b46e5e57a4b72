"""Keys by which agents and scripts reach the API."""

from django.db import models
from django.utils import timezone
from simple_history.models import HistoricalRecords

from stores.models import ids
from stores.models.fields import IdField
from stores.models.workspace import Workspace


def make_api_key_id() -> str:
    return ids.make_id(ids.API_KEY, timezone.now())


class Access(models.TextChoices):
    """What a key may do (decisions.md, 1)."""

    READ_ONLY = "read_only"
    READ_WRITE = "read_write"
    ADMIN = "admin"


class ApiKey(models.Model):
    """A key; its secret is kept only as a SHA-256 (it has 256 random bits, so no slow hash is needed)."""

    id = IdField(primary_key=True, default=make_api_key_id, editable=False)
    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="api_keys")
    name = models.CharField(max_length=255)
    secret_sha256 = models.CharField(max_length=64, unique=True, editable=False)
    access = models.CharField(max_length=20, choices=Access.choices, default=Access.ADMIN)
    # Plain ids, not a relation: a key limited to stores that are gone must reach none, not all.
    store_ids = models.JSONField(
        null=True, blank=True, help_text="Stores the key is limited to; null for all."
    )
    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True, editable=False)

    history = HistoricalRecords(excluded_fields=["last_used_at", "secret_sha256"])

    class Meta:
        constraints = [
            models.CheckConstraint(condition=models.Q(access__in=Access.values), name="api_key_access_known"),
        ]

    def __str__(self) -> str:
        return self.name
