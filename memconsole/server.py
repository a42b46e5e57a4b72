"""The server process: granian's web workers, and the worker for jobs beside them."""

import copy
import errno
import fcntl
import http.client
import logging
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from django.conf import settings
from django.db import connections
from granian.constants import HTTPModes, Interfaces
from granian.log import LogLevels
from granian.server import mp

from memconsole import processes, staticfiles
from memconsole.intake import Application, Intake

logger = logging.getLogger("memconsole.server")

# How long a stopping worker may finish what it is doing before it is killed.
STOP_SECONDS = 5
# Connections that a worker holds at once, idle ones included; further ones wait in the kernel.
CONNECTIONS_PER_WORKER = 500
LOOK_EVERY_SECONDS = 0.5
RESTART_SECONDS_FIRST, RESTART_SECONDS_MOST = 1, 60
# Who has lived for so long was well; its next end is a new one.
WELL_AFTER_SECONDS = 30
PORT_FREE_WITHIN_SECONDS = 2


class CannotServe(Exception):
    """A sentence for whoever typed the command."""


class Restarts:
    """When what has ended shall start again: at once after a long life, later and later after short ones."""

    def __init__(self) -> None:
        self.delay = 0.0
        self.started = time.monotonic()
        self.due: float | None = None

    def note_start(self) -> None:
        self.started, self.due = time.monotonic(), None

    def note_end(self) -> float:
        """Answers in how many seconds the next start is due."""
        now = time.monotonic()
        if now - self.started >= WELL_AFTER_SECONDS:
            self.delay = 0
        delay = self.delay
        self.delay = min(max(self.delay * 2, RESTART_SECONDS_FIRST), RESTART_SECONDS_MOST)
        self.due = now + delay
        return delay

    def is_due(self) -> bool:
        return self.due is not None and time.monotonic() >= self.due


class Jobs:
    """The one worker process for jobs, scheduler included.

    Of several servers on one data folder only one runs it at a time: the worker inherits the lock, so that
    the next server waits even for the worker of one that was killed.
    """

    def __init__(self) -> None:
        self.restarts = Restarts()
        self.process: subprocess.Popen[bytes] | None = None
        path = settings.DATA_DIR / "jobs.lock"
        self.lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)

    def keep_running(self) -> None:
        """Starts the process where it does not run; to be called again and again."""
        if self.process is not None:
            status = self.process.poll()
            if status is None:
                return
            self.process = None
            delay = self.restarts.note_end()
            logger.error("The worker for jobs ended with status %s; next start in %s s", status, delay)
        if self.restarts.due is None or self.restarts.is_due():
            try:
                fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return
            self.process = self._start()
            self.restarts.note_start()

    def _start(self) -> "subprocess.Popen[bytes]":
        celery = [sys.executable, "-m", "celery", "--quiet", "-A", "memconsole", "worker", "--beat"]
        quiet = ["--without-gossip", "--without-mingle", "--without-heartbeat"]
        return subprocess.Popen(  # noqa: S603 - our own program
            [*celery, "--pool", "solo", "--loglevel", "WARNING", "--hostname", "embedded@%h", *quiet],
            cwd=settings.BASE_DIR,
            env={**os.environ, processes.PARENT: str(os.getpid())},
            stdin=subprocess.DEVNULL,
            stdout=2,  # our own stdout is for the address
            process_group=0,  # Ctrl-C is for `serve`, which then asks the worker to stop
            pass_fds=[self.lock],
        )

    def ask_to_stop(self) -> None:
        if self.process is not None:
            self.process.terminate()

    def wait_until_stopped(self) -> None:
        if self.process is None:
            return
        try:
            self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            logger.warning("The worker for jobs did not stop in time and is killed")
            self.process.kill()
            self.process.wait()


class WebServer(mp.MPServer):
    """granian's worker processes; written for the pinned version, whose loop and shutdown it replaces.

    granian gives up when a worker dies twice in a row, reloads on a hang-up, and reports an unclean end when
    a worker had died long before. Here a worker is always replaced, a hang-up stops, and a stop is clean.

    Every process is started by the main thread, the jobs' too: a pipe that another thread is just setting up
    for its child would leak into a fork, and that thread would wait for its end for ever.
    """

    def __init__(self, jobs: Jobs | None, **options: Any) -> None:
        super().__init__(**options)
        self.jobs = jobs
        self.restarts = [Restarts() for _ in range(self.workers)]
        hangup = signal.getsignal(signal.SIGHUP)

        @self.on_startup
        def stop_on_hangup() -> None:
            # Under nohup it stays ignored.
            ignored = hangup is signal.SIG_IGN
            signal.signal(signal.SIGHUP, signal.SIG_IGN if ignored else self.signal_handler_interrupt)

    def _serve_loop(self, spawn_target: Any, target_loader: Any) -> None:
        while not self.interrupt_signal:
            if self.jobs is not None:
                self.jobs.keep_running()
            while self.interrupt_children:
                self.restarts[self.interrupt_children.pop()].note_end()
            for index, restarts in enumerate(self.restarts):
                if restarts.is_due():
                    self._respawn_workers([index], spawn_target, target_loader)
                    restarts.note_start()
            # A signal or the death of a web worker cuts this short.
            self.main_loop_interrupt.wait(LOOK_EVERY_SECONDS)
            self.main_loop_interrupt.clear()

    def shutdown(self, exit_code: int = 0) -> None:
        if self.jobs is not None:
            self.jobs.ask_to_stop()
        self._drop_shared_socket()
        self._stop_workers()
        self._stop_ipc()
        if self.jobs is not None:
            self.jobs.wait_until_stopped()


def serve(
    *, host: str, port: int, workers: int, jobs: bool, on_ready: Callable[[str], None] | None = None
) -> None:
    """Runs the product until SIGTERM or SIGINT. Calls `on_ready` with the address once it answers.

    Raises CannotServe.
    """
    address = resolve(host, port)
    require_free(address, port)
    try:
        staticfiles.collect()
    except OSError as error:
        raise CannotServe(f"Cannot write static files: {error}.") from None
    # Loaded here as well, so that a mistake stops the start, and so that forked workers share its memory.
    from memconsole.wsgi import application  # noqa: F401 - needs the settings

    # A connection must not be shared with a fork.
    connections.close_all()
    server = WebServer(
        # With Redis the worker and the scheduler are processes of their own.
        Jobs() if jobs and not settings.REDIS_URL else None,
        target="memconsole.wsgi:application",
        address=address,
        port=port,
        interface=Interfaces.WSGI,
        http=HTTPModes.http1,
        workers=workers,
        # These only read bodies; they are made when needed (memconsole/intake.py).
        blocking_threads=CONNECTIONS_PER_WORKER,
        backpressure=CONNECTIONS_PER_WORKER,
        websockets=False,
        log_level=LogLevels.error,
        log_dictconfig=copy.deepcopy(settings.LOGGING),
        workers_kill_timeout=STOP_SECONDS,
    )
    if on_ready is not None:
        announcer = partial(announce, address, port, partial(on_ready, base_url(host, port)))
        server.on_startup(threading.Thread(target=announcer, name="announcer", daemon=True).start)
    loader = partial(load_application, os.getpid(), jobs)
    server.serve(target_loader=loader, wrap_loader=False)


def resolve(host: str, port: int) -> str:
    """The IP address to listen on. Raises CannotServe."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except OSError as error:
        raise CannotServe(f"There is no host {host!r} to listen on: {error.strerror}.") from None
    # `localhost` is both; most of what connects to it tries IPv4 too.
    found.sort(key=lambda entry: entry[0] != socket.AF_INET)
    return str(found[0][4][0])


def require_free(address: str, port: int) -> None:
    """Raises CannotServe where somebody listens already.

    granian's workers share a port by SO_REUSEPORT and would share it with a second server just as silently.
    The workers of a server killed with -9 need a moment to notice, hence the patience.
    """
    deadline = time.monotonic() + PORT_FREE_WITHIN_SECONDS
    while True:
        with socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((address, port))
                return
            except OSError as error:
                if error.errno != errno.EADDRINUSE:
                    raise CannotServe(f"Cannot listen on {address} port {port}: {error.strerror}.") from None
        if time.monotonic() >= deadline:
            raise CannotServe(f"Port {port} of {address} is taken; choose another with --port or PORT.")
        time.sleep(0.1)


def base_url(host: str, port: int) -> str:
    """The address to type into a browser on this machine."""
    name = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, host)  # noqa: S104 - translated away
    if ":" in name and not name.startswith("["):
        name = f"[{name}]"
    return f"http://{name}:{port}"


def announce(address: str, port: int, on_ready: Callable[[], None]) -> None:
    """Calls `on_ready` once /healthz answers."""
    target = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(address, address)  # noqa: S104 - translated away
    while True:
        connection = http.client.HTTPConnection(target, port, timeout=5)
        try:
            connection.request("GET", "/healthz")
            if connection.getresponse().status == 200:
                break
        except (OSError, http.client.HTTPException):
            pass
        finally:
            connection.close()
        time.sleep(0.05)
    on_ready()


def load_application(parent: int, jobs: bool) -> Application:
    """What each web worker runs, called in the new process."""
    os.setpgid(0, 0)  # Ctrl-C is for `serve`, which then asks its workers to stop
    processes.end_with(parent)
    settings.JOBS = jobs
    # granian has no other place for one's own way from its threads to the application.
    mp._wsgi_call_wrap = take_in  # type: ignore[assignment]
    from memconsole.wsgi import application  # needs the settings

    return application


def take_in(application: Application, *_granians: Any) -> Intake:
    return Intake(application, body_bytes=settings.DATA_UPLOAD_MAX_MEMORY_SIZE)
