from datetime import UTC, datetime, timedelta
from hashlib import sha256

from django.test import TestCase

from stores.domain import api_keys, stores
from stores.domain.errors import InvalidInput
from stores.models import ApiKey
from tests.factories import make_actor, make_api_key, make_store, make_workspace
from tests.search import find_in_database

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


class CreateApiKeyTest(TestCase):
    def test_makes_a_key_and_shows_its_secret_once(self):
        workspace = make_workspace()
        key, secret = api_keys.create_api_key(
            workspace=workspace, name=" Agent ", access="read_write", expires_at=NOON + HOUR, now=NOON
        )
        self.assertRegex(key.id, r"\Aapikey_01\w{22}\Z")
        self.assertRegex(secret, r"\Amck_[A-Za-z0-9_-]{43}\Z")
        self.assertEqual(
            ApiKey.objects.values(
                "name", "access", "workspace_id", "store_ids", "created_at", "expires_at", "revoked_at"
            ).get(id=key.id),
            {
                "name": "Agent",
                "access": "read_write",
                "workspace_id": workspace.id,
                "store_ids": None,
                "created_at": NOON,
                "expires_at": NOON + HOUR,
                "revoked_at": None,
            },
        )

    def test_is_an_operators_unless_told_otherwise(self):
        key, _ = api_keys.create_api_key(workspace=make_workspace(), name="n")
        self.assertEqual((key.access, key.expires_at), ("admin", None))

    def test_secrets_never_repeat(self):
        workspace = make_workspace()
        secrets = {make_api_key(workspace=workspace)[1] for _ in range(30)}
        self.assertEqual(len(secrets), 30)

    def test_the_secret_is_kept_nowhere_only_its_hash(self):
        _, secret = make_api_key()
        self.assertEqual(find_in_database(secret.removeprefix("mck_")), [])
        self.assertEqual(
            find_in_database(sha256(secret.encode()).hexdigest()), ["stores_apikey.secret_sha256"]
        )

    def test_is_limited_to_stores_of_its_workspace(self):
        actor = make_actor()
        one, other = make_store(actor=actor), make_store(actor=actor)
        key, _ = make_api_key(workspace=one.workspace, store_ids=[other.id, one.id, other.id])
        self.assertEqual(key.store_ids, sorted([one.id, other.id]))
        gone = make_store(actor=actor)
        stores.delete_store(actor=actor, store_id=gone.id)
        for foreign in (make_store().id, gone.id, "memstore_none"):
            with self.subTest(foreign), self.assertRaisesMessage(InvalidInput, foreign):
                make_api_key(workspace=one.workspace, store_ids=[one.id, foreign])

    def test_refuses_what_is_no_name_or_no_access(self):
        count = ApiKey.objects.count()
        for fields in ({"name": ""}, {"name": "a\nb"}, {"name": "x" * 256}, {"access": "root"}):
            with self.subTest(**fields), self.assertRaises(InvalidInput):
                make_api_key(**fields)
        self.assertEqual(ApiKey.objects.count(), count)


class FindApiKeyTest(TestCase):
    @classmethod
    def setUpTestData(cls):
        cls.key, cls.secret = make_api_key(expires_at=NOON + HOUR, now=NOON)

    def find(self, secret=None, now=NOON):
        return api_keys.find_api_key(secret=secret or self.secret, now=now)

    def test_finds_it_by_its_whole_secret_only(self):
        self.assertEqual(self.find(), self.key)
        for other in ("", "mck_", self.secret[:-1], self.secret + "x", self.secret.swapcase(), self.key.id):
            with self.subTest(other=other):
                self.assertIsNone(api_keys.find_api_key(secret=other, now=NOON))
        self.assertIsNone(self.find(self.key.secret_sha256))

    def test_ends_at_the_instant_it_expires(self):
        self.assertEqual(self.find(now=NOON + HOUR - timedelta(microseconds=1)), self.key)
        self.assertIsNone(self.find(now=NOON + HOUR))

    def test_ends_when_it_is_revoked(self):
        api_keys.revoke_api_key(api_key=self.key, now=NOON)
        self.assertIsNone(self.find())

    def test_notes_its_use_once_a_minute(self):
        for at, noted in (
            (NOON, NOON),
            (NOON + timedelta(seconds=60), NOON),
            (NOON + timedelta(seconds=61), NOON + timedelta(seconds=61)),
        ):
            self.find(now=at)
            self.assertEqual(ApiKey.objects.get(id=self.key.id).last_used_at, noted)
        self.assertEqual(self.key.history.count(), 1)


class RevokeApiKeyTest(TestCase):
    def test_is_for_good_and_keeps_the_first_time(self):
        key, _ = make_api_key()
        api_keys.revoke_api_key(api_key=key, now=NOON)
        api_keys.revoke_api_key(api_key=key, now=NOON + HOUR)
        api_keys.revoke_api_key(api_key=ApiKey.objects.get(id=key.id), now=NOON + HOUR)
        self.assertEqual(ApiKey.objects.get(id=key.id).revoked_at, NOON)
        self.assertEqual(key.history.count(), 2)
