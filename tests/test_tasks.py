"""Jobs, called directly, and through both brokers with a real worker."""

import os
import signal
import subprocess
import sys
from datetime import timedelta
from urllib.parse import urlsplit, urlunsplit

import pytest
from django.contrib.sessions.models import Session
from django.test import SimpleTestCase, TestCase
from django.utils import timezone

from memconsole.celery import app
from stores import tasks
from stores.domain import search_index
from stores.models import Memory, MemoryStore, MemoryVersion, SearchRemoval
from tests.factories import make_actor, make_memory, make_store
from tests.served_instance import ROOT, ServedInstance, serve_instance

# Leaves a store behind as a process that was killed in the middle of its deletion would.
MARK_AND_SEND = """
from django.utils import timezone
from stores import tasks
from stores.models import MemoryStore
from tests.factories import make_actor, make_memory, make_store
actor = make_actor()
store = make_store(actor=actor)
make_memory(actor=actor, store=store, path="/left.md", content="left over")
MemoryStore.objects.filter(id=store.id).update(deleted_at=timezone.now())
tasks.purge_deleted_stores.delay()
print(store.id)
"""
WAIT_UNTIL_GONE = """
import time
from stores.models import MemoryStore, MemoryVersion
deadline = time.monotonic() + 30
while MemoryStore.objects.filter(id={0!r}).exists() and time.monotonic() < deadline:
    time.sleep(0.05)
print(MemoryStore.objects.filter(id={0!r}).count(), MemoryVersion.objects.filter(store_id={0!r}).count())
"""


class PurgeDeletedStores(TestCase):
    def test_removes_what_is_marked_and_nothing_else(self) -> None:
        actor = make_actor()
        marked, kept = make_store(actor=actor), make_store(actor=actor)
        for store in (marked, kept):
            make_memory(actor=actor, store=store, path="/tea.md", content="Green.")
        MemoryStore.objects.filter(id=marked.id).update(deleted_at=timezone.now())
        tasks.purge_deleted_stores()
        self.assertEqual([store.id for store in MemoryStore.objects.all()], [kept.id])
        for table in (Memory, MemoryVersion):
            self.assertEqual([row.store_id for row in table.objects.all()], [kept.id])
        tasks.purge_deleted_stores()
        self.assertEqual(MemoryStore.objects.count(), 1)


class ClearExpiredSignIns(TestCase):
    def test_forgets_the_expired_ones_only(self) -> None:
        now = timezone.now()
        for key, age in (("old", timedelta(days=-1)), ("new", timedelta(days=1))):
            Session.objects.create(session_key=key, session_data="", expire_date=now + age)
        tasks.clear_expired_sign_ins()
        self.assertEqual([session.session_key for session in Session.objects.all()], ["new"])


class SearchIndex(TestCase):
    def test_indexes_what_was_written(self) -> None:
        actor = make_actor()
        make_memory(actor=actor, store=make_store(actor=actor))
        tasks.index_memories()
        self.assertTrue(Memory.objects.get().is_indexed)

    def test_rewrites_what_was_removed_once(self) -> None:
        search_index.note_removal()
        tasks.rewrite_search_index()
        tasks.rewrite_search_index()
        self.assertFalse(SearchRemoval.objects.exists())


class Schedule(SimpleTestCase):
    def test_names_jobs_that_exist(self) -> None:
        named = {entry["task"] for entry in app.conf.beat_schedule.values()}
        self.assertEqual(named - set(app.tasks), set())
        self.assertEqual(named, {f"stores.tasks.{name}" for name in vars(tasks) if name in JOBS})

    def test_takes_json_only(self) -> None:
        self.assertEqual(app.conf.accept_content, ["json"])
        self.assertEqual(app.conf.task_serializer, "json")


JOBS = {
    "purge_deleted_stores",
    "clear_expired_sign_ins",
    "index_memories",
    "rewrite_search_index",
    "overwrite_removed_text",
}


def ask(instance: ServedInstance, program: str) -> str:
    return instance.manage("shell", "--verbosity", "0", "--command", program).splitlines()[-1]


@pytest.mark.served
def test_job_in_the_folder_is_done_once_serve_runs() -> None:
    with serve_instance(no_jobs=False, start=False) as instance:
        store_id = ask(instance, MARK_AND_SEND)
        (message,) = (instance.data / "broker" / "messages").iterdir()
        assert "left over" not in message.read_text()
        instance.start()
        assert ask(instance, WAIT_UNTIL_GONE.format(store_id)) == "0 0"
        assert list((instance.data / "broker" / "messages").iterdir()) == []


@pytest.mark.served
@pytest.mark.redis
def test_job_in_redis_is_done_by_a_worker_of_its_own() -> None:
    # A database of its own in that Redis; nothing else of the tests uses it.
    url = urlunsplit(urlsplit(os.environ["TEST_REDIS_URL"])._replace(path="/7"))
    with serve_instance(start=False, REDIS_URL=url) as instance:
        store_id = ask(instance, MARK_AND_SEND)
        worker = subprocess.Popen(
            [sys.executable, "-m", "celery", "-A", "memconsole", "worker", "--concurrency", "1"],
            cwd=ROOT,
            env=instance.environment,
        )
        try:
            assert ask(instance, WAIT_UNTIL_GONE.format(store_id)) == "0 0"
        finally:
            worker.send_signal(signal.SIGTERM)
            assert worker.wait(20) == 0
