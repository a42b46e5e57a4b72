"""What `serve` makes of its options; as a process it is tested in tests/served/."""

import os
from unittest.mock import patch

from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError
from django.test import SimpleTestCase, TestCase

from memconsole import server
from stores.management.commands.serve import Command
from tests.commands.run import run


def defaults() -> dict[str, object]:
    return vars(Command().create_parser("manage.py", "serve").parse_args([]))


class Defaults(SimpleTestCase):
    def test_are_loopback_and_two_workers_or_more(self) -> None:
        with patch.dict(os.environ, {"HOST": "", "PORT": "8000"}), patch("os.cpu_count", lambda: 1):
            found = defaults()
        self.assertEqual((found["host"], found["port"], found["workers"]), ("127.0.0.1", 8000, 2))

    def test_come_from_the_environment(self) -> None:
        with patch.dict(os.environ, {"HOST": "::1", "PORT": "9123"}), patch("os.cpu_count", lambda: 8):
            found = defaults()
        self.assertEqual((found["host"], found["port"], found["workers"]), ("::1", 9123, 8))

    def test_refuse_a_port_that_is_none(self) -> None:
        for port in ("http", "0", "65536", "-1"):
            with (
                self.subTest(port=port),
                patch.dict(os.environ, {"PORT": port}),
                self.assertRaisesMessage(ImproperlyConfigured, "PORT must be a whole number"),
            ):
                defaults()


class Refusals(TestCase):
    def test_are_one_sentence(self) -> None:
        for arguments, message in {
            ("--port", "70000"): "--port must be a number from 1 to 65535.",
            ("--workers", "0"): "--workers must be at least 1.",
            ("--host", "no.such.host.invalid"): "There is no host 'no.such.host.invalid' to listen on",
        }.items():
            with self.subTest(arguments=arguments), self.assertRaisesMessage(CommandError, message):
                run("serve", *arguments)


class BaseUrl(SimpleTestCase):
    def test_is_what_a_browser_on_this_machine_understands(self) -> None:
        for host, url in {
            "127.0.0.1": "http://127.0.0.1:80",
            "localhost": "http://localhost:80",
            "0.0.0.0": "http://127.0.0.1:80",  # noqa: S104
            "::": "http://[::1]:80",
            "::1": "http://[::1]:80",
            "10.1.2.3": "http://10.1.2.3:80",
        }.items():
            with self.subTest(host=host):
                self.assertEqual(server.base_url(host, 80), url)
