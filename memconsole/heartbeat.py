"""The worker's sign of life, for /readyz: a file in the data folder, or a key where there is Redis.

It says that the worker's process lives, not that no job is late.
"""

import contextlib
import threading
import time
from pathlib import Path

import redis
from django.conf import settings

EVERY_SECONDS = 5
# A worker that has been silent for so long counts as gone.
STALE_SECONDS = 20
KEY = "memconsole:worker-heartbeat"
SOCKET_SECONDS = 2


def _path() -> Path:
    return settings.DATA_DIR / "worker-heartbeat"


def connect() -> redis.Redis:
    """A client that gives up soon, so that a health check never hangs."""
    return redis.Redis.from_url(
        settings.REDIS_URL, socket_timeout=SOCKET_SECONDS, socket_connect_timeout=SOCKET_SECONDS
    )


def beat_once() -> None:
    if settings.REDIS_URL:
        with connect() as client:
            client.set(KEY, int(time.time()), ex=STALE_SECONDS)
    else:
        _path().touch()


def is_beating() -> bool:
    """Whether a worker was heard lately."""
    if settings.REDIS_URL:
        with connect() as client:
            return bool(client.exists(KEY))
    try:
        age = time.time() - _path().stat().st_mtime
    except FileNotFoundError:
        return False
    return age < STALE_SECONDS


def forget() -> None:
    """Called by a worker that stops: it need not become stale first."""
    if not settings.REDIS_URL:
        _path().unlink(missing_ok=True)


class Heart(threading.Thread):
    """Beats until its process ends or `stop` is called."""

    def __init__(self) -> None:
        super().__init__(name="heartbeat", daemon=True)
        self.stopped = threading.Event()

    def run(self) -> None:
        while True:
            # The next beat may succeed; meanwhile /readyz says what it sees.
            with contextlib.suppress(OSError, redis.RedisError):
                beat_once()
            if self.stopped.wait(EVERY_SECONDS):
                return

    def stop(self) -> None:
        self.stopped.set()
        if self.is_alive():
            self.join()
        forget()
