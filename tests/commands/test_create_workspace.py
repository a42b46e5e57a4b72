from django.core.management import CommandError
from django.test import TestCase

from stores.models import Workspace
from tests.commands.run import run


class CreateWorkspace(TestCase):
    def test_prints_the_new_id_on_its_last_line(self) -> None:
        before = set(Workspace.objects.values_list("id", flat=True))
        lines = run("create_workspace", " Support ")
        made = Workspace.objects.get(name="Support")
        self.assertEqual(lines[-1], made.id)
        self.assertTrue(made.id.startswith("wrkspc_01"))
        self.assertEqual(set(Workspace.objects.values_list("id", flat=True)), before | {made.id})

    def test_refuses_what_is_no_name(self) -> None:
        before = Workspace.objects.count()
        for name in ("", "  ", "a\nb", "x" * 256):
            with self.subTest(name=name), self.assertRaisesMessage(CommandError, "name must"):
                run("create_workspace", name)
        self.assertEqual(Workspace.objects.count(), before)
