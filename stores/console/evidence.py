"""Who wrote what and when, with the ids and hashes that prove it: as a page to print and as a file to keep.

Times are of UTC, in full: evidence is read far from this installation and its settings. Of a redacted version
it says who and when, not what.
"""

from collections.abc import Sequence
from typing import Any

import msgspec

from stores.console import formats, text
from stores.console.drawing import count_hidden, draw_text
from stores.console.paths import show_path
from stores.console.rows import ACTOR_KINDS, Row, version_names
from stores.domain import clock
from stores.domain.actors import ActorType
from stores.domain.alignment import split_lines
from stores.domain.blame import BlamedLine
from stores.domain.history import CHECKED_VERSIONS, MemoryCheck, verify_memory
from stores.domain.timeline import Blame
from stores.models import MemoryVersion
from stores.models.statements.rows import VersionRow

# Some 100 sheets of paper; the rest is on the next page, and all of it in the file.
LINES_A_PAGE = 5_000


def of_blame(found: Blame, *, first: int, ignoring: bool) -> tuple[Row, int | None]:
    """What the page shows, and the line with which its next page begins. One query and those of checking."""
    assert found.shown is not None
    named = named_versions(found)
    names = version_names(found.versions)
    chains = _chains(named)
    chosen = found.lines[first - 1 : first - 1 + LINES_A_PAGE]
    last = first - 1 + len(chosen)
    return {
        **_frame(found.shown.store_id, found.shown.memory_id, found.brought_back),
        "version": version_row(found.shown, chains[found.shown.id]),
        "versions": [version_row(version, chains[version.id]) | names[version.id] for version in named],
        "ignoring": ignoring,
        "hidden": any(count_hidden(line.text) for line in chosen),
        "lines": [
            {
                "n": line.number,
                "by": names[id_of(found, line) or ""]["short"],
                "earlier": line.is_after_gap,
                "text": draw_text(line.text),
            }
            for line in chosen
        ],
        **_span(first, last, len(found.lines)),
    }, last + 1 if last < len(found.lines) else None


def of_version(
    version: VersionRow, brought_back: Sequence[VersionRow], *, first: int
) -> tuple[Row, int | None]:
    """One version, with its text. `brought_back` are those that its memory goes back to."""
    if version.redacted_at is not None:
        # It does not say where it was, so what it came from must not either.
        brought_back = [msgspec.structs.replace(source, path=None) for source in brought_back]
    lines = split_lines(version.content or "")
    chosen = [line.rstrip("\r\n") for line in lines[first - 1 : first - 1 + LINES_A_PAGE]]
    last = first - 1 + len(chosen)
    return {
        **_frame(version.store_id, version.memory_id, brought_back),
        "version": version_row(version, _chains([version])[version.id]),
        "hidden": any(count_hidden(line) for line in chosen),
        "lines": [{"n": number, "text": draw_text(line)} for number, line in enumerate(chosen, first)],
        **_span(first, last, len(lines)),
    }, last + 1 if last < len(lines) else None


def as_json(found: Blame, *, ignoring: bool) -> dict[str, Any]:
    """The blame as a file."""
    assert found.shown is not None
    shown = found.shown
    named = named_versions(found)
    chains = _chains(named)
    check, *former_checks = check_all(shown.store_id, shown.memory_id, found.brought_back)
    return {
        "store_id": shown.store_id,
        "memory_id": shown.memory_id,
        "path": shown.path,
        "version_id": shown.id,
        "version_number": shown.seq,
        "content_sha256": shown.content_sha256,
        "white_space_ignored": ignoring,
        "made_at": clock.rfc3339(clock.now_utc()),
        "chain_check": _check_json(check),
        # A deleted memory that is brought back goes on under a new id; the nearest first.
        "continues_deleted_memories": [
            {
                "memory_id": version.memory_id,
                "path": version.path,
                "brought_back_version_id": version.id,
                "brought_back_version_number": version.seq,
                "chain_check": _check_json(former_check),
            }
            for version, former_check in zip(found.brought_back, former_checks, strict=True)
        ],
        "versions": [_version_json(version, chains[version.id]) for version in named],
        "lines": [
            {
                "number": line.number,
                "text": line.text,
                "ending": line.ending,
                "version_id": id_of(found, line),
                "or_earlier": line.is_after_gap,
            }
            for line in found.lines
        ],
    }


def named_versions(found: Blame) -> list[VersionRow]:
    """Those that wrote a line, the one that is shown, and those that nobody can look into any more."""
    used = {line.version for line in found.lines}
    return [
        version
        for place, version in enumerate(found.versions)
        if version is not None and (place in used or version is found.shown or version.redacted_at)
    ]


def id_of(found: Blame, line: BlamedLine) -> str | None:
    version = found.versions[line.version]
    return None if version is None else version.id


def check_words(check: MemoryCheck) -> str:
    """`12 of 12 versions checked, chain unbroken`."""
    word = "version" if check.versions == 1 else "versions"
    numbers = f"{formats.count(check.checked)} of {formats.count(check.versions)} {word} checked"
    if not check.mismatches:
        return f"{numbers}, chain unbroken"
    faults = len(check.mismatches)
    return f"{numbers}, {formats.count(faults)} {'fault' if faults == 1 else 'faults'} found"


FAULTS_NAMED = 20


def check_all(store_id: str, memory_id: str, brought_back: Sequence[VersionRow]) -> list[MemoryCheck]:
    """Of the memory and of those that it continues, together no more versions than of one memory."""
    left = CHECKED_VERSIONS
    checks = []
    for id_ in (memory_id, *(version.memory_id for version in brought_back)):
        checks.append(verify_memory(store_id=store_id, memory_id=id_, most=max(1, left)))
        left -= checks[-1].checked
    return checks


def _frame(store_id: str, memory_id: str, brought_back: Sequence[VersionRow]) -> Row:
    check, *former_checks = check_all(store_id, memory_id, brought_back)
    return {
        "memory_id": memory_id,
        "made_at": exact(clock.rfc3339(clock.now_utc())),
        "check": _check_row(check),
        "former": [
            {
                "memory_id": version.memory_id,
                "path": show_path(version.path) if version.path else None,
                "seq": version.seq,
                "version_id": version.id,
                "check": _check_row(former_check),
            }
            for version, former_check in zip(brought_back, former_checks, strict=True)
        ],
    }


def _check_row(check: MemoryCheck) -> Row:
    """For evidence/_check.html."""
    return {
        "words": check_words(check),
        "unbroken": not check.mismatches,
        "redacted": check.redacted,
        "faults": [str(each) for each in check.mismatches[:FAULTS_NAMED]],
        "more": max(0, len(check.mismatches) - FAULTS_NAMED),
    }


def _check_json(check: MemoryCheck) -> dict[str, Any]:
    return {
        "result": check_words(check),
        "versions": check.versions,
        "checked": check.checked,
        "redacted": check.redacted,
        "unbroken": not check.mismatches,
        "faults": [{"id": each.id, "fault": each.message} for each in check.mismatches],
    }


def _span(first: int, last: int, total: int) -> Row:
    return {
        "total": formats.count(total),
        "part": f"lines {formats.count(first)} to {formats.count(last)} of {formats.count(total)}"
        if last - first + 1 < total
        else "",
    }


def _chains(versions: Sequence[VersionRow]) -> dict[str, str]:
    rows = MemoryVersion.objects.filter(id__in=[version.id for version in versions]).values_list(
        "id", "chain"
    )
    return {id_: bytes(value).hex() for id_, value in rows}


def version_row(version: VersionRow, chain: str) -> Row:
    """For evidence/_version.html."""
    row: Row = {
        "id": version.id,
        "memory_id": version.memory_id,
        "seq": version.seq,
        "operation": version.operation,
        "at": exact(version.created_at),
        "who": _actor(version.actor_type, version.actor_id, version.actor_label),
        "road": version.road,
        "chain": chain,
    }
    if version.redacted_at is not None:
        row["redacted"] = {
            "at": exact(version.redacted_at),
            "who": _actor(
                version.redacted_by_type or "", version.redacted_by_id or "", version.redacted_by_label or ""
            ),
            "reason": text.show(version.redacted_reason) if version.redacted_reason else None,
        }
        return row
    return row | {
        "path": show_path(version.path) if version.path else None,
        "reason": text.show(version.reason) if version.reason else None,
        "sha256": version.content_sha256,
        "size": None
        if version.content_size_bytes is None
        else f"{formats.count(version.content_size_bytes)} B",
        "restored_from": version.restored_from,
    }


def _actor(type_: str, id_: str, label: str) -> Row:
    _kind, word, _icon = ACTOR_KINDS.get(ActorType(type_), ("", type_, ""))
    return {"word": word, "name": text.show(label) if label else None, "id": id_}


def _version_json(version: VersionRow, chain: str) -> dict[str, Any]:
    redacted_by = {
        "type": version.redacted_by_type,
        "id": version.redacted_by_id,
        "label": version.redacted_by_label,
    }
    is_redacted = version.redacted_at is not None
    return {
        "id": version.id,
        "memory_id": version.memory_id,
        "number": version.seq,
        "created_at": version.created_at,
        "operation": version.operation,
        "content_sha256": version.content_sha256,
        "chain": chain,
        "actor": {"type": version.actor_type, "id": version.actor_id, "label": version.actor_label},
        "road": version.road,
        # It may quote the text.
        "reason": "" if is_redacted else version.reason,
        "restored_from": None if is_redacted else version.restored_from,
        "redacted_at": version.redacted_at,
        "redacted_by": redacted_by if is_redacted else None,
        "redacted_reason": version.redacted_reason,
    }


def exact(rfc3339: str) -> str:
    """`2026-11-30 12:00:00.000000 UTC`, as versions keep it."""
    return f"{rfc3339.removesuffix('Z').replace('T', ' ')} UTC"
