"""The queue before SQLite's write transactions, over threads, processes and forks."""

import fcntl
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import pytest
from django.test import SimpleTestCase

from memconsole.db.sqlite3.base import WriteQueue
from tests.served_instance import ROOT, environment

PROCESSES, THREADS, WRITES = 3, 3, 25
# Without an exclusive transaction around it, reading and then writing would lose increments.
INCREMENT = f"""
import sys, threading, django
django.setup()
from django.db import connection, transaction

def increment():
    for _ in range({WRITES}):
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SELECT n FROM counter")
            (n,) = cursor.fetchone()
            cursor.execute("UPDATE counter SET n = %s", [n + 1])
    connection.close()

threads = [threading.Thread(target=increment) for _ in range({THREADS})]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
"""
MAKE = """
import django
django.setup()
from django.db import connection
connection.cursor().execute("CREATE TABLE counter (n integer)")
connection.cursor().execute("INSERT INTO counter VALUES (0)")
"""
READ = """
import django
django.setup()
from django.db import connection
print(connection.cursor().execute("SELECT n FROM counter").fetchone()[0])
"""
# As in `serve`: connections are closed before the fork and opened anew behind it.
FORK = INCREMENT.replace(
    "threads = ",
    """
increment()
child = os.fork()
increment()
if child == 0:
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
threads = """,
    1,
).replace("import sys,", "import os, sys,")

# Two connections, of which one came later, and a write after another process has come and gone.
WATCHED = f"""
import subprocess, sys, threading, django
django.setup()
from django.db import connection

def look():
    return connection.cursor().execute("SELECT n FROM counter").fetchone()

look()
opened, done = threading.Event(), threading.Event()
second = threading.Thread(target=lambda: (look(), opened.set(), done.wait()))
second.start()
opened.wait()
program = {READ!r} + "connection.close()"
subprocess.run([sys.executable, "-c", program], check=True, stdout=subprocess.DEVNULL)
connection.cursor().execute("UPDATE counter SET n = 7")
subprocess.run([sys.executable, "-c", program], check=True)
done.set()
second.join()
"""


@pytest.mark.once
class SqliteQueue(SimpleTestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.environment = environment(Path(folder.name), "") | {
            "DJANGO_SETTINGS_MODULE": "memconsole.settings"
        }
        self.path = f"{folder.name}/database"

    def start(self, program: str) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [sys.executable, "-c", program],
            cwd=ROOT,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run_all(self, *programs: str) -> str:
        running = [self.start(program) for program in programs]
        outputs = [process.communicate(timeout=60) for process in running]
        for process, (_, errors) in zip(running, outputs, strict=True):
            self.assertEqual((process.returncode, errors), (0, ""))
        return outputs[-1][0].strip()

    def test_no_write_is_lost_between_processes_and_threads(self) -> None:
        self.run_all(MAKE)
        self.run_all(*[INCREMENT] * PROCESSES)
        self.assertEqual(self.run_all(READ), str(PROCESSES * THREADS * WRITES))

    def test_forked_process_writes_beside_its_parent(self) -> None:
        self.run_all(MAKE)
        self.run_all(FORK)
        self.assertEqual(self.run_all(READ), str((3 + THREADS) * WRITES))

    def test_no_process_takes_the_log_away_from_another(self) -> None:
        self.run_all(MAKE)
        self.assertEqual(self.run_all(WATCHED), "7")
        self.assertEqual(self.run_all(READ), "7")

    def is_free(self) -> bool:
        with open(f"{self.path}-queue", "w") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return False
            return True

    def test_lets_one_thread_in_at_a_time(self) -> None:
        first, second = WriteQueue(self.path), WriteQueue(self.path)
        order: list[str] = []
        first.enter()

        def follow() -> None:
            second.enter()
            order.append("second")
            second.leave()

        thread = threading.Thread(target=follow)
        thread.start()
        self.assertFalse(self.is_free())
        order.append("first")
        first.leave()
        thread.join(10)
        self.assertEqual(order, ["first", "second"])
        self.assertTrue(self.is_free())
        first.close()
        second.close()

    def test_forked_process_does_not_wait_for_its_parents_threads(self) -> None:
        queue = WriteQueue(self.path)
        inside, done = threading.Event(), threading.Event()

        def stay() -> None:
            queue.enter()
            inside.set()
            done.wait()
            queue.close()

        thread = threading.Thread(target=stay)
        thread.start()
        inside.wait()
        child = os.fork()
        if child == 0:
            WriteQueue(f"{self.path}-other").enter()
            os._exit(0)
        for _ in range(100):
            pid, status = os.waitpid(child, os.WNOHANG)
            if pid:
                break
            time.sleep(0.05)
        else:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
        done.set()
        thread.join()
        self.assertEqual((pid, status), (child, 0))

    def test_child_that_closes_what_it_inherited_frees_nothing(self) -> None:
        queue = WriteQueue(self.path)
        queue.enter()
        child = os.fork()
        if child == 0:
            status = 1
            try:
                queue.close()
                status = 0
            finally:
                os._exit(status)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.assertFalse(self.is_free())
        queue.close()
        self.assertTrue(self.is_free())
