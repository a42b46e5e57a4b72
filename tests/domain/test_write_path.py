"""Random sequences of writes against a model in plain Python: the same outcomes, the same refusals, the same
state, and a history that verifies.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256

from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase, TransactionTestCase

from stores.domain import errors, history, memories, rollback, stores, versions
from stores.models import Memory, MemoryStore, MemoryVersion
from tests.factories import make_actor, make_store

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
TICK = timedelta(microseconds=1)
PATHS = ["/a", "/a/b", "/a/b/c", "/a-b", "/a0", "/b/é"]
TEXTS = ["", "one", "two\r\n", "drei 😀"]


@dataclass
class Version:
    memory: int
    seq: int
    operation: str
    path: str | None
    content: str | None
    at: datetime
    restored_from: int | None


class Model:
    """What must come out, as plainly as can be said. Memories and versions go by their number."""

    def __init__(self):
        self.versions: list[Version] = []
        self.heads: dict[int, int] = {}  # live memory → its newest version
        self.born = 0
        self.archived = False

    def head(self, memory):
        if memory not in self.heads:
            raise errors.MemoryNotFound("")
        return self.versions[self.heads[memory]]

    def version(self, number):
        if number >= len(self.versions):
            raise errors.VersionNotFound("")
        return self.versions[number]

    def require_open(self):
        if self.archived:
            raise errors.StoreArchived("")

    def require_free(self, path, mover=None):
        for memory in self.heads:
            taken = self.head(memory).path
            nested = (taken + "/").startswith(path + "/") or (path + "/").startswith(taken + "/")
            if memory != mover and nested:
                raise errors.PathTaken("")

    def require_content(self, memory, expected):
        if expected not in (None, self.head(memory).content):
            raise errors.PreconditionFailed("")

    def write(self, memory, operation, path, content, at, restored_from=None):
        seq = 1
        if memory in self.heads:
            seq, at = self.head(memory).seq + 1, max(at, self.head(memory).at + TICK)
        self.versions.append(Version(memory, seq, operation, path, content, at, restored_from))
        self.heads[memory] = len(self.versions) - 1

    def create(self, path, content, *, at, restored_from=None):
        self.require_open()
        self.require_free(path)
        self.write(self.born, "created", path, content, at, restored_from)
        self.born += 1

    def update(self, memory, path, content, expected, *, at, restored_from=None):
        head = self.head(memory)
        self.require_open()
        path = head.path if path is None else path
        content = head.content if content is None else content
        if (path, content) == (head.path, head.content):
            return
        self.require_content(memory, expected)
        if path != head.path:
            self.require_free(path, mover=memory)
        self.write(memory, "modified", path, content, at, restored_from)

    def delete(self, memory, expected, *, at):
        head = self.head(memory)
        self.require_content(memory, expected)
        self.write(memory, "deleted", head.path, None, at)
        del self.heads[memory]

    def restore(self, number, *, at):
        old = self.version(number)
        if old.content is None:
            raise errors.VersionRedacted("")
        if old.memory in self.heads:
            self.update(old.memory, old.path, old.content, None, at=at, restored_from=number)
        else:
            self.create(old.path, old.content, at=at, restored_from=number)

    def redact(self, number, *, at):
        old = self.version(number)
        if number in self.heads.values():
            raise errors.VersionIsHead("")
        old.path = old.content = None

    def archive(self, *, at):
        self.archived = True


class Product:
    """The same calls on the real thing."""

    def __init__(self):
        actor = make_actor()
        self.store_id = make_store(actor=actor).id
        self.here = {"actor": actor, "store_id": self.store_id}
        self.version_ids: list[str] = []
        self.memory_ids: list[str] = []

    def learn_ids(self):
        """Notes what the last call has written: at most one version."""
        new = MemoryVersion.objects.filter(store_id=self.store_id).exclude(id__in=self.version_ids)
        for version in new:
            self.version_ids.append(version.id)
            if version.seq == 1:
                self.memory_ids.append(version.memory_id)

    def memory(self, number):
        memory_id = self.memory_ids[number] if number < len(self.memory_ids) else "mem_none"
        return {**self.here, "memory_id": memory_id}

    def version(self, number):
        version_id = self.version_ids[number] if number < len(self.version_ids) else "memver_none"
        return {**self.here, "version_id": version_id}

    def create(self, path, content, *, at):
        memories.create_memory(**self.here, path=path, content=content, now=at)

    def update(self, memory, path, content, expected, *, at):
        memories.update_memory(
            **self.memory(memory), path=path, content=content, expected_sha256=digest(expected), now=at
        )

    def delete(self, memory, expected, *, at):
        memories.delete_memory(**self.memory(memory), expected_sha256=digest(expected), now=at)

    def restore(self, number, *, at):
        rollback.restore_version(**self.version(number), now=at)

    def redact(self, number, *, at):
        versions.redact_version(**self.version(number), now=at)

    def archive(self, *, at):
        stores.archive_store(**self.here, now=at)

    def all_versions(self):
        rows = {row.id: row for row in MemoryVersion.objects.filter(store_id=self.store_id)}
        return [
            Version(
                self.memory_ids.index(row.memory_id),
                row.seq,
                row.operation,
                row.path,
                row.content,
                row.created_at,
                row.restored_from and self.version_ids.index(row.restored_from),
            )
            for row in (rows[version_id] for version_id in self.version_ids)
        ]

    def all_heads(self):
        return {
            self.memory_ids.index(row.id): self.version_ids.index(row.head_version_id)
            for row in Memory.objects.filter(store_id=self.store_id)
        }


def digest(text):
    return None if text is None else sha256(text.encode()).hexdigest()


def outcome(player, kind, arguments, at):
    """The error that a call ends with, or None."""
    try:
        getattr(player, kind)(*arguments, at=at)
    except errors.DomainError as error:
        return type(error)
    return None


PICK = st.integers(0, 4)
PATH, TEXT = st.sampled_from(PATHS), st.sampled_from(TEXTS)
CALLS = st.one_of(
    st.tuples(st.just("create"), st.tuples(PATH, TEXT)),
    st.tuples(st.just("update"), st.tuples(PICK, st.none() | PATH, TEXT, st.none() | TEXT)),
    st.tuples(st.just("update"), st.tuples(PICK, PATH, st.none(), st.none() | TEXT)),
    st.tuples(st.just("delete"), st.tuples(PICK, st.none() | TEXT)),
    st.tuples(st.just("restore"), st.tuples(PICK)),
    st.tuples(st.just("redact"), st.tuples(PICK)),
    st.tuples(st.just("archive"), st.just(())),
)
# Archiving ends most of the story, so it comes last if at all. The clock may stand still and go back.
STEPS = st.tuples(
    st.lists(st.tuples(CALLS.filter(lambda call: call[0] != "archive"), st.integers(-2, 3)), max_size=12),
    st.lists(st.tuples(CALLS, st.just(1)), max_size=3),
).map(lambda parts: [*parts[0], *parts[1]])


class AgreesWithTheModel:
    def play(self, steps):
        model, product, at = Model(), Product(), NOON
        for (kind, arguments), passed in steps:
            at += passed * TICK
            expected = outcome(model, kind, arguments, at)
            self.assertIs(outcome(product, kind, arguments, at), expected, (kind, arguments))
            product.learn_ids()
            self.assertEqual(product.all_versions(), model.versions)
            self.assertEqual(product.all_heads(), model.heads)
        count = MemoryStore.objects.get(id=product.store_id).memory_count
        self.assertEqual(count, len(model.heads))
        self.assertEqual(list(history.verify_store(store_id=product.store_id)), [])


class WritePathInTransactionTest(AgreesWithTheModel, TestCase):
    @given(STEPS)
    def test_agrees_with_the_model(self, steps):
        self.play(steps)


class WritePathTest(AgreesWithTheModel, TransactionTestCase):
    @given(STEPS)
    def test_agrees_with_the_model(self, steps):
        self.play(steps)
