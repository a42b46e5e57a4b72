"""Searching memories: the index, and a scan of whatever it does not hold.

- Live texts, by words: the index (search_index.py) and the few texts that were written since it was filled.
  Of many hits the newest thousand are ranked, then the next thousand, and so on. Of several words those hits
  come first that have them side by side.
- Live texts and paths, by what stands inside words, or by signs alone: a scan, in the order of paths.
- Old and deleted versions, on wish: a scan, the newest first, store by store. Redacted ones never match.

A scan is bounded; where it stopped is said and can be gone on from. Every answer is of one moment. A search
is no read of a memory (decisions.md, 10).
"""

import base64
import binascii
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Literal

import msgspec
from django.db import OperationalError

from stores.domain import clock, limits, search_index
from stores.domain.actors import Actor, Right
from stores.domain.paths import after_folder, check_path_prefix
from stores.domain.search_query import Mode, Query, inside_words, parse_query
from stores.domain.search_snippet import Piece, make_snippet, mark_path
from stores.models import MemoryStore
from stores.models.statements import engine
from stores.models.statements import search as statements

RANKED = 1_000
# What a page may read: some 15,000 texts of 2 kB, a few tenths of a second.
SCANNED_BYTES = 32_000_000
SCANNED_PATHS = 100_000
SCANNED_VERSIONS = 20_000
# Texts a query reads: few at first, then more as long as they are small.
SCANNED_AT_ONCE = 400
MOST_AT_ONCE = 1_600
BYTES_AT_ONCE = 8_000_000
PATHS_AT_ONCE = 2_000
UNINDEXED_SCANNED = 1_000
# So many are scanned without a thought; more are indexed first, for a moment, should no job be running.
UNINDEXED_FEW = 200
INDEXED_FOR_SECONDS = 0.15
# Texts of the best hits that are read to see whether the words stand together.
TOGETHER_BYTES = 4_000_000
# More stores are named to the index by their workspace.
STORES_NAMED = 40
FACET_VALUES = 20
HIGHEST_ENTRY = 2**62
# Above every id.
HIGHEST_ID = "~"


class SearchHit(msgspec.Struct, frozen=True):
    """`snippet` is the line numbered `line`; pieces are (text, whether it is a find)."""

    store_id: str
    memory_id: str
    version_id: str
    path: str
    path_pieces: list[Piece]
    snippet: list[Piece]
    line: int
    cut_before: bool
    cut_after: bool
    is_live: bool
    # The memory of an old version may be live or deleted.
    is_deleted: bool
    actor_id: str
    written_at: str


class FacetValue(msgspec.Struct, frozen=True):
    """`value` is what to filter by: an id, or a month as "2026-11"."""

    value: str
    label: str
    count: int


class Facets(msgspec.Struct, frozen=True):
    """Counts over all live hits, or over the first ones when it was too many to look at (`is_complete`)."""

    total: int
    is_complete: bool
    stores: list[FacetValue]
    actors: list[FacetValue]
    months: list[FacetValue]


class SearchPage(msgspec.Struct, frozen=True):
    """`next` is what to hand back as `after`; None on the last page. A page can be short, even empty, and
    have a next one, where a scan came to its bound; `notes` are sentences that say so. `is_ranked`: the best
    live hits come first, else they stand in the order of their paths.
    """

    hits: list[SearchHit]
    facets: Facets
    next: str | None
    notes: list[str]
    is_ranked: bool = False


NO_FACETS = Facets(0, True, [], [], [])


class Place(msgspec.Struct, frozen=True, omit_defaults=True, rename={"phase": "p", "mode": "m"}):
    """Where a page ended. Of the index: below which entry the thousand begins, which entry was the newest
    when the search began, and the last hit. Of a scan: the store and the last path or version in it.
    """

    phase: Literal["index", "scan", "history"]
    mode: Literal["whole", "inside"] = "whole"
    below: int = HIGHEST_ENTRY
    newest: int = 0
    last: str = ""
    rank: tuple[bool, bool, float, str] | None = None
    store: str = ""


class Found(msgspec.Struct, frozen=True):
    """A hit before its text is fetched. `is_fresh` ones come first: written since the index was filled, or
    since the first page, which has shown them.
    """

    memory_id: str
    version_id: str
    store_id: str
    path: str
    actor_id: str
    written_at: str
    size_bytes: int = 0
    is_fresh: bool = False
    has_words_together: bool = False
    score: float = 0.0
    is_live: bool = True
    is_deleted: bool = False

    def rank(self) -> tuple[bool, bool, float, str]:
        """The best is the greatest; of equals the newest."""
        return (self.is_fresh, self.has_words_together, self.score, self.version_id)


class Part(msgspec.Struct):
    """What a phase adds to a page."""

    found: list[Found]
    next: Place | None = None
    facets: Facets | None = None


class Search(msgspec.Struct):
    """One call, with what its phases share."""

    actor: Actor
    query: Query
    stores: dict[str, str]  # id to name, newest first
    is_whole_workspace: bool
    filters: statements.Filters
    bytes_left: int
    notes: list[str]

    def wants(self, found: Found | statements.Text) -> bool:
        """The filters that a scan has to apply itself."""
        filters = self.filters
        return (
            found.store_id in self.stores
            and (filters.actor_id is None or found.actor_id == filters.actor_id)
            and (filters.since is None or found.written_at >= clock.rfc3339(filters.since))
            and (filters.until is None or found.written_at <= clock.rfc3339(filters.until))
            and (filters.path_from is None or found.path >= filters.path_from)
            and (filters.path_below is None or found.path.encode() < filters.path_below.encode())
        )

    def asks_for_authors(self) -> bool:
        return any((self.filters.actor_id, self.filters.since, self.filters.until))

    def note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)


def search(
    *,
    actor: Actor,
    text: str,
    store_ids: Sequence[str] | None = None,
    path_prefix: str = "",
    mode: Mode | Literal["auto"] = "auto",
    include_history: bool = False,
    include_deleted: bool = False,
    actor_id: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    after: str | None = None,
    limit: int = limits.PAGE_ITEMS_DEFAULT,
) -> SearchPage:
    """A page of what holds every term of `text`, which is literal: no text is a wrong query.

    `mode`: "words" (and phrases in quotes), "substring" (the text as it stands, inside words too), "path"
    (terms inside paths), "auto" (words, or the same inside words when no text has them). `include_history`
    adds former versions of live memories, `include_deleted` versions of deleted ones. The filters are of the
    version found. Stores that are not there or not within reach have no hits.

    Raises PathInvalid when `path_prefix` is no folder, PermissionDenied.
    """
    actor.require(Right.READ)
    folder = check_path_prefix(path_prefix)
    query = parse_query(text, "words" if mode == "auto" else mode)
    place = _read_place(after)
    limit = max(1, min(limit, limits.PAGE_ITEMS))
    if not query.terms or (actor_id is not None and not _is_storable(actor_id)):
        return SearchPage([], NO_FACETS, None, [])
    stores = _reachable_stores(actor, store_ids)
    if not stores:
        return SearchPage([], NO_FACETS, None, [])
    asked = Search(
        actor=actor,
        query=query,
        stores=stores,
        is_whole_workspace=actor.store_ids is None and store_ids is None,
        filters=statements.Filters(
            path_from=folder or None,
            path_below=after_folder(folder) if folder else None,
            actor_id=actor_id,
            since=since,
            until=until,
        ),
        bytes_left=SCANNED_BYTES,
        notes=[],
    )
    if query.words():
        _index_what_is_missing(stores)
    with engine.snapshot():
        return _page(
            asked,
            place,
            limit,
            may_look_inside=mode == "auto",
            history=include_history,
            deleted=include_deleted,
        )


def _page(
    asked: Search, place: Place | None, limit: int, *, may_look_inside: bool, history: bool, deleted: bool
) -> SearchPage:
    whole = asked.query
    # Without a word there is nothing that could stand inside one.
    may_look_inside = may_look_inside and bool(whole.words())
    if place is not None and place.mode == "inside":
        asked.query = inside_words(whole)
    found: list[Found] = []
    facets, next_place = NO_FACETS, None
    if place is None or place.phase != "history":
        part = _live(asked, place, limit)
        if place is None and may_look_inside and part.next is None and not part.found:
            asked.query = inside_words(whole)
            part = _live(asked, None, limit)
            if part.found:
                asked.note("No memory has exactly these words; shown are those that have them inside others.")
            elif part.next is None:
                asked.query = whole
        found, next_place = part.found, part.next
        facets = part.facets or NO_FACETS
    if next_place is None and (history or deleted):
        part = _history(asked, place, limit - len(found), history=history, deleted=deleted)
        found += part.found
        next_place = part.next
    if next_place is not None and any(term.inside for term in asked.query.terms) and asked.query != whole:
        next_place = msgspec.structs.replace(next_place, mode="inside")
    return SearchPage(
        _hits(asked.query, found),
        facets,
        _write_place(next_place) if next_place else None,
        asked.notes,
        is_ranked=bool(asked.query.words()),
    )


def _live(asked: Search, place: Place | None, limit: int) -> Part:
    if asked.query.words():
        return _from_index(asked, place if place and place.phase == "index" else None, limit)
    return _from_scan(asked, place if place and place.phase == "scan" else None, limit)


# The index


def _from_index(asked: Search, place: Place | None, limit: int) -> Part:
    newest = place.newest if place else statements.read_newest_entry()
    below = place.below if place else HIGHEST_ENTRY
    found: list[Found] = []
    facets = None
    while True:
        window, next_below = _window(asked, below, newest)
        if below == HIGHEST_ENTRY:
            window += _not_indexed(asked)
        window.sort(key=Found.rank, reverse=True)
        if len(asked.query.terms) > 1:
            window = _together_first(asked.query, window)
        if facets is None:
            facets = _facets(asked, window, is_complete=next_below is None and below == HIGHEST_ENTRY)
        if next_below is not None and len(window) >= RANKED // 2:
            asked.note(f"More than {RANKED:,} memories match; the newest {RANKED:,} are ranked first.")
        rest = window[_place_behind(window, place) :] if place and place.below == below else window
        room = limit - len(found)
        found += rest[:room]
        if len(rest) > room:
            last = found[-1]
            end = Place("index", below=below, newest=newest, last=last.memory_id, rank=last.rank())
            return Part(found, end, facets)
        if next_below is None:
            return Part(found, None, facets)
        below = next_below
        if len(found) == limit or asked.bytes_left <= 0:
            if len(found) < limit:
                asked.note("The search stopped after reading as much as one page may; go on to see the rest.")
            return Part(found, Place("index", below=below, newest=newest), facets)


def _together_first(query: Query, window: list[Found]) -> list[Found]:
    """The same hits, ranked anew by whether the terms stand side by side and in order in their texts."""
    looked_at: set[str] = set()
    bytes_left = TOGETHER_BYTES
    for each in window:
        bytes_left -= each.size_bytes
        if bytes_left < 0:
            break
        looked_at.add(each.version_id)
    contents = _contents(list(looked_at))
    phrase = query.phrase()
    ranked = [
        msgspec.structs.replace(each, has_words_together=True)
        if each.version_id in contents and phrase.find(query.fold(contents[each.version_id]))
        else each
        for each in window
    ]
    return sorted(ranked, key=Found.rank, reverse=True)


def _place_behind(window: list[Found], place: Place) -> int:
    """Where the page before ended: behind its last hit, or where that would stand if it is gone."""
    for number, each in enumerate(window):
        if each.memory_id == place.last:
            return number + 1
    rank = place.rank
    return 0 if rank is None else sum(each.rank() >= rank for each in window)


def _window(asked: Search, below: int, newest: int) -> tuple[list[Found], int | None]:
    """The hits among the newest RANKED entries below one; below which to go on, if there may be more."""
    candidates = statements.find(
        words=asked.query.words(), scope=_scope(asked), filters=asked.filters, below=below, limit=RANKED + 1
    )
    more = len(candidates) > RANKED
    candidates = candidates[:RANKED]
    needs_text = asked.query.needs_text()
    if needs_text:
        fitting = _fitting(asked, candidates)
        more = more or fitting < len(candidates)
        candidates = candidates[:fitting]
    live = [each for each in candidates if each.is_live and each.store_id in asked.stores]
    if needs_text:
        contents = _contents([each.version_id for each in live])
        live = [
            each for each in live if asked.query.matches(each.path or "", contents.get(each.version_id, ""))
        ]
    found = [
        Found(
            memory_id=each.memory_id,
            version_id=each.version_id,
            store_id=each.store_id,
            path=each.path or "",
            actor_id=each.actor_id,
            written_at=each.written_at,
            size_bytes=each.size_bytes,
            is_fresh=each.entry_id > newest,
            score=each.score,
        )
        for each in live
    ]
    return found, candidates[-1].entry_id if more else None


def _fitting(asked: Search, candidates: list[statements.Candidate]) -> int:
    """How many of these can be read with what is left to read; one at least."""
    for number, each in enumerate(candidates):
        if number and asked.bytes_left <= 0:
            return number
        asked.bytes_left -= each.size_bytes
    return len(candidates)


def _contents(version_ids: list[str]) -> dict[str, str]:
    contents: dict[str, str] = {}
    for start in range(0, len(version_ids), SCANNED_AT_ONCE):
        contents |= statements.read_contents(version_ids[start : start + SCANNED_AT_ONCE])
    return contents


def _scope(asked: Search) -> list[str]:
    if asked.is_whole_workspace or len(asked.stores) > STORES_NAMED:
        return [statements.workspace_word(asked.actor.workspace_id)]
    return [statements.store_word(store_id) for store_id in asked.stores]


def _not_indexed(asked: Search) -> list[Found]:
    """Hits among the texts that the index lacks."""
    texts = statements.read_newest_unindexed(
        store_ids=list(asked.stores), filters=asked.filters, limit=UNINDEXED_SCANNED + 1
    )
    if len(texts) > UNINDEXED_SCANNED:
        asked.note(
            f"Many memories are not in the search index yet; only the newest {UNINDEXED_SCANNED:,} of them "
            "were looked through."
        )
    return [
        found
        for text in texts[:UNINDEXED_SCANNED]
        if asked.wants(found := _found(text, is_fresh=True)) and asked.query.matches(text.path, text.content)
    ]


def _found(
    text: statements.Text, *, is_fresh: bool = False, is_live: bool = True, is_deleted: bool = False
) -> Found:
    return Found(
        memory_id=text.memory_id,
        version_id=text.version_id,
        store_id=text.store_id,
        path=text.path,
        actor_id=text.actor_id,
        written_at=text.written_at,
        size_bytes=text.size_bytes,
        is_fresh=is_fresh,
        is_live=is_live,
        is_deleted=is_deleted,
    )


def _index_what_is_missing(stores: dict[str, str]) -> None:
    missing = statements.count_unindexed(store_ids=list(stores), limit=UNINDEXED_FEW + 1)
    if missing <= UNINDEXED_FEW:
        return
    try:
        search_index.index_memories(seconds=INDEXED_FOR_SECONDS)
    except OperationalError:
        return  # the database is busy or read-only; the scan does without


# Scans


def _from_scan(asked: Search, place: Place | None, limit: int) -> Part:
    """Live memories in the order of stores and paths. The first page goes on to its bound, for the facets."""
    found: list[Found] = []
    bound: Place | None = None
    count = 0
    for text in _live_texts(asked, place):
        if isinstance(text, Place):
            bound = text
            break
        if asked.query.matches(text.path, text.content) and asked.wants(text):
            count += 1
            found.append(_found(text))
            if place is not None and count > limit:
                break
    if not asked.asks_for_authors():
        found = _with_authors(found)
    facets = _facets(asked, found, is_complete=bound is None) if place is None else None
    if len(found) > limit:
        last = found[limit - 1]
        return Part(found[:limit], Place("scan", store=last.store_id, last=last.path), facets)
    if bound is not None:
        name = asked.stores[bound.store]
        asked.note(f"The search stopped at {bound.last} in {name}; go on to look through the rest.")
    return Part(found, bound, facets)


def _with_authors(found: list[Found]) -> list[Found]:
    authors: dict[str, tuple[str, str]] = {}
    for start in range(0, len(found), PATHS_AT_ONCE):
        authors |= statements.read_authors([each.version_id for each in found[start : start + PATHS_AT_ONCE]])
    return [
        msgspec.structs.replace(each, actor_id=actor_id, written_at=written_at)
        for each in found
        for actor_id, written_at in [authors[each.version_id]]
    ]


def _live_texts(asked: Search, place: Place | None) -> Iterator[statements.Text | Place]:
    """Texts in order, behind a place; at last the place where the bound was met, if it was."""
    paths_left = SCANNED_PATHS
    path_only = asked.query.path_only
    what: Literal["texts", "contents", "authors", "paths"]
    if asked.asks_for_authors():
        what = "authors" if path_only else "texts"
    else:
        what = "paths" if path_only else "contents"
    at_once = PATHS_AT_ONCE if path_only else SCANNED_AT_ONCE
    last = place
    for store_id in _stores_from(asked, place):
        behind = place.last if place is not None and store_id == place.store else ""
        # Nothing sorts between a folder and what lies in it.
        behind = max(behind, asked.filters.path_from or "", key=str.encode)
        while True:
            if last is not None and (asked.bytes_left <= 0 or paths_left <= 0):
                yield last
                return
            texts = statements.read_live_texts(
                store_id=store_id,
                after=behind,
                path_below=asked.filters.path_below,
                limit=at_once,
                what=what,
            )
            for text in texts:
                yield text
                asked.bytes_left -= 0 if path_only else text.size_bytes
                paths_left -= 1
                if asked.bytes_left <= 0:
                    break
            if texts:
                behind = text.path
                last = Place("scan", store=store_id, last=behind)
            if len(texts) < at_once and asked.bytes_left > 0:
                break
            if not path_only and len(texts) == at_once:
                at_once = _next_size(at_once, texts)


def _next_size(size: int, texts: Iterable[statements.Text | None]) -> int:
    """How many texts to read after these, of which there were so many."""
    mean = sum(text.size_bytes for text in texts if text is not None) // size + 1
    return max(min(2 * size, MOST_AT_ONCE, BYTES_AT_ONCE // mean), 1)


def _stores_from(asked: Search, place: Place | None) -> list[str]:
    """The stores in order, from the one that a page ended in."""
    stores = list(asked.stores)
    if place is None or not place.store:
        return stores
    # Newest first: a store that is gone leaves its place between older and newer ones.
    return [store_id for store_id in stores if store_id <= place.store]


def _history(asked: Search, place: Place | None, limit: int, *, history: bool, deleted: bool) -> Part:
    """Versions that no longer are the text of a memory, up to the limit or the bound."""
    if place is not None and place.phase != "history":
        place = None
    found: list[Found] = []
    seen = place or Place("history", store=next(iter(asked.stores)), last=HIGHEST_ID)
    if limit <= 0:
        return Part(found, seen)
    versions_left = SCANNED_VERSIONS
    for store_id, version in _old_texts(asked, place):
        if versions_left <= 0 or asked.bytes_left <= 0:
            name = asked.stores.get(seen.store, "a store")
            asked.note(
                f"Only a part of the history was looked through; it stopped within {name}. Go on to see more."
            )
            return Part(found, seen)
        versions_left -= 1
        seen = Place("history", store=store_id, last=version.version_id)
        text = version.text
        if text is None or not (deleted if version.is_deleted else history):
            continue
        asked.bytes_left -= text.size_bytes
        if asked.wants(text) and asked.query.matches(text.path, text.content):
            found.append(_found(text, is_live=False, is_deleted=version.is_deleted))
            if len(found) == limit:
                return Part(found, seen)
    return Part(found)


def _old_texts(asked: Search, place: Place | None) -> Iterator[tuple[str, statements.OldText]]:
    at_once = SCANNED_AT_ONCE
    for store_id in _stores_from(asked, place):
        below = place.last if place is not None and store_id == place.store else HIGHEST_ID
        while True:
            versions = statements.read_old_texts(store_id=store_id, below=below, limit=at_once)
            for version in versions:
                yield store_id, version
            if len(versions) < at_once:
                break
            below = versions[-1].version_id
            at_once = _next_size(at_once, [version.text for version in versions])


# What is shown


def _hits(query: Query, found: list[Found]) -> list[SearchHit]:
    contents = statements.read_contents([each.version_id for each in found]) if found else {}
    hits = []
    for each in found:
        snippet = make_snippet(query, contents.get(each.version_id, ""))
        hits.append(
            SearchHit(
                store_id=each.store_id,
                memory_id=each.memory_id,
                version_id=each.version_id,
                path=each.path,
                path_pieces=mark_path(query, each.path),
                snippet=snippet.pieces,
                line=snippet.line,
                cut_before=snippet.cut_before,
                cut_after=snippet.cut_after,
                is_live=each.is_live,
                is_deleted=each.is_deleted,
                actor_id=each.actor_id,
                written_at=each.written_at,
            )
        )
    return hits


def _facets(asked: Search, found: list[Found], *, is_complete: bool) -> Facets:
    stores = Counter(each.store_id for each in found)
    actors = Counter(each.actor_id for each in found).most_common(FACET_VALUES)
    months = Counter(each.written_at[:7] for each in found)
    shown = {actor_id for actor_id, _ in actors}
    written = {each.actor_id: each.version_id for each in found if each.actor_id in shown}
    labels = statements.read_labels(list(written.values())) if written else {}
    return Facets(
        total=len(found),
        is_complete=is_complete,
        stores=[
            FacetValue(store_id, asked.stores[store_id], count) for store_id, count in _most_common(stores)
        ],
        actors=[FacetValue(value, labels.get(value, ""), count) for value, count in actors],
        months=[FacetValue(month, month, months[month]) for month in sorted(months, reverse=True)],
    )


def _most_common(counter: Counter[str]) -> Iterable[tuple[str, int]]:
    return sorted(counter.items(), key=lambda item: (-item[1], item[0]))[:FACET_VALUES]


def _reachable_stores(actor: Actor, store_ids: Sequence[str] | None) -> dict[str, str]:
    """Ids and names, the newest store first; archived ones too."""
    stores = MemoryStore.objects.filter(workspace_id=actor.workspace_id, deleted_at__isnull=True)
    names = dict(stores.order_by("-id").values_list("id", "name"))
    wanted = None if store_ids is None else set(store_ids)
    return {
        store_id: name
        for store_id, name in names.items()
        if actor.reaches(store_id) and (wanted is None or store_id in wanted)
    }


def _is_storable(text: str) -> bool:
    """Whether a database would take it at all as a value to compare with."""
    return "\0" not in text and not any("\ud800" <= character <= "\udfff" for character in text)


def _write_place(place: Place) -> str:
    return base64.urlsafe_b64encode(msgspec.json.encode(place)).decode().rstrip("=")


def _read_place(after: str | None) -> Place | None:
    """A place that cannot be read begins the search anew."""
    if not after:
        return None
    try:
        data = base64.b64decode(after + "=" * (-len(after) % 4), altchars=b"-_", validate=True)
        place = msgspec.json.decode(data, type=Place)
    except (binascii.Error, ValueError, msgspec.MsgspecError):
        return None
    fits = 0 <= place.below <= HIGHEST_ENTRY and _is_storable(place.last + place.store)
    return place if fits else None
