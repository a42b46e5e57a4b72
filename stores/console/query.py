"""Reading a page's query: what is not well formed was not made by a link of ours."""

import re

from django.http import Http404, HttpRequest

from stores.domain.errors import PathInvalid
from stores.domain.paths import check_path, check_path_prefix, is_inside
from stores.models import ids

SEARCH_CHARACTERS = 200


def search_text(request: HttpRequest, name: str = "q") -> str:
    """Words to look for; a character that no text can hold finds nothing and harms nothing."""
    return request.GET.get(name, "").replace("\0", "\ufffd").strip()[:SEARCH_CHARACTERS]


def flag(request: HttpRequest, name: str) -> bool:
    return request.GET.get(name) == "1"


def id_after(request: HttpRequest, prefix: str) -> str | None:
    """Where the page begins, in lists that are ordered by id."""
    value = request.GET.get("after")
    if value and not is_id(value, prefix):
        raise Http404("This is no place in the list.")
    return value or None


def is_id(value: str, prefix: str) -> bool:
    return re.fullmatch(prefix + "[0-9A-Za-z]{1,64}", value) is not None


def version_id(request: HttpRequest, name: str) -> str | None:
    """A version named in the query; one that is not well formed was never there."""
    value = request.GET.get(name)
    if value and not is_id(value, ids.MEMORY_VERSION):
        raise Http404("There is no such version.")
    return value or None


def number(request: HttpRequest, name: str) -> int | None:
    value = request.GET.get(name, "")
    return int(value) if value.isascii() and value.isdigit() and len(value) < 8 else None


def folder(request: HttpRequest) -> str:
    """The folder that the page shows, "/" for the top; with or without the final "/"."""
    value = request.GET.get("folder", "") or "/"
    try:
        return check_path_prefix(value if value.endswith("/") else value + "/") or "/"
    except PathInvalid as error:
        raise Http404(error.message) from error


def path_after(request: HttpRequest, inside: str) -> str | None:
    """Where the page begins, in the list of a folder."""
    value = request.GET.get("after")
    if not value:
        return None
    try:
        path = check_path_prefix(value) if value.endswith("/") else check_path(value)
    except PathInvalid as error:
        raise Http404(error.message) from error
    if not is_inside(path, inside):
        raise Http404("This is no place in the folder.")
    return path


def line_number(request: HttpRequest, name: str = "from") -> int:
    value = request.GET.get(name, "1")
    return max(1, int(value)) if value.isascii() and value.isdigit() and len(value) < 8 else 1
