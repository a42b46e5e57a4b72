"""Databases to measure on: a migrated template, and a fresh copy of it for every benchmark."""

import os
import shutil
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.db import connections

from bench.unavailable import Unavailable
from memconsole import environment

Row = Sequence[Any]


@dataclass(frozen=True)
class Sqlite:
    folder: Path
    name: str
    label = "SQLite"

    @property
    def path(self) -> Path:
        return self.folder / f"{self.name}.sqlite3"

    @property
    def url(self) -> str:
        return f"sqlite:///{self.path}"

    def connect(self, *, synchronous: str = "FULL") -> sqlite3.Connection:
        """A connection with the product's own settings."""
        options: Any = environment.sqlite(self.path)["OPTIONS"]
        connection = sqlite3.connect(self.path, isolation_level=None, timeout=options["timeout"])
        connection.executescript(options["init_command"])
        connection.execute(f"PRAGMA synchronous={synchronous}")
        return connection

    def copy(self, name: str) -> "Sqlite":
        self.settle()
        made = Sqlite(self.folder, name)
        shutil.copyfile(self.path, made.path)
        # Else the first one who waits for the disk there waits for the whole copy.
        with made.path.open("rb") as file:
            os.fsync(file.fileno())
        return made

    def drop(self) -> None:
        for path in self.folder.glob(f"{self.name}.sqlite3*"):
            path.unlink()

    def insert(self, table: str, columns: Sequence[str], rows: Iterable[Row]) -> None:
        marks = ", ".join("?" * len(columns))
        connection = self.connect()
        connection.execute("BEGIN IMMEDIATE")
        connection.executemany(f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks})", rows)
        connection.execute("COMMIT")
        connection.close()

    def settle(self) -> None:
        """Nothing is left to be done later, at the cost of a measurement."""
        connection = self.connect()
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.close()

    def value(self, sql: str) -> Any:
        connection = self.connect()
        try:
            return connection.execute(sql).fetchone()[0]
        finally:
            connection.close()


@dataclass(frozen=True)
class Postgresql:
    server: str
    name: str
    label = "PostgreSQL"

    @property
    def url(self) -> str:
        return f"{self.server}/{self.name}"

    def connect(self, name: str | None = None) -> Any:
        import psycopg  # not installed where only SQLite is used

        url = f"{self.server}/{name or self.name}"
        return psycopg.connect(url, autocommit=True, options="-c timezone=UTC")

    def create(self) -> None:
        with self.connect("postgres") as connection:
            connection.execute(f"DROP DATABASE IF EXISTS {self.name} WITH (FORCE)")
            connection.execute(f"CREATE DATABASE {self.name}")

    def copy(self, name: str) -> "Postgresql":
        made = Postgresql(self.server, name)
        with self.connect("postgres") as connection:
            connection.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
            connection.execute(f"CREATE DATABASE {name} TEMPLATE {self.name}")
            connection.execute("CHECKPOINT")
        return made

    def drop(self) -> None:
        with self.connect("postgres") as connection:
            connection.execute(f"DROP DATABASE IF EXISTS {self.name} WITH (FORCE)")

    def insert(self, table: str, columns: Sequence[str], rows: Iterable[Row]) -> None:
        with (
            self.connect() as connection,
            connection.cursor() as cursor,
            cursor.copy(f"COPY {table} ({', '.join(columns)}) FROM STDIN") as copy,
        ):
            for row in rows:
                copy.write_row(row)

    def settle(self) -> None:
        """Nothing is left to be done later, at the cost of a measurement."""
        with self.connect() as connection:
            connection.execute("VACUUM ANALYZE")
            connection.execute("CHECKPOINT")

    def value(self, sql: str) -> Any:
        with self.connect() as connection:
            return connection.execute(sql).fetchone()[0]


Database = Sqlite | Postgresql


def find(label: str, folder: Path) -> Database:
    """The still empty template. Raises Unavailable when there is no such server, or none to measure on."""
    if label == "sqlite":
        return Sqlite(folder, "bench_template")
    url = os.environ.get("TEST_POSTGRES_URL")
    if not url:
        raise Unavailable("run `make bench`, which starts one (TEST_POSTGRES_URL).")
    template = Postgresql(url.rpartition("/")[0], "bench_template")
    template.create()
    if "off" in (template.value("SHOW fsync"), template.value("SHOW synchronous_commit")):
        raise Unavailable("it does not wait for the disk: run it under .ci/with-services --durable.")
    return template


@contextmanager
def inside(database: Database) -> Iterator[None]:
    """This process on a copy, instead of on the template."""
    settings = connections["default"].settings_dict
    name = settings["NAME"]
    connections["default"].close()
    settings["NAME"] = Path(database.path) if hasattr(database, "path") else database.name
    try:
        yield
    finally:
        connections["default"].close()
        settings["NAME"] = name
