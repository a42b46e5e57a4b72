"""Makes an API key."""

from argparse import ArgumentParser, ArgumentTypeError
from datetime import UTC, datetime
from typing import Any

from stores.domain import api_keys, clock, workspaces
from stores.management.base import DomainCommand
from stores.models import Access


def parse_expiry(text: str) -> datetime:
    """A date (its first moment) or a time; UTC where it names no zone."""
    try:
        instant = datetime.fromisoformat(text)
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is not a date like 2027-01-31 or 2027-01-31T18:00Z") from None
    if instant.tzinfo is None:
        instant = instant.replace(tzinfo=UTC)
    if instant <= clock.now_utc():
        raise ArgumentTypeError(f"{text} has passed already")
    return instant


class Command(DomainCommand):
    help = (
        "Makes an API key. The last line of the output is its secret, which cannot be shown again. "
        "read_only reads; read_write also writes memories, which is what an agent needs; "
        "admin also manages stores and redacts."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", help="whose or what for; shown as the author of what it writes")
        parser.add_argument("--workspace", metavar="ID", help="of which workspace (default: the first one)")
        parser.add_argument("--access", choices=Access.values, default=Access.ADMIN, help="default: admin")
        parser.add_argument(
            "--store",
            action="append",
            metavar="ID",
            help="limit the key to this store; may be given several times",
        )
        parser.add_argument("--expires", type=parse_expiry, metavar="DATE", help="default: never")

    def handle(self, *args: Any, **options: Any) -> None:
        key, secret = api_keys.create_api_key(
            workspace=workspaces.get_workspace(workspace_id=options["workspace"]),
            name=options["name"],
            access=options["access"],
            store_ids=options["store"],
            expires_at=options["expires"],
        )
        self.stdout.write(f"Made the key {key.name!r} ({key.id}, {key.access}) in {key.workspace.name!r}.")
        self.stdout.write("Its secret is shown only now:")
        self.stdout.write(secret)
