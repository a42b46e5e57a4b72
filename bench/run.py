"""One run on one database: makes the template and calls the benchmarks."""

import os
import platform
import subprocess
from collections.abc import Mapping
from importlib import import_module
from typing import Any

import django

django.setup()

from django.core.management import call_command  # noqa: E402
from django.db import connections  # noqa: E402

from bench.databases import Database, Postgresql  # noqa: E402
from bench.report import Report  # noqa: E402
from bench.setting import Setting  # noqa: E402
from bench.unavailable import Unavailable  # noqa: E402
from stores.domain.api_keys import create_api_key  # noqa: E402
from stores.models import Access, Workspace  # noqa: E402


def run(
    template: Database, names: Mapping[str, str], rounds: int, seconds: int
) -> tuple[list[dict[str, Any]], bool]:
    """The results, and whether no benchmark failed. One that fails or cannot run does not stop the others."""
    sound = True
    call_command("migrate", verbosity=0)
    workspace = Workspace.objects.get()
    _, secret = create_api_key(workspace=workspace, name="Bench", access=Access.READ_WRITE)
    connections.close_all()
    setting = Setting(template, secret, rounds, seconds, Report(template.label))
    setting.report.note(_surroundings(template))
    for name, place in names.items():
        module, _, function = place.partition(".")
        try:
            getattr(import_module(f"bench.{module}"), function)(setting)
        except Unavailable as reason:
            setting.report.note(f"{name} is left out: {reason}")
        except (RuntimeError, subprocess.CalledProcessError) as error:
            setting.report.note(f"{name} FAILED: {error}")
            sound = False
    return setting.report.results, sound


def _surroundings(template: Database) -> str:
    if isinstance(template, Postgresql):
        settings = ("server_version", "fsync", "synchronous_commit", "shared_buffers")
        engine = ", ".join(f"{name} {template.value(f'SHOW {name}')}" for name in settings)
    else:
        engine = f"version {template.value('SELECT sqlite_version()')}"
    load = " ".join(f"{value:.1f}" for value in os.getloadavg())
    return f"{engine}; Python {platform.python_version()}, {os.cpu_count()} cores, load {load}"
