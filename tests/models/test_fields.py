from django.apps import apps
from django.db import connection
from django.test import TestCase

from stores.models import Memory
from stores.models.fields import BytewiseField
from tests.factories import make_actor, make_memory, make_store

PATHS = [
    "/A.md", "/B.md", "/Z.md", "/_x", "/a", "/a b", "/a!", "/a-b", "/a.md", "/a0", "/aB", "/ab", "/b",
    "/z", "/~", "/Ä", "/É", "/ß", "/ä", "/é", "/ÿ", "/Ω", "/я", "/あ", "/日本", "/\uffee", "/😀",
]  # fmt: skip


def bytewise_columns():
    """(table, column) of every field that must compare bytewise, keys that point at one included."""
    for model in apps.get_app_config("stores").get_models(include_auto_created=True):
        for field in model._meta.concrete_fields:
            target = field
            while target.remote_field is not None:
                target = target.target_field
            if isinstance(target, BytewiseField):
                yield model._meta.db_table, field.column


class BytewiseFieldTest(TestCase):
    @classmethod
    def setUpTestData(cls):
        actor = make_actor()
        cls.store = make_store(actor=actor)
        for path in reversed(PATHS):
            make_memory(actor=actor, store=cls.store, path=path)

    def test_the_paths_are_in_byte_order_and_not_in_that_of_a_language(self):
        self.assertEqual(PATHS, sorted(PATHS, key=str.encode))
        self.assertNotEqual(PATHS, sorted(PATHS, key=str.casefold))

    def test_sorts_by_bytes(self):
        found = Memory.objects.filter(store=self.store).order_by("path").values_list("path", flat=True)
        self.assertEqual(list(found), PATHS)

    def test_compares_by_bytes(self):
        for place, path in enumerate(PATHS):
            with self.subTest(path=path):
                below = Memory.objects.filter(store=self.store, path__lt=path).count()
                above = Memory.objects.filter(store=self.store, path__gt=path).count()
                self.assertEqual((below, above), (place, len(PATHS) - place - 1))

    def test_tells_upper_from_lower_case_and_composed_from_decomposed(self):
        for path, found in (("/a.md", 1), ("/A.MD", 0), ("/é", 1), ("/e\u0301", 0)):
            with self.subTest(path=path):
                self.assertEqual(Memory.objects.filter(store=self.store, path=path).count(), found)

    def test_there_are_such_columns(self):
        columns = set(bytewise_columns())
        self.assertLessEqual(
            {
                ("stores_memory", "path"),
                ("stores_memory", "store_id"),
                ("stores_memoryversion", "path"),
                ("stores_memoryversion", "store_id"),
                ("stores_memorystore", "workspace_id"),
                ("stores_historicalmemorystore", "id"),
                ("stores_membership", "user_id"),
            },
            columns,
        )

    def test_has_the_collation_c_and_no_second_index_for_like_on_postgresql(self):
        if connection.vendor != "postgresql":
            self.skipTest("SQLite compares bytewise without being told")
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT table_name, column_name, collation_name FROM information_schema.columns "
                "WHERE table_name LIKE 'stores\\_%%'"
            )
            collations = {(table, column): name for table, column, name in cursor.fetchall()}
            cursor.execute(
                "SELECT tablename, indexdef FROM pg_indexes WHERE indexdef LIKE '%%_pattern_ops%%'"
            )
            like_indexes = cursor.fetchall()
        for table, column in bytewise_columns():
            with self.subTest(table=table, column=column):
                self.assertEqual(collations[table, column], "C")
                self.assertEqual(
                    [
                        definition
                        for indexed, definition in like_indexes
                        if indexed == table and f"({column} " in definition
                    ],
                    [],
                )
