import tempfile
from pathlib import Path

import pytest
from django.conf import settings
from django.test import SimpleTestCase, override_settings

from memconsole import staticfiles


@pytest.mark.once
class Collect(SimpleTestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.source, self.root = Path(folder.name) / "source", Path(folder.name) / "static"
        self.source.mkdir()
        self.root.mkdir()
        (self.source / "console.css").write_text("body { color: black }")
        changed = override_settings(STATICFILES_DIRS=[self.source], STATIC_ROOT=self.root)
        changed.enable()
        self.addCleanup(changed.disable)

    def names(self) -> set[str]:
        return {path.name for path in self.root.glob("console.*.css")}

    def test_names_files_by_their_content_and_compresses_them(self) -> None:
        staticfiles.collect()
        (name,) = self.names()
        self.assertRegex(name, r"^console\.[0-9a-f]{12}\.css$")
        url = staticfiles.Storage().url("console.css")
        self.assertEqual(url, f"{settings.STATIC_URL}{name}")

    def test_does_nothing_when_nothing_changed(self) -> None:
        staticfiles.collect()
        before = {path: path.stat().st_mtime_ns for path in self.root.rglob("*")}
        staticfiles.collect()
        self.assertEqual({path: path.stat().st_mtime_ns for path in self.root.rglob("*")}, before)

    def test_keeps_the_old_name_beside_the_new_one(self) -> None:
        staticfiles.collect()
        before = self.names()
        (self.source / "console.css").write_text("body { color: rebeccapurple }")
        staticfiles.collect()
        self.assertEqual(len(self.names()), 2)
        self.assertLess(before, self.names())

    def test_what_was_not_collected_has_its_plain_name(self) -> None:
        storage = staticfiles.Storage()
        self.assertEqual(storage.url("console.css"), "/static/console.css")
        self.assertEqual(storage.url("icons.svg#pen"), "/static/icons.svg#pen")
