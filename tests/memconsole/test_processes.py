import subprocess
import sys

import pytest

from tests.served.test_serve import eventually, is_alive
from tests.served_instance import ROOT

PARENT = """
import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "{child}"])
print(child.pid, flush=True)
time.sleep(60)
"""
CHILD = (
    "import os, time; from memconsole import processes; processes.end_with(os.getppid()); "
    "print(1, flush=True); time.sleep(60)"
)


@pytest.mark.once
def test_child_ends_soon_after_its_parent_was_killed() -> None:
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT.format(child=CHILD)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    child = int(parent.stdout.readline())
    parent.stdout.readline()
    assert is_alive(child)
    parent.kill()
    parent.wait()
    parent.stdout.close()
    assert eventually(lambda: not is_alive(child))
