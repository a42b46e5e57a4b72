"""/healthz and /readyz: for load balancers and supervisors, without sign-in, without secrets or paths."""

import logging
import os
from collections.abc import Callable

import redis
from django.conf import settings
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, JsonResponse

from memconsole import heartbeat

logger = logging.getLogger(__name__)

NO_CACHE = {"Cache-Control": "no-store"}


class Failed(Exception):
    """A check failed; the message goes to the caller."""


def live(request: HttpRequest) -> JsonResponse:
    """The process answers. Asks nobody else, so that a database that is away does not get it restarted."""
    return JsonResponse({"status": "ok"}, headers=NO_CACHE)


def ready(request: HttpRequest) -> JsonResponse:
    """Whether requests and jobs can be served, and which part cannot: 200 or 503."""
    checks = {name: _run(name, check) for name, check in CHECKS.items()}
    is_ready = all(check["status"] != "failed" for check in checks.values())
    body = {"status": "ok" if is_ready else "failed", "checks": checks}
    response = JsonResponse(body, status=200 if is_ready else 503, headers=NO_CACHE)
    # Django would log every 503 without saying why; what failed is in the answer.
    response._has_been_logged = True  # type: ignore[attr-defined]
    return response


def _run(name: str, check: Callable[[], str]) -> dict[str, str]:
    try:
        return {"status": check()}
    except Failed as failure:
        return {"status": "failed", "message": str(failure)}
    except (DatabaseError, redis.RedisError, OSError):
        # The driver's words hold host names and paths: they are for the log.
        logger.exception("The check of %s failed", name)
        return {"status": "failed", "message": "It cannot be reached."}


def check_database() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
        cursor.fetchone()
    return "ok"


def check_migrations() -> str:
    waiting = pending_migrations()
    if waiting:
        raise Failed(f"{len(waiting)} not applied.")
    return "ok"


def pending_migrations() -> list[str]:
    executor = MigrationExecutor(connection)
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    return [f"{migration.app_label}.{migration.name}" for migration, _ in plan]


def check_queue() -> str:
    if settings.REDIS_URL:
        with heartbeat.connect() as client:
            client.ping()
    elif not os.access(settings.DATA_DIR / "broker" / "messages", os.W_OK | os.X_OK):
        raise Failed("The queue's folder cannot be written.")
    return "ok"


def check_worker() -> str:
    if not settings.JOBS:
        return "off"
    if not heartbeat.is_beating():
        raise Failed("No worker for jobs has been heard lately.")
    return "ok"


CHECKS = {
    "database": check_database,
    "migrations": check_migrations,
    "queue": check_queue,
    "worker": check_worker,
}
