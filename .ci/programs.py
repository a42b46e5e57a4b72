"""Find the programs that the tests use, and install the missing ones where this user may.

Standard library only, and no new syntax: it runs before there is a virtual environment.
"""

import glob
import os
import re
import shutil
import subprocess
import sys

OLDEST_POSTGRES = 15
OLDEST_NODE = 18

# Servers are often installed outside PATH: Debian, Red Hat, Alpine, Homebrew.
POSTGRES_FOLDERS = (
    "/usr/lib/postgresql/*/bin",
    "/usr/pgsql-*/bin",
    "/usr/libexec/postgresql*",
    "/opt/homebrew/opt/postgresql*/bin",
    "/usr/local/opt/postgresql*/bin",
)
POSTGRES_PROGRAMS = ("postgres", "initdb", "pg_isready", "createdb")
CHROMIUM_NAMES = (
    "chromium",
    "chromium-browser",
    "google-chrome-stable",
    "google-chrome",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)

# Per package manager: the commands that install, then the packages of each program.
MANAGERS = {
    "apt-get": {
        "commands": (
            "apt-get -q -o Acquire::Retries=3 update",
            "apt-get -q -y -o Acquire::Retries=3 -o DPkg::Lock::Timeout=120 install --no-install-recommends",
        ),
        "postgres": "postgresql",
        "redis": "redis-server",
        "chromium": "chromium fonts-liberation",
        "node": "nodejs npm",
        "venv": "python{}.{}-venv".format(*sys.version_info),
    },
    "dnf": {
        "commands": ("dnf -q -y install",),
        "postgres": "postgresql-server",
        "redis": "redis",
        "chromium": "chromium",
        "node": "nodejs npm",
    },
    "apk": {
        "commands": ("apk add -q",),
        "postgres": "postgresql",
        "redis": "redis",
        "chromium": "chromium",
        "node": "nodejs npm",
    },
    "pacman": {
        "commands": ("pacman -S --noconfirm --needed",),
        "postgres": "postgresql",
        "redis": "valkey",
        "chromium": "chromium",
        "node": "nodejs npm",
    },
    "brew": {
        "commands": ("brew install -q",),
        "postgres": "postgresql@17",
        "redis": "redis",
        "chromium": "chromium",
        "node": "node",
    },
}


def major_version(program):
    """The first number that `program --version` prints, or 0."""
    try:
        answer = subprocess.run(
            [program, "--version"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=30
        )
    except (OSError, subprocess.TimeoutExpired):
        return 0
    number = re.search(rb"\d+", answer.stdout)
    return int(number.group()) if number else 0


def find_postgres():
    """The folder of a server's programs, the newest that is new enough."""
    folders = os.environ.get("PATH", "").split(os.pathsep)
    for pattern in POSTGRES_FOLDERS:
        folders += glob.glob(pattern)
    found = {}
    for folder in folders:
        # Clients alone, and links to some of the programs, are common; all are needed.
        if all(os.access(os.path.join(folder, name), os.X_OK) for name in POSTGRES_PROGRAMS):
            found[folder] = major_version(os.path.join(folder, "postgres"))
    newest = max(found, key=found.get, default=None)
    return newest if newest and found[newest] >= OLDEST_POSTGRES else None


def find_redis():
    return shutil.which("redis-server") or shutil.which("valkey-server")


def find_chromium():
    return next(filter(None, map(shutil.which, CHROMIUM_NAMES)), None)


def find_node():
    node = shutil.which("node")
    new_enough = node and shutil.which("npm") and major_version(node) >= OLDEST_NODE
    return node if new_enough else None


FINDERS = {
    "postgres": find_postgres,
    "redis": find_redis,
    "chromium": find_chromium,
    "node": find_node,
}


def find_all():
    return {name: find() for name, find in FINDERS.items()}


def without_password(manager):
    """The words to put before an install command, or None if this user may not install."""
    if manager == "brew" or os.geteuid() == 0:
        return []
    sudo = shutil.which("sudo")
    if sudo and subprocess.run([sudo, "-n", "true"], stderr=subprocess.DEVNULL).returncode == 0:
        return [sudo, "-n", "env", "DEBIAN_FRONTEND=noninteractive"]
    return None


def install(names):
    """Install what can be installed; return None, or one line that says why nothing was."""
    manager = next((m for m in MANAGERS if shutil.which(m)), None)
    if manager is None:
        return f"no known package manager here ({', '.join(MANAGERS)})"
    table = MANAGERS[manager]
    packages = " ".join(table[name] for name in names if name in table).split()
    if not packages:
        return f"{manager} has no package for it in .ci/programs.py"
    prefix = without_password(manager)
    if prefix is None:
        return f"not root and no password-free sudo; install by hand: {' '.join(packages)}"
    print(f"== Installing with {manager}: {' '.join(packages)}", flush=True)
    *prepare, last = [prefix + command.split() for command in table["commands"]]
    environment = dict(os.environ, DEBIAN_FRONTEND="noninteractive")
    for command in prepare:
        # A stale mirror beside a good one fails the update but not the install.
        subprocess.run(command, stdout=subprocess.DEVNULL, env=environment)
    # One at a time: a package that this distribution lacks must not stop the others.
    failed = [
        package
        for package in packages
        if subprocess.run([*last, package], stdout=subprocess.DEVNULL, env=environment).returncode
    ]
    return f"{manager} could not install {' '.join(failed)}" if failed else None
