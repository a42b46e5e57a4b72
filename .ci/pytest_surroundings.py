"""A pytest plugin (named in pyproject.toml): what is around a test run, however it was started.

- The developer's own database, keys and data folder are out of reach; each xdist worker has a data
  folder of its own.
- A test whose service is missing is skipped with a sentence that says how to get it.
- In the second pass of `make test` the tests marked `once` are left out.
"""

import atexit
import os
import shutil
import tempfile
from pathlib import Path

import pytest

SERVICES = {
    "postgres": "TEST_POSTGRES_URL",
    "redis": "TEST_REDIS_URL",
    "browser": "TEST_CHROMIUM",
    "typescript": "TEST_NODE",
}
# DATABASE_URL stays: it chooses the database under test.
PRODUCT_KNOBS = (
    "HOST",
    "PORT",
    "REDIS_URL",
    "SECRET_KEY",
    "ALLOWED_HOSTS",
    "CSRF_TRUSTED_ORIGINS",
    "DEBUG",
    "TIME_ZONE",
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "ANTHROPIC_BASE_URL",
)


def forget_the_developers_environment():
    for name in list(os.environ):
        ours = name.startswith("MEMCONSOLE_") and not name.startswith("MEMCONSOLE_TEST_")
        if name in PRODUCT_KNOBS or ours:
            del os.environ[name]
    folder = tempfile.mkdtemp(prefix="memconsole-pytest-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    os.environ["MEMCONSOLE_DATA_DIR"] = folder


# At import, because pytest-django reads the settings before any hook of ours is called.
forget_the_developers_environment()


def pytest_collection_modifyitems(config, items):
    for marker, variable in SERVICES.items():
        if not os.environ.get(variable):
            reason = f"{variable} is not set: use `make test` or `.ci/with-services pytest`"
            for item in items:
                if item.get_closest_marker(marker):
                    item.add_marker(pytest.mark.skip(reason=reason))
    if os.environ.get("MEMCONSOLE_TEST_ONCE_DONE"):
        done = [item for item in items if item.get_closest_marker("once")]
        config.hook.pytest_deselected(items=done)
        items[:] = [item for item in items if not item.get_closest_marker("once")]


def pytest_terminal_summary(terminalreporter):
    path = os.environ.get("MEMCONSOLE_TEST_SUMMARY")
    if path:
        parts, _color = terminalreporter.build_summary_stats_line()
        Path(path).write_text(", ".join(text for text, _markup in parts))
