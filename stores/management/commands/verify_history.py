"""Proves the history of stores."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from stores.domain import history
from stores.domain.errors import StoreNotFound
from stores.management.base import DomainCommand
from stores.models import MemoryStore


class Command(DomainCommand):
    help = (
        "Recomputes every hash and chain and compares memories with their versions. "
        "Prints what does not fit, with its id, and then exits with status 1."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--store", metavar="ID", help="only this store (default: all)")

    def handle(self, *args: Any, **options: Any) -> None:
        # A store whose deletion is still under way has no history to prove.
        stores = MemoryStore.objects.filter(deleted_at__isnull=True)
        if options["store"]:
            stores = stores.filter(id=options["store"])
            if not stores.exists():
                raise StoreNotFound(f"There is no memory store {options['store']!r}.")
        checked = found = 0
        for store_id in stores.order_by("id").values_list("id", flat=True):
            checked += 1
            for mismatch in history.verify_store(store_id=store_id):
                found += 1
                self.stdout.write(f"{store_id} {mismatch}")
        if not options["store"]:
            for mismatch in history.verify_strays():
                found += 1
                self.stdout.write(str(mismatch))
        if found:
            raise CommandError(f"{found} mismatches in {checked} stores.")
        self.stdout.write(f"Verified {checked} stores: every hash and chain is as it was written.")
