"""How an agent connects to this very server."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from stores.console.access import ConsoleRequest, for_members
from stores.console.htmx import render_main


@require_safe
@for_members
def connect(request: ConsoleRequest) -> HttpResponse:
    context = {"title": "Connect an agent", "base_url": base_url(request)}
    return render_main(request, "connect/detail.html", context)


def base_url(request: HttpRequest) -> str:
    """The address of this server as the browser reached it, which is what an SDK wants."""
    return request.build_absolute_uri("/").rstrip("/")
