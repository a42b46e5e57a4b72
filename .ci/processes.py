"""Children that end when they should."""

import contextlib
import ctypes
import os
import signal
import subprocess
import sys

LIBC = ctypes.CDLL(None)
PR_SET_PDEATHSIG = 1


def end_with_parent():
    """For `preexec_fn`: even `kill -9` of the parent must not leave the child behind."""
    if sys.platform == "linux":
        LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def run(command, environment, **translated):
    """Run a command in the foreground, pass signals on to it and return its exit status.

    `SIGTERM=signal.SIGINT` passes one on as another.
    """
    child = subprocess.Popen(command, env=environment, preexec_fn=end_with_parent)

    def forward(number, _frame):
        # From a terminal, Ctrl-C has reached the command already.
        if not (number == signal.SIGINT and os.isatty(0)):
            with contextlib.suppress(ProcessLookupError):
                child.send_signal(translated.get(signal.Signals(number).name, number))

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, forward)
    status = child.wait()
    return status if status >= 0 else 128 - status
