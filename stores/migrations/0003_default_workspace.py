"""The workspace that commands use when none is named (decisions.md, 1)."""

from django.db import migrations
from django.utils import timezone

from stores.models import ids


def forwards(apps, schema_editor):
    workspaces = apps.get_model("stores", "Workspace").objects
    if not workspaces.exists():
        now = timezone.now()
        workspaces.create(id=ids.make_id(ids.WORKSPACE, now), name="Default", created_at=now)


class Migration(migrations.Migration):
    dependencies = [("stores", "0002_postgresql_storage")]
    operations = [migrations.RunPython(forwards, migrations.RunPython.noop)]
