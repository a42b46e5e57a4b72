"""What the engines must be told so that removed text is gone from their files too."""

import logging

from django.db import OperationalError, connection

logger = logging.getLogger(__name__)


def overwrite_removed_text() -> None:
    """Moves SQLite's write-ahead log into the database file, where secure_delete has zeroed what went.

    Without it the old text would lie in the log until some later checkpoint. PostgreSQL frees removed rows by
    its own vacuum.
    """
    if connection.vendor != "sqlite" or connection.in_atomic_block:
        return
    try:
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    except OperationalError as error:
        # A reader held the log; the next checkpoint does it.
        logger.warning("The write-ahead log could not be emptied yet: %s", error)
