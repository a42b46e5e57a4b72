"""Cleaning the current text in one step, redacting spans, and finding the same text elsewhere."""

import time
from datetime import UTC, datetime, timedelta
from threading import Event, Thread
from unittest import skipUnless

from django.db import connection, transaction
from django.test import TestCase, TransactionTestCase
from django.test.utils import CaptureQueriesContext

from stores.api import representations
from stores.domain import history, memories, redaction, search_index, stores, versions
from stores.domain.errors import (
    ContentInvalid,
    InvalidInput,
    MemoryNotFound,
    PathTaken,
    PermissionDenied,
    PreconditionFailed,
    StoreArchived,
    StoreNotFound,
    VersionIsHead,
    VersionNotFound,
    VersionRedacted,
)
from stores.models import Memory, MemoryVersion
from stores.models.statements import search
from tests.cases import all_rows
from tests.factories import make_actor, make_memory, make_person, make_store, make_version, make_workspace
from tests.search import find_in_database

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
SECRET = "Zaunkönig-xyzzyplugh"
TEXT = f"Call {SECRET} at noon.\nAnd be kind.\n"


def find_anywhere(text):
    """SQLite's index of words is rewritten within a minute after a removal (decisions.md, 11)."""
    search_index.rewrite_index()
    return find_in_database(text)


class RedactionCase:
    def setUp(self):
        # No model, so no test case empties it.
        with transaction.atomic():
            search.clear_index()
        self.workspace = make_workspace()
        self.person = make_person(workspace=self.workspace, role="reviewer")
        self.agent = make_actor(workspace=self.workspace, access="read_write")
        self.admin = make_actor(workspace=self.workspace)
        self.store = make_store(actor=self.admin)
        self.here = {"actor": self.person, "store_id": self.store.id}

    def tearDown(self):
        for store_id in set(MemoryVersion.objects.values_list("store_id", flat=True)):
            self.assertEqual(list(history.verify_store(store_id=store_id)), [])

    def memory(self, content=TEXT, path="/people/lina.md", store=None, **fields):
        return make_memory(actor=self.agent, store=store or self.store, path=path, content=content, **fields)

    def change(self, memory, content="clean\n", **fields):
        return make_version(actor=self.agent, memory=memory, content=content, **fields)

    def index(self):
        search_index.index_memories(seconds=10)

    def assertRefused(self, kind, call):
        before = all_rows()
        with self.assertRaises(kind):
            call()
        self.assertEqual(all_rows(), before)


class RedactCurrent(RedactionCase):
    def test_writes_the_clean_text_then_redacts_the_old_version(self):
        memory = self.memory()
        written = redaction.redact_current(
            **self.here, memory_id=memory.id, cleaned_content="Call them.\n", reason="no numbers", now=NOON
        )
        first, second = MemoryVersion.objects.filter(memory_id=memory.id).order_by("seq")
        self.assertEqual((written.head_version_id, written.content), (second.id, "Call them.\n"))
        self.assertEqual(
            (second.reason, second.path, second.actor_id), ("no numbers", memory.path, self.person.id)
        )
        self.assertEqual((first.redacted_at, first.redacted_by_id), (NOON, self.person.id))
        self.assertEqual((first.path, first.content, first.content_sha256, first.salt), (None,) * 4)

    def test_leaves_the_text_in_no_table_path_included(self):
        memory = self.memory(path=f"/people/{SECRET}.md")
        self.index()
        self.assertIn("stores_memoryversion.content", find_in_database(SECRET))
        redaction.redact_current(
            **self.here,
            memory_id=memory.id,
            cleaned_content="Call them.\n",
            cleaned_path="/people/lina.md",
            expected_sha256=memory.content_sha256,
        )
        for gone in (SECRET, SECRET.lower(), "xyzzyplugh", memory.content_sha256):
            self.assertEqual(find_anywhere(gone), [])

    def test_refuses_and_then_changes_nothing(self):
        memory = self.memory()
        taken = self.memory(path="/taken.md")
        stranger = make_actor()

        def call(**fields):
            return lambda: redaction.redact_current(
                **{**self.here, "memory_id": memory.id, "cleaned_content": "x"} | fields
            )

        self.assertRefused(InvalidInput, call(cleaned_content=TEXT))
        self.assertRefused(ContentInvalid, call(cleaned_content="\0"))
        self.assertRefused(PathTaken, call(cleaned_path=taken.path))
        self.assertRefused(PreconditionFailed, call(expected_sha256="0" * 64))
        self.assertRefused(MemoryNotFound, call(memory_id="mem_none"))
        self.assertRefused(StoreNotFound, call(actor=stranger))
        self.assertRefused(PermissionDenied, call(actor=self.agent))
        stores.archive_store(actor=self.admin, store_id=self.store.id)
        self.assertRefused(StoreArchived, call())


class RedactSpan(RedactionCase):
    def span(self, memory, version_id=None, **fields):
        start = TEXT.index(SECRET)
        chosen = {"start": start, "end": start + len(SECRET)} | fields
        return redaction.redact_span(
            **{**self.here, "version_id": version_id or memory.head_version_id} | chosen
        )

    def masked(self, memory):
        return redaction.read_masked(**self.here, version_ids=[memory.head_version_id])

    def test_keeps_the_rest_for_people_and_is_redacted_to_everybody_else(self):
        memory = self.memory()
        self.change(memory)
        found = self.span(memory, now=NOON)
        self.assertEqual(
            (found.path, found.content), ("/people/lina.md", "Call [redacted] at noon.\nAnd be kind.\n")
        )
        self.assertEqual(
            (found.at, found.by_id, found.by_label),
            ("2026-11-30T12:00:00.000000Z", self.person.id, "Robin Reed"),
        )
        self.assertEqual(self.masked(memory), {memory.head_version_id: found})
        version = versions.get_version(**self.here, version_id=memory.head_version_id)
        wire = representations.memory_version(version, with_content=True)
        self.assertEqual((wire.path, wire.content, wire.content_sha256, wire.content_size_bytes), (None,) * 4)
        self.assertEqual((wire.redacted_at, wire.redacted_by.user_id), (found.at, self.person.id))
        self.assertNotIn("kind", repr(version))

    def test_leaves_the_span_and_the_hash_in_no_table(self):
        memory = self.memory()
        self.index()
        self.change(memory)
        self.span(memory)
        for gone in (SECRET, "xyzzyplugh", memory.content_sha256):
            self.assertEqual(find_anywhere(gone), [])
        self.assertEqual(find_anywhere("be kind"), ["stores_memoryversion.masked_content"])
        self.assertIsNone(MemoryVersion.objects.get(id=memory.head_version_id).salt)

    def test_can_be_done_again_and_then_wholly(self):
        memory = self.memory()
        self.change(memory)
        first = self.span(memory, now=NOON, reason="Her number")
        kind = first.content.index("kind")
        second = self.span(memory, start=kind, end=kind + 4, actor=self.admin, now=NOON + timedelta(hours=1))
        self.assertEqual(second.content, "Call [redacted] at noon.\nAnd be [redacted].\n")
        self.assertEqual((second.by_id, second.path), (self.admin.id, "/people/lina.md"))
        versions.redact_version(
            actor=self.admin,
            store_id=self.store.id,
            version_id=memory.head_version_id,
            reason="All of it",
            now=NOON + timedelta(hours=2),
        )
        row = MemoryVersion.objects.get(id=memory.head_version_id)
        self.assertEqual(
            (row.redacted_at, row.redacted_by_id, row.redacted_reason), (NOON, self.person.id, "Her number")
        )
        self.assertEqual(
            (row.masked_path, row.masked_content, row.span_redacted_at, row.span_redacted_by_id), (None,) * 4
        )
        self.assertEqual((find_anywhere("noon"), self.masked(memory)), ([], {}))
        self.assertRefused(VersionRedacted, lambda: self.span(memory))

    def test_the_path_can_go_too(self):
        memory = self.memory(path=f"/people/{SECRET}.md")
        self.change(memory, path="/people/x.md")
        self.assertIsNone(self.span(memory, hide_path=True).path)
        self.assertEqual(find_anywhere(SECRET), [])

    def test_works_in_archived_stores_and_on_deleted_memories(self):
        memory = self.memory()
        memories.delete_memory(actor=self.agent, store_id=self.store.id, memory_id=memory.id)
        stores.archive_store(actor=self.admin, store_id=self.store.id)
        self.span(memory)
        self.assertEqual(find_anywhere(SECRET), [])

    def test_refuses_and_then_changes_nothing(self):
        memory = self.memory()
        self.assertRefused(VersionIsHead, lambda: self.span(memory))
        self.change(memory)
        other, stranger = make_store(actor=self.admin), make_actor()
        for kind, fields in (
            (InvalidInput, {"start": 3, "end": 3}),
            (InvalidInput, {"start": -1, "end": 3}),
            (InvalidInput, {"start": 0, "end": len(TEXT) + 1}),
            (VersionNotFound, {"version_id": "memver_none"}),
            (VersionNotFound, {"store_id": other.id}),
            (StoreNotFound, {"actor": stranger}),
            (PermissionDenied, {"actor": self.agent}),
        ):
            with self.subTest(fields):
                self.assertRefused(kind, lambda fields=fields: self.span(memory, **fields))
        memories.delete_memory(actor=self.agent, store_id=self.store.id, memory_id=memory.id)
        deletion = MemoryVersion.objects.get(operation="deleted")
        self.assertRefused(InvalidInput, lambda: self.span(memory, deletion.id))

    def test_the_rest_is_for_people_only(self):
        memory = self.memory()
        self.change(memory)
        self.span(memory)
        ids = [memory.head_version_id]
        with self.assertRaises(PermissionDenied):
            redaction.read_masked(actor=self.agent, store_id=self.store.id, version_ids=ids)
        with self.assertRaises(StoreNotFound):
            redaction.read_masked(actor=make_actor(), store_id=self.store.id, version_ids=ids)
        other = make_store(actor=self.admin)
        self.assertEqual(redaction.read_masked(actor=self.person, store_id=other.id, version_ids=ids), {})


class WhoElseHoldsTest(RedactionCase, TestCase):
    def holders(self, **fields):
        return redaction.who_else_holds(**self.here | fields)

    def ids(self, found):
        return {row.version_id for row in found.rows}

    def make_copies(self):
        """BR-085: four versions hold it, and two other memories, one of them in another store."""
        memory = self.memory()
        former = [self.change(memory, TEXT + f"{number}\n") for number in range(3)]
        self.change(memory, "Call at noon.\nAnd be kind.\n")
        beside = self.memory(f"Ask {SECRET}!\n", "/beside.md")
        other_store = make_store(actor=self.admin)
        there = self.memory(f"See {SECRET}.", "/there.md", store=other_store)
        self.memory("Call somebody at noon.\n", "/innocent.md")
        stranger = make_actor()
        make_memory(actor=stranger, store=make_store(actor=stranger), content=TEXT)
        return memory, former, beside, there

    def test_finds_former_versions_and_other_memories(self):
        memory, former, beside, there = self.make_copies()
        found = self.holders(version_id=memory.head_version_id)
        self.assertEqual((found.pieces, found.complete), ([SECRET], True))
        self.assertEqual(
            self.ids(found), {row.id for row in former} | {beside.head_version_id, there.head_version_id}
        )
        self.assertEqual({row.memory_id for row in found.heads}, {beside.id, there.id})
        self.assertEqual({row.in_content for row in found.rows}, {True})
        # The same by the text alone.
        by_text = self.holders(fragment=SECRET)
        self.assertEqual(self.ids(by_text), self.ids(found) | {memory.head_version_id})

    def test_one_call_redacts_those_that_can_be(self):
        memory, former, beside, there = self.make_copies()
        found = self.holders(version_id=memory.head_version_id)
        by_store = {}
        for row in found.rows:
            by_store.setdefault(row.store_id, []).append(row.version_id)
        done = redaction.redact_versions(actor=self.person, versions=by_store)
        self.assertEqual(set(done.version_ids), {row.id for row in former})
        self.assertEqual({left.memory_id for left in done.left}, {beside.id, there.id})
        self.assertEqual(MemoryVersion.objects.filter(redacted_by_id=self.person.id, content=None).count(), 3)

    def test_one_call_removes_it_everywhere(self):
        for keep_rest in (False, True):
            with self.subTest(keep_rest=keep_rest):
                memory, _, beside, there = self.make_copies()
                self.memory("nothing", f"/named/{SECRET}.md")
                renamed = self.memory("nothing", f"/was/{SECRET}.md")
                self.change(renamed, path="/was/x.md")
                found = self.holders(fragment=SECRET)
                self.assertEqual(len(found.rows), 8)
                by_store = {}
                for row in found.rows:
                    by_store.setdefault(row.store_id, []).append(row.version_id)
                done = redaction.redact_everywhere(
                    actor=self.person, fragment=SECRET, versions=by_store, keep_rest=keep_rest
                )
                self.assertEqual((len(done.version_ids), done.left), (8, []))
                self.assertEqual(len(done.memory_ids), 3)
                self.assertEqual(self.holders(fragment=SECRET).rows, [])
                texts = MemoryVersion.objects.in_bulk()
                heads = {row.id: row for row in Memory.objects.all()}
                self.assertEqual(texts[heads[beside.id].head_version_id].content, "Ask [redacted]!\n")
                self.assertEqual(texts[heads[there.id].head_version_id].content, "See [redacted].")
                self.assertTrue(Memory.objects.filter(path="/named/redacted.md").exists())
                rest = redaction.read_masked(**self.here, version_ids=[memory.head_version_id])
                self.assertEqual(len(rest), int(keep_rest))
                MemoryVersion.objects.all().delete()
                Memory.objects.all().delete()
                type(self.store).objects.update(memory_count=0)

    def test_a_live_text_is_cleaned_as_it_is_by_then(self):
        memory = self.memory()
        newer = self.change(memory, f"{TEXT}And one more line.\n")
        kept = self.memory("nothing of it", "/kept.md")
        done = redaction.redact_everywhere(
            actor=self.person,
            fragment=SECRET,
            versions={self.store.id: [memory.head_version_id, kept.head_version_id]},
            live={self.store.id: [memory.id]},
        )
        self.assertEqual(set(done.version_ids), {memory.head_version_id, newer.id})
        cleaned = MemoryVersion.objects.get(id=Memory.objects.get(id=memory.id).head_version_id)
        self.assertEqual(cleaned.content, "Call [redacted] at noon.\nAnd be kind.\nAnd one more line.\n")
        self.assertEqual(MemoryVersion.objects.get(id=kept.head_version_id).content, "nothing of it")
        self.assertEqual(find_anywhere(SECRET), [])

    def test_a_reason_is_looked_through_and_loses_it(self):
        memory = self.memory("one", reason=f"about {SECRET}")
        self.change(memory, "two", reason=f"{SECRET}, again")
        gone = self.memory("three", "/gone.md", reason="plain")
        self.change(gone, "four")
        versions.redact_version(
            actor=self.person, store_id=self.store.id, version_id=gone.head_version_id, reason=f"had {SECRET}"
        )
        found = self.holders(fragment=SECRET)
        self.assertEqual(
            [(r.in_content, r.in_path, r.in_reason) for r in found.rows], [(False, False, True)] * 3
        )
        done = redaction.redact_everywhere(
            actor=self.person, fragment=SECRET, versions={self.store.id: [r.version_id for r in found.rows]}
        )
        self.assertEqual((len(done.version_ids), done.memory_ids, done.left), (3, [], []))
        self.assertEqual(find_anywhere(SECRET), [])
        self.assertEqual(
            set(MemoryVersion.objects.filter(content__in=("one", "two")).values_list("reason", flat=True)),
            {"about [redacted]", "[redacted], again"},
        )

    def test_a_piece_and_its_copies_go_together_or_not_at_all(self):
        memory = self.memory(f"{SECRET}\nand {SECRET[:3]}\n", path=f"/{SECRET}.md")
        self.change(memory, path="/clean.md")
        piece = {"actor": self.person, "store_id": self.store.id, "version_id": memory.head_version_id}
        for fragment, elsewhere in ((SECRET[:3], self.store.id), (SECRET, "memstore_none")):
            self.assertRefused(
                (InvalidInput, StoreNotFound),
                lambda f=fragment, e=elsewhere: redaction.redact_piece(
                    **piece, fragment=f, versions={e: ["memver_none"]}
                ),
            )
        redaction.redact_piece(**piece, fragment="and", versions={})
        redaction.redact_piece(**piece, fragment=SECRET, versions={})
        row = MemoryVersion.objects.get(id=memory.head_version_id)
        self.assertIsNone(row.masked_path)
        self.assertEqual(find_anywhere(SECRET), [])

    def test_what_cannot_be_cleaned_is_named(self):
        archived = make_store(actor=self.admin)
        there = self.memory(TEXT, store=archived)
        full = self.memory(SECRET[:4] * 25_600, "/full.md")
        taken = self.memory("nothing", f"/{SECRET}.md")
        self.memory("nothing", "/redacted.md")
        stores.archive_store(actor=self.admin, store_id=archived.id)
        done = redaction.redact_everywhere(
            actor=self.person,
            fragment=SECRET,
            versions={archived.id: [there.head_version_id], self.store.id: [taken.head_version_id]},
        )
        self.assertEqual({left.memory_id for left in done.left}, {there.id, taken.id})
        done = redaction.redact_everywhere(
            actor=self.person, fragment=SECRET[:4], versions={self.store.id: [full.head_version_id]}
        )
        self.assertEqual([left.memory_id for left in done.left], [full.id])

    def test_finds_what_is_left_readable_in_a_span_redacted_version(self):
        memory = self.memory(f"{SECRET} one {SECRET} two")
        self.change(memory)
        redaction.redact_span(**self.here, version_id=memory.head_version_id, start=0, end=len(SECRET))
        self.assertEqual(self.ids(self.holders(fragment=SECRET)), {memory.head_version_id})

    def test_says_when_it_did_not_look_at_everything(self):
        self.make_copies()
        found = self.holders(fragment=SECRET, seconds=-1)
        self.assertEqual((found.rows, found.complete), ([], False))
        at_once, redaction.SCANNED_AT_ONCE = redaction.SCANNED_AT_ONCE, 2
        self.addCleanup(setattr, redaction, "SCANNED_AT_ONCE", at_once)
        found = self.holders(fragment=SECRET)
        self.assertEqual((len(found.rows), len(found.heads), found.complete), (6, 2, True))

    def test_only_where_the_actor_reaches(self):
        self.make_copies()
        limited = make_actor(workspace=self.workspace, store_ids=[self.store.id])
        found = self.holders(actor=limited, fragment=SECRET)
        self.assertEqual({row.store_id for row in found.rows}, {self.store.id})

    def test_the_number_of_queries_does_not_grow(self):
        self.memory()
        counts = []
        for how_many in (1, 20):
            for number in range(how_many):
                self.memory(path=f"/{how_many}/{number}")
            with CaptureQueriesContext(connection) as seen:
                self.holders(fragment=SECRET)
            counts.append(len(seen.captured_queries))
        self.assertEqual(counts[0], counts[1])

    def test_refuses_bad_input(self):
        memory = self.memory()
        self.change(memory)
        versions.redact_version(**self.here, version_id=memory.head_version_id)
        for kind, fields in (
            (InvalidInput, {}),
            (InvalidInput, {"fragment": "ab"}),
            (InvalidInput, {"fragment": "     "}),
            (VersionRedacted, {"version_id": memory.head_version_id}),
            (VersionNotFound, {"version_id": "memver_none"}),
            (StoreNotFound, {"actor": make_actor(), "fragment": SECRET}),
        ):
            with self.assertRaises(kind):
                self.holders(**fields)
        for call in (
            lambda: redaction.redact_versions(actor=self.agent, versions={}),
            lambda: redaction.redact_everywhere(actor=self.agent, fragment=SECRET, versions={}),
        ):
            with self.assertRaises(PermissionDenied):
                call()


class RedactCurrentTest(RedactCurrent, TestCase):
    pass


class RedactSpanTest(RedactSpan, TestCase):
    pass


class RedactCurrentOutsideTransactionTest(RedactCurrent, TransactionTestCase):
    pass


class RedactSpanOutsideTransactionTest(RedactSpan, TransactionTestCase):
    pass


@skipUnless(connection.vendor == "postgresql", "SQLite has one writer at a time")
class AtOnce(RedactionCase, TransactionTestCase):
    def test_two_pieces_of_one_version_are_both_taken_out(self):
        memory = self.memory(f"{SECRET} and another-secret-42 and the rest\n")
        self.change(memory)
        piece = {**self.here, "version_id": memory.head_version_id, "versions": {}}
        begun = Event()

        def second() -> None:
            begun.wait(10)
            try:
                redaction.redact_piece(**piece, fragment="another-secret-42")
            finally:
                connection.close()

        thread = Thread(target=second)
        thread.start()
        with transaction.atomic():
            redaction.redact_piece(**piece, fragment=SECRET)
            begun.set()
            time.sleep(0.5)  # the second waits here, and must not have looked at the text yet
        thread.join(30)
        masked = redaction.read_masked(**self.here, version_ids=[memory.head_version_id])
        self.assertEqual(masked[memory.head_version_id].content, "[redacted] and [redacted] and the rest\n")
