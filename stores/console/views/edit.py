"""Writing a memory's text: the editor, what to do when somebody was faster, a new memory."""

import unicodedata
from datetime import datetime
from typing import Any, NamedTuple

from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from stores.console import conflicts, formats, notices, query, text
from stores.console.access import ConsoleRequest, for_members
from stores.console.comparison import facts, shown_rows
from stores.console.drawing import count_hidden
from stores.console.htmx import render_main
from stores.console.lookalikes import find_lookalike
from stores.console.paths import parent, show_path
from stores.console.rows import actor_row, version_url
from stores.console.textarea import line_break, read_back
from stores.console.tree import folder_url, memory_url
from stores.console.views.memories import memory_context
from stores.console.views.stores import store_context
from stores.domain import clock
from stores.domain.actors import Actor, Right
from stores.domain.content import check_content
from stores.domain.diff import compare
from stores.domain.errors import (
    InvalidInput,
    MemoryNotFound,
    PathTaken,
    PreconditionFailed,
    Refused,
    VersionNotFound,
)
from stores.domain.limits import CONTENT_BYTES
from stores.domain.memories import create_memory, get_memory, update_memory
from stores.domain.merge import merge
from stores.domain.removed_text import removed_pieces
from stores.domain.stores import get_store
from stores.domain.versions import get_version
from stores.models import Memory, MemoryStore
from stores.models.statements.rows import MemoryRow, VersionRow

CHANGE_ROWS = 500
NO_SHA256 = "0" * 64


class Base(NamedTuple):
    """The version that somebody's text was made from. `text` None: it is redacted, or not kept any more."""

    version_id: str
    sha256: str
    text: str | None
    version: VersionRow | None

    @property
    def is_redacted(self) -> bool:
        return self.version is not None and self.version.redacted_at is not None


@require_http_methods(["GET", "HEAD", "POST"])
@for_members
def memory_edit(request: ConsoleRequest, store_id: str, memory_id: str) -> HttpResponse:
    """The editor. With the text travels the version that it was made from, and its hash."""
    actor = request.member.actor
    actor.require(Right.WRITE)
    store = get_store(actor=actor, store_id=store_id)
    try:
        memory = get_memory(actor=actor, store_id=store_id, memory_id=memory_id)
    except MemoryNotFound:
        base = find_base(actor, store_id, memory_id, request)
        if request.method != "POST" or base.version is None:
            raise
        return deleted_meanwhile(request, store, base)
    if store.archived_at is not None and request.method != "POST":
        notices.warn(request, "This store is archived: its memories can be read, not changed.")
        return redirect(memory_url(store_id, memory_id))
    if request.method != "POST":
        return show_editor(request, store, memory, base=head_of(memory), content=memory.content or "")
    return take_text(request, store, memory)


def take_text(request: ConsoleRequest, store: MemoryStore, memory: MemoryRow) -> HttpResponse:
    base = find_base(request.member.actor, store.id, memory.id, request)
    live = memory.content or ""
    content = read_back(request.POST.get("text", ""), like=live if base.text is None else base.text)
    wish = request.POST.get("do", "save")
    if wish in ("edit", "diff"):
        return show_editor(request, store, memory, base=base, content=content, with_diff=wish == "diff")
    if wish == "resolve" and base.text is not None:
        return resolve(request, store, memory, base, content)
    if content == base.text and memory.head_version_id != base.version_id:
        notices.say(request, "You changed nothing. Somebody else has, meanwhile.", saved=memory.id)
        return redirect(memory_url(store.id, memory.id))
    is_checked = request.POST.get("checked") == base.version_id
    if base.text is None and content != live and not (wish == "replace" and is_checked):
        # Before the precondition: the hash of what was redacted may be that of the live text again.
        return show_conflict(request, store, memory, base, content)
    expected = request.POST.get("seen", "") if wish == "replace" else base.sha256
    return save(request, store, memory, base, content, expected=expected or NO_SHA256)


def save(
    request: ConsoleRequest,
    store: MemoryStore,
    memory: MemoryRow,
    base: Base,
    content: str,
    *,
    expected: str,
) -> HttpResponse:
    actor = request.member.actor
    try:
        written = update_memory(
            actor=actor,
            store_id=store.id,
            memory_id=memory.id,
            content=content,
            expected_sha256=expected,
            reason=request.POST.get("reason", ""),
        )
    except PreconditionFailed:
        memory = get_memory(actor=actor, store_id=store.id, memory_id=memory.id)
        return show_conflict(request, store, memory, base, content)
    except MemoryNotFound:
        return deleted_meanwhile(request, store, base)
    except (InvalidInput, Refused) as error:
        return show_editor(
            request, store, memory, base=base, content=content, error=error.message, status=400
        )
    return saved(request, store, base, written)


def saved(request: ConsoleRequest, store: MemoryStore, base: Base, written: MemoryRow) -> HttpResponse:
    here = memory_url(store.id, written.id)
    if written.head_version_id == base.version_id:
        notices.say(request, "Nothing was changed: the text is what it was.", saved=written.id)
        return redirect(here)
    link = None
    is_less = base.text is not None and removed_pieces(base.text, written.content or "")
    if is_less and Right.REDACT in request.member.actor.rights:
        link = (redact_url(store.id, base.version_id), "Redact what was taken out …")
    notices.say(
        request,
        f"Saved as v{written.head_seq}.",
        undo_url=undo_url(store.id, written.head_version_id),
        link=link,
        saved=written.id,
    )
    return redirect(here)


def undo_url(store_id: str, version_id: str) -> str:
    return reverse("console:version_undo", kwargs={"store_id": store_id, "version_id": version_id})


def redact_url(store_id: str, version_id: str) -> str:
    return reverse("console:version_redact", kwargs={"store_id": store_id, "version_id": version_id})


def head_of(memory: MemoryRow) -> Base:
    return Base(memory.head_version_id, memory.content_sha256, memory.content or "", None)


def find_base(actor: Actor, store_id: str, memory_id: str, request: ConsoleRequest) -> Base:
    """What the form says that its text was made from, checked against what is kept of it."""
    version_id, sha256 = request.POST.get("base", ""), request.POST.get("sha256", "")
    try:
        version = get_version(actor=actor, store_id=store_id, version_id=version_id.replace("\0", ""))
    except VersionNotFound:
        return Base(version_id, sha256, None, None)
    if version.memory_id != memory_id:
        return Base(version_id, sha256, None, None)
    return Base(version_id, version.content_sha256 or NO_SHA256, version.content, version)


def show_editor(
    request: ConsoleRequest,
    store: MemoryStore,
    memory: MemoryRow,
    *,
    base: Base,
    content: str,
    with_diff: bool = False,
    error: str = "",
    status: int = 200,
) -> HttpResponse:
    now = clock.now_utc()
    is_behind = base.version_id != memory.head_version_id
    context = {
        **store_context(store, now=now),
        **memory_context(memory, now=now),
        "title": f"Edit {text.plain(memory.path[1:])}",
        "tab": "memories",
        **editor_context(content, base),
        "reason": request.POST.get("reason", ""),
        "error": error,
        "changes": changes(memory.content or "", content) if with_diff else None,
        "is_behind": is_behind,
        "draft": memory.id,
    }
    response = render_main(request, "memories/edit.html", context)
    response.status_code = status
    return response


def editor_context(content: str, base: Base | None) -> dict[str, Any]:
    return {
        "text": content,
        "base": base,
        "most_bytes": CONTENT_BYTES,
        "size_bytes": len(content.encode(errors="replace")),
        "size": formats.count(len(content.encode(errors="replace"))),
        "line_break": line_break(content),
        # A field cannot draw them, and some reorder what is seen in it.
        "hidden": sum(count_hidden(line.rstrip("\r")) for line in content.split("\n")),
    }


def changes(before: str, after: str) -> dict[str, Any]:
    """What would change, as a unified diff; a long one is cut, and says so."""
    diff = compare(before, after)
    rows = diff.rows[:CHANGE_ROWS]
    return {
        "rows": shown_rows(rows, unified=True),
        "plus": formats.count(diff.plus),
        "minus": formats.count(diff.minus),
        "facts": facts(diff, rows),
        "identical": diff.identical,
        "more": formats.count(len(diff.rows) - len(rows)) if len(rows) < len(diff.rows) else "",
    }


def show_conflict(
    request: ConsoleRequest,
    store: MemoryStore,
    memory: MemoryRow,
    base: Base,
    mine: str,
    *,
    error: str = "",
) -> HttpResponse:
    """Somebody was faster: base, theirs and mine, with whatever does not clash merged already."""
    now = clock.now_utc()
    theirs = memory.content or ""
    context: dict[str, Any] = {
        **store_context(store, now=now),
        **memory_context(memory, now=now),
        "title": f"Conflict in {text.plain(memory.path[1:])}",
        "tab": "memories",
        **editor_context(mine, base),
        "reason": request.POST.get("reason", ""),
        "error": error,
        "draft": memory.id,
        "head": head_facts(request.member.actor, memory, now),
        "chosen_of": memory.head_version_id,
    }
    if base.text is None:
        context["is_redacted"] = base.is_redacted
        context["redacted"] = redaction_facts(base, now)
        context["changes"] = changes(theirs, mine)
    else:
        merged = merge(base.text, mine, theirs)
        context["base_seq"] = base.version.seq if base.version else None
        context["conflict"] = conflicts.show(merged, request.POST)
        if merged.text is not None:
            context["changes"] = changes(theirs, merged.text)
    response = render_main(request, "memories/_conflict.html", context)
    response.status_code = 409
    return response


def resolve(
    request: ConsoleRequest, store: MemoryStore, memory: MemoryRow, base: Base, mine: str
) -> HttpResponse:
    """The parts as they were chosen, saved or shown in the editor."""
    assert base.text is not None
    if request.POST.get("seen_version") != memory.head_version_id:
        # Faster again: what was chosen was chosen among other texts.
        return show_conflict(request, store, memory, base, mine)
    merged = merge(base.text, mine, memory.content or "")
    try:
        content = merged.resolve(conflicts.choices(merged, request.POST))
    except InvalidInput as error:
        return show_conflict(request, store, memory, base, mine, error=error.message)
    theirs = head_of(memory)
    if request.POST.get("then") == "edit":
        return show_editor(request, store, memory, base=theirs, content=content, with_diff=True)
    if content == theirs.text:
        notices.say(request, "Nothing was changed: their text stays.", saved=memory.id)
        return redirect(memory_url(store.id, memory.id))
    return save(request, store, memory, theirs, content, expected=theirs.sha256)


def head_facts(actor: Actor, memory: MemoryRow, now: datetime) -> dict[str, Any]:
    version = get_version(
        actor=actor, store_id=memory.store_id, version_id=memory.head_version_id, with_content=False
    )
    return {
        "url": version_url(memory.store_id, version.id),
        "seq": version.seq,
        "who": actor_row(version.actor_type, version.actor_id, version.actor_label),
        "road": version.road,
        "when": formats.instant(version.created_at, now=now),
        "reason": text.show(version.reason) if version.reason else None,
    }


def redaction_facts(base: Base, now: datetime) -> dict[str, Any] | None:
    version = base.version
    if version is None or version.redacted_at is None:
        return None
    by = (version.redacted_by_type or "", version.redacted_by_id or "", version.redacted_by_label or "")
    return {"who": actor_row(*by), "when": formats.instant(version.redacted_at, now=now), "seq": version.seq}


def deleted_meanwhile(request: ConsoleRequest, store: MemoryStore, base: Base) -> HttpResponse:
    """The memory is gone; the text is not: it is offered as a new memory."""
    notice = "This memory was deleted while you were writing. Your text is here: save it as a new memory."
    if base.is_redacted:
        notice = (
            "This memory was deleted and the version you began from redacted while you were writing. Save "
            "your text as a new memory only if it holds nothing of what was redacted."
        )
    content = read_back(request.POST.get("text", ""), like=base.text or "")
    path = (base.version.path if base.version else None) or "/"
    return show_new(request, store, path=path, content=content, notice=notice, status=409)


@require_http_methods(["GET", "HEAD", "POST"])
@for_members
def memory_create(request: ConsoleRequest, store_id: str) -> HttpResponse:
    """A new memory: `?folder=/a/` says where to begin."""
    actor = request.member.actor
    actor.require(Right.WRITE)
    store = get_store(actor=actor, store_id=store_id)
    if request.method != "POST":
        if store.archived_at is not None:
            notices.warn(request, "This store is archived: nothing can be added to it.")
            return redirect(folder_url(store_id, "/"))
        return show_new(request, store, path=query.folder(request), content="")
    path = typed_path(request.POST.get("path", ""))
    content = read_back(request.POST.get("text", ""), like="")
    reason = request.POST.get("reason", "")
    if request.POST.get("do") == "edit":
        return show_new(request, store, path=path, content=content)
    try:
        memory = create_memory(actor=actor, store_id=store_id, path=path, content=content, reason=reason)
    except PathTaken as error:
        return path_taken(request, store, path, content, error)
    except (InvalidInput, Refused) as error:
        return show_new(request, store, path=path, content=content, error=error.message, status=400)
    say_created(request, memory)
    return redirect(memory_url(store_id, memory.id))


def say_created(request: ConsoleRequest, memory: MemoryRow) -> None:
    notices.say(
        request,
        "Created.",
        undo_url=undo_url(memory.store_id, memory.head_version_id),
        saved=f"new-{memory.store_id}",
    )
    hint_at_lookalike(request, memory)


def hint_at_lookalike(request: ConsoleRequest, memory: MemoryRow) -> None:
    """People are told of another path that looks the same; nothing is refused for it."""
    others = Memory.objects.filter(store_id=memory.store_id).order_by("path").values_list("id", "path")
    found = find_lookalike(memory.path, others.iterator(chunk_size=2000))
    if found is not None:
        link = (memory_url(memory.store_id, found[0]), "Open the other one")
        notices.warn(
            request, "Another memory of this store has a path that looks nearly the same.", link=link
        )


def path_taken(
    request: ConsoleRequest, store: MemoryStore, path: str, content: str, error: PathTaken
) -> HttpResponse:
    blocking_id, blocking_path = error.details["conflicting_memory_id"], error.details["conflicting_path"]
    is_same_path = blocking_path == path
    if is_same_path and is_own_double_click(request, store, blocking_id, content):
        return redirect(memory_url(store.id, blocking_id))
    if is_same_path and not content:
        notices.say(request, "This memory exists already: here it is.")
        return redirect(memory_url(store.id, blocking_id))
    blocking = {"url": memory_url(store.id, blocking_id), "path": show_path(blocking_path)}
    return show_new(
        request, store, path=path, content=content, error=error.message, blocking=blocking, status=409
    )


def is_own_double_click(request: ConsoleRequest, store: MemoryStore, memory_id: str, content: str) -> bool:
    """Whether what is in the way is the very memory that this person has just made with this text."""
    actor = request.member.actor
    try:
        memory = get_memory(actor=actor, store_id=store.id, memory_id=memory_id, with_content=False)
        sha256 = check_content(content).sha256
    except (MemoryNotFound, InvalidInput):
        return False
    if memory.head_seq != 1 or memory.content_sha256 != sha256:
        return False
    version = get_version(
        actor=actor, store_id=store.id, version_id=memory.head_version_id, with_content=False
    )
    return version.actor_id == actor.id


def show_new(
    request: ConsoleRequest,
    store: MemoryStore,
    *,
    path: str,
    content: str,
    error: str = "",
    blocking: dict[str, Any] | None = None,
    notice: str = "",
    status: int = 200,
) -> HttpResponse:
    now = clock.now_utc()
    context = {
        **store_context(store, now=now),
        "title": "New memory",
        "tab": "memories",
        **editor_context(content, None),
        "path": path,
        "reason": request.POST.get("reason", ""),
        "error": error,
        "blocking": blocking,
        "notice": notice,
        "draft": f"new-{store.id}",
        "back_url": folder_url(store.id, parent(path) if path.startswith("/") else "/"),
    }
    response = render_main(request, "memories/new.html", context)
    response.status_code = status
    return response


def typed_path(value: str) -> str:
    """A path as a person types it: composed as the rules want it, and with the first "/"."""
    path = unicodedata.normalize("NFC", value)
    return path if path.startswith("/") else f"/{path}"
