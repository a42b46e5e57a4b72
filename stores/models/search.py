"""What the search index holds: one entry for each live memory whose text is indexed.

The words themselves lie beside it, made by the migration because no ORM field describes them: on SQLite in
the FTS5 table `stores_searchtext`, which keeps words and no text, under the entry's id; on PostgreSQL in the
entry's own column `words`.
"""

from django.db import models

from stores.models.fields import BytewiseField, IdField


class SearchEntry(models.Model):
    """The version whose words are in the index. Ids rise with every text that is indexed, so the newest come
    first; no text is kept here.
    """

    id = models.BigAutoField(primary_key=True)
    memory_id = IdField(unique=True)
    version_id = IdField(db_index=True)
    # What a search is narrowed by and counted by, so that it need not look at the version.
    store_id = IdField()
    actor_id = BytewiseField()
    written_at = models.DateTimeField()
    # By which rules the text was cut into words (domain/search_words.py).
    form = BytewiseField()

    class Meta:
        verbose_name_plural = "search entries"

    def __str__(self) -> str:
        return self.version_id


class SearchRemoval(models.Model):
    """SQLite only: something left the index that must still be overwritten in the file (decisions.md, 11)."""

    id = models.BigAutoField(primary_key=True)
    removed_at = models.DateTimeField()

    def __str__(self) -> str:
        return str(self.id)
