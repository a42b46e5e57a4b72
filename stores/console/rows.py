"""Rows of lists as plain dicts: formatted here, because template filters over objects cost seven times as
much (performance.md, the console's table).
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, NamedTuple
from urllib.parse import urlencode

from django.db.models import OuterRef, Q, Subquery, Sum
from django.urls import reverse

from stores.console import formats, text
from stores.console.paths import show_path, show_segment
from stores.console.tree import folder_url, memory_url
from stores.domain.actors import ActorType
from stores.domain.limits import MEMORIES_PER_STORE
from stores.models import Memory, MemoryStore, MemoryVersion
from stores.models.statements.rows import MemoryRow, PrefixRow, VersionRow

Row = dict[str, Any]

ACTOR_KINDS = {
    ActorType.SESSION: ("session", "session", "bot"),
    ActorType.API: ("key", "API key", "key-round"),
    ActorType.USER: ("person", "person", ""),
    ActorType.SERVICE_ACCOUNT: ("service", "service account", "settings-2"),
}


def actor_row(type_: str, id_: str, label: str) -> Row:
    """Who did it, as components/_actor.html draws it: shape by kind, then the name, else the id."""
    kind, word, icon = ACTOR_KINDS.get(ActorType(type_), ("service", type_, "settings-2"))
    return {
        "kind": kind,
        "word": word,
        "icon": icon,
        "initials": formats.initials(label) if kind == "person" else "",
        "name": text.show(label or id_),
        "id": id_,
        # Sessions share the label of their agent; the end of the id tells them apart.
        "tail": id_[-4:] if kind == "session" and label else "",
    }


def store_rows(stores: Sequence[MemoryStore], *, now: datetime) -> list[Row]:
    """Two queries for the page, whatever its length."""
    ids = [store.id for store in stores]
    sizes = dict(
        Memory.objects.filter(store_id__in=ids)
        .values_list("store_id")
        .annotate(Sum("content_size_bytes"))
        .order_by()
    )
    writes = last_writes(ids, now=now)
    return [
        {
            "url": folder_url(store.id, "/"),
            "name": text.show(store.name),
            "description": text.show(store.description) if store.description else None,
            "memories": formats.count(store.memory_count),
            "memory_count": store.memory_count,
            "share": formats.share(store.memory_count, MEMORIES_PER_STORE),
            "size": formats.size(sizes.get(store.id, 0)),
            "last_write": writes.get(store.id),
            "archived": store.archived_at is not None,
        }
        for store in stores
    ]


def last_writes(store_ids: list[str], *, now: datetime) -> dict[str, Row]:
    """The newest version of each store in one query."""
    newest = MemoryVersion.objects.filter(store_id=OuterRef("id")).order_by("-id").values("id")[:1]
    newest_ids = MemoryStore.objects.filter(id__in=store_ids).annotate(newest=Subquery(newest))
    found = MemoryVersion.objects.filter(id__in=newest_ids.values("newest")).values_list(
        "store_id", "actor_type", "actor_id", "actor_label", "created_at"
    )
    return {
        store_id: {"who": actor_row(type_, id_, label), "when": formats.instant(created_at, now=now)}
        for store_id, type_, id_, label, created_at in found
    }


def folder_rows(
    items: Iterable[MemoryRow | PrefixRow], *, store_id: str, folder: str, now: datetime
) -> list[Row]:
    """What lies in a folder, with who changed each memory last: one query for the page."""
    items = list(items)
    heads = {
        id_: (actor_row(*who), reason)
        for id_, *who, reason in MemoryVersion.objects.filter(
            id__in=[item.head_version_id for item in items if isinstance(item, MemoryRow)]
        ).values_list("id", "actor_type", "actor_id", "actor_label", "reason")
    }
    rows: list[Row] = []
    for item in items:
        name = show_segment(item.path[len(folder) :].rstrip("/"))
        if isinstance(item, PrefixRow):
            rows.append(
                {"folder": True, "path": item.path, "url": folder_url(store_id, item.path), "name": name}
            )
            continue
        who, reason = heads.get(item.head_version_id, (None, ""))
        rows.append(
            {
                "folder": False,
                "id": item.id,
                "url": memory_url(store_id, item.id),
                "name": name,
                "size": formats.size(item.content_size_bytes),
                "versions": formats.count(item.head_seq),
                "who": who,
                "reason": text.show(reason) if reason else None,
                "when": formats.instant(item.updated_at, now=now),
            }
        )
    return rows


def version_url(store_id: str, version_id: str) -> str:
    return reverse("console:version_detail", kwargs={"store_id": store_id, "version_id": version_id})


def history_url(store_id: str, memory_id: str) -> str:
    return reverse("console:memory_history", kwargs={"store_id": store_id, "memory_id": memory_id})


def diff_url(store_id: str, *, from_: str | None = None, to: str, **options: Any) -> str:
    """Two versions compared; without `from_` with the one before."""
    asked = {"from": from_, "to": to, **options}
    query = urlencode({name: value for name, value in asked.items() if value})
    return f"{reverse('console:diff', kwargs={'store_id': store_id})}?{query}"


def activity_url(**asked: Any) -> str:
    """The stream of all changes with these filters."""
    query = urlencode({name: value for name, value in asked.items() if value})
    address = reverse("console:activity")
    return f"{address}?{query}" if query else address


def blame_url(store_id: str, memory_id: str, **options: Any) -> str:
    query = urlencode({name: value for name, value in options.items() if value})
    address = reverse("console:memory_blame", kwargs={"store_id": store_id, "memory_id": memory_id})
    return f"{address}?{query}" if query else address


def version_rows(
    versions: Sequence[VersionRow], *, now: datetime, head_ids: frozenset[str] = frozenset()
) -> list[Row]:
    """Versions with what each changed; two queries for the page at most, whatever its length."""
    before = versions_before(versions)
    sources = restored_sources({v.restored_from for v in versions if v.restored_from})
    return [
        version_row(
            version,
            before=before.get((version.memory_id, version.seq - 1)),
            restored=sources.get(version.restored_from or ""),
            is_head=version.id in head_ids,
            now=now,
        )
        for version in versions
    ]


Before = tuple[str | None, int | None]


def versions_before(versions: Sequence[VersionRow]) -> dict[tuple[str, int], Before]:
    """(path, size) of the version before each of these, by memory and number; most are on the page itself."""
    known: dict[tuple[str, int], Before] = {
        (v.memory_id, v.seq): (v.path, v.content_size_bytes) for v in versions
    }
    wanted = {(v.memory_id, v.seq - 1) for v in versions if v.seq > 1} - known.keys()
    if wanted:
        condition = Q()
        for memory_id, seq in wanted:
            condition |= Q(memory_id=memory_id, seq=seq)
        for memory_id, seq, path, size_bytes in MemoryVersion.objects.filter(condition).values_list(
            "memory_id", "seq", "path", "content_size_bytes"
        ):
            known[memory_id, seq] = (path, size_bytes)
    return known


class Source(NamedTuple):
    """A version that was restored. `path` is None where it is redacted."""

    seq: int
    memory_id: str
    path: str | None


def restored_sources(version_ids: Iterable[str]) -> dict[str, Source]:
    found = MemoryVersion.objects.filter(id__in=list(version_ids)).values_list(
        "id", "seq", "memory_id", "path"
    )
    return {id_: Source(seq, memory_id, path) for id_, seq, memory_id, path in found}


def former_row(store_id: str, source: Source | VersionRow) -> Row:
    """The deleted memory that a version was restored from: restoring one begins a new memory."""
    return {
        "history_url": history_url(store_id, source.memory_id),
        "path": show_path(source.path) if source.path else None,
    }


def version_names(versions: Iterable[VersionRow | None]) -> dict[str, Row]:
    """What to call each of the versions of a blame, oldest first: those of a memory and, before them, those
    of the memory before its deletion, which has the same numbers once more. `of` is what tells them apart;
    `short` is for where many stand below each other.
    """
    known = [version for version in versions if version is not None]
    places = {id_: n for n, id_ in enumerate(dict.fromkeys(v.memory_id for v in reversed(known)))}
    result: dict[str, Row] = {}
    for version in known:
        number, deletions = f"v{version.seq}", places[version.memory_id]
        if not deletions:
            result[version.id] = {"of": "", "name": number, "short": number}
            continue
        of = "before its deletion" if deletions == 1 else f"{deletions} deletions before"
        result[version.id] = {"of": of, "name": f"{number} of the memory {of}", "short": f"{number} {of}"}
    return result


def version_row(
    version: VersionRow, *, before: Before | None, restored: Source | None, is_head: bool, now: datetime
) -> Row:
    row: Row = {
        "url": version_url(version.store_id, version.id),
        "memory_url": memory_url(version.store_id, version.memory_id),
        "diff_url": diff_url(version.store_id, to=version.id),
        "id": version.id,
        "seq": version.seq,
        "who": actor_row(version.actor_type, version.actor_id, version.actor_label),
        "wrote_url": activity_url(actor=version.actor_id),
        "road": version.road,
        "when": formats.instant(version.created_at, now=now),
        "head": is_head,
        "redacted": None,
    }
    is_of_another = restored is not None and restored.memory_id != version.memory_id
    if is_of_another and restored is not None and version.seq == 1:
        former = former_row(version.store_id, restored)
        # A redacted version does not say where it was, so what it came from must not either.
        row["continues"] = former | {"path": None} if version.redacted_at else former
    if version.redacted_at is not None:
        # Who and when, and nothing else: not even the reason, which may quote the text.
        row["redacted"] = redaction(version, now=now)
        row.update(op="×", op_kind="gone", word="redacted")
        return row
    before_path, before_size = before or (None, None)
    renamed = before_path is not None and version.path != before_path
    row["path"] = show_path(version.path or "/")
    row["renamed_from"] = show_path(before_path) if renamed and before_path is not None else None
    row["reason"] = text.show(version.reason) if version.reason else None
    if version.restored_from and restored:
        row["restored_from"] = version_url(version.store_id, version.restored_from)
        row["restored_seq"] = restored.seq
        if is_of_another:
            row["restored_of"] = former_row(version.store_id, restored)
    row["size"] = None if version.content_size_bytes is None else formats.size(version.content_size_bytes)
    row["change"] = size_change(version, before_size)
    row.update(operation(version, renamed=renamed))
    return row


def redaction(version: VersionRow, *, now: datetime) -> Row:
    assert version.redacted_at is not None
    return {
        "who": actor_row(
            version.redacted_by_type or "", version.redacted_by_id or "", version.redacted_by_label or ""
        ),
        "when": formats.instant(version.redacted_at, now=now),
        "reason": text.show(version.redacted_reason) if version.redacted_reason else None,
    }


def operation(version: VersionRow, *, renamed: bool) -> Row:
    """A glyph and a word for what happened."""
    if version.operation == "deleted":
        return {"op": "−", "op_kind": "del", "word": "deleted"}
    if version.restored_from:
        return {"op": "↺", "op_kind": "back", "word": "restored"}
    if version.operation == "created":
        return {"op": "+", "op_kind": "add", "word": "created"}
    if renamed:
        return {"op": "→", "op_kind": "move", "word": "renamed"}
    return {"op": "~", "op_kind": "edit", "word": "changed"}


def size_change(version: VersionRow, before_size: int | None) -> Row | None:
    """By how many bytes the text grew; None where that is not known (the one before is redacted)."""
    size = version.content_size_bytes or 0
    if version.seq == 1:
        before_size = 0
    if before_size is None:
        # A deletion's text has no size, and so has a redacted version.
        return None
    grown = size - before_size
    kind = "plus" if grown > 0 else "minus" if grown < 0 else "dim"
    return {"text": formats.change(grown), "bytes": grown, "kind": kind}
