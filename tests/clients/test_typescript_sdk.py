"""Runs typescript/*.test.mjs, the tests of the official TypeScript SDK, against a started `serve`."""

import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
SDK = HERE / "node_modules" / "@anthropic-ai" / "sdk"

pytestmark = [
    pytest.mark.served,
    pytest.mark.typescript,
    pytest.mark.skipif(not SDK.is_dir(), reason=f"{SDK} is missing: run `npm ci` in {HERE}, or `make test`"),
]


@pytest.fixture(scope="module")
def surroundings(served: Any, stranger_key: str) -> dict[str, str]:
    return os.environ | {
        "MEMCONSOLE_TEST_URL": served.base_url,
        "MEMCONSOLE_TEST_ADMIN_KEY": served.admin_key,
        "MEMCONSOLE_TEST_READ_ONLY_KEY": served.key(access="read_only"),
        "MEMCONSOLE_TEST_READ_WRITE_KEY": served.key(access="read_write"),
        "MEMCONSOLE_TEST_STRANGER_KEY": stranger_key,
    }


@pytest.mark.parametrize("file", sorted((HERE / "typescript").glob("*.test.mjs")), ids=lambda file: file.name)
def test_typescript(file: Path, surroundings: dict[str, str]) -> None:
    node = os.environ["TEST_NODE"]
    # Without --test, the file itself would be counted or not, depending on the version of Node.
    run = subprocess.run(
        [node, file],
        cwd=HERE,
        env=surroundings,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    counts = dict(re.findall(r"^\S (pass|fail|skipped|todo|cancelled) (\d+)$", run.stdout, re.MULTILINE))
    assert int(counts.pop("pass")) == len(re.findall(r"^test\(", file.read_text(), re.MULTILINE)) > 0
    assert set(counts.values()) == {"0"}
