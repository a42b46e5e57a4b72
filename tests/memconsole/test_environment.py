import os
import stat
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from unittest.mock import patch

from django.core.exceptions import ImproperlyConfigured
from django.test import SimpleTestCase

from memconsole import environment


class EnvironmentTestCase(SimpleTestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def having(self, value: str):
        return patch.dict(os.environ, {"KNOB": value})

    def refuses(self, value: str, message: str, reader, *arguments, **options) -> None:
        with (
            self.subTest(value=value),
            self.having(value),
            self.assertRaisesMessage(ImproperlyConfigured, message),
        ):
            reader("KNOB", *arguments, **options)


class Simple(EnvironmentTestCase):
    def test_booleans(self) -> None:
        for value, meant in {
            "1": True,
            "TRUE": True,
            " yes ": True,
            "0": False,
            "off": False,
            "": False,
        }.items():
            with self.subTest(value=value), self.having(value):
                self.assertIs(environment.boolean("KNOB", default=not meant), meant)
        self.assertIs(environment.boolean("ABSENT", default=True), True)
        self.refuses("maybe", "KNOB must be 1 or 0, not 'maybe'.", environment.boolean, default=True)

    def test_whole_numbers(self) -> None:
        with self.having(" 8 "):
            self.assertEqual(environment.integer("KNOB", 5, low=1, high=9), 8)
        self.assertEqual(environment.integer("ABSENT", 5, low=1, high=9), 5)
        for value in ("0", "10", "-1", "1.5", "four", "٤"):
            message = "KNOB must be a whole number from 1 to 9"
            self.refuses(value, message, environment.integer, 5, low=1, high=9)

    def test_lists_of_names(self) -> None:
        with self.having(" a.example , ,b.example,"):
            self.assertEqual(environment.names("KNOB"), ["a.example", "b.example"])

    def test_time_zones(self) -> None:
        with self.having("Europe/Berlin"):
            self.assertEqual(environment.time_zone("KNOB", "UTC"), "Europe/Berlin")
        self.refuses("Mars/Olympus", "there is no time zone 'Mars/Olympus'", environment.time_zone, "UTC")

    def test_redis(self) -> None:
        with self.having("rediss://cache:6380/1"):
            self.assertEqual(environment.redis_url("KNOB"), "rediss://cache:6380/1")
        self.refuses("cache:6379", "KNOB must begin with redis://", environment.redis_url)


class DataFolder(EnvironmentTestCase):
    def test_is_made_for_its_owner_alone(self) -> None:
        with self.having(str(self.folder / "new" / "var")):
            made = environment.data_dir("KNOB", Path("unused"))
        self.assertEqual(stat.S_IMODE(made.stat().st_mode), 0o700)

    def test_that_cannot_be_made_is_a_sentence(self) -> None:
        (self.folder / "file").touch()
        self.refuses(
            str(self.folder / "file" / "var"), "KNOB: cannot make the folder", environment.data_dir, Path()
        )


class SecretKey(EnvironmentTestCase):
    def test_is_made_once_and_kept_to_oneself(self) -> None:
        first = environment.secret_key("ABSENT", self.folder)
        self.assertGreaterEqual(len(first), 64)
        self.assertEqual(environment.secret_key("ABSENT", self.folder), first)
        self.assertEqual(stat.S_IMODE((self.folder / "secret_key").stat().st_mode), 0o600)

    def test_is_the_same_for_all_who_start_at_once(self) -> None:
        with ThreadPoolExecutor(8) as pool:
            keys = pool.map(lambda _: environment.secret_key("ABSENT", self.folder), range(8))
        self.assertEqual(len(set(keys)), 1)
        self.assertEqual([path.name for path in self.folder.iterdir()], ["secret_key"])

    def test_from_the_environment_wins_and_must_be_long(self) -> None:
        with self.having("k" * 32):
            self.assertEqual(environment.secret_key("KNOB", self.folder), "k" * 32)
        self.refuses("short", "KNOB must have at least 32 characters.", environment.secret_key, self.folder)

    def test_that_is_broken_is_a_sentence(self) -> None:
        (self.folder / "secret_key").write_text("short")
        with self.assertRaisesMessage(ImproperlyConfigured, "does not hold a secret key"):
            environment.secret_key("ABSENT", self.folder)


class Database(EnvironmentTestCase):
    def test_is_a_file_in_the_data_folder_when_none_is_named(self) -> None:
        found = environment.database("ABSENT", self.folder)
        self.assertEqual(found["ENGINE"], "memconsole.db.sqlite3")
        self.assertEqual(found["NAME"], self.folder / "memconsole.sqlite3")

    def test_file_is_relative_or_absolute(self) -> None:
        for url, path in {
            "sqlite:///var/a.sqlite3": Path.cwd() / "var" / "a.sqlite3",
            "sqlite:////srv/a%20b.sqlite3": Path("/srv/a b.sqlite3"),
        }.items():
            with self.subTest(url=url), self.having(url):
                self.assertEqual(environment.database("KNOB", self.folder)["NAME"], path)

    def test_server_is_read_from_all_parts_of_the_url(self) -> None:
        with self.having("postgres://me:p%40ss@db.example:6543/mem%20ories?sslmode=require"):
            found = environment.database("KNOB", self.folder)
        self.assertEqual(
            {name: found[name] for name in ("NAME", "USER", "PASSWORD", "HOST", "PORT")},
            {"NAME": "mem ories", "USER": "me", "PASSWORD": "p@ss", "HOST": "db.example", "PORT": "6543"},
        )
        self.assertEqual(found["OPTIONS"]["sslmode"], "require")

    def test_refuses_what_names_none(self) -> None:
        for url, message in {
            "mysql://db/memories": "KNOB must begin with postgres:// or sqlite://, not 'mysql'.",
            "memories": "KNOB must begin with postgres:// or sqlite://, not 'memories'.",
            "postgres://db": "KNOB must name a database",
            "postgres://db:port/memories": "KNOB is not a URL",
            "sqlite://": "KNOB: a sqlite URL needs a file",
        }.items():
            self.refuses(url, message, environment.database, self.folder)
