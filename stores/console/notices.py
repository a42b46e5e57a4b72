"""What a page says after a change: a few words, the button that takes it back, a link.

Django's messages carry it over the redirect. It is data, in a cookie that nobody else can write: no memory
text and no path goes into it.
"""

import json
from typing import Any

from django.contrib import messages
from django.http import HttpRequest


def say(
    request: HttpRequest,
    words: str,
    *,
    undo_url: str | None = None,
    link: tuple[str, str] | None = None,
    saved: str | None = None,
    level: int = messages.INFO,
) -> None:
    """`undo_url` takes the change back when it is posted to; `link` is an address and its words; `saved`
    names the memory (or store) whose draft this browser need not keep any longer.
    """
    extra: dict[str, Any] = {"undo": undo_url, "link": link, "saved": saved}
    messages.add_message(request, level, words, extra_tags=json.dumps(extra))


def warn(request: HttpRequest, words: str, **more: Any) -> None:
    say(request, words, level=messages.WARNING, **more)


def parts(message: Any) -> dict[str, Any]:
    """What the template draws; messages of Django's own have words alone."""
    try:
        extra = json.loads(message.extra_tags or "{}")
    except ValueError:
        extra = {}
    return {
        "undo": extra.get("undo"),
        "link": extra.get("link"),
        "saved": extra.get("saved"),
        "is_warning": message.level >= messages.WARNING,
    }
