"""Makes a workspace."""

from argparse import ArgumentParser
from typing import Any

from stores.domain import workspaces
from stores.management.base import DomainCommand


class Command(DomainCommand):
    help = "Makes a new, empty workspace; the last line of the output is its id."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", help="what people call it")

    def handle(self, *args: Any, **options: Any) -> None:
        workspace = workspaces.create_workspace(name=options["name"])
        self.stdout.write(f"Made the workspace {workspace.name!r}:")
        self.stdout.write(workspace.id)
