"""The Celery app: where the queue is, what runs when.

Without Redis the queue is a folder in the data folder and `serve` runs the one worker, scheduler included.
With REDIS_URL both are processes of their own:

    celery -A memconsole worker
    celery -A memconsole beat

A message is only a wake-up: what a killed worker held may be lost, whatever the broker, so every job here can
be run again and finds out by itself what is left to do.
"""

import os
import warnings
from datetime import timedelta
from typing import Any

from celery import Celery, signals
from celery.platforms import SecurityWarning
from django.conf import settings

from memconsole import broker, processes
from memconsole.heartbeat import Heart

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memconsole.settings")

# Celery fears root for what pickle could do; only JSON is accepted below.
warnings.filterwarnings("ignore", category=SecurityWarning)

app = Celery("memconsole")


def _broker() -> dict[str, Any]:
    if settings.REDIS_URL:
        # The prefix leaves room for other users of the same Redis.
        options = {"global_keyprefix": "memconsole:"}
        return {"broker_url": settings.REDIS_URL, "broker_transport_options": options}
    options = broker.make_folders(settings.DATA_DIR / "broker")
    return {"broker_url": f"{broker.ALIAS}://localhost", "broker_transport_options": options}


app.conf.update(
    **_broker(),
    broker_connection_retry_on_startup=True,
    task_serializer="json",
    accept_content=["json"],
    task_ignore_result=True,
    task_acks_late=True,
    task_reject_on_worker_lost=True,
    worker_prefetch_multiplier=1,
    # Answering `celery inspect` would cost a queue of its own that nobody here reads.
    worker_enable_remote_control=False,
    worker_hijack_root_logger=False,
    worker_redirect_stdouts=False,
    timezone="UTC",
    beat_schedule_filename=str(settings.DATA_DIR / "schedule"),
    beat_schedule={
        "finish deletions that were cut short": {
            "task": "stores.tasks.purge_deleted_stores",
            "schedule": timedelta(minutes=1),
            # While no worker runs, one waiting wake-up is enough.
            "options": {"expires": 60},
        },
        # Until then a search reads these texts itself.
        "index what was written": {
            "task": "stores.tasks.index_memories",
            "schedule": timedelta(seconds=5),
            "options": {"expires": 5},
        },
        # What is redacted must be gone from the file within a minute.
        "overwrite what left the search index": {
            "task": "stores.tasks.rewrite_search_index",
            "schedule": timedelta(seconds=30),
            "options": {"expires": 30},
        },
        "overwrite what left the tables": {
            "task": "stores.tasks.overwrite_removed_text",
            "schedule": timedelta(seconds=30),
            "options": {"expires": 30},
        },
        # An interval, not an hour of the night: a laptop sleeps then.
        "forget sign-ins that have expired": {
            "task": "stores.tasks.clear_expired_sign_ins",
            "schedule": timedelta(days=1),
            "options": {"expires": 3600},
        },
    },
)
app.autodiscover_tasks(["stores"])

_hearts: list[Heart] = []


@signals.worker_ready.connect
def _start_heart(**kwargs: Any) -> None:
    # Noted before it beats: a signal to stop may come between any two lines.
    _hearts.append(Heart())
    _hearts[-1].start()


@signals.worker_shutting_down.connect
def _stop_heart(**kwargs: Any) -> None:
    while _hearts:
        _hearts.pop().stop()


@signals.worker_init.connect
def _end_with_serve(**kwargs: Any) -> None:
    if processes.PARENT in os.environ:
        processes.end_with(int(os.environ[processes.PARENT]))


@signals.beat_embedded_init.connect
def _end_with_worker(**kwargs: Any) -> None:
    # The scheduler inside a worker is a process too, and a worker killed with -9 takes no leave of it.
    processes.end_with(os.getppid())
