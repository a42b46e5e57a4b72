"""`serve` as a process: it answers, stops, and brings back what dies."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress

import httpx2
import pytest

from tests.served_instance import ROOT, ServedInstance, free_port, serve_instance

pytestmark = pytest.mark.served

# Only how long a test waits before it gives up.
SECONDS = 30


def eventually(is_so: Callable[[], bool], seconds: float = SECONDS) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        with suppress(httpx2.TransportError):
            if is_so():
                return True
        time.sleep(0.05)
    return False


def is_alive(pid: int) -> bool:
    with suppress(OSError):
        os.kill(pid, 0)
        # A zombie has ended; whoever adopted it may be slow to notice.
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rpartition(")")[2].split()[0] != "Z"
    return False


def descendants(pid: int) -> list[int]:
    found = subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True, check=False)
    children = [int(child) for child in found.stdout.split()]
    return children + [below for child in children for below in descendants(child)]


def all_gone(pids: list[int]) -> bool:
    return not any(is_alive(pid) for pid in pids)


def answers(instance: ServedInstance, path: str = "/healthz") -> bool:
    return httpx2.get(instance.base_url + path, timeout=SECONDS).status_code == 200


class TestStopping:
    @pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
    def test_stops_cleanly_with_nothing_left_behind(self, number: int) -> None:
        with serve_instance(no_jobs=False) as instance:
            assert eventually(lambda: answers(instance, "/readyz"))
            processes = descendants(instance.process.pid)
            assert len(processes) == 4  # two for the web, the worker, its scheduler
            with httpx2.Client() as idle:
                idle.get(instance.base_url + "/healthz")
                assert instance.stop(number) == 0
            assert all_gone(processes)
            assert "Traceback" not in instance.log.read_text()

    def test_stops_while_a_client_is_stuck(self) -> None:
        with serve_instance() as instance, stuck_client(instance):
            assert instance.stop() == 0

    def test_killed_server_takes_its_children_along_and_starts_again(self) -> None:
        with serve_instance(no_jobs=False) as instance:
            assert eventually(lambda: answers(instance, "/readyz"))
            processes = descendants(instance.process.pid)
            instance.kill9()
            instance.start()
            assert eventually(lambda: all_gone(processes))
            assert eventually(lambda: answers(instance, "/readyz"))

    def test_leaves_nothing_behind_when_make_is_stopped(self, tmp_path) -> None:
        makefile = tmp_path / "Makefile"
        port = free_port()
        manage = f"cd {ROOT} && exec {sys.executable} manage.py"
        makefile.write_text(f"run:\n\t@{manage} quickstart --no-demo --port {port}\n")
        environment = {**os.environ, "MEMCONSOLE_DATA_DIR": str(tmp_path / "data"), "DATABASE_URL": ""}
        make = subprocess.Popen(["make", "-f", makefile, "run"], env=environment, stdout=subprocess.PIPE)
        try:
            assert any(b"Serving at" in line for line in make.stdout)
            processes = descendants(make.pid)
            make.terminate()
            make.wait(SECONDS)
            assert eventually(lambda: all_gone(processes))
        finally:
            make.kill()
            make.wait()
            make.stdout.close()


class TestBringingBack:
    def test_replaces_web_workers_whenever_they_are_killed(self) -> None:
        with serve_instance() as instance:
            for _ in range(2):
                workers = descendants(instance.process.pid)
                assert len(workers) == 2
                for pid in workers:
                    os.kill(pid, signal.SIGKILL)
                assert eventually(
                    lambda old=workers: (
                        answers(instance)
                        and len(new := descendants(instance.process.pid)) == 2
                        and not set(old) & set(new)
                    )
                )
            assert instance.stop() == 0

    def test_replaces_the_worker_for_jobs_and_its_scheduler(self) -> None:
        with serve_instance(no_jobs=False) as instance:
            assert eventually(lambda: len(descendants(instance.process.pid)) == 4)
            (scheduler,) = set(descendants(instance.process.pid)) - set(instance.children())
            (worker,) = [pid for pid in instance.children() if scheduler in descendants(pid)]
            os.kill(worker, signal.SIGKILL)
            assert eventually(lambda: all_gone([worker, scheduler]))
            assert eventually(lambda: len(descendants(instance.process.pid)) == 4)

    def test_two_servers_on_one_data_folder_have_one_worker(self) -> None:
        with serve_instance(no_jobs=False) as first:
            assert eventually(lambda: len(first.children()) == 3)
            second = subprocess.Popen(
                [sys.executable, "manage.py", "serve", "--port", str(free_port())],
                cwd=ROOT,
                env=first.environment,
                stdout=subprocess.PIPE,
            )
            try:
                assert b"Serving at" in second.stdout.readline()
                time.sleep(1)
                assert len(descendants(second.pid)) == len(first.children()) - 1
                first.stop()
                assert eventually(lambda: len(descendants(second.pid)) == 4)
            finally:
                second.terminate()
                second.wait(SECONDS)
                second.stdout.close()


class TestRefusing:
    def test_refuses_a_port_that_another_server_has(self, served) -> None:
        done = served.run("serve", "--port", str(served.port), "--no-jobs")
        assert done.returncode == 1
        assert done.stderr == (
            f"CommandError: Port {served.port} of 127.0.0.1 is taken; choose another with --port or PORT.\n"
        )

    def test_refuses_a_database_that_is_not_migrated(self, served, tmp_path) -> None:
        empty = {"MEMCONSOLE_DATA_DIR": str(tmp_path), "DATABASE_URL": ""}
        done = subprocess.run(
            [sys.executable, "manage.py", "serve", "--port", str(free_port())],
            cwd=ROOT,
            env={**served.environment, **empty},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 1
        assert "migrations are not applied" in done.stderr
        assert "manage.py migrate" in done.stderr
        assert len(done.stderr.splitlines()) == 1

    def test_refuses_a_database_that_is_away(self, served, tmp_path) -> None:
        away = {"DATABASE_URL": f"postgres://nobody@127.0.0.1:{free_port()}/nothing"}
        done = subprocess.run(
            [sys.executable, "manage.py", "serve"],
            cwd=ROOT,
            env={**served.environment, **away},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 1
        assert done.stderr.startswith("CommandError: The database cannot be reached:")

    @pytest.mark.parametrize(("knob", "value"), [("PORT", "http"), ("TIME_ZONE", "Mars"), ("DEBUG", "maybe")])
    def test_refuses_a_bad_knob_in_one_line(self, served, knob: str, value: str) -> None:
        done = subprocess.run(
            [sys.executable, "manage.py", "serve"],
            cwd=ROOT,
            env={**served.environment, knob: value},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 1
        assert done.stderr.startswith(knob)
        assert value in done.stderr
        assert len(done.stderr.splitlines()) == 1

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (["--host", "no.such.host.invalid"], "There is no host 'no.such.host.invalid'"),
            (["--host", "192.0.2.1"], "Cannot listen on 192.0.2.1"),
            (["--port", "0"], "--port must be a number from 1 to 65535."),
            (["--workers", "0"], "--workers must be at least 1."),
        ],
    )
    def test_refuses_what_cannot_be(self, served, arguments: list[str], message: str) -> None:
        done = served.run("serve", *arguments)
        assert done.returncode == 1
        assert message in done.stderr
        assert len(done.stderr.splitlines()) == 1


def stuck_client(instance: ServedInstance) -> socket.socket:
    """Announces a body to the sign-in page and never sends it."""
    client = socket.create_connection((instance.host, instance.port))
    client.sendall(
        b"POST /login/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n"
        b"Content-Type: application/x-www-form-urlencoded\r\n"
        b"Cookie: csrftoken=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n\r\ncsrf"
    )
    return client
