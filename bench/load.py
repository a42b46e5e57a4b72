"""Load on a server (wrk) and on a database without one (pgbench, or sqlite3 in a loop): eight callers."""

import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

from bench.databases import Database, Postgresql, Sqlite
from bench.servers import ROOT
from bench.unavailable import Unavailable
from stores.models.statements.engine import PARAMETER, Statement

CONNECTIONS = 8
SCRIPT = Path(__file__).with_name("load.lua")

sys.path.append(str(ROOT / ".ci"))
# Every request that changes something carries another number, over the whole run.
_numbers = count(1_000_000_000, 10_000_000)


@dataclass(frozen=True)
class Load:
    """`rate` is what was answered well, a second; `p50` and `p99` are milliseconds."""

    rate: float
    p50: float = 0.0
    p99: float = 0.0
    refused: int = 0
    requests: int = 0

    @property
    def milliseconds(self) -> float:
        """What a request took, with eight under way."""
        return 1000 * CONNECTIONS / self.rate


@dataclass(frozen=True)
class Precondition:
    """`pattern` is Lua's and finds in an answer what the next change of the same thing has to name: in this
    header, or where the body has "{tag}".
    """

    pattern: str
    header: str = "-"


@dataclass(frozen=True)
class Client:
    """Requests with the key of an agent."""

    base: str
    authorization: str
    seconds: int
    may_refuse: bool = False

    def header_pairs(self) -> dict[str, str]:
        return {
            "authorization": self.authorization,
            "anthropic-beta": "agent-memory-2026-07-22",
            "content-type": "application/json",
        }

    def get(self, *paths: str) -> Load:
        return self.run("GET", paths)

    def send(self, paths: Sequence[str], body: Mapping[str, Any], method: str = "POST") -> Load:
        """`body` holds "{n}" once, where the changing number goes."""
        return self.run(method, paths, json.dumps(body))

    def send_if(
        self,
        precondition: Precondition,
        tags: Mapping[str, str],
        body: Mapping[str, Any],
        method: str = "POST",
    ) -> Load:
        """`tags` has the first tag of each path; the next ones are learned from the answers."""
        lines = [f"{path}\t{tag}" for path, tag in tags.items()]
        return self.run(method, lines, json.dumps(body), precondition)

    def run(
        self,
        method: str,
        paths: Sequence[str],
        body: str | None = None,
        precondition: Precondition | None = None,
    ) -> Load:
        with tempfile.TemporaryDirectory() as folder:
            if not shutil.which("wrk"):
                raise Unavailable("the load generator wrk is not installed (apt-get install wrk).")
            paths_file, body_file = Path(folder) / "paths", Path(folder) / "body"
            paths_file.write_text("\n".join(paths))
            command = ["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{self.seconds}s", "--timeout", "60s", "-s"]
            command += [str(SCRIPT)]
            for name, value in self.header_pairs().items():
                command += ["-H", f"{name}: {value}"]
            command += [self.base, "--", method, str(paths_file)]
            if body is not None:
                body_file.write_text(body)
                command += [str(body_file), str(next(_numbers))]
            if precondition:
                command += [precondition.pattern, precondition.header]
            output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        found = json.loads(output.strip().splitlines()[-1])
        good = found["requests"] - found["refused"]
        if found["broken"] or (found["refused"] and not self.may_refuse):
            raise RuntimeError(
                f"{method} {paths[0]}: of {found['requests']} requests {found['refused']} were refused and "
                f"{found['broken']} broke off."
            )
        taken = found["microseconds"] / 1e6
        counts = {"refused": found["refused"], "requests": found["requests"]}
        if good == 0:  # each of the first requests took longer than was measured
            return Load(CONNECTIONS / taken, 1000 * taken, 1000 * taken, **counts)
        return Load(good / taken, found["p50"] / 1000, found["p99"] / 1000, **counts)


def pgbench(
    database: Postgresql,
    sql: str,
    expressions: Mapping[str, str],
    *,
    seconds: int,
    variables: Mapping[str, Any] | None = None,
    before: str = "",
) -> Load:
    """The statement `sql`, its parameters replaced by `expressions` over pgbench's variables, prepared."""
    import programs  # .ci/programs.py

    folder = programs.find_postgres() or ""
    program = shutil.which("pgbench", path=folder) or shutil.which("pgbench")
    if program is None:
        raise Unavailable("pgbench is not installed; it comes with PostgreSQL or its contrib package.")
    # pgbench would take the minutes of a time format, "HH24:MI", for one of its variables.
    line = " ".join(sql.split()).replace("HH24:MI:SS", "HH24-MI-SS")
    text = before + PARAMETER.sub(lambda found: expressions[found[1]], line) + ";\n"
    with tempfile.NamedTemporaryFile("w", suffix=".sql") as script:
        script.write(text)
        script.flush()
        command = [program, "-n", "-M", "prepared", "-c", str(CONNECTIONS), "-j", "1", "-T", str(seconds)]
        for name, value in (variables or {}).items():
            command += ["-D", f"{name}={value}"]
        done = subprocess.run([*command, "-f", script.name, database.url], capture_output=True, text=True)
    rate = re.search(r"^tps = ([\d.]+)", done.stdout, re.MULTILINE)
    if done.returncode or rate is None:
        raise RuntimeError(f"pgbench: {done.stderr.strip()[-2000:]}")
    return Load(float(rate[1]))


def repeat(
    database: Sqlite, step: Callable[[Any, int], None], *, seconds: int, synchronous: str = "FULL"
) -> Load:
    """`step(connection, number)` over and over in one thread: what SQLite gives without a server."""
    connection = database.connect(synchronous=synchronous)
    number = start = next(_numbers)
    begin = time.perf_counter()
    while time.perf_counter() - begin < seconds:
        number += 1
        step(connection, number)
    taken = time.perf_counter() - begin
    connection.close()
    return Load((number - start) / taken)


def raw(database: Database, statement: Statement, parameters: Mapping[str, Any], *, seconds: int) -> Load:
    """A statement of the product, always with the same parameters, without the product."""
    if isinstance(database, Postgresql):
        names = set(PARAMETER.findall(statement.sql))
        return pgbench(
            database,
            statement.sql,
            {name: "NULL" if parameters[name] is None else f":{name}" for name in names},
            seconds=seconds,
            variables={name: parameters[name] for name in names},
        )

    def step(connection: Any, number: int) -> None:
        connection.execute(statement.sqlite, parameters).fetchall()

    return repeat(database, step, seconds=seconds)


def next_number() -> int:
    return next(_numbers)
