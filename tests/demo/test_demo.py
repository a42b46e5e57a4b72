"""The demo workspace: the same every time, sound, and with something of everything in it."""

import json
from collections import Counter
from datetime import UTC, datetime, timedelta

from django.db import connection
from django.test import SimpleTestCase, TestCase

from stores.demo import build_demo_workspace
from stores.demo.play import TOKEN, play
from stores.demo.script import Verb
from stores.demo.stories import NOOR, STORIES
from stores.domain import workspaces
from stores.domain.history import verify_store
from stores.domain.limits import CONTENT_BYTES
from stores.models import Memory, MemoryStore, MemoryVersion

NOW = datetime(2026, 11, 30, 14, 3, 27, tzinfo=UTC)
PRIVATE_NUMBER = "555-0163"


def build(name: str):
    workspace = workspaces.create_workspace(name=name, now=NOW)
    admin = workspaces.create_user(email=f"{name}@example.com", name="Ada Admin")
    return workspace, build_demo_workspace(workspace=workspace, admin=admin, now=NOW)


def histories(workspace) -> list[tuple]:
    """Everything that a second building must give again."""
    return sorted(
        MemoryVersion.objects.filter(store__workspace=workspace).values_list(
            "store__name",
            "created_at",
            "seq",
            "operation",
            "content_sha256",
            "content",
            "path",
            "actor_type",
            "actor_label",
            "road",
            "reason",
            "redacted_at",
        ),
        key=repr,
    )


class DemoWorkspace(TestCase):
    @classmethod
    def setUpTestData(cls):
        cls.workspace, cls.summary = build("first")

    def versions(self, **filters):
        return MemoryVersion.objects.filter(store__workspace=self.workspace, **filters)

    def head_of(self, path: str) -> MemoryVersion:
        memory = Memory.objects.get(store__workspace=self.workspace, path=path)
        return MemoryVersion.objects.get(id=memory.head_version_id)

    def test_is_the_same_for_the_same_now(self):
        second, summary = build("second")

        self.assertEqual(summary, self.summary)
        self.assertEqual(histories(second), histories(self.workspace))

    def test_counts_what_it_made(self):
        memories = Memory.objects.filter(store__workspace=self.workspace)

        self.assertEqual(self.summary.stores, self.workspace_stores().count())
        self.assertEqual(self.summary.memories, memories.count())
        self.assertEqual(self.summary.versions, self.versions().count())
        self.assertGreater(self.summary.memories, 110)
        self.assertGreater(self.summary.versions, 380)

    def workspace_stores(self):
        return MemoryStore.objects.filter(workspace=self.workspace)

    def test_has_a_history_without_mismatches(self):
        for store in self.workspace_stores():
            self.assertEqual(list(verify_store(store_id=store.id)), [], store.name)

    def test_has_one_archived_store(self):
        archived = self.workspace_stores().filter(archived_at__isnull=False)

        self.assertEqual([store.name for store in archived], ["Garden fair stand"])

    def test_lies_in_the_past_and_spans_weeks(self):
        times = self.versions().order_by("created_at").values_list("created_at", flat=True)

        self.assertLess(times.last(), NOW)
        self.assertGreater(times.last() - times.first(), timedelta(weeks=6))

    def test_has_people_keys_and_sessions_as_actors(self):
        actors = set(self.versions().values_list("actor_type", "actor_id"))
        count = {kind: sum(kind == actor for actor, _ in actors) for kind, _ in actors}

        self.assertGreaterEqual(count["user_actor"], 4)
        self.assertEqual(count["api_actor"], 3)
        self.assertGreaterEqual(count["session_actor"], 40)
        for kind, actor_id in actors:
            if kind == "session_actor":
                self.assertRegex(actor_id, r"^sesn_01[0-9A-Za-z]{22}$")

    def test_tells_the_refund_story(self):
        path = "/policies/refunds.md"
        texts = dict(self.versions(path=path).values_list("seq", "content"))
        wrong = self.versions(path=path, seq=7).get()
        wrong_session = self.versions(actor_id=wrong.actor_id)
        rollback = self.head_of(path)

        self.assertIn("Refund period: 90 days from delivery", texts[7])
        self.assertEqual(wrong.actor_type, "session_actor")
        self.assertEqual(wrong.created_at.strftime("%A %H:%M"), "Tuesday 14:02")
        self.assertEqual(wrong_session.values("memory_id").distinct().count(), 4)
        self.assertEqual((rollback.content, rollback.seq), (texts[5], 8))
        self.assertEqual(rollback.restored_from, self.versions(path=path, seq=5).get().id)
        self.assertIn("90 days", self.head_of("/faq/returns.md").content)
        self.assertIn("90 days", self.head_of("/macros/refund-approved.md").content)

    def test_has_a_memory_under_a_new_name(self):
        versions = self.versions(memory_id=self.head_of("/macros/pairing-android.md").memory_id)

        self.assertEqual(
            [version.path for version in versions.order_by("seq")],
            ["/macros/pairing-steps.md"] * 2 + ["/macros/pairing-android.md"],
        )

    def test_has_deleted_memories_one_of_which_came_back(self):
        path = "/gotchas/queue-default-retention.md"
        deleted = self.versions(operation="deleted").values_list("path", flat=True)
        back = self.versions(path=path, operation="created", restored_from__isnull=False).get()

        self.assertIn("/health/sleep.md", deleted)
        self.assertIn(path, deleted)
        self.assertEqual(back.memory_id, self.head_of(path).memory_id)

    def test_has_a_progress_log_of_many_rapid_saves(self):
        versions = list(self.versions(path="/progress.md").order_by("seq"))
        saves = Counter(version.actor_id for version in versions)

        self.assertGreaterEqual(len(versions), 30)
        self.assertEqual(max(saves.values()), 8)

    def test_keeps_redacted_text_in_no_table(self):
        written = [step.content or "" for step in play(NOOR, NOW)]
        redacted = self.versions(redacted_at__isnull=False)

        self.assertEqual(sum(TOKEN in text for text in written), 2)
        self.assertEqual(redacted.count(), 3)
        self.assertEqual(set(redacted.values_list("redacted_by_label", flat=True)), {"Ada Admin"})
        everything = list(texts_of_all_tables())
        self.assertTrue(any("Refund period" in text for text in everything))
        for secret in (TOKEN, PRIVATE_NUMBER):
            self.assertFalse([text[:80] for text in everything if secret in text])

    def test_shows_unusual_memories(self):
        self.assertEqual(self.head_of("/scratch/questions-for-jonas.md").content, "")
        self.assertIn("\r\n", self.head_of("/team/glossary.md").content)
        self.assertNotIn("\n", self.head_of("/team/glossary.md").content.replace("\r\n", ""))
        self.assertIn("\N{ZERO WIDTH NON-JOINER}", self.head_of("/writing/languages.md").content)
        self.assertIn("| --- |", self.head_of("/policies/shipping/zones.md").content)
        self.assertTrue(self.head_of("/runbook/partitions.sh").content.startswith("#!/bin/sh\n"))
        self.assertGreater(self.head_of("/logs/replay-dry-run.txt").content_size_bytes, 98_000)
        self.assertTrue(self.head_of("/.startup.md").content)
        self.assertIn("milestones", self.head_of("/site-roadmap.md").content)
        self.assertIn("dates are promises", self.head_of("/Site Roadmap.md").content)
        self.assertTrue(all(f["passes"] for f in self.features()[:18]))

    def features(self) -> list[dict]:
        return json.loads(self.head_of("/features.json").content)["features"]


class Scripts(SimpleTestCase):
    """On every day of the week and at every hour the story is whole."""

    def test_play_on_every_day(self):
        for days in range(14):
            now = NOW + timedelta(days=days, hours=days * 5)
            for story in STORIES:
                with self.subTest(story=story.folder, now=now):
                    steps = play(story, now)
                    self.assertLess(steps[-1].at, now)
                    for step in steps:
                        self.check_text(step.event.path, step.content)

    def check_text(self, path: str, content: str | None):
        if content is None:
            return
        self.assertLessEqual(len(content.encode()), CONTENT_BYTES)
        self.assertNotRegex(content, r"<<(-?\d|t)")
        if path.endswith(".json"):
            json.loads(content)

    def test_read_every_text_file(self):
        for story in STORIES:
            steps = play(story, NOW)
            created = {step.event.path for step in steps if step.event.verb is Verb.CREATE}
            files = {
                "/" + file.relative_to(story.texts).as_posix()
                for file in story.texts.rglob("*")
                if file.is_file()
            }
            self.assertEqual(files - created, set())


def texts_of_all_tables():
    """Every value of every column of every table, as text."""
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f"select * from {connection.ops.quote_name(table)}")
            for row in cursor.fetchall():
                for value in row:
                    yield value if isinstance(value, str) else repr(value)
