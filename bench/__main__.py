"""`python -m bench [NAME …]`: see README.md. `make bench` starts a PostgreSQL for it."""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from bench import peers
from bench.unavailable import Unavailable

# The results, and whether nothing failed.
Results = tuple[list[dict[str, Any]], bool]
# In this order; the functions are found in the modules named before the dot.
NAMES = {
    "update": "writes.update",
    "update_large": "writes.update_large",
    "create": "writes.create",
    "read": "reads.read",
    "list": "reads.page",
    "depth": "reads.depth",
    "later": "reads.later",
    "filters": "reads.filters",
    "search": "search.search",
    "pages": "pages.pages",
    "download": "download.download",
    "middleware": "reads.middleware",
    "peer": "peer.peer",
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench", description="Measures the product; see README.")
    parser.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help=f"{', '.join(NAMES)}; unless named, all, and peer once it is installed",
    )
    parser.add_argument("--rounds", type=int, default=5, help="how often everything is measured in turn (5)")
    parser.add_argument("--seconds", type=int, default=4, help="how long each measurement lasts (4)")
    parser.add_argument("--database", choices=["sqlite", "postgresql", "both"], default="both")
    parser.add_argument("--peer", action="store_true", help="peer too; installs Kinto beside this project")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the results there too")
    arguments = parser.parse_args()
    unknown = set(arguments.names) - set(NAMES)
    if unknown:
        parser.error(f"there is no {', '.join(sorted(unknown))}; there are {', '.join(NAMES)}")
    names = arguments.names or [name for name in NAMES if name != "peer" or peers.is_installed()]
    if arguments.peer and "peer" not in names:
        names.append("peer")
    labels = ["sqlite", "postgresql"] if arguments.database == "both" else [arguments.database]
    if len(labels) == 1:
        results, sound = measure(labels[0], names, arguments.rounds, arguments.seconds)
    else:
        each = [in_own_process(label, names, arguments) for label in labels]
        results, sound = [result for part, _ in each for result in part], all(sound for _, sound in each)
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n")
    if not sound:
        sys.exit(1)


def in_own_process(label: str, names: list[str], arguments: argparse.Namespace) -> Results:
    """A process of Django knows one database."""
    with tempfile.NamedTemporaryFile("r", suffix=".json") as file:
        command = [sys.executable, "-m", "bench", *names, "--database", label, "--json", file.name]
        command += ["--rounds", str(arguments.rounds), "--seconds", str(arguments.seconds)]
        done = subprocess.run(command)
        return json.loads(file.read() or "[]"), done.returncode == 0


def measure(label: str, names: list[str], round_count: int, seconds: int) -> Results:
    with tempfile.TemporaryDirectory(prefix="memconsole-bench-") as folder:
        # Before anything reads Django's settings.
        os.environ["MEMCONSOLE_DATA_DIR"] = folder
        os.environ["DJANGO_SETTINGS_MODULE"] = "memconsole.settings"
        from bench import databases

        try:
            template = databases.find(label, Path(folder))
        except Unavailable as reason:
            print(f"{label} is left out: {reason}", flush=True)
            return [], True
        os.environ["DATABASE_URL"] = template.url
        from bench.run import run

        return run(template, {name: NAMES[name] for name in names}, round_count, seconds)


if __name__ == "__main__":
    main()
