"""What every benchmark is handed."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from bench import servers
from bench.databases import Database
from bench.load import Client
from bench.report import Report


@dataclass(frozen=True)
class Setting:
    template: Database
    secret: str
    rounds: int
    seconds: int
    report: Report

    @property
    def is_postgresql(self) -> bool:
        return self.template.label == "PostgreSQL"

    @contextmanager
    def database(self, name: str) -> Iterator[Database]:
        """A database with the product's tables and a key, and nothing else in it."""
        made = self.template.copy(f"bench_{name}")
        try:
            yield made
        finally:
            made.drop()

    @contextmanager
    def product(self, database: Database, settings: str = "memconsole.settings") -> Iterator[Client]:
        with servers.product(database.url, settings) as base:
            yield Client(base, f"Bearer {self.secret}", self.seconds)

    @contextmanager
    def bare(self) -> Iterator[Client]:
        with servers.bare() as base:
            yield Client(base, "", self.seconds)
