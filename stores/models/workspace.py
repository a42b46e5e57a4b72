"""Tenants, and who belongs to them."""

from django.db import models
from django.utils import timezone
from simple_history.models import HistoricalRecords

from stores.models import ids
from stores.models.fields import IdField
from stores.models.user import User


def make_workspace_id() -> str:
    return ids.make_id(ids.WORKSPACE, timezone.now())


def make_membership_id() -> str:
    return ids.make_id(ids.MEMBERSHIP, timezone.now())


class Workspace(models.Model):
    """A tenant. Every query starts from one."""

    id = IdField(primary_key=True, default=make_workspace_id, editable=False)
    name = models.CharField(max_length=255)
    created_at = models.DateTimeField(default=timezone.now)

    members = models.ManyToManyField(User, through="Membership", related_name="workspaces")

    history = HistoricalRecords()

    def __str__(self) -> str:
        return self.name


class Role(models.TextChoices):
    VIEWER = "viewer"
    EDITOR = "editor"
    REVIEWER = "reviewer"
    ADMIN = "admin"


class Membership(models.Model):
    id = IdField(primary_key=True, default=make_membership_id, editable=False)
    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="memberships")
    user = models.ForeignKey(User, models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=20, choices=Role.choices)
    created_at = models.DateTimeField(default=timezone.now)

    history = HistoricalRecords()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["workspace", "user"], name="membership_once"),
            models.CheckConstraint(condition=models.Q(role__in=Role.values), name="membership_role_known"),
        ]

    def __str__(self) -> str:
        return f"{self.user} in {self.workspace} ({self.role})"
