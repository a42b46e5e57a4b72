"""What the engines must be told so that removed text is gone from their files too."""

from django.db import OperationalError, connection

# A checkpoint keeps writers out while it waits for readers, so it must not wait for long.
CHECKPOINT_WAITS_MS = 200


def overwrite_removed_text() -> bool:
    """Moves SQLite's write-ahead log into the database file, where secure_delete has zeroed what went.

    Without it the old text would lie in the log until some later checkpoint. False where a long reader was in
    the way: the job of the same name tries again (tasks.py). PostgreSQL frees removed rows by its own vacuum.
    """
    if connection.vendor != "sqlite" or connection.in_atomic_block:
        return True
    patience = connection.settings_dict["OPTIONS"].get("timeout", 5)
    with connection.cursor() as cursor:
        cursor.execute(f"PRAGMA busy_timeout = {CHECKPOINT_WAITS_MS}")
        try:
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            (is_busy, _log, _moved) = cursor.fetchone()
        except OperationalError:
            is_busy = True
        finally:
            cursor.execute(f"PRAGMA busy_timeout = {int(patience * 1000)}")
    return not is_busy
