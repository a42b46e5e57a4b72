"""No column can hold memory text without being in the list of places (decisions.md, 9)."""

from django.apps import apps
from django.db import connection, models
from django.test import TestCase

from stores.domain.places import COLUMNS, SEARCH_INDEX

KINDS = (models.CharField, models.TextField, models.JSONField, models.BinaryField, models.FileField)
# Columns whose name says that no memory text gets there: ids, names of kinds, hashes.
SAFE_ENDINGS = (
    "_id", "_type", "_sha256", "_label", ".id", ".operation", ".road", ".form", ".salt", ".commitment",
    ".chain", ".head_chain", ".restored_from",
)  # fmt: skip
# Tables about people, keys and workspaces, and Django's own; a store's name and description are settings.
SAFE_TABLES = (
    "django_", "auth_", "stores_user", "stores_workspace", "stores_membership", "stores_apikey",
    "stores_memorystore", "stores_historical",
)  # fmt: skip


def text_columns():
    for model in apps.get_models(include_auto_created=True):
        for field in model._meta.concrete_fields:
            if isinstance(field, KINDS) or field.db_type(connection) in ("text", "bytea", "jsonb", "BLOB"):
                yield f"{model._meta.db_table}.{field.column}"


class PlacesTest(TestCase):
    def test_every_text_column_is_a_place_or_cannot_hold_any(self):
        unknown = [
            column
            for column in text_columns()
            if column not in COLUMNS
            and not column.endswith(SAFE_ENDINGS)
            and not column.startswith(SAFE_TABLES)
        ]
        self.assertEqual(
            unknown, [], "add it to stores/domain/places.py, or here if no memory text gets there"
        )

    def test_every_place_is_there(self):
        self.assertLessEqual(set(COLUMNS), set(text_columns()))
        table, _, column = SEARCH_INDEX[connection.vendor].partition(".")
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT {column or '*'} FROM {table} LIMIT 0")

    def test_no_other_table_holds_words(self):
        """Tables that no model describes, but those of the index itself, hold none of ours."""
        known = {model._meta.db_table for model in apps.get_models(include_auto_created=True)}
        with connection.cursor() as cursor:
            tables = set(connection.introspection.table_names(cursor))
        others = {
            table
            for table in tables - known
            if table != "django_migrations" and not table.startswith("stores_searchtext")
        }
        self.assertEqual(others, set())
