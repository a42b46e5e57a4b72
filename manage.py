#!/usr/bin/env python3
"""Entry point of every command; see README.md for the list."""

import os
import sys


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memconsole.settings")
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line
    from django.db import OperationalError

    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        # A knob in the environment with a bad value: its sentence says all.
        sys.exit(str(error))
    except OperationalError as error:
        # Django's own commands let it through with a traceback.
        sys.exit(f"The database cannot be reached: {' '.join(str(error).split())}")


if __name__ == "__main__":
    main()
