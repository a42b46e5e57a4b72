"""Static files under names that carry a hash of their content, so that browsers may keep them for ever."""

import fcntl
import os
from hashlib import sha256

from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command
from whitenoise.storage import CompressedManifestStaticFilesStorage  # type: ignore[import-untyped]

# What few or none ask for; compressing it would be most of the work of a first start.
NOT_COLLECTED = ("admin/*", "django_htmx/ext/*", "django_htmx/*-4.*", "editor/*")


class Storage(CompressedManifestStaticFilesStorage):
    """Hashed names for what `collect` has collected, plain ones for all the rest.

    So tests, and the pages of Django's admin, need nothing collected: whitenoise serves plain names from
    where the files lie.
    """

    manifest_strict = False

    def stored_name(self, name: str) -> str:
        return self.hashed_files.get(self.hash_key(self.clean_name(name))) or name


def collect() -> None:
    """Brings STATIC_ROOT up to date, if anything has changed since it was last.

    Old files stay: pages that were loaded before an update still ask for them.
    """
    root = settings.STATIC_ROOT
    with (root / ".collected").open("a+") as stamp:
        fcntl.flock(stamp, fcntl.LOCK_EX)
        stamp.seek(0)
        wanted = fingerprint()
        if stamp.read() == wanted:
            return
        call_command("collectstatic", interactive=False, verbosity=0, ignore_patterns=list(NOT_COLLECTED))
        stamp.seek(0)
        stamp.truncate()
        stamp.write(wanted)


def fingerprint() -> str:
    """Names, sizes and times of all that would be collected."""
    digest = sha256()
    for finder in get_finders():
        for name, storage in finder.list(list(NOT_COLLECTED)):
            status = os.stat(storage.path(name))
            digest.update(f"{name} {status.st_size} {status.st_mtime_ns}\n".encode())
    return digest.hexdigest()
