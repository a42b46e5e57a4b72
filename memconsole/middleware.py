"""The API's own short road past the browser's middleware."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse


class ApiRoad:
    """Answers every address below /v1/ itself, so that none of the browser's middleware runs for it.

    Sessions, CSRF, messages and CSP cost a request half its rate (performance.md, finding 10), and none
    of them means anything to a caller with a key.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        # Imported here: the middleware is loaded after the apps, this module maybe before.
        from stores.api.road import answer

        self.get_response = get_response
        self.answer = answer

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.path_info.startswith("/v1/"):
            return self.answer(request)
        return self.get_response(request)
