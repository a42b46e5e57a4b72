"""Rules of the code that a reader relies on (examples.md, 5 and 6). None of these runs the product."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.apps import apps
from django.core.management import get_commands
from django.db.migrations.autodetector import MigrationAutodetector
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.state import ProjectState
from django.test import SimpleTestCase

pytestmark = pytest.mark.once

ROOT = Path(__file__).resolve().parent.parent

# Each layer and what it may import of the others. The entries (api, console, tasks, commands) know nothing of
# each other, but that a command may queue a task and that the console's template tags are the console's.
LAYERS = {
    "models": set(),
    "migrations": {"models"},
    "domain": {"models"},
    "memory_tool": {"models", "domain"},
    "demo": {"models", "domain", "memory_tool"},
    "api": {"models", "domain", "memory_tool", "demo"},
    "console": {"models", "domain", "memory_tool", "demo"},
    "templatetags": {"models", "domain", "console"},
    "tasks": {"models", "domain", "memory_tool", "demo"},
    "health": {"models", "domain", "tasks"},
    "management": {"models", "domain", "memory_tool", "demo", "tasks", "health"},
    "apps": set(),
}
# Settings, server and broker: what starts the product. Only what is started by hand or by Celery knows them.
KNOW_THE_FRAME = {"tasks", "health", "management"}

# These know no database and no framework, and take the time from outside.
PURE = [
    "alignment", "blame", "chain", "clock", "content", "diff", "errors", "limits", "merge",
    "occupancy", "paths", "places", "preconditions", "removed_text", "search_query",
    "search_snippet", "search_words", "spreadsheets", "tool_view", "words",
]  # fmt: skip
PURE_MAY_IMPORT = {"stores.domain." + name for name in PURE}

WRITES = {
    "save", "create", "update", "delete", "bulk_create", "bulk_update", "get_or_create", "update_or_create",
    "_raw_delete", "asave", "acreate", "aupdate", "adelete",
}  # fmt: skip
QUERYSETS = {
    "objects", "filter", "exclude", "all", "memories", "versions", "select_for_update", "order_by", "history",
}  # fmt: skip
MARKS = {"mark_safe", "SafeString", "SafeText", "html_safe"}
WRITING_SQL = re.compile(r"\b(insert\s+into|update|delete\s+from|truncate)\s+[\"`]?stores_", re.IGNORECASE)


def python_files(*folders: str) -> Iterator[Path]:
    for folder in folders:
        yield from sorted(path for path in (ROOT / folder).rglob("*.py") if "node_modules" not in path.parts)


def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(), str(path))


def imports(path: Path) -> set[str]:
    """Every module that a file imports, wherever in it; `from a import b` counts as `a.b`."""
    found = set()
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} has a relative import"
            found.update(f"{node.module}.{alias.name}" for alias in node.names)
    return found


def layer_of(path: Path) -> str:
    return path.relative_to(ROOT / "stores").parts[0].removesuffix(".py")


def shown(path: Path) -> str:
    return str(path.relative_to(ROOT))


class ImportDirectionsTest(SimpleTestCase):
    def test_every_part_has_its_layer(self):
        found = {layer_of(path) for path in python_files("stores")} - {"__init__"}
        self.assertLessEqual(found, set(LAYERS))
        self.assertLessEqual({"models", "domain", "api", "console", "management", "tasks"}, found)

    def test_imports_point_one_way(self):
        seen = 0
        for path in python_files("stores"):
            layer = layer_of(path)
            for name in imports(path):
                package, _, rest = name.partition(".")
                if package == "stores" and rest:
                    seen += 1
                    imported = rest.partition(".")[0]
                    allowed = LAYERS.get(layer, set()) | {layer}
                    self.assertIn(imported, allowed, f"{shown(path)} imports {name}")
                if package == "memconsole":
                    self.assertIn(layer, KNOW_THE_FRAME, f"{shown(path)} imports {name}")
        self.assertGreater(seen, 100)

    def test_the_domain_knows_no_http_no_templates_and_no_celery(self):
        for path in python_files("stores/domain", "stores/models"):
            for name in imports(path):
                self.assertIsNone(
                    re.match(
                        r"django\.(http|urls|views|shortcuts|template|forms|contrib\.messages)|celery|granian",
                        name,
                    ),
                    f"{shown(path)} imports {name}",
                )

    def test_pure_modules_know_no_database(self):
        for name in PURE:
            path = ROOT / "stores" / "domain" / f"{name}.py"
            for imported in imports(path):
                package = imported.partition(".")[0]
                self.assertNotIn(package, {"django", "memconsole"}, f"{shown(path)} imports {imported}")
                if package == "stores":
                    self.assertIn(
                        ".".join(imported.split(".")[:3]),
                        PURE_MAY_IMPORT,
                        f"{shown(path)} imports {imported}",
                    )

    def test_nothing_is_imported_wholesale(self):
        for path in python_files("stores", "memconsole", "tests"):
            self.assertEqual([name for name in imports(path) if name.endswith(".*")], [], shown(path))

    def test_the_product_knows_nothing_of_its_tests(self):
        for path in python_files("stores", "memconsole"):
            for name in imports(path):
                self.assertNotIn(name.partition(".")[0], {"tests", "pytest", "bench"}, shown(path))


class WritesTest(SimpleTestCase):
    """Memories and versions are written by the domain and its statements, by nobody else."""

    def outside(self) -> Iterator[Path]:
        for path in python_files("stores", "memconsole"):
            inside = ("stores/domain/", "stores/models/", "stores/migrations/")
            if not shown(path).startswith(inside):
                yield path

    def test_rows_are_written_by_the_domain_only(self):
        found = []
        for path in self.outside():
            for node in ast.walk(parsed(path)):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                    chain = set(re.findall(r"\w+", ast.unparse(node.func.value)))
                    is_row = node.func.attr in ("save", "asave") or chain & QUERYSETS
                    if node.func.attr in WRITES and is_row:
                        found.append(f"{shown(path)}:{node.lineno} {ast.unparse(node)[:60]}")
        self.assertEqual(found, [])

    def test_the_writing_statements_are_called_by_the_domain_only(self):
        for path in self.outside():
            for name in imports(path):
                self.assertFalse(name.startswith("stores.models.statements.writes"), shown(path))

    def test_no_sql_writes_to_our_tables_but_the_statements(self):
        found = []
        for path in python_files("stores", "memconsole"):
            if shown(path).startswith(("stores/models/statements/", "stores/migrations/")):
                continue
            for node in ast.walk(parsed(path)):
                text = node.value if isinstance(node, ast.Constant) else None
                if isinstance(text, str) and WRITING_SQL.search(text):
                    found.append(f"{shown(path)}:{node.lineno}")
        self.assertEqual(found, [])


class HostileTextTest(SimpleTestCase):
    """Memory text is hostile: nothing marks a text as safe HTML."""

    def test_no_template_switches_escaping_off(self):
        templates = sorted((ROOT / "templates").rglob("*"))
        files = [path for path in templates if path.is_file()]
        self.assertTrue(files)
        for path in files:
            text = path.read_text()
            for pattern in (r"\|\s*safe(seq)?\b", r"autoescape\s+off", r"\{%\s*filter\s+safe"):
                self.assertIsNone(re.search(pattern, text), f"{shown(path)} has {pattern}")

    def test_no_code_marks_text_as_safe(self):
        for path in python_files("stores", "memconsole"):
            for node in ast.walk(parsed(path)):
                if isinstance(node, ast.Call):
                    name = ast.unparse(node.func).rpartition(".")[2]
                    self.assertNotIn(
                        name,
                        {"mark_safe", "SafeString", "SafeText", "html_safe"},
                        f"{shown(path)}:{node.lineno}",
                    )


class FilesTest(SimpleTestCase):
    def test_every_command_has_its_test(self):
        commands = [name for name, app in get_commands().items() if app == "stores"]
        self.assertIn("serve", commands)
        for name in commands:
            self.assertTrue((ROOT / "tests" / "commands" / f"test_{name}.py").is_file(), name)

    def test_no_file_is_a_drawer_for_everything(self):
        for path in python_files("stores", "memconsole", "tests"):
            self.assertNotIn(path.stem, {"utils", "util", "helpers", "common", "misc"}, shown(path))


class MigrationsTest(SimpleTestCase):
    def test_are_complete(self):
        loader = MigrationLoader(None)
        now = ProjectState.from_apps(apps)
        changes = MigrationAutodetector(loader.project_state(), now).changes(graph=loader.graph)
        self.assertEqual(changes.get("stores", []), [])
        self.assertEqual(loader.detect_conflicts(), {})

    def test_have_names_that_say_something(self):
        for path in sorted((ROOT / "stores" / "migrations").glob("0*.py")):
            self.assertNotRegex(path.stem, r"_auto_|_alter_.*_and_more")
