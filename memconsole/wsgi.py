"""The WSGI application that `serve` and any other server runs."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memconsole.settings")

application = get_wsgi_application()

# Whoever queues a job needs the queue: it is there from the start, not from the first job on.
from memconsole import celery  # noqa: E402, F401 - needs the settings
