"""Running one SQL text on either engine with as little Python around it as can be."""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime
from typing import Any

from django.db import OperationalError, connection, transaction

PARAMETER = re.compile(r"%\((\w+)\)s")


def is_postgresql() -> bool:
    return connection.vendor == "postgresql"


def can_pipeline() -> bool:
    """Whether `in_one_trip` can be used now."""
    return is_postgresql() and not connection.in_atomic_block


class Statement:
    """A SQL text with `%(name)s` parameters.

    On PostgreSQL it is prepared once per connection and keeps one plan; with `prepare=False` it is planned
    for the values at hand, where the best plan depends on how common they are. On SQLite the driver caches
    it. Django's cursor is used only where somebody listens (query counts in tests).
    """

    def __init__(self, sql: str, *, prepare: bool = True) -> None:
        self.sql = sql
        self.prepare = prepare
        self.sqlite = PARAMETER.sub(r":\1", sql)

    def rows(self, parameters: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        connection.ensure_connection()
        if connection.queries_logged or connection.execute_wrappers:
            with connection.cursor() as cursor:
                cursor.execute(self.sql, parameters)
                return cursor.fetchall()
        with connection.wrap_database_errors:
            if is_postgresql():
                return _execute(self, parameters).fetchall()
            return connection.connection.execute(self.sqlite, parameters).fetchall()

    def row(self, parameters: Mapping[str, Any]) -> tuple[Any, ...] | None:
        rows = self.rows(parameters)
        return rows[0] if rows else None

    def run(self, parameters: Mapping[str, Any]) -> int:
        """For statements that return nothing; answers how many rows were touched."""
        connection.ensure_connection()
        if connection.queries_logged or connection.execute_wrappers:
            with connection.cursor() as cursor:
                cursor.execute(self.sql, parameters)
                return cursor.rowcount
        with connection.wrap_database_errors:
            if is_postgresql():
                return _execute(self, parameters).rowcount
            return connection.connection.execute(self.sqlite, parameters).rowcount


def in_one_trip(first: Statement, second: Statement, parameters: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    """PostgreSQL only, outside a transaction: both statements as one transaction and one round trip.

    The second sees what was committed until the first had its locks. Answers the rows of the second.
    """
    connection.ensure_connection()
    if connection.queries_logged or connection.execute_wrappers:
        with transaction.atomic():
            first.rows(parameters)
            return second.rows(parameters)
    with connection.wrap_database_errors, connection.connection.pipeline():
        _execute(first, parameters)
        return _execute(second, parameters).fetchall()


def _execute(statement: Statement, parameters: Mapping[str, Any]) -> Any:
    """On psycopg's own cursors: Django's binds on the client, so that it could not prepare."""
    import psycopg  # not installed where only SQLite is used

    if statement.prepare:
        return psycopg.Cursor(connection.connection).execute(statement.sql, parameters, prepare=True)
    # Bound by the client: with parameters of its own the server would keep one plan for it as well.
    return psycopg.ClientCursor(connection.connection).execute(statement.sql, parameters)


def instant(value: datetime) -> datetime | str:
    """A parameter for a time column, as Django would have written it."""
    if is_postgresql():
        return value
    return str(value.astimezone(UTC).replace(tzinfo=None))


def select_instant(column: str) -> str:
    """SQL that reads a time column as UTC in text, `2026-11-30 12:00:00.123456` on both engines.

    A fifth of what to_char() costs, and no detour over datetime.
    """
    if is_postgresql():
        return f"({column} AT TIME ZONE 'UTC')::text"
    # As an expression it has no declared type, from which Django would make a datetime.
    return f"({column} || '')"


def read_instant(text: str) -> str:
    """What `select_instant` gave as RFC 3339 with all six digits, which the engines cut behind."""
    if len(text) == 26:
        return f"{text[:10]}T{text[11:]}Z"
    whole, _, fraction = text.partition(".")
    return f"{whole[:10]}T{whole[11:]}.{fraction:0<6}Z"


def parse_instant(text: str) -> datetime:
    """The opposite of `read_instant`."""
    return datetime.fromisoformat(text)


def write_if_free(write: Callable[[], object]) -> bool:
    """A small write that may be left out: never holds up the reader it is done for.

    On SQLite it is left out where another writer is at work for longer than a moment; answers whether it
    was done.
    """
    if connection.in_atomic_block:
        write()
        return True
    impatient = getattr(connection, "impatient", nullcontext)
    try:
        with impatient(), transaction.atomic():
            write()
    except OperationalError:
        return False
    return True


@contextmanager
def snapshot() -> Iterator[None]:
    """Everything read inside is of one moment, while writers go on. For reading only.

    Inside a transaction it changes nothing: that one has its view already.
    """
    if connection.in_atomic_block:
        yield
    elif is_postgresql():
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            yield
    else:
        # Not atomic(): that begins IMMEDIATE and would keep every writer out.
        with connection.cursor() as cursor:
            cursor.execute("BEGIN DEFERRED")
            try:
                yield
            finally:
                cursor.execute("COMMIT")
