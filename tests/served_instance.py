"""A real `manage.py serve` in a process of its own, for tests that talk to the product over HTTP.

The fixture `served` is there for every test (tests/conftest.py). A test that stops, kills or configures the
server takes an instance of its own: `with serve_instance(...) as instance`.
"""

import atexit
import contextlib
import ctypes
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import pytest

ROOT = Path(__file__).resolve().parent.parent
START_SECONDS = 60
STOP_SECONDS = 20


PREPARE = """
from django.core.management import call_command
from memconsole import staticfiles
call_command("migrate", verbosity=0)
call_command("create_workspace", "Served")
staticfiles.collect()
"""


class ServedInstance:
    """One installation: its data folder, its database, and its server, which can be stopped and started."""

    def __init__(self, data: Path, database_url: str, *, no_jobs: bool = True, **knobs: str) -> None:
        self.data = data
        self.log = data / "serve.log"
        self.host = "127.0.0.1"
        self.port = free_port()
        self.arguments = ["--no-jobs"] if no_jobs else []
        self.process: subprocess.Popen[str] | None = None
        self.environment = environment(data, database_url, **knobs)
        self.workspace_id = (data / "workspace_id").read_text()
        self._keys: dict[tuple[str, tuple[str, ...]], str] = {}

    @property
    def base_url(self) -> str:
        return f"http://{self.host}:{self.port}"

    @property
    def admin_key(self) -> str:
        return self.key(access="admin")

    def key(self, access: str = "read_write", store_ids: Iterable[str] | None = None) -> str:
        """The secret of a key in the instance's workspace; the same key for the same question."""
        question = (access, tuple(store_ids or ()))
        if question not in self._keys:
            limits = [word for store_id in question[1] for word in ("--store", store_id)]
            output = self.manage(
                "create_api_key", access, "--workspace", self.workspace_id, "--access", access, *limits
            )
            self._keys[question] = output.splitlines()[-1]
        return self._keys[question]

    def manage(self, *arguments: str, check: bool = True) -> str:
        """Runs a command against this installation; its standard output."""
        done = self.run(*arguments)
        if check and done.returncode:
            raise AssertionError(f"manage.py {' '.join(arguments)} failed:\n{done.stdout}{done.stderr}")
        return done.stdout

    def run(self, *arguments: str, timeout: float = 120) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )

    def start(self) -> None:
        """Starts the server on the same port as ever and waits until it answers."""
        assert self.process is None, "already started"
        with self.log.open("a") as log:
            self.process = subprocess.Popen(
                [
                    *(sys.executable, "manage.py", "serve", "--host", self.host, "--port", str(self.port)),
                    *("--workers", "2", *self.arguments),
                ],
                cwd=ROOT,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                preexec_fn=end_with_parent,
            )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if self.base_url not in line:
            self.kill9()
            raise AssertionError(f"serve did not start; it said {line!r} and:\n{self.log.read_text()}")

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Asks the server to stop; its exit status."""
        process, self.process = self.process, None
        assert process is not None, "not started"
        process.send_signal(number)
        try:
            return process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            raise AssertionError(f"serve did not stop:\n{self.log.read_text()}") from None
        finally:
            process.stdout.close()

    def kill9(self) -> None:
        """Kills `serve` itself without a warning; its children have to notice."""
        process, self.process = self.process, None
        assert process is not None, "not started"
        process.kill()
        process.wait()
        process.stdout.close()

    def children(self) -> list[int]:
        """The processes that `serve` has started."""
        assert self.process is not None
        found = subprocess.run(
            ["pgrep", "-P", str(self.process.pid)], capture_output=True, text=True, check=False
        )
        return [int(pid) for pid in found.stdout.split()]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def end_with_parent() -> None:
    """A test run killed with -9 leaves no server behind (on Linux, where tests run)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGTERM)


def environment(data: Path, database_url: str, **knobs: str) -> dict[str, str]:
    """Nothing of the developer's, nothing of the test run's own installation."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("MEMCONSOLE_")}
    return {**inherited, "MEMCONSOLE_DATA_DIR": str(data), "DATABASE_URL": database_url, **knobs}


@cache
def prepared() -> tuple[Path, str]:
    """A migrated installation with one workspace, from which all others are copied; folder and database."""
    folder = Path(tempfile.mkdtemp(prefix="memconsole-served-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    name = ""
    if server_url():
        name = create_database("template0")
        atexit.register(drop_database, name)
    done = subprocess.run(
        [sys.executable, "manage.py", "shell", "--verbosity", "0", "--command", PREPARE],
        cwd=ROOT,
        env=environment(folder, database_url(name)),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    (folder / "workspace_id").write_text(done.stdout.splitlines()[-1])
    return folder, name


def server_url() -> str:
    """The PostgreSQL server under test, by one of its databases; empty where SQLite is tested."""
    url = os.environ.get("DATABASE_URL", "")
    return url if url.startswith("postgres") else ""


def database_url(name: str) -> str:
    """For `DATABASE_URL`; empty is the SQLite file in the data folder."""
    return urlunsplit(urlsplit(server_url())._replace(path=f"/{name}")) if name else ""


def in_server(statement: str, *names: str) -> None:
    import psycopg  # only where PostgreSQL is tested
    from psycopg import sql

    with psycopg.connect(database_url("postgres"), autocommit=True) as server:
        server.execute(sql.SQL(statement).format(*map(sql.Identifier, names)))


def create_database(template: str) -> str:
    name = f"served_{secrets.token_hex(6)}"
    in_server("CREATE DATABASE {} TEMPLATE {}", name, template)
    return name


def drop_database(name: str) -> None:
    in_server("DROP DATABASE {} WITH (FORCE)", name)


@contextlib.contextmanager
def serve_instance(*, no_jobs: bool = True, start: bool = True, **knobs: str) -> Iterator[ServedInstance]:
    """An installation of its own, with a workspace, started; gone afterwards.

    Its database is a SQLite file, or a new one in the PostgreSQL server under test.
    """
    template_folder, template_database = prepared()
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="memconsole-served-")))
        shutil.copytree(template_folder, folder, dirs_exist_ok=True)
        name = ""
        if template_database:
            name = create_database(template_database)
            stack.callback(drop_database, name)
        instance = ServedInstance(folder, database_url(name), no_jobs=no_jobs, **knobs)
        try:
            if start:
                instance.start()
            yield instance
        finally:
            if instance.process is not None:
                instance.stop()


@pytest.fixture(scope="session")
def served() -> Iterator[ServedInstance]:
    """One served installation for the whole test process, with two web workers and no jobs."""
    with serve_instance() as instance:
        yield instance
