"""From nothing to a served workspace worth looking at: what `make run` calls."""

import os
import secrets
import sys
from argparse import ArgumentParser
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import transaction

from memconsole import environment, server
from stores.demo import build_demo_workspace
from stores.domain import api_keys, clock, workspaces
from stores.health import pending_migrations
from stores.management.base import DomainCommand, exit_when_asked
from stores.management.commands.serve import add_address_arguments
from stores.models import Role, User, Workspace

DEMO = "Demo"
# Without the ones that look alike: this is copied from a terminal by hand.
LETTERS = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"
PASSWORD_LENGTH = 16


@dataclass(frozen=True)
class FirstRun:
    """What the first run made; the secrets are nowhere else."""

    admin: User
    password: str
    workspace: Workspace
    secret: str


class Command(DomainCommand):
    help = (
        "Prepares the database, makes a first admin, a demo workspace and an API key the first time, "
        "and serves. Safe to repeat: what is there is kept."
    )
    # The system checks want tables that the first run has yet to make.
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_address_arguments(parser)
        parser.add_argument("--no-serve", action="store_true", help="prepare everything, then end")
        parser.add_argument("--no-demo", action="store_true", help="make no demo workspace")

    def handle(self, *args: Any, **options: Any) -> None:
        host, port = options["host"], options["port"]
        if not options["no_serve"]:
            # Before anything is made: secrets that are shown once must not scroll by above an error.
            try:
                server.require_free(server.resolve(host, port), port)
            except server.CannotServe as error:
                raise CommandError(str(error)) from None
        with exit_when_asked(clean=False):
            if pending_migrations():
                self.stdout.write("Preparing the database …")
                self.stdout.flush()
                call_command("migrate", interactive=False, verbosity=0)
            made = make_first(with_demo=not options["no_demo"])
        url = server.base_url(host, port)
        self.stdout.write(welcome(made, url) if made else welcome_back(url))
        self.stdout.flush()
        if not options["no_serve"]:
            call_command("serve", host=host, port=port)


@transaction.atomic
def make_first(*, with_demo: bool) -> FirstRun | None:
    """The first admin and all that comes with it, or nothing where there is an admin.

    One transaction: a first run that is cut short leaves nothing behind, and the next one is the first.
    """
    if User.objects.filter(is_superuser=True).exists():
        return None
    password = "".join(secrets.choice(LETTERS) for _ in range(PASSWORD_LENGTH))
    admin = workspaces.create_user(
        email=environment.text("MEMCONSOLE_ADMIN_EMAIL") or "admin@example.com",
        name="Admin",
        password=password,
        is_superuser=True,
    )
    workspace = workspaces.get_workspace()
    workspaces.add_member(workspace=workspace, user=admin, role=Role.ADMIN)
    if with_demo:
        workspace = workspaces.create_workspace(name=DEMO)
        workspaces.add_member(workspace=workspace, user=admin, role=Role.ADMIN)
        build_demo_workspace(workspace=workspace, admin=admin, now=clock.now_utc())
    _, secret = api_keys.create_api_key(workspace=workspace, name="quickstart")
    return FirstRun(admin, password, workspace, secret)


def welcome(made: FirstRun, url: str) -> str:
    return f"""
Sign in at {url} as

    {made.admin.email}
    {made.password}

An API key of the workspace {made.workspace.name} ({made.workspace.id}), with all rights:

    {made.secret}

Neither is shown again. A first look with the SDK (pip install anthropic):

    from anthropic import Anthropic

    client = Anthropic(base_url="{url}", api_key="{made.secret}")
    for store in client.beta.memory_stores.list():
        print(store.id, store.name)
"""


def welcome_back(url: str) -> str:
    admin = User.objects.filter(is_superuser=True).order_by("id")[0]
    # The demo's, where there is one: what the console shows and what a key reaches should be the same.
    newest = Workspace.objects.filter(members=admin).order_by("id").last()
    option = f" --workspace {newest.id}" if newest else ""
    return f"""
What is there was kept. Sign in at {url} as {admin.email}. Where a secret was lost:

    {manage()} changepassword {admin.email}
    {manage()} create_api_key NAME{option}
"""


def manage() -> str:
    """How to call a command from here."""
    python = Path(sys.executable)
    if python.is_relative_to(Path.cwd()):
        python = python.relative_to(Path.cwd())
    return f"{python} {os.path.basename(sys.argv[0]) or 'manage.py'}"
