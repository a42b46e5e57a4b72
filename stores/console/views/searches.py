"""Search over all stores: words, what stands inside them, paths; live texts and, on wish, old ones."""

import re
from collections.abc import Sequence
from datetime import UTC, date, datetime
from typing import Any

from django.http import Http404, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from stores.console import filters, formats, query, text
from stores.console.access import ConsoleRequest, for_members
from stores.console.drawing import FOUND, draw_path, draw_segments
from stores.console.htmx import render_main
from stores.console.rows import Row, actor_row, version_url
from stores.console.tree import folder_url, memory_url
from stores.domain import clock
from stores.domain.search import FacetValue, SearchHit, SearchPage, search
from stores.domain.words import Segment
from stores.models import MemoryStore, MemoryVersion, ids

HITS_A_PAGE = 25
PLACE_CHARACTERS = 4_000
MODES = {
    "auto": "Words, else inside words",
    "words": "Whole words and “phrases”",
    "substring": "Exactly this text",
    "path": "Paths only",
}
# What a filter is called where it can be taken away again.
NAMES = ("store", "actor", "month", "since", "until")


@require_safe
@for_members
def search_page(request: ConsoleRequest) -> HttpResponse:
    actor = request.member.actor
    asked = read_filters(request)
    words = query.search_text(request)
    now = clock.now_utc()
    context: Row = {
        "title": f"Search for {text.plain(words)}" if words else "Search",
        "words": words,
        "shown_words": text.show(words),
        "asked": asked,
        "modes": filters.choices(MODES, asked["mode"]),
        "search_url": address(),
    }
    if words:
        since, until = span(asked)
        page = search(
            actor=actor,
            text=words,
            store_ids=[asked["store"]] if asked["store"] else None,
            mode=asked["mode"],
            include_history=asked["history"] == "1",
            include_deleted=asked["deleted"] == "1",
            actor_id=asked["actor"],
            since=since,
            until=until,
            after=request.GET.get("after", "")[:PLACE_CHARACTERS] or None,
            limit=HITS_A_PAGE,
        )
        context |= found_context(request, page, words, asked, now=now)
    return render_main(request, "search/detail.html", context)


def read_filters(request: ConsoleRequest) -> Row:
    mode = request.GET.get("mode", "")
    store = request.GET.get("store") or None
    if store and not query.is_id(store, ids.STORE):
        raise Http404("There is no such store.")
    month = request.GET.get("month", "")
    return {
        "mode": mode if mode in MODES else "auto",
        "history": "1" if query.flag(request, "history") else "",
        "deleted": "1" if query.flag(request, "deleted") else "",
        "store": store,
        "actor": filters.actor_id(request),
        "month": month if re.fullmatch(r"(19[7-9]|20\d|21\d)\d-(0[1-9]|1[0-2])", month) else "",
        "since": filters.day(request, "since"),
        "until": filters.day(request, "until"),
    }


def span(asked: Row) -> tuple[datetime | None, datetime | None]:
    """From when and until when: the narrower of the days and the month."""
    since, until = filters.begin_of(asked["since"]), filters.end_of(asked["until"])
    if asked["month"]:
        year, month = map(int, asked["month"].split("-"))
        following = date(year + month // 12, month % 12 + 1, 1)
        # Facets count by months of UTC.
        first = datetime(year, month, 1, tzinfo=UTC)
        last = datetime(following.year, following.month, 1, tzinfo=UTC) - clock.MICROSECOND
        since = max(since, first) if since else first
        until = min(until, last) if until else last
    return since, until


def address(words: str = "", asked: Row | None = None, **changed: Any) -> str:
    values = {**(asked or {}), **changed}
    if values.get("mode") == "auto":
        values["mode"] = ""
    return filters.address(reverse("console:search"), {"q": words, **values})


def found_context(request: ConsoleRequest, page: SearchPage, words: str, asked: Row, *, now: datetime) -> Row:
    after = request.GET.get("after")
    stores = store_names(page, asked)
    return {
        "hits": hit_rows(page.hits, stores, now=now),
        "notes": [text.show(note) for note in page.notes],
        "count": total(page, after),
        "old_count": old_total(page, after),
        "old_follow": bool(asked["history"] or asked["deleted"]) and page.next is not None,
        "order": order_of(page, words),
        "facets": facets(page, words, asked),
        "is_filtered": any(asked[name] for name in NAMES),
        "chips": chips(page, words, asked, stores),
        "everything_url": address(words, {"mode": asked["mode"]}),
        "inside_url": address(words, asked, mode="substring") if asked["mode"] == "words" else None,
        "paths_url": address(words, asked, mode="path") if asked["mode"] != "path" else None,
        "old_url": address(words, asked, history="1", deleted="1")
        if not (asked["history"] and asked["deleted"])
        else None,
        "after": after,
        "first_url": address(words, asked),
        "next_url": address(words, asked, after=page.next) if page.next else None,
    }


def total(page: SearchPage, after: str | None) -> str:
    """How many live memories match, if that is known: the facets are of the first page alone."""
    if after or not page.facets.total:
        return ""
    number = formats.count(page.facets.total)
    word = "live memory" if page.facets.total == 1 else "live memories"
    return f"{number} {word}" if page.facets.is_complete else f"At least {number} {word}"


def old_total(page: SearchPage, after: str | None) -> str:
    """How many of these hits are no live memory; the whole history is never counted."""
    number = sum(not hit.is_live for hit in page.hits)
    if not number:
        return ""
    word = "old or deleted version" if number == 1 else "old or deleted versions"
    return f"{formats.count(number)} {word}" + (" on this page" if after or page.next else "")


def order_of(page: SearchPage, words: str) -> str:
    live = [hit for hit in page.hits if hit.is_live]
    if not live:
        return "Newest first."
    old = " Old and deleted versions come last, the newest first." if len(live) < len(page.hits) else ""
    if not page.is_ranked:
        return f"In the order of paths.{old}"
    together = " where the words stand together, then" if len(words.split()) > 1 else ""
    return f"First{together} where they stand in the path or often in the text.{old}"


def store_names(page: SearchPage, asked: Row) -> dict[str, str]:
    names = {value.value: value.label for value in page.facets.stores}
    missing = {hit.store_id for hit in page.hits} - names.keys()
    if missing:
        names |= dict(MemoryStore.objects.filter(id__in=missing).values_list("id", "name"))
    return names


def hit_rows(hits: Sequence[SearchHit], stores: dict[str, str], *, now: datetime) -> list[Row]:
    """One query for the page: who wrote each, and its number."""
    versions = {
        id_: (seq, actor_row(type_, who, label))
        for id_, seq, type_, who, label in MemoryVersion.objects.filter(
            id__in=[hit.version_id for hit in hits]
        ).values_list("id", "seq", "actor_type", "actor_id", "actor_label")
    }
    return [
        {
            "url": hit_url(hit),
            "path": draw_path([Segment(*piece) for piece in hit.path_pieces]),
            "store": text.show(stores.get(hit.store_id, hit.store_id)),
            "store_url": folder_url(hit.store_id, "/"),
            "line": hit.line,
            "snippet": draw_segments([Segment(*piece) for piece in hit.snippet], FOUND),
            "cut_before": hit.cut_before,
            "cut_after": hit.cut_after,
            "live": hit.is_live,
            "deleted": hit.is_deleted,
            "seq": versions[hit.version_id][0],
            "who": versions[hit.version_id][1],
            "when": formats.instant(hit.written_at, now=now),
        }
        for hit in hits
        if hit.version_id in versions
    ]


def hit_url(hit: SearchHit) -> str:
    url = (
        memory_url(hit.store_id, hit.memory_id) if hit.is_live else version_url(hit.store_id, hit.version_id)
    )
    first = text.first_of_page(hit.line)
    return f"{url}{f'?from={first}' if first > 1 else ''}#L{hit.line}"


def facets(page: SearchPage, words: str, asked: Row) -> list[Row]:
    """Where the hits are, as links that narrow the search; a group of one value narrows nothing."""
    groups = (
        ("store", "Store", page.facets.stores),
        ("actor", "Written by", page.facets.actors),
        ("month", "Last change", page.facets.months),
    )
    return [
        {
            "word": word,
            "values": [
                {
                    "label": text.show(facet_label(name, value)),
                    "count": formats.count(value.count),
                    "url": address(words, asked, **{name: value.value}),
                }
                for value in values
            ],
        }
        for name, word, values in groups
        if len(values) > 1 and not asked[name]
    ]


def facet_label(name: str, value: FacetValue) -> str:
    if name == "month":
        year, month = map(int, value.value.split("-"))
        return f"{date(year, month, 1):%B %Y}"
    if name == "actor" and value.label and value.value.startswith(ids.SESSION):
        return f"{value.label} …{value.value[-4:]}"
    return value.label or value.value


def chips(page: SearchPage, words: str, asked: Row, stores: dict[str, str]) -> list[Row]:
    """The filters in force, each a link to the search without it."""
    found: list[Row] = []
    for name in NAMES:
        value: Any = asked[name]
        if not value:
            continue
        label = str(value)
        if name == "store":
            label = str(stores.get(value, value))
        elif name == "month":
            label = facet_label(name, FacetValue(value, value, 0))
        elif name == "actor":
            label = next((a.label for a in page.facets.actors if a.value == value and a.label), value)
        found.append({"name": name, "label": text.show(label), "url": address(words, asked, **{name: ""})})
    return found
