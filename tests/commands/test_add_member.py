from django.contrib.auth import authenticate
from django.core.management import CommandError
from django.test import TestCase

from stores.models import Membership, User
from tests.commands.run import run
from tests.factories import make_default_workspace, make_user, make_workspace


class AddMember(TestCase):
    @classmethod
    def setUpTestData(cls) -> None:
        cls.default = make_default_workspace()

    def test_makes_an_account_for_somebody_new(self) -> None:
        said, password = run("add_member", "mira@example.com", "--name", "Mira", "--role", "reviewer")
        self.assertEqual(said, f"mira@example.com is reviewer in {self.default.name} ({self.default.id}).")
        user = authenticate(username="mira@example.com", password=password)
        self.assertEqual((user.name, user.is_superuser), ("Mira", False))
        membership = Membership.objects.get(user=user)
        self.assertEqual((membership.workspace, membership.role), (self.default, "reviewer"))

    def test_takes_in_somebody_who_is_there_and_prints_no_password(self) -> None:
        user = make_user(email="ada@example.com")
        workspace = make_workspace()
        lines = run("add_member", "ADA@example.com", "--workspace", workspace.id)
        self.assertEqual(len(lines), 1)
        self.assertEqual(Membership.objects.get(user=user).role, "viewer")
        self.assertEqual(User.objects.filter(email__iexact="ada@example.com").count(), 1)

    def test_changes_a_role(self) -> None:
        run("add_member", "mira@example.com")
        run("add_member", "mira@example.com", "--role", "admin")
        self.assertEqual(Membership.objects.get(user__email="mira@example.com").role, "admin")

    def test_refuses_what_cannot_be(self) -> None:
        for arguments, sentence in (
            (("nobody",), "'nobody' is not an e-mail address."),
            (("a@example.com", "--workspace", "wrkspc_none"), "There is no workspace 'wrkspc_none'."),
            (("a@example.com", "--role", "owner"), "invalid choice: 'owner'"),
        ):
            with self.subTest(arguments), self.assertRaisesMessage(CommandError, sentence):
                run("add_member", *arguments)
        self.assertFalse(User.objects.filter(email="a@example.com").exists())
