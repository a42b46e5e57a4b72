"""/healthz and /readyz in one process; the served ones are in tests/served/test_serve_health.py."""

import os
import shutil
import tempfile
import time
from pathlib import Path

import pytest
from django.conf import settings
from django.db import DatabaseError, connection
from django.db.migrations.recorder import MigrationRecorder
from django.test import SimpleTestCase, TestCase, override_settings

from memconsole import broker, heartbeat


class Live(SimpleTestCase):
    databases = []  # a query would fail the test

    def test_asks_no_database(self) -> None:
        response = self.client.get("/healthz")
        self.assertEqual((response.status_code, response.json()), (200, {"status": "ok"}))
        self.assertEqual(response["Content-Type"], "application/json")
        self.assertEqual(response["Cache-Control"], "no-store")

    def test_answers_by_any_name_and_without_a_cookie(self) -> None:
        for host in ("10.0.0.7:8000", "lb.internal", "under_score"):
            with self.subTest(host=host):
                response = self.client.get("/healthz", headers={"host": host})
                self.assertEqual(response.status_code, 200)
                self.assertEqual(response.cookies, {})
                self.assertNotIn("Content-Security-Policy", response)


class Ready(TestCase):
    def setUp(self) -> None:
        self.data = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.data)
        broker.make_folders(self.data / "broker")
        changed = override_settings(DATA_DIR=self.data, REDIS_URL="", JOBS=True)
        changed.enable()
        self.addCleanup(changed.disable)
        heartbeat.beat_once()

    def failed(self) -> dict[str, str]:
        """What the answer says about the one check that failed."""
        response = self.client.get("/readyz", headers={"host": "lb.internal"})
        self.assertEqual(response.status_code, 503)
        self.assertNotIn(str(self.data), response.text)
        body = response.json()
        self.assertEqual(body["status"], "failed")
        (name,) = [name for name, check in body["checks"].items() if check["status"] == "failed"]
        return {name: body["checks"][name]["message"]}

    def test_names_every_check(self) -> None:
        response = self.client.get("/readyz", headers={"host": "lb.internal"})
        self.assertEqual(response.status_code, 200)
        checks = {name: {"status": "ok"} for name in ("database", "migrations", "queue", "worker")}
        self.assertEqual(response.json(), {"status": "ok", "checks": checks})

    def test_fails_without_the_database(self) -> None:
        def refuse(*_: object) -> None:
            raise DatabaseError(f"cannot open {self.data}")

        with connection.execute_wrapper(refuse), self.assertLogs("stores.health"):
            response = self.client.get("/readyz")
        self.assertEqual(response.status_code, 503)
        self.assertNotIn(str(self.data), response.text)
        self.assertEqual(
            response.json()["checks"]["database"], {"status": "failed", "message": "It cannot be reached."}
        )

    def test_fails_while_a_migration_waits(self) -> None:
        MigrationRecorder.Migration.objects.filter(app="sessions").delete()
        self.assertEqual(self.failed(), {"migrations": "1 not applied."})

    def test_fails_without_the_queues_folder(self) -> None:
        shutil.rmtree(self.data / "broker")
        self.assertEqual(self.failed(), {"queue": "The queue's folder cannot be written."})

    def test_fails_when_no_worker_is_heard(self) -> None:
        long_ago = time.time() - heartbeat.STALE_SECONDS - 1
        os.utime(self.data / "worker-heartbeat", (long_ago, long_ago))
        self.assertEqual(self.failed(), {"worker": "No worker for jobs has been heard lately."})
        heartbeat.forget()
        self.assertEqual(self.failed(), {"worker": "No worker for jobs has been heard lately."})

    @override_settings(JOBS=False)
    def test_wants_no_worker_where_there_are_no_jobs(self) -> None:
        heartbeat.forget()
        response = self.client.get("/readyz")
        self.assertEqual(response.status_code, 200)
        self.assertEqual(response.json()["checks"]["worker"], {"status": "off"})

    @override_settings(REDIS_URL="redis://:hunter2@127.0.0.1:1/0")
    def test_fails_without_redis_and_says_no_secret(self) -> None:
        with self.assertLogs("stores.health"):
            response = self.client.get("/readyz")
        self.assertEqual(response.status_code, 503)
        checks = response.json()["checks"]
        for name in ("queue", "worker"):
            self.assertEqual(checks[name], {"status": "failed", "message": "It cannot be reached."})
        self.assertNotIn("hunter2", response.text)
        self.assertNotIn("127.0.0.1", response.text)

    @pytest.mark.redis
    def test_hears_the_worker_through_redis(self) -> None:
        with override_settings(REDIS_URL=os.environ["TEST_REDIS_URL"]):
            with heartbeat.connect() as client:
                client.delete(heartbeat.KEY)
            self.assertIn("worker", self.failed())
            heartbeat.beat_once()
            response = self.client.get("/readyz")
            self.assertEqual(response.status_code, 200)
            self.assertEqual(settings.JOBS, True)
