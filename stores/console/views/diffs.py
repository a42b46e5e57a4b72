"""Two versions side by side or unified: of one memory, or of two, also in two stores."""

from datetime import datetime
from typing import Any, NamedTuple

from django.http import Http404, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from stores.console import comparison, formats, query, text
from stores.console.access import ConsoleRequest, for_members
from stores.console.comparison import LINES_A_FOLD
from stores.console.htmx import render_main, render_part, wants_partial
from stores.console.paths import show_path
from stores.console.rows import (
    Row,
    activity_url,
    actor_row,
    blame_url,
    diff_url,
    history_url,
    redaction,
    version_url,
)
from stores.console.tree import memory_url
from stores.console.views.memories import memory_context
from stores.console.views.stores import store_context
from stores.console.views.versions import find_memory, neighbours
from stores.domain import clock
from stores.domain.actors import Actor
from stores.domain.diff import Fold, compare, folded_rows
from stores.domain.diff import Row as DiffRow
from stores.domain.errors import VersionNotFound
from stores.domain.redaction import Masked, read_masked
from stores.domain.stores import get_store
from stores.domain.versions import get_version
from stores.models import MemoryVersion, Operation
from stores.models.statements.rows import VersionRow

FOLDS_OPENED = 20

Options = dict[str, str]


class Address(NamedTuple):
    """What is compared with what, and how it is drawn."""

    store_id: str
    from_id: str | None
    to_id: str
    options: Options

    def url(self, **changed: Any) -> str:
        return diff_url(self.store_id, from_=self.from_id, to=self.to_id, **{**self.options, **changed})


@require_safe
@for_members
def diff(request: ConsoleRequest, store_id: str) -> HttpResponse:
    """`?from=` and `?to=` are versions; without `from` it is the one before. `view` is split or unified,
    `space` ignore or show, `row` where a later page begins, `fold` and `open` are folds to be opened.
    """
    actor = request.member.actor
    store = get_store(actor=actor, store_id=store_id)
    to_id = query.version_id(request, "to")
    if to_id is None:
        raise Http404("Say which versions to compare.")
    from_id = query.version_id(request, "from")
    # A step from the version before is a page of its own store.
    find = find_version if from_id else find_here
    after = find(actor, store_id, to_id)
    around = neighbours(after)
    is_step = from_id is None
    if is_step:
        from_id = around["older"]["id"] if around["older"] else None
    before = find_version(actor, store_id, from_id) if from_id else None
    masked = _masked(actor, before, after)
    texts = (_text(before, masked), _text(after, masked))
    options = _options(request)
    address = Address(store_id, from_id, to_id, options)
    fold = _fold(request.GET.get("fold", ""))
    if fold and wants_partial(request) and texts[0] is not None and texts[1] is not None:
        context = _opened(texts[0], texts[1], fold, address) | {"title": _title(before, after)}
        return render_part(request, "versions/diff.html", "versions/_diff_part.html", context)
    now = clock.now_utc()
    if after.store_id != store_id:
        store = get_store(actor=actor, store_id=after.store_id)
    memory = find_memory(actor, after.store_id, after.memory_id)
    context = {
        **store_context(store, now=now),
        **(
            memory_context(memory, now=now)
            if memory
            else {"deleted": {"blame_url": blame_url(after.store_id, after.memory_id)}}
        ),
        "title": _title(before, after),
        "tab": "memories",
        "before": _side(before, masked, now=now) if before else None,
        "after": _side(after, masked, now=now),
        "history_url": history_url(after.store_id, after.memory_id),
        "two_memories": before is not None and before.memory_id != after.memory_id,
        "before_store": text.show(get_store(actor=actor, store_id=before.store_id).name)
        if before is not None and before.store_id != after.store_id
        else None,
        "gap": _gap(before, after) if is_step else "",
        "restore_url": reverse("console:version_restore", args=(before.store_id, before.id))
        if before is not None
        and before.store_id == after.store_id
        and before.content is not None
        and not (memory and memory.head_version_id == before.id)
        else None,
        "unified": options["view"] == "unified",
        **_steps(before, after, around, options),
        **_views(address),
    }
    if texts[0] is not None and texts[1] is not None:
        context |= _table(request, texts[0], texts[1], address)
    elif before is not None and texts[0] is None:
        context["instead"] = _instead(before, after, options)
    return render_main(request, "versions/diff.html", context)


def find_here(actor: Actor, store_id: str, version_id: str) -> VersionRow:
    return get_version(actor=actor, store_id=store_id, version_id=version_id)


def find_version(actor: Actor, store_id: str, version_id: str) -> VersionRow:
    """Of this store, else of another one that the actor may read. Raises VersionNotFound, StoreNotFound."""
    try:
        return find_here(actor, store_id, version_id)
    except VersionNotFound:
        elsewhere = MemoryVersion.objects.filter(id=version_id).values_list("store_id", flat=True).first()
        if elsewhere is None or elsewhere == store_id:
            raise
        return find_here(actor, elsewhere, version_id)


def _masked(actor: Actor, before: VersionRow | None, after: VersionRow) -> dict[str, Masked]:
    """What people may read of those that have redacted spans."""
    redacted = [v for v in (before, after) if v is not None and v.redacted_at is not None]
    found: dict[str, Masked] = {}
    for store_id in sorted({version.store_id for version in redacted}):
        version_ids = [version.id for version in redacted if version.store_id == store_id]
        found |= read_masked(actor=actor, store_id=store_id, version_ids=version_ids)
    return found


def _options(request: ConsoleRequest) -> Options:
    view, space = request.GET.get("view"), request.GET.get("space")
    return {
        "view": "unified" if view == "unified" else "",
        "space": space if space in ("ignore", "show") else "",
    }


def _text(version: VersionRow | None, masked: dict[str, Any]) -> str | None:
    """What is compared; None where it is gone. Before the first version, and after a deletion, nothing."""
    if version is None:
        return ""
    if version.redacted_at is not None:
        return masked[version.id].content if version.id in masked else None
    return version.content or ""


def _side(version: VersionRow, masked: dict[str, Any], *, now: datetime) -> Row:
    left = masked.get(version.id)
    path = left.path if left else version.path
    return {
        "url": version_url(version.store_id, version.id),
        "memory_url": memory_url(version.store_id, version.memory_id),
        "seq": version.seq,
        "who": actor_row(version.actor_type, version.actor_id, version.actor_label),
        "wrote_url": activity_url(actor=version.actor_id),
        "road": version.road,
        "when": formats.instant(version.created_at, now=now),
        "path": show_path(path) if path else None,
        "size": None if version.content_size_bytes is None else formats.size(version.content_size_bytes),
        "deleted": version.operation == Operation.DELETED,
        "redacted": redaction(version, now=now) if version.redacted_at else None,
        "masked": left is not None,
        "reason": text.show(version.reason) if version.reason and not version.redacted_at else None,
    }


def _title(before: VersionRow | None, after: VersionRow) -> str:
    name = "a redacted version" if after.path is None else text.plain(after.path[1:])
    if before is None:
        return f"What v{after.seq} of {name} added"
    return f"v{before.seq} to v{after.seq} of {name}"


def _gap(before: VersionRow | None, after: VersionRow) -> str:
    """The versions between that are no longer kept."""
    missing = after.seq - 1 - (before.seq if before else 0)
    if missing <= 0:
        return ""
    return (
        "The version before is no longer kept."
        if missing == 1
        else (f"The {missing:,} versions before are no longer kept.")
    )


def _steps(before: VersionRow | None, after: VersionRow, around: Row, options: Options) -> Row:
    """The change before this one and the change behind it."""
    if before is not None and before.memory_id != after.memory_id:
        return {}
    pairs = {"older": {"id": before.id, "seq": before.seq} if before else None, "newer": around["newer"]}
    return {
        name: {"url": diff_url(after.store_id, to=found["id"], **options), "seq": found["seq"]}
        if found
        else None
        for name, found in pairs.items()
    }


def _instead(before: VersionRow, after: VersionRow, options: Options) -> Row | None:
    """An older version whose text is still there, where that of the one before is gone."""
    readable = MemoryVersion.objects.filter(
        store_id=before.store_id, memory_id=before.memory_id, seq__lt=before.seq, content__isnull=False
    )
    found = readable.order_by("-seq").values_list("id", "seq").first()
    if found is None or after.content is None:
        return None
    return {"url": diff_url(before.store_id, from_=found[0], to=after.id, **options), "seq": found[1]}


def _views(address: Address) -> Row:
    """The same diff, drawn otherwise."""
    ignoring = address.options["space"] == "ignore"
    swapped = address._replace(from_id=address.to_id, to_id=address.from_id or "")
    return {
        "split_url": address.url(view=""),
        "unified_url": address.url(view="unified"),
        "space_url": address.url(space="" if ignoring else "ignore"),
        "show_url": address.url(space="show"),
        "ignoring": ignoring,
        "swapped_url": swapped.url() if address.from_id else None,
    }


def _table(request: ConsoleRequest, old: str, new: str, address: Address) -> Row:
    options = address.options
    found = as_asked = compare(old, new, ignore_space=options["space"] == "ignore")
    hides_endings = found.only_line_endings and options["space"] == ""
    if hides_endings:
        # Every line would be marked, and none has changed for a reader.
        found = compare(old, new, ignore_space=True)
    ignore_space = hides_endings or options["space"] == "ignore"
    rows = found.rows
    for spelled in request.GET.getlist("open")[:FOLDS_OPENED]:
        rows = _with_opened(rows, old, new, _fold(spelled), ignore_space=ignore_space)
    part = comparison.cut(rows, query.number(request, "row") or 0)
    before = max((row.change for row in rows[max(0, part.start - 1) : part.start]), default=0)
    shown = comparison.shown_rows(part.rows, unified=options["view"] == "unified", last_change=before)
    _link(rows, shown, part, address)
    return {
        "diff": as_asked,
        "plus": formats.count(found.plus),
        "minus": formats.count(found.minus),
        "totals": comparison.totals(found),
        "facts": comparison.facts(as_asked, part.rows),
        "hides_endings": hides_endings,
        "rows": shown,
        "part": {"first": part.start + 1, "last": part.start + len(part.rows), "total": part.total}
        if part.start or part.next is not None
        else None,
        "rows_before": None if part.previous is None else address.url(row=part.previous),
        "rows_after": None if part.next is None else address.url(row=part.next),
    }


def _link(rows: list[DiffRow], shown: list[Row], part: comparison.Slice, address: Address) -> None:
    """Gives folds and moved lines their addresses."""
    here = range(part.start, part.start + len(part.rows))
    places = comparison.place_of_moves(rows)
    for row in shown:
        if row.get("fold"):
            _link_fold(row, address, row=part.start)
        for cell in (row.get("old"), row.get("new"), row):
            if cell and cell.get("moved"):
                place = places[cell["other_side"], cell["other_n"]]
                away = "" if place in here else address.url(row=place - place % comparison.ROWS_A_PAGE)
                cell["other_url"] = f"{away}#{cell['other']}"


def _link_fold(shown: Row, address: Address, *, row: int = 0) -> None:
    """The address of the opened rows alone, and for those without script that of the page with them."""
    fold = shown["fold"]
    spelled = f"{fold.old}.{fold.new}.{fold.lines}"
    shown["url"] = address.url(fold=spelled)
    shown["open_url"] = f"{address.url(open=spelled, row=row)}#n{fold.new}"


def _fold(spelled: str) -> Fold | None:
    numbers = spelled.split(".")
    if len(numbers) != 3 or not all(n.isascii() and n.isdigit() and len(n) < 8 for n in numbers):
        return None
    old, new, lines = map(int, numbers)
    return Fold(old, new, lines) if old and new and lines else None


def _read_fold(old: str, new: str, fold: Fold, *, ignore_space: bool) -> tuple[list[DiffRow], Fold | None]:
    """The rows that one click opens, and what is left of the fold. Raises InvalidInput: no such fold."""
    rows = folded_rows(old, new, fold, ignore_space=ignore_space)
    if len(rows) <= LINES_A_FOLD + 2:
        return rows, None
    rest = Fold(fold.old + LINES_A_FOLD, fold.new + LINES_A_FOLD, fold.lines - LINES_A_FOLD)
    return rows[:LINES_A_FOLD], rest


def _opened(old: str, new: str, fold: Fold, address: Address) -> Row:
    """The rows of one fold alone. Raises InvalidInput where there is no such fold."""
    space = address.options["space"]
    ignore_space = space == "ignore" or (space == "" and compare(old, new).only_line_endings)
    rows, rest = _read_fold(old, new, fold, ignore_space=ignore_space)
    unified = address.options["view"] == "unified"
    shown = comparison.shown_rows(rows, unified=unified)
    shown[0]["focus"] = True
    if rest:
        shown.append({"fold": rest, "lines": comparison.fold_words(rest)})
        _link_fold(shown[-1], address)
    return {"rows": shown, "unified": unified}


def _with_opened(
    rows: list[DiffRow], old: str, new: str, fold: Fold | None, *, ignore_space: bool
) -> list[DiffRow]:
    """The rows with one fold opened; a fold that is not there opens nothing."""
    for place, row in enumerate(rows):
        if fold is not None and row.fold == fold:
            opened, rest = _read_fold(old, new, fold, ignore_space=ignore_space)
            if rest:
                opened.append(DiffRow(row.kind, fold=rest))
            return [*rows[:place], *opened, *rows[place + 1 :]]
    return rows
