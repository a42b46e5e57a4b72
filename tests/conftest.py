"""What holds for every test."""

import pytest
from django.conf import settings as django_settings
from hypothesis import HealthCheck, settings

from stores.api import auth
from tests.served_instance import served

__all__ = ["served"]

# The same examples every time, so that a run says something about the change and not about luck. Looking for
# new ones: pytest --hypothesis-profile=explore
settings.register_profile(
    "suite",
    deadline=None,
    derandomize=True,
    database=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.register_profile(
    "explore",
    deadline=None,
    max_examples=2000,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("suite")


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings_parallel_suffix):
    """Keeps SQLite in memory under pytest-xdist too: pytest-django knows that of Django's own engine only."""
    for database in django_settings.DATABASES.values():
        if database["ENGINE"] == "memconsole.db.sqlite3":
            database["TEST"]["NAME"] = ":memory:"


@pytest.fixture(autouse=True)
def _forget_known_keys():
    """A test's rows are rolled back; what the process remembers of them has to go as well."""
    auth._cache.clear()
