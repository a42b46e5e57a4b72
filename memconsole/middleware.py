"""The short road past the browser's middleware, and what is true of every answer that is an error."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.utils.cache import add_never_cache_headers


class ShortRoad:
    """Answers the API and the health checks itself, so that none of the browser's middleware runs for them.

    Sessions, CSRF, messages and CSP cost a request half its rate (performance.md, finding 10), and none
    of them means anything to a caller with a key or to a load balancer, which may not even know a host name.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        # Imported here: the middleware is loaded after the apps, this module maybe before.
        from stores import health
        from stores.api.road import answer

        self.get_response = get_response
        self.answer = answer
        self.health = {"/healthz": health.live, "/readyz": health.ready}

    def __call__(self, request: HttpRequest) -> HttpResponse:
        path = request.path_info
        if path.startswith("/v1/") or path == "/v1":
            return self.answer(request)
        check = self.health.get(path)
        return check(request) if check else self.get_response(request)


class ErrorsAreNotKept:
    """No cache keeps an error page: what is missing now may be there in a moment, or for somebody else."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if response.status_code >= 400 and not response.has_header("Cache-Control"):
            add_never_cache_headers(response)
        return response
