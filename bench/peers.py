"""Where Kinto is installed to: an environment of its own, outside the repository, kept for the next run."""

import os
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

from bench.unavailable import Unavailable

REQUIREMENTS = Path(__file__).with_name("requirements-peers.txt")


def folder() -> Path:
    """Another one when the pins or the Python change."""
    wanted = REQUIREMENTS.read_bytes() + sys.version.encode()
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return cache / "memconsole-bench" / f"peers-{sha256(wanted).hexdigest()[:12]}"


def python() -> Path:
    return folder() / "bin" / "python"


def _stamp() -> Path:
    return folder() / "installed"


def is_installed() -> bool:
    return _stamp().exists() and python().exists()


def install() -> None:
    """Takes a moment when nothing changed."""
    if is_installed():
        return
    print(f"Installing Kinto into {folder()}", flush=True)
    folder().parent.mkdir(parents=True, exist_ok=True)
    pip = [str(python()), "-m", "pip", "--disable-pip-version-check", "install", "-q"]
    for command in (
        [sys.executable, "-m", "venv", "--clear", str(folder())],
        [*pip, "-r", str(REQUIREMENTS)],
    ):
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise Unavailable(f"Kinto could not be installed: {(done.stderr or done.stdout).strip()[-500:]}")
    _stamp().touch()
