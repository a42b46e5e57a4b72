"""Calling a command as a person would, with what it printed as lines."""

from io import StringIO
from typing import Any

from django.core.management import call_command


def run(name: str, *arguments: str, **options: Any) -> list[str]:
    output = StringIO()
    call_command(name, *arguments, stdout=output, **options)
    return output.getvalue().splitlines()
