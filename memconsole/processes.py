"""Processes that must not outlive the one that started them, even when that one is killed with -9."""

import os
import signal
import threading
import time

PARENT = "MEMCONSOLE_PARENT_PID"
LOOK_EVERY_SECONDS = 0.5


def end_with(parent: int) -> None:
    """Asks this process to stop, as SIGTERM would, once `parent` is no longer its parent.

    Looking at the parent's id works on every Unix and after a fork; the kernel's own signal
    (PR_SET_PDEATHSIG) is tied to the thread that started the process and exists on Linux only.
    """
    threading.Thread(target=_watch, args=(parent,), name="parent watch", daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(LOOK_EVERY_SECONDS)
    os.kill(os.getpid(), signal.SIGTERM)
    # Whatever it was doing, nobody is left to wait for it.
    time.sleep(10)
    os.kill(os.getpid(), signal.SIGKILL)
