import stat
import tempfile
from pathlib import Path

import pytest
from django.test import SimpleTestCase
from kombu import Connection

from memconsole import broker


@pytest.mark.once
class FolderQueue(SimpleTestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name) / "broker"
        self.options = broker.make_folders(self.root)
        # kombu remembers per process which queues it has declared, whatever the folder.
        self.queue = f"jobs-{id(self)}"
        self.messages, self.taken = self.root / "messages", self.root / "taken"

    def connect(self) -> Connection:
        connection = Connection(f"{broker.ALIAS}://localhost", transport_options=self.options)
        self.addCleanup(connection.release)
        return connection

    def test_folders_are_the_owners_alone(self) -> None:
        for folder in (self.root, *self.root.iterdir()):
            self.assertEqual(stat.S_IMODE(folder.stat().st_mode), 0o700, folder)

    def test_hands_out_in_order_and_once(self) -> None:
        sender, receiver = self.connect().SimpleQueue(self.queue), self.connect().SimpleQueue(self.queue)
        other = self.connect().SimpleQueue("others")
        other.put("not yours")
        for number in range(5):
            sender.put({"number": number})
        received = [receiver.get(timeout=5) for _ in range(5)]
        self.assertEqual([message.payload["number"] for message in received], list(range(5)))
        with self.assertRaises(receiver.Empty):
            receiver.get(timeout=0.1)
        self.assertEqual(len(list(self.messages.iterdir())), 1)
        self.assertEqual(list(self.taken.iterdir()), [])

    def test_what_is_not_acknowledged_comes_back_when_the_worker_stops(self) -> None:
        self.connect().SimpleQueue(self.queue).put("again")
        connection = self.connect()
        queue = connection.SimpleQueue(self.queue)
        self.assertEqual(queue.get(timeout=5).payload, "again")
        self.assertEqual(list(self.messages.iterdir()), [])
        connection.release()
        self.assertEqual(self.connect().SimpleQueue(self.queue).get(timeout=5).payload, "again")

    def test_message_that_is_being_written_is_not_seen(self) -> None:
        queue = self.connect().SimpleQueue(self.queue)
        (self.taken / f"00000000000000000001_a.{self.queue}.msg.draft").write_text('{"half')
        with self.assertRaises(queue.Empty):
            queue.get(timeout=0.1)
