"""Small pieces of markup; none of them asks the database or touches text from outside."""

from functools import cache
from typing import Any

from django import template
from django.templatetags.static import static
from django.utils.html import format_html
from django.utils.safestring import SafeString

from stores.console import notices

register = template.Library()


@register.simple_tag
@cache
def icon(name: str, size: str = "") -> SafeString:
    """A picture of the sprite; the word beside it says the same, so it is hidden from readers."""
    return format_html(
        '<svg class="icon{}" aria-hidden="true"><use href="{}#{}"/></svg>',
        f" icon--{size}" if size else "",
        static("icons.svg"),
        name,
    )


@register.filter
def notice_parts(message: Any) -> dict[str, Any]:
    """The undo button, link and draft that go with a message (see console/notices.py)."""
    return notices.parts(message)
