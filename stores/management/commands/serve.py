"""The whole product in the foreground: web workers, and the worker for jobs."""

import os
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError

from memconsole import environment, server
from stores.health import pending_migrations
from stores.management.base import exit_when_asked

LOOPBACK = ("127.0.0.1", "localhost", "::1")
FEWEST_WORKERS = 2


def add_address_arguments(parser: ArgumentParser) -> None:
    """Options that `serve` and `quickstart` share; HOST and PORT are their defaults."""
    port = environment.integer("PORT", 8000, low=1, high=65535)
    parser.add_argument("--host", default=environment.text("HOST") or "127.0.0.1", help="where to listen")
    parser.add_argument("--port", type=int, default=port, help="on which port (default %(default)s)")


class Command(BaseCommand):
    help = "Runs the console, the API and the jobs until SIGTERM or SIGINT (Ctrl-C)."

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_address_arguments(parser)
        parser.add_argument(
            "--workers",
            type=int,
            default=max(FEWEST_WORKERS, os.cpu_count() or 1),
            help="web processes (default: one per core, at least 2)",
        )
        parser.add_argument("--no-jobs", action="store_true", help="run no jobs in the background")

    def handle(self, *args: Any, **options: Any) -> None:
        if not 1 <= options["port"] <= 65535:
            raise CommandError("--port must be a number from 1 to 65535.")
        if options["workers"] < 1:
            raise CommandError("--workers must be at least 1.")
        self.jobs = settings.JOBS and not options["no_jobs"]
        # A stop is no error, also while starting; once it runs, granian has handlers of its own.
        with exit_when_asked(clean=True):
            require_migrated()
            try:
                server.serve(
                    host=options["host"],
                    port=options["port"],
                    workers=options["workers"],
                    jobs=self.jobs,
                    on_ready=lambda url: self.announce(url, options["host"]),
                )
            except server.CannotServe as error:
                raise CommandError(str(error)) from None

    def announce(self, url: str, host: str) -> None:
        lines = [f"Serving at {url}"]
        if host not in LOOPBACK and "ALLOWED_HOSTS" not in os.environ:
            lines.append("Browsers reach it only by names that ALLOWED_HOSTS lists.")
        if self.jobs and settings.REDIS_URL:
            lines.append("Jobs: run `celery -A memconsole worker` and `celery -A memconsole beat` as well.")
        self.stdout.write("\n".join(lines))
        self.stdout.flush()


def require_migrated() -> None:
    """Raises CommandError unless the database is there and as this version wants it."""
    try:
        waiting = pending_migrations()
    except DatabaseError as error:
        raise CommandError(f"The database cannot be reached: {str(error).strip()}") from None
    if waiting:
        raise CommandError(
            f"{len(waiting)} migrations are not applied (the first is {waiting[0]}): "
            "run `manage.py migrate` first, or start with `manage.py quickstart`."
        )
