"""What is answered where no view can."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest, HttpResponseNotAllowed
from django.template.loader import render_to_string


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Django's own reads the form again for its token: a form that cannot be read would end in a 500."""
    return HttpResponseBadRequest(render_to_string("400.html"))


class MethodsHaveAPage:
    """An address that does not take what was sent says so on a page. Django's answer has no text, and for
    that a browser shows a page of its own, or none.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if isinstance(response, HttpResponseNotAllowed) and not response.content:
            is_page = "GET" in response["Allow"]
            response.content = render_to_string("405.html", {"is_page": is_page}, request)
        return response
