"""Page or partial: the one place that decides, and says so in `Vary`."""

from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.utils.cache import patch_vary_headers

from stores.console.access import ConsoleRequest

READ_HEADERS = ("HX-Request", "HX-Boosted", "HX-History-Restore-Request")


def wants_partial(request: ConsoleRequest) -> bool:
    """HTMX swaps parts, except where it asks for a whole page: boosted links and Back."""
    htmx = request.htmx
    return bool(htmx) and not htmx.boosted and not htmx.history_restore_request


def render_main(request: ConsoleRequest, template: str, context: dict[str, Any]) -> HttpResponse:
    """A page, or what it has inside `main`: the template extends whatever `layout` names."""
    layout = "swap.html" if wants_partial(request) else "base.html"
    return _vary(render(request, template, {**context, "layout": layout}))


def render_part(request: ConsoleRequest, template: str, part: str, context: dict[str, Any]) -> HttpResponse:
    """A page, or one part of it that has a template of its own."""
    if wants_partial(request):
        return _vary(render(request, "swap.html", {**context, "part": part}))
    return _vary(render(request, template, {**context, "layout": "base.html", "part": part}))


def render_fragment(request: ConsoleRequest, template: str, context: dict[str, Any]) -> HttpResponse:
    """What a script puts into a dialog: without a title and without notices, for those belong to pages."""
    return _vary(render(request, template, context))


def _vary(response: HttpResponse) -> HttpResponse:
    patch_vary_headers(response, READ_HEADERS)
    return response
