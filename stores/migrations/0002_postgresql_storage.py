"""How PostgreSQL keeps the two large tables; nothing to do elsewhere."""

from django.db import migrations


def forwards(apps, schema_editor):
    if schema_editor.connection.vendor != "postgresql":
        return
    # Heads are updated all the time and in no indexed column: room on the page keeps those updates there.
    schema_editor.execute("ALTER TABLE stores_memory SET (fillfactor = 80)")
    with schema_editor.connection.cursor() as cursor:
        cursor.execute(
            "SELECT 'lz4' = ANY(enumvals) FROM pg_settings WHERE name = 'default_toast_compression'"
        )
        has_lz4 = cursor.fetchone()
    if has_lz4 and has_lz4[0]:
        # Several times faster than the default on texts of 100 kB.
        schema_editor.execute("ALTER TABLE stores_memoryversion ALTER COLUMN content SET COMPRESSION lz4")


class Migration(migrations.Migration):
    dependencies = [("stores", "0001_initial")]
    operations = [migrations.RunPython(forwards, migrations.RunPython.noop)]
