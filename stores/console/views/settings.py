"""Making a store, and its settings: name, description, metadata, archive, delete."""

from collections.abc import Mapping

from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST

from stores.console import formats, notices, text
from stores.console.access import ConsoleRequest, for_members
from stores.console.htmx import render_main
from stores.console.textarea import read_back, with_line_feeds, with_one_line
from stores.console.tree import folder_url
from stores.console.views.stores import store_context, store_facts
from stores.domain import clock
from stores.domain.actors import Right
from stores.domain.errors import InvalidInput, Refused
from stores.domain.limits import METADATA_PAIRS
from stores.domain.store_templates import TEMPLATES, create_store_from_template
from stores.domain.stores import archive_store, delete_store, get_store, update_store
from stores.models import MemoryStore, MemoryVersion

EMPTY_PAIRS = 2


@require_http_methods(["GET", "HEAD", "POST"])
@for_members
def store_create(request: ConsoleRequest) -> HttpResponse:
    """A new store, empty or from a template."""
    actor = request.member.actor
    actor.require(Right.MANAGE)
    if request.method != "POST":
        return show_create(request)
    description = with_line_feeds(request.POST.get("description", ""))
    try:
        store = create_store_from_template(
            actor=actor,
            name=request.POST.get("name", "").strip(),
            template=request.POST.get("template", "blank"),
            # Left empty, the template says what the store is for.
            description=description or None,
        )
    except InvalidInput as error:
        return show_create(request, error=error.message)
    notices.say(request, "The store is there.")
    return redirect(folder_url(store.id, "/"))


def show_create(request: ConsoleRequest, *, error: str = "") -> HttpResponse:
    chosen = request.POST.get("template", "blank")
    context = {
        "title": "New store",
        "templates": [
            {
                "key": template.key,
                "title": template.title,
                "summary": template.summary,
                "files": sorted(template.files),
                "picked": template.key == chosen,
            }
            for template in TEMPLATES.values()
        ],
        "name": request.POST.get("name", ""),
        "description": request.POST.get("description", ""),
        "error": error,
    }
    response = render_main(request, "stores/new.html", context)
    response.status_code = 400 if error else 200
    return response


@require_http_methods(["GET", "HEAD", "POST"])
@for_members
def store_settings(request: ConsoleRequest, store_id: str) -> HttpResponse:
    """Name, description and metadata; what cannot be undone is below them, each with a form of its own."""
    actor = request.member.actor
    actor.require(Right.MANAGE)
    store = get_store(actor=actor, store_id=store_id)
    if request.method != "POST":
        return show_settings(request, store)
    try:
        pairs = typed_pairs(request, store.metadata)
        written = update_store(
            actor=actor,
            store_id=store_id,
            name=request.POST.get("name", ""),
            description=read_back(request.POST.get("description", ""), like=store.description),
            metadata={**dict.fromkeys(store.metadata), **pairs},
        )
    except (InvalidInput, Refused) as error:
        return show_settings(request, store, error=error.message)
    is_changed = written.updated_at != store.updated_at
    notices.say(request, "Saved." if is_changed else "Nothing was changed.")
    return redirect(settings_url(store_id))


def settings_url(store_id: str) -> str:
    return reverse("console:store_settings", kwargs={"store_id": store_id})


def typed_pairs(request: ConsoleRequest, before: Mapping[str, str]) -> dict[str, str]:
    """The metadata as it was typed. A key or value that a field of one line cannot hold is kept as it was
    when the field was left alone. Raises InvalidInput.
    """
    held = {with_one_line(key): (key, value) for key, value in before.items()}
    pairs: dict[str, str] = {}
    keys, values = request.POST.getlist("key"), request.POST.getlist("value")
    for typed_key, typed_value in zip(keys, values, strict=False):
        if not typed_key:
            if typed_value:
                raise InvalidInput("A metadata value has no key.")
            continue
        key, old = held.get(typed_key, (typed_key, None))
        if key in pairs:
            raise InvalidInput("A metadata key is there twice.")
        pairs[key] = old if old is not None and with_one_line(old) == typed_value else typed_value
    return pairs


def show_settings(
    request: ConsoleRequest, store: MemoryStore, *, error: str = "", danger_error: str = ""
) -> HttpResponse:
    now = clock.now_utc()
    is_typed = request.method == "POST" and bool(error)
    if is_typed:
        pairs = list(zip(request.POST.getlist("key"), request.POST.getlist("value"), strict=False))
    else:
        pairs = list(store.metadata.items())
    pairs = [pair for pair in pairs if any(pair)]
    pairs += [("", "")] * max(0, min(EMPTY_PAIRS, METADATA_PAIRS - len(pairs)))
    context = {
        **store_context(store, now=now),
        "title": f"Settings of {text.plain(store.name)}",
        "tab": "settings",
        "facts": store_facts(store, now=now),
        "name": request.POST.get("name", "") if is_typed else store.name,
        "description": request.POST.get("description", "") if is_typed else store.description,
        "pairs": pairs,
        "most_pairs": METADATA_PAIRS,
        "versions": formats.count(MemoryVersion.objects.filter(store_id=store.id).count()),
        "settings_url": settings_url(store.id),
        "error": error,
        "danger_error": danger_error,
    }
    response = render_main(request, "stores/settings.html", context)
    response.status_code = 400 if error or danger_error else 200
    return response


def is_confirmed(request: ConsoleRequest, store: MemoryStore) -> bool:
    """Whether the name was typed. A name may hold what nobody can type, so the id does as well."""
    typed = " ".join(request.POST.get("confirm", "").split())
    return typed != "" and typed in (" ".join(store.name.split()), store.id)


NOT_CONFIRMED = "Nothing was done: what was typed is not the name of this store."


def refuse_unconfirmed(request: ConsoleRequest, store_id: str) -> HttpResponse | None:
    """The settings again where the name was not typed. Raises PermissionDenied, StoreNotFound."""
    actor = request.member.actor
    actor.require(Right.MANAGE)
    store = get_store(actor=actor, store_id=store_id)
    return None if is_confirmed(request, store) else show_settings(request, store, danger_error=NOT_CONFIRMED)


@require_POST
@for_members
def store_archive(request: ConsoleRequest, store_id: str) -> HttpResponse:
    """Read-only for good."""
    refusal = refuse_unconfirmed(request, store_id)
    if refusal is not None:
        return refusal
    archive_store(actor=request.member.actor, store_id=store_id)
    notices.say(request, "Archived: the store can be read, and no longer be changed.")
    return redirect(folder_url(store_id, "/"))


@require_POST
@for_members
def store_delete(request: ConsoleRequest, store_id: str) -> HttpResponse:
    """Gone for good, with all its memories and versions."""
    refusal = refuse_unconfirmed(request, store_id)
    if refusal is not None:
        return refusal
    delete_store(actor=request.member.actor, store_id=store_id)
    notices.say(request, "The store is deleted.")
    return redirect("console:store_list")
