"""What redaction and deletion remove is gone from SQLite's files, not only from its tables."""

import sqlite3
import time

from django.db import connection

from stores.domain import api_keys, memories, stores, versions
from stores.domain.actors import key_actor
from stores.models import ApiKey, Memory, MemoryVersion
from stores.models.statements import storage
from tests.factories import make_api_key, make_memory, make_version
from tests.on_file import OnFileTestCase

MARKER = "Zaunkönig-4711"


class RemovedBytesTest(OnFileTestCase):
    def files_with(self, text):
        return sorted(
            file.name.removeprefix("memconsole.sqlite3")
            for file in self.folder.iterdir()
            if text.encode() in file.read_bytes()
        )

    def checkpoint(self):
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def make_two_versions(self, text):
        memory = make_memory(
            actor=self.actor, store=self.store, path=f"/{MARKER}.md", content=text, reason="x"
        )
        make_version(actor=self.actor, memory=memory, content="nothing", path="/x.md")
        return memory

    def redact(self, memory):
        versions.redact_version(actor=self.actor, store_id=self.store.id, version_id=memory.head_version_id)

    def test_redaction(self):
        # One page, and a text so long that it fills overflow pages of its own.
        for text in (f"Call {MARKER}.", f"Call {MARKER}. " * 3000):
            for in_file in (False, True):
                with self.subTest(size=len(text), in_file=in_file):
                    memory = self.make_two_versions(text)
                    self.assertIn("-wal", self.files_with(MARKER))
                    if in_file:
                        self.checkpoint()
                        self.assertEqual(self.files_with(MARKER), [""])
                    self.redact(memory)
                    self.assertEqual(self.files_with(MARKER), [])
                    memories.delete_memory(actor=self.actor, store_id=self.store.id, memory_id=memory.id)

    def test_a_reader_in_the_way_holds_nobody_up_for_long(self):
        memory = self.make_two_versions(f"Call {MARKER}.")
        reader = sqlite3.connect(self.folder / "memconsole.sqlite3", isolation_level=None)
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM stores_memory").fetchone()
        began = time.monotonic()
        self.redact(memory)
        self.assertLess(time.monotonic() - began, 5)
        self.assertFalse(storage.overwrite_removed_text())
        self.assertIn("-wal", self.files_with(MARKER))
        reader.close()
        self.assertTrue(storage.overwrite_removed_text())
        self.assertEqual(self.files_with(MARKER), [])

    def test_a_writer_in_the_way_holds_no_reader_up(self):
        key, secret = make_api_key(access="read_write")
        memory = self.make_two_versions("Tea.")
        agent = key_actor(api_key=make_api_key(workspace=self.store.workspace, access="read_only")[0])
        writer = sqlite3.connect(self.folder / "memconsole.sqlite3", isolation_level=None)
        self.addCleanup(writer.close)
        writer.execute("BEGIN IMMEDIATE")
        began = time.monotonic()
        self.assertEqual(api_keys.find_api_key(secret=secret).id, key.id)
        found = memories.get_memory(actor=agent, store_id=self.store.id, memory_id=memory.id)
        self.assertEqual(found.content, "nothing")
        self.assertLess(time.monotonic() - began, 5)
        # Nobody noted it this time; the next read does.
        self.assertIsNone(ApiKey.objects.get(id=key.id).last_used_at)
        writer.execute("ROLLBACK")
        api_keys.find_api_key(secret=secret)
        memories.get_memory(actor=agent, store_id=self.store.id, memory_id=memory.id)
        self.assertIsNotNone(ApiKey.objects.get(id=key.id).last_used_at)
        self.assertIsNotNone(Memory.objects.get(id=memory.id).last_read_at)

    def test_the_files_are_for_this_account_only(self):
        modes = {file.name: file.stat().st_mode & 0o777 for file in self.folder.iterdir()}
        self.assertEqual(set(modes.values()), {0o600}, modes)

    def test_redaction_of_a_path_in_every_version(self):
        memory = self.make_two_versions("nothing else")
        self.redact(memory)
        self.assertEqual(self.files_with(MARKER), [])

    def test_deleting_the_store(self):
        self.make_two_versions(f"Call {MARKER}. " * 3000)
        make_memory(actor=self.actor, store=self.store, content=f"Call {MARKER}.")
        self.checkpoint()
        self.assertEqual(self.files_with(MARKER), [""])
        stores.delete_store(actor=self.actor, store_id=self.store.id)
        self.assertFalse(MemoryVersion.objects.exists())
        self.assertEqual(self.files_with(MARKER), [])
