"""What the commands share: errors as one clear line, and a quiet end when they are asked to stop."""

import re
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError, OperationalError, ProgrammingError

from stores.domain.errors import DomainError

NO_TABLE = re.compile(r"no such (table|column)|does not exist")


class DomainCommand(BaseCommand):
    """Turns what the domain or the database refuses into a sentence and an exit status of 1."""

    def execute(self, *args: Any, **options: Any) -> str | None:
        try:
            return super().execute(*args, **options)
        except DomainError as error:
            raise CommandError(error.message) from None
        except (ProgrammingError, OperationalError) as error:
            hint = " Is it up to date? Run `manage.py migrate`." if NO_TABLE.search(str(error)) else ""
            raise CommandError(f"The database refused: {' '.join(str(error).split())}.{hint}") from error
        except DatabaseError as error:
            raise CommandError(f"The database refused: {str(error).strip()}") from error


@contextmanager
def exit_when_asked(*, clean: bool) -> Iterator[None]:
    """SIGTERM and SIGINT end the program without a traceback: with status 0, or as if they had killed it."""

    def leave(number: int, _frame: FrameType | None) -> None:
        sys.exit(0 if clean else 128 + number)

    before = {number: signal.signal(number, leave) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
