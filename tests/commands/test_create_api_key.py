from datetime import UTC, datetime

from django.core.management import CommandError
from django.test import TestCase

from stores.domain.api_keys import find_api_key
from stores.domain.workspaces import get_workspace
from stores.models import Access, ApiKey
from tests.commands.run import run
from tests.factories import make_actor, make_default_workspace, make_store, make_workspace


class CreateApiKey(TestCase):
    @classmethod
    def setUpTestData(cls) -> None:
        make_default_workspace()

    def test_prints_the_secret_once_and_on_its_last_line(self) -> None:
        lines = run("create_api_key", "ci")
        key = find_api_key(secret=lines[-1])
        assert key is not None
        self.assertEqual((key.name, key.access, key.store_ids, key.expires_at), ("ci", "admin", None, None))
        self.assertEqual("\n".join(lines).count(lines[-1]), 1)
        self.assertFalse(any(lines[-1] in str(value) for value in vars(key).values()))

    def test_belongs_to_the_default_workspace_when_none_is_named(self) -> None:
        make_workspace()
        key = find_api_key(secret=run("create_api_key", "ci")[-1])
        self.assertEqual(key.workspace, get_workspace())
        self.assertEqual(key.workspace.name, "Default")

    def test_belongs_to_the_workspace_that_is_named(self) -> None:
        workspace = make_workspace()
        key = find_api_key(secret=run("create_api_key", "ci", "--workspace", workspace.id)[-1])
        self.assertEqual(key.workspace, workspace)

    def test_has_the_access_that_is_named(self) -> None:
        for access in Access.values:
            with self.subTest(access=access):
                key = find_api_key(secret=run("create_api_key", "ci", "--access", access)[-1])
                self.assertEqual(key.access, access)

    def test_is_limited_to_the_stores_that_are_named(self) -> None:
        workspace = make_workspace()
        actor = make_actor(workspace=workspace)
        stores = sorted(make_store(actor=actor).id for _ in range(2))
        make_store(actor=actor)
        options = ["--workspace", workspace.id, "--store", stores[0], "--store", stores[1]]
        key = find_api_key(secret=run("create_api_key", "ci", *options)[-1])
        self.assertEqual(key.store_ids, stores)

    def test_expires_when_it_is_told_to(self) -> None:
        for text, instant in {
            "2099-01-31": datetime(2099, 1, 31, tzinfo=UTC),
            "2099-01-31T18:00": datetime(2099, 1, 31, 18, tzinfo=UTC),
            "2099-01-31T18:00+02:00": datetime(2099, 1, 31, 16, tzinfo=UTC),
            "2099-01-31T18:00Z": datetime(2099, 1, 31, 18, tzinfo=UTC),
        }.items():
            with self.subTest(text=text):
                key = find_api_key(secret=run("create_api_key", "ci", "--expires", text)[-1])
                self.assertEqual(key.expires_at, instant)

    def test_refuses_what_cannot_be(self) -> None:
        elsewhere = make_store()
        for arguments, message in {
            ("",): "name must have",
            ("ci", "--workspace", "wrkspc_none"): "There is no workspace 'wrkspc_none'.",
            ("ci", "--store", elsewhere.id): f"There is no memory store '{elsewhere.id}' in this workspace.",
            ("ci", "--access", "root"): "invalid choice: 'root'",
            ("ci", "--expires", "soon"): "'soon' is not a date like",
            ("ci", "--expires", "2020-01-01"): "2020-01-01 has passed already",
        }.items():
            with self.subTest(arguments=arguments), self.assertRaisesMessage(CommandError, message):
                run("create_api_key", *arguments)
        self.assertFalse(ApiKey.objects.filter(name="ci").exists())
