"""Going somewhere by a part of its name, while somebody types: stores by name, live memories by path.

Both take the text as it stands and answer a fixed number of queries, however many stores there are. What a
store's memories say is for search.py, which takes its time.
"""

import re
from collections.abc import Sequence

import msgspec
from django.db.models import Q
from django.db.models.functions import Length

from stores.domain.actors import Actor, Right
from stores.domain.search_words import fold_case
from stores.models import Memory, MemoryStore

# What one answer may look at: a store holds 10,000 paths at most.
PATHS_LOOKED_AT = 50_000
STORES_LOOKED_AT = 1_000
# The shortest paths that match; the best of them are shown.
PATHS_WEIGHED = 100
TERMS = 8


class StoreName(msgspec.Struct, frozen=True):
    id: str
    name: str
    memory_count: int
    is_archived: bool


class PathFound(msgspec.Struct, frozen=True):
    store_id: str
    memory_id: str
    path: str


def list_store_names(*, actor: Actor) -> list[StoreName]:
    """Every store within reach, the newest first, archived ones too."""
    actor.require(Right.READ)
    stores = MemoryStore.objects.filter(workspace_id=actor.workspace_id, deleted_at__isnull=True)
    if actor.store_ids is not None:
        stores = stores.filter(id__in=actor.store_ids)
    rows = stores.order_by("-id").values_list("id", "name", "memory_count", "archived_at")
    return [StoreName(id_, name, count, archived_at is not None) for id_, name, count, archived_at in rows]


def terms_of(text: str) -> list[str]:
    """What blanks part; all of it must occur. More terms than anybody types are left out."""
    return text.split()[:TERMS]


def has_all(text: str, terms: Sequence[str]) -> bool:
    folded = text.casefold()
    return all(term.casefold() in folded for term in terms)


def begins_words(text: str, terms: Sequence[str]) -> bool:
    """Whether a word of the text begins with each term."""
    words = [word for word in re.split(r"\W+", text.casefold()) if word]
    return all(any(word.startswith(term.casefold()) for word in words) for term in terms)


def within_bound(stores: Sequence[StoreName]) -> list[StoreName]:
    """As many of these, from the first on, as one answer may look at."""
    found: list[StoreName] = []
    left = PATHS_LOOKED_AT
    for store in stores[:STORES_LOOKED_AT]:
        left -= store.memory_count
        if left < 0 and found:
            break
        found.append(store)
    return found


def find_paths(*, actor: Actor, text: str, stores: Sequence[StoreName], limit: int) -> list[PathFound]:
    """Live memories of these stores whose path holds every term of `text`: first those with a name that
    begins with it, then those with it in their name, then the others; the shortest path first.

    `stores` are as `list_store_names` gave them to the same actor. One query.
    """
    actor.require(Right.READ)
    terms = terms_of(text)
    if not terms or not stores:
        return []
    memories = Memory.objects.filter(store_id__in=[store.id for store in stores])
    for term in terms:
        memories = memories.filter(_holds(term))
    rows = memories.order_by(Length("path"), "path").values_list("store_id", "id", "path")
    found = [PathFound(*row) for row in rows[:PATHS_WEIGHED]]
    # Sorting is stable.
    return sorted(found, key=lambda each: _rank(each.path, terms))[:limit]


def paths_with(*, store_id: str, text: str) -> list[tuple[str, str]]:
    """(id, path) of the live memories of a store, which the caller may read, whose path holds the text as it
    stands, whatever its case; in byte order. One query; all are looked at, so that they can be counted.
    """
    wanted = fold_case(text)
    paths = Memory.objects.filter(store_id=store_id).order_by("path").values_list("id", "path")
    return [(id_, path) for id_, path in paths if wanted in fold_case(path)]


def _holds(term: str) -> Q:
    """Either engine ignores the case of ASCII letters alone; of others the two usual writings are tried."""
    if term.isascii():
        return Q(path__icontains=term)
    return Q(path__icontains=term.lower()) | Q(path__icontains=term.upper())


def _rank(path: str, terms: Sequence[str]) -> int:
    name = path.rpartition("/")[2].casefold()
    if name.startswith(terms[-1].casefold()):
        return 0
    return 1 if terms[-1].casefold() in name else 2
