"""The servers under load: the product, and the bare view, both with two workers of one thread each."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WORKERS = 2
START_SECONDS = 60


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def started(command: list[str], port: int, environment: Mapping[str, str]) -> Iterator[str]:
    """The address of a server that answers; it is stopped at the end."""
    log = Path(os.environ["MEMCONSOLE_DATA_DIR"]) / "bench-server.log"
    with log.open("ab") as output:
        process = subprocess.Popen(
            command, cwd=ROOT, env={**os.environ, **environment}, stdout=output, stderr=output
        )
    try:
        deadline = time.monotonic() + START_SECONDS
        while not _answers(port):
            if process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"{' '.join(command)} did not start:\n{log.read_text()[-2000:]}")
            time.sleep(0.05)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _answers(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=1):
            return True
    except OSError:
        return False


def granian(
    application: str, environment: Mapping[str, str], python: str = sys.executable
) -> AbstractContextManager[str]:
    port = free_port()
    command = [python, "-m", "granian", "--interface", "wsgi", "--no-ws", "--blocking-threads", "1"]
    command += ["--host", "127.0.0.1", "--port", str(port), "--workers", str(WORKERS)]
    return started([*command, application], port, environment)


def product(database_url: str, settings: str = "memconsole.settings") -> AbstractContextManager[str]:
    """The product as it is shipped, but for the jobs, whose start would fall into the measurement."""
    environment = {"DATABASE_URL": database_url, "DJANGO_SETTINGS_MODULE": settings}
    port = free_port()
    command = [sys.executable, "manage.py", "serve", "--host", "127.0.0.1", "--port", str(port)]
    return started([*command, "--workers", str(WORKERS), "--no-jobs"], port, environment)


def bare() -> AbstractContextManager[str]:
    return granian("bench.bare:application", {})
