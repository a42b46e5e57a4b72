"""Proving a store's history: recomputes every hash and chain and compares heads with versions.

What it can prove after a redaction: the version was there, in this place, by this actor, at this time; not
what it said (decisions.md, 7).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256

from django.db.models import Exists, OuterRef

from stores.domain import chain
from stores.domain.clock import rfc3339
from stores.models import Memory, MemoryStore, MemoryVersion, Operation
from stores.models.statements.engine import snapshot

FETCHED_AT_ONCE = 500
# Of one memory for a page: all of nearly every one; a text has up to 100 kB, and each is hashed.
CHECKED_VERSIONS = 2_000
TEXTS_AT_ONCE = 100


@dataclass(frozen=True, slots=True)
class Mismatch:
    """One thing that is not as it was written. `id` names a version, a memory or a store."""

    id: str
    message: str

    def __str__(self) -> str:
        return f"{self.id}: {self.message}"


@dataclass(frozen=True, slots=True)
class MemoryCheck:
    """What was found in the newest versions of one memory: `checked` of `versions`, `redacted` of those
    without a text to hash.
    """

    versions: int
    checked: int
    redacted: int
    mismatches: list[Mismatch]


def verify_memory(*, store_id: str, memory_id: str, most: int | None = None) -> MemoryCheck:
    """One memory's history, live or deleted, like verify_store: the newest CHECKED_VERSIONS of it, or fewer.

    Reads them in batches, as of one moment; changes nothing. Three queries, five where there are more.
    """
    with snapshot():
        return _verify_memory(store_id, memory_id, CHECKED_VERSIONS if most is None else most)


def verify_store(*, store_id: str) -> Iterator[Mismatch]:
    """Everything in a store's history that does not fit, in the order of memories and versions.

    Reads all of it, in batches, as of one moment; changes nothing.
    """
    with snapshot():
        yield from _verify_store(store_id)


def verify_strays() -> Iterator[Mismatch]:
    """Versions whose store is gone: the database does not see to that itself (models/version.py)."""
    stores = MemoryStore.objects.filter(id=OuterRef("store_id"))
    strays = MemoryVersion.objects.filter(~Exists(stores)).order_by("id").values_list("id", flat=True)
    for version_id in strays.iterator(chunk_size=FETCHED_AT_ONCE):
        yield Mismatch(version_id, "its store does not exist")


def _verify_store(store_id: str) -> Iterator[Mismatch]:
    heads = {memory.id: memory for memory in Memory.objects.filter(store_id=store_id)}
    versions = MemoryVersion.objects.filter(store_id=store_id).order_by("memory_id", "seq")
    last: MemoryVersion | None = None
    for version in versions.iterator(chunk_size=FETCHED_AT_ONCE):
        if last is not None and last.memory_id != version.memory_id:
            yield from _verify_end(last, heads.pop(last.memory_id, None))
            last = None
        yield from _verify_version(version, last)
        last = version
    if last is not None:
        yield from _verify_end(last, heads.pop(last.memory_id, None))
    for memory_id in sorted(heads):
        yield Mismatch(memory_id, "the memory has no version")
    yield from _verify_count(store_id)


def _verify_memory(store_id: str, memory_id: str, most: int) -> MemoryCheck:
    versions = MemoryVersion.objects.filter(store_id=store_id, memory_id=memory_id)
    total = versions.count()
    newest = versions
    last: MemoryVersion | None = None
    if total > most:
        start = versions.order_by("-seq").values_list("seq", flat=True)[most - 1]
        newest = versions.filter(seq__gte=start)
        last = versions.filter(seq__lt=start).order_by("-seq").first()
    checked = redacted = 0
    mismatches: list[Mismatch] = []
    for version in newest.order_by("seq").iterator(chunk_size=TEXTS_AT_ONCE):
        mismatches += _verify_version(version, last)
        checked += 1
        redacted += version.redacted_at is not None
        last = version
    if last is not None:
        head = Memory.objects.filter(store_id=store_id, id=memory_id).first()
        mismatches += _verify_end(last, head)
    return MemoryCheck(total, checked, redacted, mismatches)


def _verify_version(version: MemoryVersion, before: MemoryVersion | None) -> Iterator[Mismatch]:
    expected_seq = before.seq + 1 if before else 1
    if version.seq != expected_seq:
        yield Mismatch(version.id, f"its number is {version.seq}, not {expected_seq}")
    if before is not None:
        if version.id <= before.id or version.created_at <= before.created_at:
            yield Mismatch(version.id, "its id or time is not above that of the version before")
        if before.operation == Operation.DELETED:
            yield Mismatch(version.id, "it follows the deletion of its memory")
    if (version.operation == Operation.CREATED) != (version.seq == 1):
        yield Mismatch(version.id, f"number {version.seq} cannot be '{version.operation}'")
    link = chain.link(
        previous=bytes(before.chain) if before else chain.GENESIS,
        seq=version.seq,
        after_seq=chain.metadata_after_seq(
            store_id=version.store_id,
            memory_id=version.memory_id,
            version_id=version.id,
            operation=version.operation,
            actor_type=version.actor_type,
            actor_id=version.actor_id,
            road=version.road,
            created_at=rfc3339(version.created_at),
        ),
        commitment=bytes(version.commitment),
    )
    if link != bytes(version.chain):
        yield Mismatch(version.id, "its chain value does not follow from the version before and its metadata")
    if version.redacted_at is None:
        yield from _verify_text(version)


def _verify_text(version: MemoryVersion) -> Iterator[Mismatch]:
    # The database itself sees to it that only a redacted version lacks path and salt.
    assert version.path is not None
    assert version.salt is not None
    data = None if version.content is None else version.content.encode()
    commitment = chain.commit(salt=bytes(version.salt), path=version.path, content=data or b"")
    if commitment != bytes(version.commitment):
        yield Mismatch(version.id, "its path or content is not what was written")
    if (data is None) != (version.operation == Operation.DELETED):
        yield Mismatch(version.id, "exactly a 'deleted' version has no content")
    found = (None, None) if data is None else (sha256(data).hexdigest(), len(data))
    if found != (version.content_sha256, version.content_size_bytes):
        yield Mismatch(version.id, "its hash or size is not that of its content")


def _verify_end(last: MemoryVersion, head: Memory | None) -> Iterator[Mismatch]:
    """The newest version of a memory against its live row, which a deleted memory does not have."""
    if last.operation == Operation.DELETED:
        if head is not None:
            yield Mismatch(head.id, "the memory is live although its last version is a deletion")
        return
    if head is None:
        yield Mismatch(last.memory_id, "the memory is gone without a 'deleted' version")
        return
    shown = (
        head.head_version_id,
        head.head_seq,
        bytes(head.head_chain),
        head.path,
        head.content_sha256,
        head.content_size_bytes,
        head.updated_at,
    )
    written = (
        last.id,
        last.seq,
        bytes(last.chain),
        last.path,
        last.content_sha256,
        last.content_size_bytes,
        last.created_at,
    )
    if shown != written:
        yield Mismatch(head.id, f"the memory does not agree with its newest version {last.id}")


def _verify_count(store_id: str) -> Iterator[Mismatch]:
    counted = Memory.objects.filter(store_id=store_id).count()
    kept = MemoryStore.objects.values_list("memory_count", flat=True).filter(id=store_id).first()
    if kept is not None and kept != counted:
        yield Mismatch(store_id, f"the store counts {kept} memories but has {counted}")
