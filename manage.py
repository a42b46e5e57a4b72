#!/usr/bin/env python3
"""Entry point of every command; see README.md for the list."""

import os
import sys


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memconsole.settings")
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line

    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        # A knob in the environment with a bad value: its sentence says all.
        sys.exit(str(error))


if __name__ == "__main__":
    main()
