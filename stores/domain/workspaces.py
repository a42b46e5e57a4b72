"""Workspaces and who belongs to them."""

import unicodedata
from datetime import datetime

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import IntegrityError, transaction

from stores.domain import clock
from stores.domain.errors import InvalidInput, NotFound
from stores.domain.limits import STORE_NAME_CHARACTERS
from stores.models import Membership, Role, User, Workspace, ids


@transaction.atomic
def create_workspace(*, name: str, now: datetime | None = None) -> Workspace:
    """A new, empty workspace. Raises InvalidInput."""
    name = check_display_name(name)
    now = now or clock.now_utc()
    return Workspace.objects.create(id=ids.make_id(ids.WORKSPACE, now), name=name, created_at=now)


def check_display_name(name: str) -> str:
    """The name without outer blanks; raises InvalidInput."""
    name = name.strip()
    if not 1 <= len(name) <= STORE_NAME_CHARACTERS:
        raise InvalidInput(f"name must have 1 to {STORE_NAME_CHARACTERS} characters.")
    if any(unicodedata.category(character) in ("Cc", "Cs") for character in name):
        raise InvalidInput("name must not hold control characters.")
    return name


def get_workspace(*, workspace_id: str | None = None) -> Workspace:
    """The workspace with that id, or the oldest, which `migrate` makes. Raises NotFound."""
    workspaces = Workspace.objects.order_by("id")
    found = workspaces.filter(id=workspace_id).first() if workspace_id else workspaces.first()
    if found is None:
        raise NotFound(
            f"There is no workspace {workspace_id!r}." if workspace_id else "There is no workspace."
        )
    return found


@transaction.atomic
def create_user(
    *, email: str, name: str = "", password: str | None = None, is_superuser: bool = False
) -> User:
    """A person; without a password nobody can sign in as them yet.

    Raises InvalidInput for a bad or taken address or a bad name.
    """
    email = email.strip()
    name = check_display_name(name) if name else ""
    try:
        validate_email(email)
    except ValidationError:
        raise InvalidInput(f"{email!r} is not an e-mail address.") from None
    try:
        with transaction.atomic():
            return User.objects.create_user(
                email, password, name=name, is_staff=is_superuser, is_superuser=is_superuser
            )
    except IntegrityError:
        raise InvalidInput(f"Somebody already has the address {email!r}.") from None


@transaction.atomic
def add_member(*, workspace: Workspace, user: User, role: Role | str) -> Membership:
    """Gives a person a role in a workspace, or another one than before."""
    membership, created = Membership.objects.get_or_create(
        workspace=workspace, user=user, defaults={"role": Role(role)}
    )
    if not created and membership.role != role:
        membership.role = Role(role)
        membership.save(update_fields=["role"])
    return membership
