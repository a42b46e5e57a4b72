"""Taking text out for good: the current text in one step, spans, and the same text wherever else it is.

versions.redact_version is the plain act that the API knows. What people may still read of a version with
redacted spans is kept in columns of its own, which only `read_masked` looks at: everywhere else such a
version is a redacted one (decisions.md, 8).
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

import msgspec
from django.db import transaction
from django.db.models import F, Q
from django.db.models.functions import Coalesce

from stores.domain import clock, memories, search_index
from stores.domain.actors import Actor, Right
from stores.domain.acts import Left
from stores.domain.errors import (
    DomainError,
    InvalidInput,
    PermissionDenied,
    VersionIsHead,
    VersionNotFound,
    VersionRedacted,
)
from stores.domain.removed_text import LONGEST, SHORTEST, find_spans, masked, removed_pieces
from stores.domain.stores import require_visible
from stores.domain.versions import empty_versions, redact_version, redaction_by
from stores.models import Memory, MemoryStore, MemoryVersion
from stores.models.statements import holders, moments, storage, writes
from stores.models.statements.holders import HolderRow
from stores.models.statements.rows import MemoryRow

MASK = "[redacted]"
MASK_IN_PATHS = "redacted"

# A scan for copies ends after so many hits or seconds, and says so.
SCANNED_AT_ONCE = 2_000
MOST_HITS = 1_000
SECONDS = 4.0


class Masked(msgspec.Struct, frozen=True):
    """What people may read of a version with redacted spans, and who redacted the last of them."""

    version_id: str
    path: str | None
    content: str
    at: str
    by_type: str
    by_id: str
    by_label: str


class Holders(msgspec.Struct, frozen=True):
    """Who else holds the pieces, newest first, each version once. A head must be cleaned, not redacted.
    `complete` is False when the scan ended before everything was looked at.
    """

    pieces: list[str]
    rows: list[HolderRow]
    complete: bool

    @property
    def heads(self) -> list[HolderRow]:
        return [row for row in self.rows if row.is_head]


class Redacted(msgspec.Struct, frozen=True):
    """What was done: versions emptied (or masked), memories given a clean text, and what was left alone."""

    version_ids: list[str]
    memory_ids: list[str]
    left: list[Left]


@transaction.atomic
def redact_current(
    *,
    actor: Actor,
    store_id: str,
    memory_id: str,
    cleaned_content: str,
    cleaned_path: str | None = None,
    expected_sha256: str | None = None,
    reason: str = "",
    now: datetime | None = None,
) -> MemoryRow:
    """Gives a memory a clean text, and a clean path if asked, and redacts the version that it had.

    Raises InvalidInput (also when nothing would change), PathInvalid, ContentInvalid, StoreNotFound,
    MemoryNotFound, StoreArchived (delete the memory there instead, then redact), PreconditionFailed,
    PathTaken, PermissionDenied.
    """
    actor.require(Right.WRITE)
    actor.require(Right.REDACT)
    memories.lock_store(actor, store_id)
    head = writes.lock_head(store_id=store_id, memory_id=memory_id)
    written = memories.update_memory(
        actor=actor,
        store_id=store_id,
        memory_id=memory_id,
        content=cleaned_content,
        path=cleaned_path,
        expected_sha256=expected_sha256,
        reason=reason,
        now=now,
    )
    assert head is not None  # update_memory would have said that there is no such memory
    if written.head_version_id == head.memory.head_version_id:
        raise InvalidInput("The cleaned text is what the memory holds already: nothing was removed.")
    redact_version(
        actor=actor, store_id=store_id, version_id=head.memory.head_version_id, reason=reason, now=now
    )
    return written


def redact_span(
    *,
    actor: Actor,
    store_id: str,
    version_id: str,
    start: int,
    end: int,
    hide_path: bool = False,
    reason: str = "",
    now: datetime | None = None,
) -> Masked:
    """redact_spans of one."""
    return redact_spans(
        actor=actor,
        store_id=store_id,
        version_id=version_id,
        spans=[(start, end)],
        hide_path=hide_path,
        reason=reason,
        now=now,
    )


@transaction.atomic
def redact_spans(
    *,
    actor: Actor,
    store_id: str,
    version_id: str,
    spans: Sequence[tuple[int, int]],
    hide_path: bool = False,
    reason: str = "",
    now: datetime | None = None,
) -> Masked:
    """Takes spans of characters, `start` up to below `end`, out of a version for good.

    The rest stays readable to people; original text, hash and salt are destroyed, and to the API the version
    is redacted. Can be done again: the places are then those in the masked text. Works in archived stores.

    Raises InvalidInput, StoreNotFound, VersionNotFound, VersionIsHead, VersionRedacted, PermissionDenied.
    """
    actor.require(Right.REDACT)
    require_visible(actor=actor, store_id=store_id)
    version = _readable_version(store_id, version_id, lock=True)
    if Memory.objects.filter(id=version.memory_id, head_version_id=version_id).exists():
        raise VersionIsHead(
            "This version is the current content of a live memory. Clean the memory first, then redact this "
            "version."
        )
    text = version.content if version.redacted_at is None else version.masked_content
    if text is None and version.redacted_at is not None:
        raise VersionRedacted("This version is redacted: nothing is left to redact.")
    if text is None:
        raise InvalidInput("This version records a deletion: it holds no text.")
    if not spans or any(not 0 <= start < end <= len(text) for start, end in spans):
        raise InvalidInput("A span must lie within the text and hold at least one character.")
    by = redaction_by(actor, reason, now)
    search_index.forget_versions([version_id])
    MemoryVersion.objects.filter(id=version_id).update(
        path=None,
        content=None,
        content_sha256=None,
        content_size_bytes=None,
        salt=None,
        # It may quote the text.
        reason="",
        # What was the path, unless the mask has it already.
        masked_path=None if hide_path else Coalesce(F("masked_path"), F("path")),
        masked_content=masked(text, list(spans), MASK),
        span_redacted_at=now or clock.now_utc(),
        span_redacted_by_type=actor.type.value,
        span_redacted_by_id=actor.id,
        span_redacted_by_label=actor.label,
        **by,
    )
    transaction.on_commit(storage.overwrite_removed_text, robust=True)
    return _masked(store_id, [version_id])[version_id]


def read_masked(*, actor: Actor, store_id: str, version_ids: Sequence[str]) -> dict[str, Masked]:
    """What is left to read of those of these versions that have redacted spans. For people only.

    Raises StoreNotFound, PermissionDenied.
    """
    actor.require(Right.READ)
    if actor.is_agent:
        raise PermissionDenied("What is left of a version with redacted spans is for people only.")
    require_visible(actor=actor, store_id=store_id)
    return _masked(store_id, version_ids)


def _masked(store_id: str, version_ids: Sequence[str]) -> dict[str, Masked]:
    rows = MemoryVersion.objects.filter(
        id__in=version_ids, store_id=store_id, masked_content__isnull=False
    ).values_list(
        "id",
        "masked_path",
        "masked_content",
        "span_redacted_at",
        "span_redacted_by_type",
        "span_redacted_by_id",
        "span_redacted_by_label",
    )
    return {
        version_id: Masked(
            version_id, path, content or "", clock.rfc3339(at), kind or "", by_id or "", label or ""
        )
        for version_id, path, content, at, kind, by_id, label in rows
        if at is not None
    }


def who_else_holds(
    *,
    actor: Actor,
    store_id: str,
    version_id: str | None = None,
    fragment: str | None = None,
    seconds: float = SECONDS,
) -> Holders:
    """Other versions and memories, in every store the actor reaches, that still hold a text.

    `fragment` is looked for as it stands, in reasons too; without one, what the version has and the memory's
    current text has not any more (of a current or deleted text: its lines). Looks at the memory's own
    versions, then at live texts, then at history, this store's first.

    Raises InvalidInput, StoreNotFound, VersionNotFound, VersionRedacted, PermissionDenied.
    """
    actor.require(Right.READ)
    require_visible(actor=actor, store_id=store_id)
    version = None if version_id is None else _readable_version(store_id, version_id)
    if fragment is not None:
        if len(fragment.strip()) < SHORTEST:
            raise InvalidInput(f"Looking for copies needs at least {SHORTEST} characters.")
        pieces = [fragment]
    elif version is not None:
        pieces = _removed_pieces(version)
    else:
        raise InvalidInput("Give version_id, fragment or both.")
    scan = _Scan(pieces, time.monotonic() + seconds, in_reasons=fragment is not None)
    if pieces:
        stores = MemoryStore.objects.filter(workspace_id=actor.workspace_id, deleted_at__isnull=True)
        store_ids = [key for key in stores.values_list("id", flat=True) if actor.reaches(key)]
        store_ids.sort(key=lambda key: key != store_id)
        scan.run(store_id, None if version is None else version.memory_id, store_ids)
    rows = sorted(scan.found.values(), key=lambda row: row.version_id, reverse=True)
    return Holders(pieces, [row for row in rows if row.version_id != version_id], scan.complete)


class _Scan:
    def __init__(self, pieces: list[str], end: float, *, in_reasons: bool) -> None:
        self.pieces = pieces
        self.in_reasons = in_reasons
        self.end = end
        self.found: dict[str, HolderRow] = {}
        self.complete = True

    def run(self, store_id: str, memory_id: str | None, store_ids: list[str]) -> None:
        if memory_id is not None:
            self._add(
                holders.holders_of_memory(store_id=store_id, memory_id=memory_id, fragments=self.pieces)
            )
        # What agents read now first, then what was.
        for look in (self._scan_heads, self._scan_history):
            for other in store_ids:
                look(other)

    def _must_stop(self) -> bool:
        if time.monotonic() > self.end or len(self.found) >= MOST_HITS:
            self.complete = False
            return True
        return False

    def _scan_heads(self, store_id: str) -> None:
        if not self._must_stop():
            self._add(holders.holders_among_heads(store_id=store_id, fragments=self.pieces))

    def _scan_history(self, store_id: str) -> None:
        below: str | None = moments.NEVER
        while below is not None and not self._must_stop():
            looked_at, oldest = holders.end_of_history(store_id=store_id, below=below, limit=SCANNED_AT_ONCE)
            if looked_at:
                self._add(
                    holders.holders_in_history(
                        store_id=store_id, below=below, fragments=self.pieces, limit=SCANNED_AT_ONCE
                    )
                )
            below = oldest if looked_at == SCANNED_AT_ONCE else None

    def _add(self, rows: list[HolderRow]) -> None:
        for row in rows:
            if row.in_content or row.in_path or self.in_reasons:
                self.found[row.version_id] = row


def _readable_version(store_id: str, version_id: str, *, lock: bool = False) -> MemoryVersion:
    rows = MemoryVersion.objects.filter(id=version_id, store_id=store_id)
    version = (rows.select_for_update() if lock else rows).first()
    if version is None:
        raise VersionNotFound(f"There is no memory version {version_id!r} in this store.")
    return version


def _removed_pieces(version: MemoryVersion) -> list[str]:
    if version.content is None and version.masked_content is None:
        raise VersionRedacted("This version holds no text.")
    text = _text_of(version)
    head_id = (Memory.objects.filter(id=version.memory_id).exclude(head_version_id=version.id)).values_list(
        "head_version_id", flat=True
    )
    current = MemoryVersion.objects.filter(id__in=head_id).values_list("content", flat=True).first()
    return removed_pieces(text.replace(MASK, " "), current)


@transaction.atomic
def redact_versions(
    *, actor: Actor, versions: Mapping[str, Sequence[str]], reason: str = "", now: datetime | None = None
) -> Redacted:
    """Redacts many versions, named by store, at once. Heads of live memories are left, and named.

    Raises InvalidInput (the reason), StoreNotFound, PermissionDenied.
    """
    actor.require(Right.REDACT)
    by = redaction_by(actor, reason, now)
    done: list[str] = []
    left: list[Left] = []
    for store_id in sorted(versions):
        require_visible(actor=actor, store_id=store_id)
        wanted = list(versions[store_id])
        done += empty_versions(store_id=store_id, version_ids=wanted, by=by)
        still = Memory.objects.filter(store_id=store_id, head_version_id__in=wanted)
        left += [
            Left(store_id, memory_id, path, "is_head", "This is the memory's current text: clean it first.")
            for memory_id, path in still.order_by("path").values_list("id", "path")
        ]
    return Redacted(done, [], left)


@transaction.atomic
def redact_piece(
    *,
    actor: Actor,
    store_id: str,
    version_id: str,
    fragment: str,
    versions: Mapping[str, Sequence[str]],
    reason: str = "",
    now: datetime | None = None,
) -> Redacted:
    """Takes a text out of a version wherever it stands in it, path included, and out of `versions`, named by
    store, as redact_everywhere does that keeps the rest: all of it, or nothing.

    Raises InvalidInput, StoreNotFound, VersionNotFound, VersionIsHead, VersionRedacted, PermissionDenied.
    """
    actor.require(Right.REDACT)
    # In the order of redact_everywhere; and nobody redacts between finding the places and emptying them.
    for each in sorted({store_id, *versions}):
        memories.lock_store(actor, each)
    version = _readable_version(store_id, version_id, lock=True)
    spans = find_spans(_text_of(version), fragment)
    if not spans:
        raise InvalidInput("This piece does not stand in the text of this version.")
    redact_spans(
        actor=actor,
        store_id=store_id,
        version_id=version_id,
        spans=spans,
        hide_path=fragment in _path_of(version),
        reason=reason,
        now=now,
    )
    if not versions:
        return Redacted([version_id], [], [])
    more = redact_everywhere(
        actor=actor, fragment=fragment, versions=versions, keep_rest=True, reason=reason, now=now
    )
    return Redacted([version_id, *more.version_ids], more.memory_ids, more.left)


@transaction.atomic
def redact_everywhere(
    *,
    actor: Actor,
    fragment: str,
    versions: Mapping[str, Sequence[str]],
    live: Mapping[str, Sequence[str]] | None = None,
    keep_rest: bool = False,
    reason: str = "",
    now: datetime | None = None,
) -> Redacted:
    """Takes one text out of all these versions and of the `live` texts of these memories, both named by store
    (as `who_else_holds` found them), at once. A version that does not hold it is left as it is.

    Current texts, whatever version they are by now, get a clean version with the mask in its place, and a
    clean path, and their old version is redacted wholly; the other ones wholly too, or only where the text
    stands (`keep_rest`); in a reason the mask takes its place. What cannot be done, such as a current text in
    an archived store, is left and named.

    Raises InvalidInput, StoreNotFound, PermissionDenied.
    """
    actor.require(Right.WRITE)
    actor.require(Right.REDACT)
    if len(fragment) < SHORTEST or not fragment.strip():
        raise InvalidInput(f"The text to remove must have at least {SHORTEST} characters.")
    by = redaction_by(actor, reason, now)
    live = live or {}
    done: list[str] = []
    cleaned: list[str] = []
    left: list[Left] = []
    for store_id in sorted({*versions, *live}):
        # Before any memory, and in one order: see memories.py.
        memories.lock_store(actor, store_id)
        wanted = list(versions.get(store_id, ()))
        chosen = Q(head_version_id__in=wanted) | Q(id__in=live.get(store_id, ()))
        heads: set[str] = set()
        memory_ids = Memory.objects.filter(chosen, store_id=store_id).order_by("id")
        for memory_id in memory_ids.values_list("id", flat=True):
            # Nobody writes between reading the text and cleaning it.
            head = writes.lock_head(store_id=store_id, memory_id=memory_id)
            if head is None:
                continue
            heads.add(head.memory.head_version_id)
            content = writes.read_content(head.memory.head_version_id)
            if fragment not in content and fragment not in head.memory.path:
                continue
            try:
                with transaction.atomic():
                    redact_current(
                        actor=actor,
                        store_id=store_id,
                        memory_id=head.memory.id,
                        cleaned_content=content.replace(fragment, MASK),
                        cleaned_path=head.memory.path.replace(fragment, MASK_IN_PATHS),
                        reason=reason,
                        now=now,
                    )
            except DomainError as error:
                left.append(Left(store_id, head.memory.id, head.memory.path, "not_cleaned", error.message))
            else:
                cleaned.append(head.memory.id)
                done.append(head.memory.head_version_id)
        others = sorted(set(wanted) - heads)
        if keep_rest:
            done += _mask_all(actor, store_id, others, fragment, reason, now)
        else:
            holding = [row.id for row in _locked(store_id, others) if _holds(row, fragment)]
            done += empty_versions(store_id=store_id, version_ids=holding, by=by)
        masked_reasons = _mask_reasons(store_id, [*wanted, *heads], fragment)
        done += [version_id for version_id in masked_reasons if version_id not in done]
    return Redacted(done, cleaned, left)


def _locked(store_id: str, version_ids: Sequence[str]) -> Iterator[MemoryVersion]:
    rows = MemoryVersion.objects.filter(id__in=version_ids, store_id=store_id).order_by("id")
    return rows.select_for_update().iterator(chunk_size=100)


def _text_of(version: MemoryVersion) -> str:
    return (version.content if version.redacted_at is None else version.masked_content) or ""


def _path_of(version: MemoryVersion) -> str:
    return version.path or version.masked_path or ""


def _holds(version: MemoryVersion, fragment: str) -> bool:
    return fragment in _text_of(version) or fragment in _path_of(version)


def _mask_reasons(store_id: str, version_ids: Sequence[str], fragment: str) -> list[str]:
    done = []
    rows = MemoryVersion.objects.filter(id__in=version_ids, store_id=store_id)
    for version_id, reason, redacted_reason in rows.values_list("id", "reason", "redacted_reason"):
        if fragment in reason or fragment in (redacted_reason or ""):
            rows.filter(id=version_id).update(
                reason=reason.replace(fragment, MASK),
                redacted_reason=redacted_reason and redacted_reason.replace(fragment, MASK),
            )
            transaction.on_commit(storage.overwrite_removed_text, robust=True)
            done.append(version_id)
    return done


def _mask_all(
    actor: Actor, store_id: str, version_ids: list[str], fragment: str, reason: str, now: datetime | None
) -> list[str]:
    done = []
    by = redaction_by(actor, reason, now)
    for version in _locked(store_id, version_ids):
        in_path = fragment in _path_of(version)
        spans = find_spans(_text_of(version), fragment)
        if spans:
            redact_spans(
                actor=actor,
                store_id=store_id,
                version_id=version.id,
                spans=spans,
                hide_path=in_path,
                reason=reason,
                now=now,
            )
            done.append(version.id)
        elif in_path:
            done += empty_versions(store_id=store_id, version_ids=[version.id], by=by)
    return done


__all__ = [
    "LONGEST", "MASK", "Holders", "Masked", "Redacted", "read_masked", "redact_current",
    "redact_everywhere", "redact_piece", "redact_span", "redact_spans", "redact_versions", "who_else_holds",
]  # fmt: skip
