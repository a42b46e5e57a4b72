"""Columns that hold paths or ids compare bytewise on every database (design.md, 5)."""

from typing import Any

from django.db import models


class BytewiseField(models.TextField):
    """Text that sorts and compares by the bytes of its UTF-8.

    SQLite's default collation does that already; PostgreSQL needs `C`, whatever the database's locale.
    """

    def db_type(self, connection: Any) -> str | None:
        kind = super().db_type(connection)
        # Django adds a second index for LIKE to every unique `text` column; under the collation `C`
        # the first one serves LIKE already. It recognises the type by its lower-case name.
        return kind.upper() if kind and connection.vendor == "postgresql" else kind

    def db_parameters(self, connection: Any) -> dict[str, Any]:
        parameters = super().db_parameters(connection)
        if connection.vendor == "postgresql":
            parameters["collation"] = "C"
        return parameters


class IdField(BytewiseField):
    """A prefixed id of our own; see ids.py."""
