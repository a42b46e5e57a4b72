"""What is answered where no view can."""

from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest
from django.template.loader import render_to_string


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Django's own reads the form again for its token: a form that cannot be read would end in a 500."""
    return HttpResponseBadRequest(render_to_string("400.html"))
