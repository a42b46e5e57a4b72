from datetime import UTC, datetime

from django.test import TestCase

from stores.domain import workspaces
from stores.domain.errors import InvalidInput, NotFound
from stores.models import Membership, User, Workspace
from tests.factories import make_user, make_workspace

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


class CreateWorkspaceTest(TestCase):
    def test_makes_one(self):
        workspace = workspaces.create_workspace(name="  Support ", now=NOON)
        self.assertRegex(workspace.id, r"\Awrkspc_01\w{22}\Z")
        self.assertEqual(
            Workspace.objects.values_list("name", "created_at").get(id=workspace.id), ("Support", NOON)
        )

    def test_refuses_a_name_that_is_none(self):
        count = Workspace.objects.count()
        for name in ("", "  ", "\n", "a\0b", "a\nb", "a\ud800", "x" * 256):
            with self.subTest(name=name), self.assertRaises(InvalidInput):
                workspaces.create_workspace(name=name)
        self.assertEqual(Workspace.objects.count(), count)


class GetWorkspaceTest(TestCase):
    def test_finds_it_by_id_else_the_oldest(self):
        Workspace.objects.all().delete()
        oldest = make_workspace(now=NOON)
        other = make_workspace()
        self.assertEqual(workspaces.get_workspace(workspace_id=other.id), other)
        self.assertEqual(workspaces.get_workspace(), oldest)

    def test_refuses_what_is_not_there(self):
        with self.assertRaisesMessage(NotFound, "'wrkspc_x'"):
            workspaces.get_workspace(workspace_id="wrkspc_x")
        Workspace.objects.all().delete()
        with self.assertRaises(NotFound):
            workspaces.get_workspace()


class CreateUserTest(TestCase):
    def test_makes_a_person_who_can_sign_in(self):
        user = workspaces.create_user(
            email=" Robin@Example.COM ", name="Robin", password="correct horse battery"
        )
        user.refresh_from_db()
        self.assertEqual((user.email, user.name), ("Robin@example.com", "Robin"))
        self.assertTrue(user.check_password("correct horse battery"))
        self.assertTrue(user.is_active)
        self.assertFalse(user.is_staff or user.is_superuser)

    def test_nobody_signs_in_without_a_password(self):
        self.assertFalse(workspaces.create_user(email="robin@example.com").has_usable_password())

    def test_makes_a_superuser(self):
        user = workspaces.create_user(email="root@example.com", is_superuser=True)
        self.assertTrue(user.is_staff and user.is_superuser)

    def test_refuses_a_bad_or_taken_address(self):
        make_user(email="robin@example.com")
        count = User.objects.count()
        for email in ("", "robin", "a@b", "a@b.c\n@d", "robin@example.com", "ROBIN@EXAMPLE.COM"):
            with self.subTest(email=email), self.assertRaises(InvalidInput):
                workspaces.create_user(email=email)
        self.assertEqual(User.objects.count(), count)


class AddMemberTest(TestCase):
    def test_gives_a_role_and_changes_it(self):
        workspace, user = make_workspace(), make_user()
        for role in ("viewer", "admin", "admin"):
            membership = workspaces.add_member(workspace=workspace, user=user, role=role)
            self.assertEqual(Membership.objects.get(workspace=workspace, user=user), membership)
            self.assertEqual(membership.role, role)
        self.assertEqual([row.role for row in membership.history.order_by("history_id")], ["viewer", "admin"])

    def test_refuses_a_role_that_is_none(self):
        with self.assertRaises(ValueError):
            workspaces.add_member(workspace=make_workspace(), user=make_user(), role="owner")
