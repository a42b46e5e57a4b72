"""Taking text out for good: a version, a piece of it, the live text, one value wherever it stands.

It cannot be undone, so a page shows first what goes and who else holds it, and asks for a reason. The value
that is looked for travels by POST only: addresses are kept in logs and histories.
"""

from collections import defaultdict
from typing import Any

from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods

from stores.console import formats, notices, plans, text
from stores.console.access import ConsoleRequest, for_members
from stores.console.htmx import render_main
from stores.console.paths import show_path
from stores.console.rows import Row, actor_row, history_url, version_rows, version_url
from stores.console.textarea import read_back
from stores.console.tree import memory_url
from stores.console.views.edit import changes, editor_context
from stores.console.views.memories import memory_context
from stores.console.views.stores import store_context
from stores.domain import clock, redaction
from stores.domain.actors import Actor, Right
from stores.domain.errors import (
    Conflict,
    InvalidInput,
    MemoryNotFound,
    PreconditionFailed,
    Refused,
    StoreNotFound,
)
from stores.domain.memories import get_memory
from stores.domain.redaction import MASK, Holders
from stores.domain.removed_text import find_spans, masked
from stores.domain.stores import get_store
from stores.domain.versions import get_version
from stores.models import MemoryStore
from stores.models.statements.holders import HolderRow
from stores.models.statements.rows import MemoryRow, VersionRow

HOLDERS_SHOWN = 200
SECONDS = 2.0


@require_http_methods(["GET", "HEAD", "POST"])
@for_members
def version_redact(request: ConsoleRequest, store_id: str, version_id: str) -> HttpResponse:
    """A version that is not the live text: all of it, or every place where a piece stands in it."""
    actor = request.member.actor
    actor.require(Right.REDACT)
    store = get_store(actor=actor, store_id=store_id)
    version = get_version(actor=actor, store_id=store_id, version_id=version_id)
    memory = find_live(actor, version)
    if memory is not None and memory.head_version_id == version_id:
        return redirect(f"{memory_url(store_id, memory.id)}redact/")
    wish = request.POST.get("do", "")
    fragment = request.POST.get("fragment", "")
    if request.method != "POST" or wish == "look":
        return show_version(request, store, version, fragment=fragment)
    if not request.POST.get("reason", "").strip():
        error = "Nothing was redacted: say why. The reason stays in the place of the text."
        return show_version(request, store, version, fragment=fragment, error=error)
    try:
        done = redact_chosen(request, store_id, version, fragment)
    except (InvalidInput, Refused, Conflict, StoreNotFound) as error:
        return show_version(request, store, version, fragment=fragment, error=error.message)
    say_done(request, done, still=look_again(actor, store_id, fragment) if fragment else None)
    return redirect(version_url(store_id, version_id))


def redact_chosen(
    request: ConsoleRequest, store_id: str, version: VersionRow, fragment: str
) -> redaction.Redacted:
    actor = request.member.actor
    reason = request.POST["reason"]
    others, _ = ticked(request)
    if not fragment:
        wanted = {**others, store_id: [*others.get(store_id, []), version.id]}
        return redaction.redact_versions(actor=actor, versions=wanted, reason=reason)
    return redaction.redact_piece(
        actor=actor,
        store_id=store_id,
        version_id=version.id,
        fragment=fragment,
        versions=others,
        reason=reason,
    )


def find_live(actor: Actor, version: VersionRow) -> MemoryRow | None:
    try:
        return get_memory(
            actor=actor, store_id=version.store_id, memory_id=version.memory_id, with_content=False
        )
    except MemoryNotFound:
        return None


def readable_text(actor: Actor, version: VersionRow) -> str | None:
    """The text of a version, or what is left of it after the redaction of a span."""
    if version.redacted_at is None:
        return version.content
    left = redaction.read_masked(actor=actor, store_id=version.store_id, version_ids=[version.id])
    return left[version.id].content if version.id in left else None


def show_version(
    request: ConsoleRequest, store: MemoryStore, version: VersionRow, *, fragment: str, error: str = ""
) -> HttpResponse:
    actor = request.member.actor
    now = clock.now_utc()
    content = readable_text(actor, version)
    places = 0
    preview = None
    if fragment and content is not None:
        spans = find_spans(content, fragment)
        places = len(spans)
        preview = changes(content, masked(content, spans, MASK)) if spans else None
        if not spans:
            error = error or "This piece does not stand in the text of this version."
            fragment = ""
    is_empty = content is None and version.redacted_at is not None
    holders, hint = (None, "") if is_empty else find_holders(actor, store.id, version.id, fragment)
    [row] = version_rows([version], now=now)
    context = {
        **store_context(store, now=now),
        "title": f"Redact version {version.seq}",
        "tab": "memories",
        "version": row,
        "path": show_path(version.path) if version.path else None,
        "history_url": history_url(store.id, version.memory_id),
        "is_empty": is_empty,
        "text": content,
        "fragment": fragment,
        "places": formats.count(places),
        "changes": preview,
        "size": formats.size(len(content.encode())) if content is not None else "no text",
        **holders_context(holders, hint, version.id),
        "reason": request.POST.get("reason", ""),
        "error": error,
    }
    response = render_main(request, "versions/redact.html", context)
    response.status_code = 400 if error else 200
    return response


def find_holders(actor: Actor, store_id: str, version_id: str, fragment: str) -> tuple[Holders | None, str]:
    """Who else holds it, or why that cannot be said."""
    try:
        found = redaction.who_else_holds(
            actor=actor,
            store_id=store_id,
            version_id=version_id,
            fragment=fragment or None,
            seconds=SECONDS,
        )
    except (InvalidInput, Refused) as error:
        return None, error.message
    return found, ""


def holders_context(holders: Holders | None, hint: str, version_id: str) -> dict[str, Any]:
    rows = holders.rows if holders else []
    return {
        "holders": [holder_row(row) for row in rows[:HOLDERS_SHOWN]],
        "holders_text": formats.count(len(rows)),
        "heads_text": formats.count(sum(row.is_head for row in rows)),
        "versions_text": formats.count(sum(not row.is_head for row in rows)),
        "is_complete": holders.complete and len(rows) <= HOLDERS_SHOWN if holders else True,
        "has_pieces": bool(holders and holders.pieces),
        "holders_hint": hint,
    }


def holder_row(row: HolderRow) -> Row:
    return {
        "value": f"{row.store_id} {row.version_id}{f' {row.memory_id}' if row.is_head else ''}",
        "url": version_url(row.store_id, row.version_id),
        "redact_url": f"{memory_url(row.store_id, row.memory_id)}redact/",
        "seq": row.seq,
        "path": show_path(row.path) if row.path else None,
        "who": actor_row(row.actor_type, row.actor_id, row.actor_label),
        "when": formats.instant(row.created_at, now=clock.now_utc()),
        "is_head": row.is_head,
        "in_path": row.in_path and not row.in_content,
        "in_reason": row.in_reason and not row.in_content and not row.in_path,
    }


def ticked(request: ConsoleRequest) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """The other versions that are to be redacted too, and the memories whose live text is to be cleaned,
    whatever version that is by now; by store. What is none of ours finds nothing.
    """
    versions: dict[str, list[str]] = defaultdict(list)
    live: dict[str, list[str]] = defaultdict(list)
    for value in request.POST.getlist("also"):
        store_id, _, rest = value.partition(" ")
        version_id, _, memory_id = rest.partition(" ")
        if not version_id or "\0" in value:
            continue
        versions[store_id].append(version_id)
        if memory_id:
            live[store_id].append(memory_id)
    return dict(versions), dict(live)


def look_again(actor: Actor, store_id: str, fragment: str) -> Holders | None:
    """Who holds it after the act: what was not ticked, and what was written since the page was shown."""
    try:
        return redaction.who_else_holds(actor=actor, store_id=store_id, fragment=fragment, seconds=SECONDS)
    except InvalidInput:
        return None  # too short to be looked for


def say_done(request: ConsoleRequest, done: redaction.Redacted, *, still: Holders | None) -> None:
    words = f"Redacted: {numbered(len(done.version_ids), 'version')}."
    if done.memory_ids:
        words += f" {numbered(len(done.memory_ids), 'live text')} cleaned."
    words += plans.words_left(done.left)
    holds = still is not None and still.rows
    if still is not None and holds:
        older = len(still.rows) - len(still.heads)
        where = f"{numbered(len(still.heads), 'live text')} and {numbered(older, 'older version')}"
        words += f" It still stands in {where}."
    (notices.warn if done.left or holds else notices.say)(request, words)


def numbered(number: int, word: str) -> str:
    return f"{formats.count(number)} {word}{'' if number == 1 else 's'}"


@require_http_methods(["GET", "HEAD", "POST"])
@for_members
def memory_redact(request: ConsoleRequest, store_id: str, memory_id: str) -> HttpResponse:
    """The live text: cleaned by hand in one step, or one value taken out wherever it stands."""
    actor = request.member.actor
    actor.require(Right.REDACT)
    store = get_store(actor=actor, store_id=store_id)
    memory = get_memory(actor=actor, store_id=store_id, memory_id=memory_id)
    wish = request.POST.get("do", "")
    if request.method == "POST" and wish == "clean":
        return clean(request, store, memory)
    if request.method == "POST" and wish == "everywhere":
        return everywhere(request, store, memory)
    return show_memory(request, store, memory, fragment=request.POST.get("fragment", ""))


def clean(request: ConsoleRequest, store: MemoryStore, memory: MemoryRow) -> HttpResponse:
    content = read_back(request.POST.get("text", ""), like=memory.content or "")
    if not request.POST.get("reason", "").strip():
        error = "Nothing was redacted: say why. The reason is kept with the cleaned and the redacted version."
        return show_memory(request, store, memory, content=content, error=error)
    try:
        redaction.redact_current(
            actor=request.member.actor,
            store_id=store.id,
            memory_id=memory.id,
            cleaned_content=content,
            expected_sha256=request.POST.get("sha256", ""),
            reason=request.POST["reason"],
        )
    except PreconditionFailed:
        error = (
            "Nothing was redacted: the memory has changed since you opened this page. This is its text now."
        )
        return show_memory(request, store, memory, error=error)
    except (InvalidInput, Refused, Conflict) as error:
        return show_memory(request, store, memory, content=content, error=error.message)
    notices.say(request, f"Cleaned, and v{memory.head_seq} redacted.", saved=memory.id)
    return redirect(memory_url(store.id, memory.id))


def everywhere(request: ConsoleRequest, store: MemoryStore, memory: MemoryRow) -> HttpResponse:
    fragment = request.POST.get("fragment", "")
    if not request.POST.get("reason", "").strip():
        error = (
            "Nothing was redacted: say why. The reason is kept with the cleaned and the redacted versions."
        )
        return show_memory(request, store, memory, fragment=fragment, error=error)
    versions, live = ticked(request)
    if not versions:
        return show_memory(request, store, memory, fragment=fragment, error="Nothing is ticked.")
    try:
        done = redaction.redact_everywhere(
            actor=request.member.actor,
            fragment=fragment,
            versions=versions,
            live=live,
            keep_rest=request.POST.get("keep_rest") == "1",
            reason=request.POST["reason"],
        )
    except (InvalidInput, Refused, Conflict, StoreNotFound) as error:
        return show_memory(request, store, memory, fragment=fragment, error=error.message)
    still = look_again(request.member.actor, store.id, fragment)
    say_done(request, done, still=still)
    if still is None or not still.rows:
        return redirect(history_url(store.id, memory.id))
    # Shown at once: where it still stands is no matter for an address.
    now = get_memory(actor=request.member.actor, store_id=store.id, memory_id=memory.id)
    return show_memory(request, store, now, fragment=fragment)


def show_memory(
    request: ConsoleRequest,
    store: MemoryStore,
    memory: MemoryRow,
    *,
    content: str | None = None,
    fragment: str = "",
    error: str = "",
) -> HttpResponse:
    actor = request.member.actor
    now = clock.now_utc()
    live = memory.content or ""
    holders, hint = None, ""
    places, in_reason = 0, False
    if fragment:
        holders, hint = find_holders(actor, store.id, memory.head_version_id, fragment)
        places = len(find_spans(live, fragment))
        head = get_version(actor=actor, store_id=store.id, version_id=memory.head_version_id)
        in_reason = fragment in head.reason
        error = error or hint
    context = {
        **store_context(store, now=now),
        **memory_context(memory, now=now),
        "title": f"Redact {text.plain(memory.path[1:])}",
        "tab": "memories",
        **editor_context(live if content is None else content, None),
        "fragment": fragment if holders is not None else "",
        "asked": fragment,
        "is_here": places > 0 or in_reason or bool(fragment and fragment in memory.path),
        "places": formats.count(places),
        "here": f"{store.id} {memory.head_version_id} {memory.id}",
        "mask": MASK,
        **holders_context(holders, hint, memory.head_version_id),
        "reason": request.POST.get("reason", ""),
        "error": error,
    }
    response = render_main(request, "memories/redact.html", context)
    response.status_code = 400 if error else 200
    return response
