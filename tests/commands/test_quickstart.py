import re
import subprocess
import sys
import textwrap
import time
from unittest.mock import patch

import pytest
from django.contrib.auth import authenticate
from django.core.management import CommandError
from django.test import TestCase

from stores.domain.api_keys import find_api_key
from stores.models import ApiKey, Membership, MemoryStore, Role, User, Workspace
from tests.commands.run import run
from tests.factories import make_default_workspace, make_user
from tests.served_instance import ROOT, environment, free_port

TABLES = (User, Workspace, Membership, ApiKey, MemoryStore)


def counts() -> list[int]:
    return [table.objects.count() for table in TABLES]


def indented(lines: list[str]) -> list[str]:
    return [line.strip() for line in lines if line.startswith("    ")]


class FirstRun(TestCase):
    @classmethod
    def setUpTestData(cls) -> None:
        make_default_workspace()

    def test_makes_an_admin_who_can_sign_in_everywhere(self) -> None:
        email, password, *_ = indented(run("quickstart", "--no-serve"))
        self.assertEqual(email, "admin@example.com")
        admin = authenticate(username=email, password=password)
        self.assertTrue(admin.is_superuser)
        roles = dict(Membership.objects.filter(user=admin).values_list("workspace__name", "role"))
        self.assertEqual(roles, {"Default": Role.ADMIN, "Demo": Role.ADMIN})

    def test_makes_a_key_that_reaches_the_demo(self) -> None:
        secret = indented(run("quickstart", "--no-serve"))[2]
        key = find_api_key(secret=secret)
        self.assertEqual((key.workspace.name, key.access), ("Demo", "admin"))
        self.assertGreaterEqual(MemoryStore.objects.filter(workspace=key.workspace).count(), 3)

    def test_prints_a_first_program_with_address_and_key(self) -> None:
        lines = run("quickstart", "--no-serve", "--port", "8123", "--host", "0.0.0.0")  # noqa: S104
        secret = indented(lines)[2]
        self.assertIn(f'    client = Anthropic(base_url="http://127.0.0.1:8123", api_key="{secret}")', lines)

    def test_needs_no_demo(self) -> None:
        secret = indented(run("quickstart", "--no-serve", "--no-demo"))[2]
        self.assertEqual(find_api_key(secret=secret).workspace.name, "Default")
        self.assertFalse(MemoryStore.objects.exists())
        self.assertEqual(User.objects.count(), 1)

    def test_takes_the_admins_address_from_the_environment(self) -> None:
        with patch.dict("os.environ", {"MEMCONSOLE_ADMIN_EMAIL": "ada@example.org"}):
            self.assertEqual(indented(run("quickstart", "--no-serve"))[0], "ada@example.org")

    def test_that_fails_half_way_leaves_nothing_behind(self) -> None:
        make_user(email="taken@example.org")
        before = counts()
        with (
            patch.dict("os.environ", {"MEMCONSOLE_ADMIN_EMAIL": "taken@example.org"}),
            self.assertRaisesMessage(CommandError, "Somebody already has the address"),
        ):
            run("quickstart", "--no-serve")
        self.assertEqual(counts(), before)


class SecondRun(TestCase):
    @classmethod
    def setUpTestData(cls) -> None:
        make_default_workspace()

    def test_keeps_everything_and_shows_no_secret(self) -> None:
        _, password, secret, *_ = indented(run("quickstart", "--no-serve"))
        before = counts()
        output = "\n".join(run("quickstart", "--no-serve"))
        self.assertEqual(counts(), before)
        self.assertNotIn(password, output)
        self.assertNotIn(secret, output)
        demo = Workspace.objects.get(name="Demo")
        self.assertIn("changepassword admin@example.com", output)
        self.assertIn(f"create_api_key NAME --workspace {demo.id}", output)
        self.assertIsNotNone(authenticate(username="admin@example.com", password=password))

    def test_makes_no_demo_that_was_not_wanted(self) -> None:
        run("quickstart", "--no-serve", "--no-demo")
        run("quickstart", "--no-serve")
        self.assertFalse(Workspace.objects.filter(name="Demo").exists())


@pytest.mark.served
class TestProcess:
    """On a new data folder, as `make run` calls it."""

    def start(self, tmp_path, *arguments: str) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [sys.executable, "-u", "manage.py", "quickstart", *arguments],
            cwd=ROOT,
            env=environment(tmp_path, ""),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def test_prints_a_program_that_works_as_it_stands(self, tmp_path) -> None:
        process = self.start(tmp_path, "--port", str(free_port()))
        lines: list[str] = []
        for line in process.stdout:
            lines.append(line)
            if line.startswith("Serving at"):
                break
        first = next(n for n, line in enumerate(lines) if "import Anthropic" in line)
        program = textwrap.dedent("".join(line for line in lines[first:] if line.startswith("    ")))
        done = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False
        )
        process.terminate()
        assert process.wait(20) == 0, process.stderr.read()
        assert re.search(r"^memstore_01\w{22} \w", done.stdout, re.MULTILINE), done.stdout + done.stderr

    def test_that_was_killed_half_way_is_completed_by_the_next(self, tmp_path) -> None:
        process = self.start(tmp_path, "--no-serve")
        assert process.stdout.readline() == "Preparing the database …\n"
        time.sleep(0.3)
        process.kill()
        process.wait()
        again, errors = self.start(tmp_path, "--no-serve").communicate(timeout=120)
        assert "mck_" in again, errors
        last, errors = self.start(tmp_path, "--no-serve").communicate(timeout=120)
        assert "mck_" not in last
        assert "kept" in last
        assert errors == ""

    def test_refuses_a_taken_port_before_it_makes_anything(self, tmp_path, served) -> None:
        process = self.start(tmp_path, "--port", str(served.port))
        output, errors = process.communicate(timeout=60)
        assert process.returncode == 1
        assert output == ""
        assert errors.startswith(f"CommandError: Port {served.port} of 127.0.0.1 is taken")
