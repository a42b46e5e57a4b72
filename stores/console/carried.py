"""What somebody typed, carried over an expired sign-in.

It travels in the pages themselves and is never put down on the server: it may be memory text. It is sent
again by a click of the person, with a fresh token and by whoever is signed in then.
"""

import json
from collections.abc import Sequence
from typing import Any

from django.contrib.auth.forms import AuthenticationForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import add_never_cache_headers

Fields = list[tuple[str, str]]

FIELD = "carried"
NOT_CARRIED = {"csrfmiddlewaretoken", "username", "password", "keep", "next", FIELD}
# So that a button without any field is carried too.
MARK = ("again", "1")


def ask_to_sign_in(request: HttpRequest) -> HttpResponse:
    """The sign-in page, with what was being sent in it."""
    context = {
        "title": "Sign in",
        "form": AuthenticationForm(request),
        "next": request.get_full_path(),
        "carried": json.dumps(fields_of(request)),
        "is_expired": True,
    }
    response = render(request, "registration/login.html", context, status=401)
    add_never_cache_headers(response)
    return response


def fields_of(request: HttpRequest) -> Fields:
    found = [
        (name, value)
        for name, values in request.POST.lists()
        if name not in NOT_CARRIED
        for value in values
        if isinstance(value, str)
    ]
    return [*found, MARK] if MARK not in found and FIELD not in request.POST else found


def posted(request: HttpRequest) -> str:
    """What the sign-in page carries, as it came; "" where that is nothing of ours."""
    value = request.POST.get(FIELD, "")
    return value if read(value) else ""


def read(value: str) -> Fields:
    try:
        found = [(str(name), str(text)) for name, text in json.loads(value or "[]")]
        for field in found:
            "".join(field).encode()  # no page can hold half a surrogate pair
    except (ValueError, TypeError, RecursionError):
        return []
    return [(name, text) for name, text in found if name not in NOT_CARRIED]


def offer(request: HttpRequest, address: str, fields: Sequence[tuple[str, str]] = ()) -> HttpResponse | None:
    """The page from which it is sent again to `address`; None when there is nothing to send."""
    fields = list(fields) or read(request.POST.get(FIELD, ""))
    if not fields:
        return None
    texts: list[dict[str, Any]] = [
        {"name": name, "text": value}
        for name, value in fields
        if name in ("text", "reason", "path") and value
    ]
    context = {
        "title": "Your text is kept" if texts else "Not sent yet",
        "address": address,
        "fields": [{"name": name, "value": value} for name, value in fields],
        "texts": texts,
        "is_text": any(name == "text" for name, _ in fields),
    }
    response = render(request, "registration/carried.html", context)
    add_never_cache_headers(response)
    return response
