"""Running one SQL text on either engine with as little Python around it as can be."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from django.db import connection

PARAMETER = re.compile(r"%\((\w+)\)s")


def is_postgresql() -> bool:
    return connection.vendor == "postgresql"


class Statement:
    """A SQL text with `%(name)s` parameters.

    On PostgreSQL it is prepared once per connection; on SQLite the driver caches it. Django's cursor, with
    its client-side binding and debug wrapper, is used only where somebody listens (query counts in tests).
    """

    def __init__(self, sql: str) -> None:
        self.sql = sql
        self.sqlite = PARAMETER.sub(r":\1", sql)

    def rows(self, parameters: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        connection.ensure_connection()
        if connection.queries_logged or connection.execute_wrappers:
            with connection.cursor() as cursor:
                cursor.execute(self.sql, parameters)
                return cursor.fetchall()  # type: ignore[no-any-return]
        with connection.wrap_database_errors:
            if is_postgresql():
                return _postgresql_cursor().execute(self.sql, parameters, prepare=True).fetchall()
            return connection.connection.execute(self.sqlite, parameters).fetchall()  # type: ignore[no-any-return]

    def row(self, parameters: Mapping[str, Any]) -> tuple[Any, ...] | None:
        rows = self.rows(parameters)
        return rows[0] if rows else None

    def run(self, parameters: Mapping[str, Any]) -> int:
        """For statements that return nothing; answers how many rows were touched."""
        connection.ensure_connection()
        if connection.queries_logged or connection.execute_wrappers:
            with connection.cursor() as cursor:
                cursor.execute(self.sql, parameters)
                return cursor.rowcount  # type: ignore[no-any-return]
        with connection.wrap_database_errors:
            if is_postgresql():
                return _postgresql_cursor().execute(self.sql, parameters, prepare=True).rowcount
            return connection.connection.execute(self.sqlite, parameters).rowcount  # type: ignore[no-any-return]


def _postgresql_cursor() -> Any:
    # psycopg's own cursor binds on the server, which Django's does not; only so can it prepare.
    import psycopg  # not installed where only SQLite is used

    return psycopg.Cursor(connection.connection)


def instant(value: datetime) -> datetime | str:
    """A parameter for a time column, as Django would have written it."""
    if is_postgresql():
        return value
    return str(value.astimezone(UTC).replace(tzinfo=None))


def select_instant(column: str) -> str:
    """SQL that reads a time column as `2026-11-30T12:00:00.000000Z`, without a detour over datetime."""
    if is_postgresql():
        return f"""to_char({column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')"""
    return (
        f"substr({column}, 1, 10) || 'T' || substr({column}, 12, 8) || "
        f"CASE length({column}) WHEN 19 THEN '.000000Z' ELSE substr({column}, 20) || 'Z' END"
    )


def parse_instant(text: str) -> datetime:
    """The opposite of `select_instant`."""
    return datetime.fromisoformat(text)
