"""Lets a person into a workspace."""

import secrets
from argparse import ArgumentParser
from typing import Any

from django.db import transaction

from stores.domain import workspaces
from stores.management.base import DomainCommand
from stores.models import Role, User

PASSWORD_BYTES = 12


class Command(DomainCommand):
    help = (
        "Gives a person a role in a workspace. Somebody who is new gets an account with a random password, "
        "printed once on the last line."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("email")
        parser.add_argument("--name", default="", help="how the person is shown (for somebody who is new)")
        parser.add_argument("--workspace", metavar="ID", help="default: the oldest")
        parser.add_argument("--role", choices=Role.values, default=Role.VIEWER, help="default: viewer")

    @transaction.atomic
    def handle(self, *args: Any, **options: Any) -> None:
        workspace = workspaces.get_workspace(workspace_id=options["workspace"])
        user = User.objects.filter(email__iexact=options["email"].strip()).first()
        password = None
        if user is None:
            password = secrets.token_urlsafe(PASSWORD_BYTES)
            user = workspaces.create_user(email=options["email"], name=options["name"], password=password)
        workspaces.add_member(workspace=workspace, user=user, role=options["role"])
        self.stdout.write(f"{user.email} is {options['role']} in {workspace.name} ({workspace.id}).")
        if password is not None:
            self.stdout.write(password)
