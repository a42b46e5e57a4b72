from django.db import migrations, models


class Migration(migrations.Migration):
    """Why a version was redacted; and what was redacted before loses its own reason, as from now on."""

    dependencies = [
        ("stores", "0005_span_redaction"),
    ]

    operations = [
        migrations.AddField(
            model_name="memoryversion",
            name="redacted_reason",
            field=models.TextField(null=True),
        ),
        migrations.RunSQL(
            "UPDATE stores_memoryversion SET reason = '' WHERE redacted_at IS NOT NULL AND reason <> ''",
            migrations.RunSQL.noop,
        ),
    ]
