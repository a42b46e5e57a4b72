"""The folder tree: the way from the top to one folder, each folder on it open, a page of each."""

from itertools import pairwise
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse

from stores.console import formats, text
from stores.console.drawing import draw_path
from stores.console.paths import chain, just_before, parent, show_segment
from stores.domain import jump, listing
from stores.domain.actors import Actor
from stores.domain.listing import Page
from stores.domain.search_query import parse_query
from stores.domain.search_snippet import mark_path
from stores.domain.words import Segment
from stores.models.statements.rows import MemoryRow, PrefixRow

FOLDER_ITEMS = 200
# Of the folders around the one that is looked at only enough to know where one is.
OUTER_ITEMS = 20
# Who sees more than these types another letter.
PATHS_FOUND = 50
Node = dict[str, Any]


def folder_url(store_id: str, folder: str, after: str | None = None) -> str:
    query = {} if folder == "/" else {"folder": folder}
    if after is not None:
        query["after"] = after
    address = reverse("console:store_detail", kwargs={"store_id": store_id})
    return f"{address}?{urlencode(query)}" if query else address


def memory_url(store_id: str, memory_id: str) -> str:
    return reverse("console:memory_detail", kwargs={"store_id": store_id, "memory_id": memory_id})


def read_folder(
    *, actor: Actor, store_id: str, folder: str, after: str | None = None, showing: str | None = None
) -> tuple[Page[MemoryRow | PrefixRow], bool]:
    """One page of what lies directly in a folder, and whether something comes before it.

    `showing` is a path that must be on the page; the page begins with it where it would not be on the first.
    """
    page = listing.list_memories(
        actor=actor, store_id=store_id, path_prefix=folder, depth=1, after=after, limit=FOLDER_ITEMS
    )
    if showing is None or page.next is None or showing <= page.next:
        return page, after is not None
    page = listing.list_memories(
        actor=actor,
        store_id=store_id,
        path_prefix=folder,
        depth=1,
        after=just_before(showing),
        limit=FOLDER_ITEMS,
    )
    return page, True


def build_tree(
    *,
    actor: Actor,
    store_id: str,
    folder: str,
    here: tuple[Page[MemoryRow | PrefixRow], bool],
    memory_id: str | None = None,
) -> list[Node]:
    """Nested nodes for stores/_tree.html. `here` is the page of the innermost folder.

    Two queries at most for each folder on the way, whatever the folders hold.
    """
    nodes = make_nodes(store_id, folder, here, memory_id=memory_id)
    steps = list(pairwise(chain(folder)))
    if not steps:
        return nodes
    pages = listing.list_siblings(actor=actor, store_id=store_id, paths=steps, limit=OUTER_ITEMS)
    for (outer, inner), page in zip(reversed(steps), reversed(pages), strict=True):
        is_current = memory_id is None and inner == folder
        nodes = make_nodes(store_id, outer, page, opened=inner, inside=nodes, is_current=is_current)
    return nodes


def make_nodes(
    store_id: str,
    folder: str,
    read: tuple[Page[MemoryRow | PrefixRow], bool],
    *,
    memory_id: str | None = None,
    opened: str | None = None,
    inside: list[Node] | None = None,
    is_current: bool = False,
) -> list[Node]:
    page, has_earlier = read
    nodes: list[Node] = []
    if has_earlier:
        nodes.append({"kind": "step", "word": "from the first", "url": folder_url(store_id, folder)})
    for item in page.items:
        name = show_segment(item.path[len(folder) :].rstrip("/"))
        if isinstance(item, MemoryRow):
            url = memory_url(store_id, item.id)
            nodes.append({"kind": "memory", "name": name, "url": url, "current": item.id == memory_id})
        else:
            is_open = item.path == opened
            nodes.append(
                {
                    "kind": "folder",
                    "name": name,
                    "url": folder_url(store_id, item.path),
                    # An open folder closes by going to the one around it.
                    "open": is_open,
                    "current": is_open and is_current,
                    "nodes": inside if is_open else None,
                }
            )
    if page.next is not None:
        nodes.append({"kind": "step", "word": "more", "url": folder_url(store_id, folder, page.next)})
    return nodes


def find_paths(*, store_id: str, words: str, memory_id: str | None = None) -> Node:
    """The live memories whose path holds the words as they stand, whatever their case; one query."""
    asked = parse_query(words, "substring")
    found = jump.paths_with(store_id=store_id, text=words)
    return {
        "rows": [
            {
                "url": memory_url(store_id, id_),
                "path": draw_path([Segment(*piece) for piece in mark_path(asked, path)]),
                "current": id_ == memory_id,
            }
            for id_, path in found[:PATHS_FOUND]
        ],
        "words": text.show(words),
        "count": len(found),
        "count_text": formats.count(len(found)),
        "most": formats.count(PATHS_FOUND),
        "has_more": len(found) > PATHS_FOUND,
    }


def folder_crumbs(store_id: str, folder: str) -> list[Node]:
    """The folders from the top down to this one, as links."""
    return [
        {"name": show_segment(inner[len(parent(inner)) : -1]), "url": folder_url(store_id, inner)}
        for inner in chain(folder)[1:]
    ]
