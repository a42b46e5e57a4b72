"""The WSGI application that `serve` and any other server runs."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memconsole.settings")

application = get_wsgi_application()
