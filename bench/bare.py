"""The reference B: the least that Django can do, one JSON view without any middleware."""

import msgspec
from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.http import HttpRequest, HttpResponse
from django.urls import path

encoder = msgspec.json.Encoder()


def bare(request: HttpRequest) -> HttpResponse:
    return HttpResponse(encoder.encode({"status": "ok"}), content_type="application/json")


urlpatterns = [path("bare", bare)]

settings.configure(ROOT_URLCONF=__name__, ALLOWED_HOSTS=["*"], MIDDLEWARE=[], USE_I18N=False)
application = get_wsgi_application()
