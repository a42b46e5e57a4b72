"""A database file as in production, for what only a file can show: the database under test is in memory."""

from pathlib import Path
from tempfile import TemporaryDirectory
from unittest import skipUnless

from django.core.management import call_command
from django.db import connection, connections
from django.test import TransactionTestCase

from memconsole import environment
from tests.factories import make_actor, make_store


@skipUnless(connection.vendor == "sqlite", "PostgreSQL frees removed rows by its own vacuum")
class OnFileTestCase(TransactionTestCase):
    """Offers `folder`, where the files lie, and an `actor` with a `store`."""

    def setUp(self):
        folder = TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        in_memory = connections["default"]
        on_file = environment.sqlite(self.folder / "memconsole.sqlite3")
        connections["default"] = in_memory.__class__({**in_memory.settings_dict, **on_file}, "default")
        self.addCleanup(connections.__setitem__, "default", in_memory)
        self.addCleanup(connections["default"].close)
        call_command("migrate", verbosity=0)
        self.actor = make_actor()
        self.store = make_store(actor=self.actor)
