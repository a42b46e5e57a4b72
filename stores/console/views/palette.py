"""What the command palette offers for what was typed so far: pages, actions, stores and memories.

What can be done on the page itself is added by the browser, from the page (static/js/palette.js).
"""

from collections.abc import Sequence
from typing import Any

from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_safe

from stores.console import filters, formats, query, text
from stores.console.access import ConsoleRequest, Member, for_members
from stores.console.htmx import render_fragment, wants_partial
from stores.console.paths import parent, show_path, show_segment
from stores.console.rows import Row
from stores.console.tree import folder_url, memory_url
from stores.console.views.home import latest_stores
from stores.domain import jump
from stores.domain.jump import PathFound, StoreName

STORES_SHOWN = 6
HERE_SHOWN = 8
ELSEWHERE_SHOWN = 8
# (name, where, icon, its key)
PAGES = (
    ("Overview", "console:overview", "layout-dashboard", "g o"),
    ("Stores", "console:store_list", "database", "g s"),
    ("Activity", "console:activity", "activity", "g a"),
    ("Search", "console:search", "search", "/"),
    ("Connect an agent", "console:connect", "link", ""),
    ("Keys", "console:keys", "command", "?"),
)


@require_safe
@for_members
def palette(request: ConsoleRequest) -> HttpResponse:
    """Queries are fixed in number, whatever there is (jump.py)."""
    words = query.search_text(request)
    search_url = filters.address(reverse("console:search"), {"q": words})
    if not wants_partial(request):
        # It is a part of every page and none of its own; the same text means something to the search.
        return redirect(search_url)
    names = jump.list_store_names(actor=request.member.actor)
    # One that is not there, or not within reach, is as good as not named.
    here = next((store for store in names if store.id == request.GET.get("store")), None)
    groups = [
        group("Pages", matching(pages(), words)),
        group("Actions", matching(actions(request.member, here), words), acts=True),
    ]
    note = ""
    if words:
        stores = found_by_name(names, words)
        found, note = found_by_path(request.member, names, here, words)
        # A name with the words inside others is seldom what is meant.
        is_likely = any(
            jump.begins_words(row["label"]["text"], jump.terms_of(words)) for row in stores["rows"]
        )
        groups += [stores, *found] if is_likely else [*found, stores]
        search = {"label": text.show(f"Search all texts for “{words}”"), "url": search_url, "icon": "search"}
        groups.append(group("Texts", [search]))
    else:
        latest = latest_stores(request.member.actor)[:STORES_SHOWN]
        groups.append(group("Stores written last", [store_row(store.id, store.name) for store in latest]))
    context = {"groups": [each for each in groups if each["rows"]], "note": note}
    return render_fragment(request, "palette/_found.html", context)


def group(title: str, rows: Sequence[Row], **more: Any) -> Row:
    return {"title": text.show(title), "rows": rows, **more}


def pages() -> list[Row]:
    return [
        {"label": text.show(name), "url": reverse(where), "icon": icon, "key": key}
        for name, where, icon, key in PAGES
    ]


def actions(member: Member, here: StoreName | None) -> list[Row]:
    """What the person may begin from anywhere."""
    found: list[Row] = []
    if here and member.can_write and not here.is_archived:
        url = reverse("console:memory_create", kwargs={"store_id": here.id})
        found.append({"label": text.show(f"New memory in {here.name}"), "url": url, "icon": "plus"})
    if member.can_manage:
        found.append(
            {"label": text.show("New store"), "url": reverse("console:store_create"), "icon": "plus"}
        )
    return found


def matching(rows: list[Row], words: str) -> list[Row]:
    return [row for row in rows if jump.begins_words(row["label"]["text"], jump.terms_of(words))]


def found_by_name(names: Sequence[StoreName], words: str) -> Row:
    """Those first with words that begin with what was typed, else the newest; live ones before archived."""
    terms = jump.terms_of(words)
    found = [store for store in names if jump.has_all(store.name, terms)]
    found.sort(key=lambda store: (store.is_archived, not jump.begins_words(store.name, terms)))
    rows = [store_row(s.id, s.name, is_archived=s.is_archived) for s in found[:STORES_SHOWN]]
    return group("Stores", rows)


def found_by_path(
    member: Member, names: Sequence[StoreName], here: StoreName | None, words: str
) -> tuple[list[Row], str]:
    """Memories of this store, then of the others; and a word where not all of them were looked at."""
    others = [store for store in names if store is not here]
    looked_at = jump.within_bound(others)
    in_here = jump.find_paths(actor=member.actor, text=words, stores=[here] if here else [], limit=HERE_SHOWN)
    elsewhere = jump.find_paths(actor=member.actor, text=words, stores=looked_at, limit=ELSEWHERE_SHOWN)
    of = {store.id: store for store in names}
    found = []
    if here:
        found.append(group(f"Memories in {here.name}", [memory_row(each) for each in in_here]))
    title = "Memories in other stores" if here else "Memories"
    found.append(group(title, [memory_row(each, of[each.store_id]) for each in elsewhere]))
    note = ""
    if len(looked_at) < len(others):
        note = (
            f"Paths of the newest {formats.count(len(looked_at))} stores were looked at; the search has all."
        )
    return found, note


def store_row(store_id: str, name: str, *, is_archived: bool = False) -> Row:
    return {
        "label": text.show(name),
        "url": folder_url(store_id, "/"),
        "icon": "archive" if is_archived else "database",
        "where": text.show("archived") if is_archived else None,
    }


def memory_row(found: PathFound, store: StoreName | None = None) -> Row:
    """The name first: of a long path it is the part that must not be cut off."""
    folder = parent(found.path)
    return {
        "label": show_segment(found.path[len(folder) :]),
        "folder": show_path(folder[:-1]) if folder != "/" else None,
        "url": memory_url(found.store_id, found.memory_id),
        "icon": "file-text",
        "where": text.show(store.name) if store else None,
        "is_path": True,
    }
