"""The formulas of decisions.md, 7, spelled out: another one would make all history so far look false."""

import json
from hashlib import sha256

from django.test import SimpleTestCase

from stores.domain import chain

METADATA = {
    "store_id": "memstore_1",
    "memory_id": "mem_1",
    "version_id": "memver_1",
    "operation": "created",
    "actor_type": "api_actor",
    "actor_id": "apikey_1",
    "road": "api",
    "created_at": "2026-11-30T12:00:00.000000Z",
}


class CommitTest(SimpleTestCase):
    def test_is_the_hash_of_salt_path_and_content(self):
        self.assertEqual(
            chain.commit(salt=b"s" * 16, path="/é.md", content=b"text"),
            sha256(b"s" * 16 + b"/\xc3\xa9.md\x00text").digest(),
        )

    def test_tells_where_the_path_ends(self):
        one = chain.commit(salt=b"s", path="/a", content=b"b")
        self.assertNotEqual(one, chain.commit(salt=b"s", path="/ab", content=b""))

    def test_a_salt_is_random(self):
        salts = {chain.make_salt() for _ in range(100)}
        self.assertEqual((len(salts), {len(salt) for salt in salts}), (100, {16}))


class LinkTest(SimpleTestCase):
    def link(self, *, previous=chain.GENESIS, seq=7, commitment=b"c" * 32, **changed):
        after_seq = chain.metadata_after_seq(**(METADATA | changed))
        return chain.link(previous=previous, seq=seq, after_seq=after_seq, commitment=commitment)

    def test_is_the_hash_of_the_one_before_metadata_and_commitment(self):
        metadata = json.dumps([7, *METADATA.values()], separators=(",", ":")).encode()
        self.assertEqual(self.link(), sha256(bytes(32) + metadata + b"c" * 32).digest())

    def test_begins_with_zeros(self):
        self.assertEqual(chain.GENESIS, bytes(32))

    def test_changes_with_everything_it_covers(self):
        links = [
            self.link(),
            self.link(previous=b"p" * 32),
            self.link(seq=8),
            self.link(commitment=b"d" * 32),
            *(self.link(**{name: "other"}) for name in METADATA),
        ]
        self.assertEqual(len(set(links)), len(links))
