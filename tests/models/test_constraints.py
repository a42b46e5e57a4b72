"""What the database itself refuses, whoever writes."""

from datetime import UTC, datetime
from functools import partial

from django.db import IntegrityError, transaction
from django.test import TestCase

from stores.models import ApiKey, Membership, Memory, MemoryVersion, User
from tests.factories import make_actor, make_memory, make_store, make_user, make_version, make_workspace

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


class ConstraintsTest(TestCase):
    @classmethod
    def setUpTestData(cls):
        cls.actor = make_actor()
        cls.store = make_store(actor=cls.actor)
        cls.memory = make_memory(actor=cls.actor, store=cls.store, path="/a.md")
        cls.version = make_version(actor=cls.actor, memory=cls.memory)
        cls.first = MemoryVersion.objects.get(memory_id=cls.memory.id, seq=1)

    def assertRefused(self, change, constraint=""):
        with self.assertRaises(IntegrityError) as caught, transaction.atomic():
            change()
        self.assertIn(constraint, str(caught.exception).lower())

    def test_a_path_is_once_in_a_store(self):
        copy = Memory.objects.get(id=self.memory.id)
        copy.pk = "mem_other"
        self.assertRefused(lambda: copy.save(force_insert=True), "path")
        copy.store = make_store(actor=self.actor)
        copy.save(force_insert=True)

    def test_a_number_is_once_in_a_memory(self):
        self.first.pk = "memver_other"
        self.assertRefused(lambda: self.first.save(force_insert=True), "seq")

    def test_a_number_begins_at_one(self):
        self.assertRefused(
            lambda: Memory.objects.filter(id=self.memory.id).update(head_seq=0), "memory_head_seq_from_1"
        )

    def test_only_three_operations_are_known(self):
        rows = MemoryVersion.objects.filter(id=self.first.id)
        self.assertRefused(lambda: rows.update(operation="restored"), "version_operation_known")

    def test_a_version_is_whole_unless_it_is_redacted(self):
        rows = MemoryVersion.objects.filter(id=self.first.id)
        for emptied in ({"path": None}, {"salt": None}, {"redacted_by_id": "apikey_x"}):
            with self.subTest(emptied):
                self.assertRefused(partial(rows.update, **emptied), "version_whole_unless_redacted")

    def test_a_redacted_version_is_empty(self):
        rows = MemoryVersion.objects.filter(id=self.first.id)
        empty = {
            "path": None,
            "content": None,
            "content_sha256": None,
            "content_size_bytes": None,
            "salt": None,
            "redacted_at": NOON,
            "redacted_by_id": "apikey_x",
        }
        left = {"path": "/a.md", "content": "x", "content_sha256": "0", "content_size_bytes": 0, "salt": b"0"}
        for name, value in [*left.items(), ("redacted_by_id", None)]:
            with self.subTest(name):
                self.assertRefused(
                    partial(rows.update, **{**empty, name: value}), "version_empty_when_redacted"
                )
        rows.update(**empty)

    def test_a_mask_is_only_where_spans_were_redacted(self):
        rows = MemoryVersion.objects.filter(id=self.first.id)
        empty = {
            "path": None,
            "content": None,
            "content_sha256": None,
            "content_size_bytes": None,
            "salt": None,
            "redacted_at": NOON,
            "redacted_by_id": "apikey_x",
        }
        span = {"masked_content": "x", "span_redacted_at": NOON, "span_redacted_by_id": "apikey_x"}
        for values in (
            {"masked_content": "x"},
            {"masked_path": "/a"},
            {"span_redacted_at": NOON},
            span,
            empty | span | {"masked_content": None},
            empty | span | {"span_redacted_at": None},
            empty | span | {"span_redacted_by_id": None},
        ):
            with self.subTest(values):
                self.assertRefused(partial(rows.update, **values), "version_masked_only_when_span_redacted")
        rows.update(**empty | span | {"masked_path": "/a"})

    def test_a_size_is_not_negative(self):
        rows = Memory.objects.filter(id=self.memory.id)
        self.assertRefused(lambda: rows.update(content_size_bytes=-1), "content_size_bytes")

    def test_access_and_role_are_known_ones(self):
        workspace = make_workspace()
        user = make_user()
        self.assertRefused(
            lambda: ApiKey.objects.create(workspace=workspace, name="x", secret_sha256="x", access="root"),
            "api_key_access_known",
        )
        self.assertRefused(
            lambda: Membership.objects.create(workspace=workspace, user=user, role="owner"),
            "membership_role_known",
        )

    def test_a_person_is_once_in_a_workspace(self):
        workspace, user = make_workspace(), make_user()
        Membership.objects.create(workspace=workspace, user=user, role="viewer")
        self.assertRefused(
            lambda: Membership.objects.create(workspace=workspace, user=user, role="admin"), "user_id"
        )

    def test_an_address_is_once_whatever_its_case(self):
        make_user(email="robin@example.com")
        self.assertRefused(lambda: User.objects.create(email="Robin@Example.com"), "email")

    def test_a_secret_is_once(self):
        workspace = make_workspace()
        ApiKey.objects.create(workspace=workspace, name="x", secret_sha256="same")
        self.assertRefused(
            lambda: ApiKey.objects.create(workspace=workspace, name="y", secret_sha256="same"),
            "secret_sha256",
        )


class UserTest(TestCase):
    def test_is_found_by_address_whatever_its_case(self):
        user = make_user(email="robin@example.com")
        self.assertEqual(User.objects.get_by_natural_key("ROBIN@example.COM"), user)

    def test_createsuperuser_makes_one_who_may_do_everything(self):
        user = User.objects.create_superuser("root@example.com", "correct horse battery")
        self.assertTrue(user.is_staff and user.is_superuser and user.check_password("correct horse battery"))

    def test_goes_by_its_name_else_by_its_address(self):
        self.assertEqual(str(User(email="robin@example.com", name="Robin")), "Robin")
        self.assertEqual(str(User(email="robin@example.com")), "robin@example.com")
        self.assertEqual(User(email="robin@example.com").get_short_name(), "robin")
