"""Each line of a memory with the version that wrote it."""

from collections.abc import Sequence
from datetime import datetime
from itertools import groupby
from typing import Any

from django.http import HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from stores.console import evidence, formats, query, text
from stores.console.access import ConsoleRequest, for_members
from stores.console.drawing import draw_text
from stores.console.htmx import render_main
from stores.console.paths import show_path
from stores.console.rows import (
    Row,
    actor_row,
    blame_url,
    diff_url,
    former_row,
    history_url,
    redaction,
    version_names,
    version_url,
)
from stores.console.views.memories import memory_context
from stores.console.views.stores import store_context
from stores.console.views.versions import deletion, find_memory
from stores.domain import clock
from stores.domain.blame import BlamedLine
from stores.domain.stores import get_store
from stores.domain.timeline import Blame, blame_memory
from stores.models import Operation
from stores.models.statements.rows import VersionRow

LINES_A_PAGE = 2000
AGES = 5


@require_safe
@for_members
def memory_blame(request: ConsoleRequest, store_id: str, memory_id: str) -> HttpResponse:
    """As it is, or was at `?version=`; `space=ignore` skips versions that changed white space only;
    `format=print` and `format=json` are the same as evidence to keep.
    """
    actor = request.member.actor
    store = get_store(actor=actor, store_id=store_id)
    version_id = query.version_id(request, "version")
    ignoring = request.GET.get("space") == "ignore"
    found = blame_memory(
        actor=actor, store_id=store_id, memory_id=memory_id, version_id=version_id, ignore_space=ignoring
    )
    kept = request.GET.get("format", "")
    if kept == "json" and found.shown is not None:
        response = JsonResponse(evidence.as_json(found, ignoring=ignoring))
        response["Content-Disposition"] = f'attachment; filename="blame-{found.shown.id}.json"'
        return response
    options = {"space": "ignore" if ignoring else ""}

    def url(**more: Any) -> str:
        return blame_url(store_id, memory_id, **{"version": version_id, **options, **more})

    if kept == "print" and found.shown is not None:
        context = {
            **store_context(store, now=clock.now_utc()),
            "back_url": url(),
            "json_url": url(format="json"),
        }
        first = query.line_number(request)
        shown, more = evidence.of_blame(found, first=first, ignoring=ignoring)
        following = url(format="print", **{"from": more}) if more else None
        title = f"Evidence: who wrote {text.plain((found.shown.path or '/')[1:])}"
        return render(
            request, "evidence/blame.html", {**context, **shown, "title": title, "next_url": following}
        )
    now = clock.now_utc()
    memory = find_memory(actor, store_id, memory_id)
    about = (
        memory_context(memory, now=now)
        if memory
        else {"deleted": deletion(actor, store_id, memory_id, now=now)}
    )
    path = found.shown.path if found.shown else memory.path if memory else None
    first = query.line_number(request)
    chosen = found.lines[first - 1 : first - 1 + LINES_A_PAGE]
    last = first - 1 + len(chosen)

    context = {
        **store_context(store, now=now),
        **about,
        "title": f"Blame of {text.plain((path or '/a redacted memory')[1:])}",
        "tab": "memories",
        "path": show_path(path) if path else None,
        "history_url": history_url(store_id, memory_id),
        "shown": shown_row(found.shown, now=now) if found.shown else None,
        "is_newest": memory is not None
        and found.shown is not None
        and found.shown.id == memory.head_version_id,
        "newest_url": blame_url(store_id, memory_id, **options),
        "former": [former_row(store_id, version) for version in found.brought_back],
        "gone": gone(found, now=now),
        "readable": readable_before(found, options),
        "missing": missing(found.versions),
        "ignoring": ignoring,
        "space_url": url(space="" if ignoring else "ignore"),
        "print_url": url(format="print"),
        "json_url": url(format="json"),
        "groups": groups(found, chosen, path or "", options, now=now),
        "total": formats.count(len(found.lines)),
        "lines_before": url(**{"from": max(1, first - LINES_A_PAGE)}) if first > 1 else None,
        "lines_after": url(**{"from": last + 1}) if last < len(found.lines) else None,
        "first": first,
        "last": last,
    }
    return render_main(request, "memories/blame.html", context)


def shown_row(version: VersionRow, *, now: datetime) -> Row:
    return {
        "seq": version.seq,
        "url": version_url(version.store_id, version.id),
        "when": formats.instant(version.created_at, now=now),
    }


def groups(found: Blame, lines: Sequence[BlamedLine], path: str, options: Row, *, now: datetime) -> list[Row]:
    """Neighbouring lines of one version, with who wrote them and the way to the blame before."""
    ages = ages_of(found)
    names = version_names(found.versions)
    markdown = path.endswith((".md", ".markdown"))
    result = []
    for (place, earliest), members in groupby(lines, key=lambda line: (line.version, line.earliest)):
        version = found.versions[place]
        if version is None:  # no line is by a version that is not there
            continue
        before = next((v for v in reversed(found.versions[:place]) if v is not None), None)
        result.append(
            {
                "seq": version.seq,
                **names[version.id],
                "diff_url": diff_url(version.store_id, to=version.id),
                "who": actor_row(version.actor_type, version.actor_id, version.actor_label),
                "reason": text.show(version.reason) if version.reason else None,
                "when": formats.instant(version.created_at, now=now),
                "age": ages[version.id],
                "since": since(found.versions, names, earliest) if earliest < place else None,
                "before_url": blame_url(version.store_id, version.memory_id, version=before.id, **options)
                if before is not None
                else None,
                "lines": [
                    {
                        "n": line.number,
                        "text": draw_text(line.text),
                        "heading": markdown and text.HEADING.match(line.text) is not None,
                    }
                    for line in members
                ],
            }
        )
    return result


def ages_of(found: Blame) -> dict[str, int]:
    """1 for the newest version to 5 for the oldest, by time."""
    times = {v.id: datetime.fromisoformat(v.created_at) for v in found.versions if v is not None}
    if not times:
        return {}
    newest, oldest = max(times.values()), min(times.values())
    span = (newest - oldest).total_seconds() or 1.0
    return {id_: min(AGES, 1 + int(AGES * (newest - at).total_seconds() / span)) for id_, at in times.items()}


def since(versions: Sequence[VersionRow | None], names: dict[str, Row], earliest: int) -> str:
    """The oldest version that may have written the line: the texts from there on are gone."""
    version = versions[earliest]
    return "a version no longer kept" if version is None else names[version.id]["name"]


def missing(versions: Sequence[VersionRow | None]) -> Row | None:
    """The versions whose texts are not there to be looked at."""
    redacted = [v for v in versions if v is not None and v.redacted_at is not None]
    pruned = any(v is None for v in versions)
    if not redacted and not pruned:
        return None
    names = version_names(versions)
    return {
        "redacted": [{**names[v.id], "url": version_url(v.store_id, v.id)} for v in redacted[:MISSING_NAMED]],
        "more": max(0, len(redacted) - MISSING_NAMED),
        "pruned": pruned,
    }


MISSING_NAMED = 8


def gone(found: Blame, *, now: datetime) -> Row | None:
    """The version that was asked for, where its text is not there to be blamed."""
    if found.shown is not None:
        return None
    redacted = [v for v in found.versions if v is not None and v.redacted_at is not None]
    if not redacted:
        return {"seq": None}
    return {"seq": redacted[-1].seq, **redaction(redacted[-1], now=now)}


def readable_before(found: Blame, options: Row) -> Row | None:
    """The newest version before it that can be blamed."""
    if found.shown is not None:
        return None
    for version in reversed(found.versions):
        if version is not None and not version.redacted_at and version.operation != Operation.DELETED:
            url = blame_url(version.store_id, version.memory_id, version=version.id, **options)
            return {**version_names(found.versions)[version.id], "url": url}
    return None
