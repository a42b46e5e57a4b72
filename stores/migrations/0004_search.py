"""The search index: which text of which memory is in it, and the words themselves (models/search.py)."""

from django.db import migrations, models

import stores.models.fields


def make_words(apps, schema_editor):
    if schema_editor.connection.vendor == "sqlite":
        # No content: it keeps words and where they stand, so that no second copy of a text exists. The words
        # come ready-made (domain/search_words.py) with blanks between them.
        schema_editor.execute(
            "CREATE VIRTUAL TABLE stores_searchtext USING fts5(scope, path, content, content='', tokenize='ascii')"
        )
        return
    schema_editor.execute("ALTER TABLE stores_searchentry ADD COLUMN words tsvector")
    with schema_editor.connection.cursor() as cursor:
        cursor.execute(
            "SELECT 'lz4' = ANY(enumvals) FROM pg_settings WHERE name = 'default_toast_compression'"
        )
        has_lz4 = cursor.fetchone()
    if has_lz4 and has_lz4[0]:
        # Ranking reads them by the thousand.
        schema_editor.execute("ALTER TABLE stores_searchentry ALTER COLUMN words SET COMPRESSION lz4")
    # The job writes in batches, which a pending list makes several times cheaper; a search reads that list
    # from end to end, so it stays short.
    schema_editor.execute(
        "CREATE INDEX searchentry_words ON stores_searchentry USING gin (words) "
        "WITH (fastupdate = on, gin_pending_list_limit = 512)"
    )


def drop_words(apps, schema_editor):
    if schema_editor.connection.vendor == "sqlite":
        schema_editor.execute("DROP TABLE stores_searchtext")


class Migration(migrations.Migration):
    dependencies = [("stores", "0003_default_workspace")]

    operations = [
        migrations.CreateModel(
            name="SearchEntry",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("memory_id", stores.models.fields.IdField(unique=True)),
                ("version_id", stores.models.fields.IdField(db_index=True)),
                ("store_id", stores.models.fields.IdField()),
                ("actor_id", stores.models.fields.BytewiseField()),
                ("written_at", models.DateTimeField()),
                ("form", stores.models.fields.BytewiseField()),
            ],
            options={"verbose_name_plural": "search entries"},
        ),
        migrations.CreateModel(
            name="SearchRemoval",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("removed_at", models.DateTimeField()),
            ],
        ),
        migrations.AddField(
            model_name="memory",
            name="is_indexed",
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.AddIndex(
            model_name="memory",
            index=models.Index(
                condition=models.Q(("is_indexed", False)), fields=["store"], name="memory_not_indexed"
            ),
        ),
        migrations.RunPython(make_words, drop_words),
    ]
