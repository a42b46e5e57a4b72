"""A whole store through the official SDK, against `git clone` of the same files and against one query."""

import logging
import shutil
import subprocess
import time
from collections.abc import Callable, Mapping
from functools import partial
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from anthropic import Anthropic

from bench import filling
from bench.databases import Database, Postgresql
from bench.report import Round, rounds
from bench.setting import Setting
from bench.unavailable import Unavailable
from stores.models.statements import reads

MEMORIES = 10_000
SIZE = 2048
STORE = filling.store_id(1)

# A line for each of 500 requests would be part of what is measured.
logging.getLogger("httpx2").setLevel(logging.WARNING)


def download(setting: Setting) -> None:
    """10,000 × 2 kB by pages of 20 with content, one request at a time."""
    if not shutil.which("git"):
        raise Unavailable("git is not installed.")
    # Every text another one: git keeps equal ones once.
    prose = filling.prose(MEMORIES * SIZE)
    files = {f"/notes/{n:05d}.md": prose[n * SIZE : (n + 1) * SIZE] for n in range(MEMORIES)}
    with (
        # Nothing in it is removed before the end: ext4 takes much longer to make files after it deleted some.
        TemporaryDirectory(prefix="memconsole-bench-git-") as folder,
        setting.database("ours") as database,
    ):
        filling.add_memories(database, 1, list(files), size=SIZE, texts=list(files.values()))
        database.settle()
        repository = _repository(Path(folder), files)
        with (
            setting.product(database) as client,
            Anthropic(base_url=client.base, api_key=setting.secret) as sdk,
        ):
            numbers = count()
            # Every request is paid for by the first one of the hour, which notes when each memory was read.
            first = _sdk(sdk, Path(folder) / "first", files)
            setting.report.note(f"the first download of the hour takes {first['fetched']:.2f} s")
            measures: Mapping[str, Callable[[], Any]] = {
                "ours": lambda: _sdk(sdk, Path(folder) / f"ours-{next(numbers)}", files),
                "clone": lambda: _clone(repository, Path(folder) / f"clone-{next(numbers)}"),
                "raw": partial(_query, database),
            }
            found = rounds(setting.rounds, measures)
    line = setting.report.line
    fetched, written = partial(_seconds, "fetched"), partial(_seconds, "written")
    line("download", found, fetched, lambda r: r["clone"], of="git clone", unit=" s", at_most=1.5)
    line("download, kept in files", found, written, lambda r: r["clone"], of="git clone", unit=" s")
    line("download", found, fetched, lambda r: r["raw"], of="one query", unit=" s", at_most=20)


def _seconds(name: str, found: Round) -> float:
    return float(found["ours"][name])


def _sdk(sdk: Anthropic, folder: Path, files: Mapping[str, str]) -> dict[str, float]:
    """Seconds until everything has come, and until it is in files too, as after a `git clone`."""
    begin = time.perf_counter()
    memories = list(sdk.beta.memory_stores.memories.list(STORE, view="full", limit=20))
    fetched = time.perf_counter() - begin
    _write(folder, {memory.path: memory.content for memory in memories})
    written = time.perf_counter() - begin
    if {memory.path: memory.content for memory in memories} != files:
        raise RuntimeError("The download is not what the store holds.")
    return {"fetched": fetched, "written": written}


def _write(folder: Path, files: Mapping[str, str]) -> None:
    for parent in {path.rpartition("/")[0] for path in files}:
        (folder / parent[1:]).mkdir(parents=True)
    for path, text in files.items():
        with open(f"{folder}{path}", "wb", buffering=0) as file:
            file.write(text.encode())


def _repository(folder: Path, files: Mapping[str, str]) -> Path:
    """One commit, packed: what a clone is fastest from."""
    repository = folder / "repository"
    _write(repository, files)
    for command in (
        ["init", "-q"],
        ["add", "."],
        ["-c", "user.name=bench", "-c", "user.email=bench", "-c", "gc.auto=0", "commit", "-q", "-m", "All"],
        ["gc", "-q"],
    ):
        subprocess.run(["git", *command], cwd=repository, check=True)
    return repository


def _clone(repository: Path, folder: Path) -> float:
    begin = time.perf_counter()
    subprocess.run(["git", "clone", "-q", str(repository), str(folder)], check=True)
    return time.perf_counter() - begin


def _query(database: Database) -> float:
    statement = reads._memories(True, False, ">=")
    parameters = {"store_id": STORE, "start": "/", "limit": MEMORIES}
    connection = database.connect()
    sql = statement.sql if isinstance(database, Postgresql) else statement.sqlite
    begin = time.perf_counter()
    rows = connection.execute(sql, parameters).fetchall()
    taken = time.perf_counter() - begin
    connection.close()
    if len(rows) != MEMORIES:
        raise RuntimeError(f"The query found {len(rows)} rows.")
    return taken
