from django.test import SimpleTestCase

from stores.domain.errors import InvalidInput, PreconditionFailed
from stores.domain.preconditions import check_sha256, require_match

HASH = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


class CheckSha256Test(SimpleTestCase):
    def test_accepts_64_lowercase_hex_digits(self):
        for value in (HASH, "0" * 64, "abcdef0123456789" * 4):
            self.assertEqual(check_sha256(value, "hash"), value)

    def test_refuses_anything_else(self):
        for value in (
            "", HASH[:-1], HASH + "0", HASH.upper(), HASH[:-1] + "g", HASH[:-1] + " ", HASH + "\n",
            "٠" * 64, "0x" + HASH[2:],
        ):  # fmt: skip
            with self.subTest(value=value), self.assertRaisesMessage(InvalidInput, "hash must be 64"):
                check_sha256(value, "hash")


class RequireMatchTest(SimpleTestCase):
    def test_passes_without_expectation_and_when_it_is_met(self):
        require_match(expected_sha256=None, current_sha256=HASH)
        require_match(expected_sha256=HASH, current_sha256=HASH)

    def test_fails_when_it_is_not_met(self):
        with self.assertRaises(PreconditionFailed):
            require_match(expected_sha256="0" * 64, current_sha256=HASH)
