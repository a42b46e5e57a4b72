"""The keys: a page of all of them, and the same list for the dialog that the key ? opens."""

from typing import Any

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from stores.console.access import ConsoleRequest, for_members
from stores.console.htmx import render_fragment, render_main, wants_partial

Key = dict[str, Any]


def key(strokes: str, does: str, when: str = "", *, then: bool = False) -> Key:
    """`when` is what must be on a page for the key to do something there; the dialog leaves out the rest.

    `then` says that the strokes follow each other; else each of them does it. "Mod" is Ctrl, and ⌘ on a Mac.
    """
    return {
        "strokes": [stroke.split("+") for stroke in strokes.split()],
        "does": does,
        "when": when,
        "then": then,
    }


def marked(strokes: str, does: str) -> Key:
    """A key that follows what is marked with it, so that what one may not do has no key either."""
    return key(strokes, does, f'[data-key="{strokes}"]', then=" " in strokes)


ROWS = "#main [data-rows] a"
GROUPS: list[dict[str, Any]] = [
    {
        "title": "Everywhere",
        "keys": [
            marked("/", "Search all stores"),
            key("Mod+K", "Go to a store, a memory, a page or an action"),
            marked("g o", "Overview"),
            marked("g s", "Stores"),
            marked("g a", "Activity"),
            marked("?", "These keys"),
            key("Esc", "Close what is open"),
        ],
    },
    {
        "title": "In lists",
        "keys": [
            key("j k", "Next row, previous row", ROWS),
            key("Enter", "Open the row", ROWS),
            key("x", "Tick the row", "#main [data-rows] :is(td, li) > input[type=checkbox]"),
        ],
    },
    {
        "title": "In a memory",
        "keys": [
            marked("e", "Edit"),
            marked("h", "History"),
            marked("d", "Diff with the version before"),
            marked("b", "Blame: who wrote each line"),
        ],
    },
    {
        "title": "In a diff",
        "keys": [key("n p", "Next change, previous change", "[data-diff] [data-change]")],
    },
    {
        "title": "While writing",
        "keys": [key("Mod+S", "Save", "#main form [data-save]")],
    },
]


@require_safe
@for_members
def keys(request: ConsoleRequest) -> HttpResponse:
    context = {"title": "Keys", "groups": GROUPS}
    if wants_partial(request):
        return render_fragment(request, "keys/_list.html", context)
    return render_main(request, "keys/detail.html", context)
