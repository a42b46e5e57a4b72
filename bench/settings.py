"""The product's settings, with one address more (bench/urls.py)."""

from memconsole.settings import *  # noqa: F403

API_URLCONF = "bench.urls"
