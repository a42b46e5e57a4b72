import re
from datetime import UTC, datetime, timedelta

from django.test import SimpleTestCase
from hypothesis import given
from hypothesis import strategies as st

from stores.models import ApiKey, MemoryStore, User, Workspace, ids

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
INSTANTS = st.integers(0, 7000 * 365 * 86_400 * 10**6).map(
    lambda micros: datetime(1971, 1, 1, tzinfo=UTC) + timedelta(microseconds=micros)
)
PREFIXES = [ids.STORE, ids.MEMORY, ids.MEMORY_VERSION, ids.API_KEY, ids.USER, ids.WORKSPACE, ids.MEMBERSHIP]


class MakeIdTest(SimpleTestCase):
    def test_has_the_published_shape(self):
        for prefix in PREFIXES:
            with self.subTest(prefix=prefix):
                self.assertRegex(
                    ids.make_id(prefix, NOON), re.compile(rf"\A{prefix}01[0-9A-Za-z]{{22}}\Z", re.ASCII)
                )

    def test_never_repeats_itself_at_one_instant(self):
        made = {ids.make_id(ids.MEMORY, NOON) for _ in range(20_000)}
        self.assertEqual(len(made), 20_000)

    def test_differs_in_every_bit_that_is_not_time(self):
        fixed = ids.time_bits(NOON)
        seen = 0
        for _ in range(500):
            text = ids.make_id(ids.MEMORY, NOON).removeprefix(ids.MEMORY + ids.VERSION)
            number = 0
            for character in text:
                number = number * 62 + ids.ALPHABET.index(character)
            self.assertEqual(number >> 62, fixed >> 62)
            seen |= number & ((1 << 62) - 1)
        self.assertEqual(seen, (1 << 62) - 1)

    def test_is_a_uuid_of_version_7(self):
        bits = ids.time_bits(NOON + timedelta(microseconds=999))
        self.assertEqual((bits >> 76) & 0xF, 7)
        self.assertEqual((bits >> 62) & 0b11, 0b10)
        self.assertEqual(bits >> 80, int(NOON.timestamp() * 1000))
        # The fraction of the millisecond in 4096 parts: RFC 9562, 6.2, method 3.
        self.assertEqual((bits >> 64) & 0xFFF, 4092)

    def test_keeps_order_over_a_whole_millisecond(self):
        made = [ids.make_id(ids.MEMORY_VERSION, NOON + timedelta(microseconds=i)) for i in range(2001)]
        self.assertEqual(made, sorted(made))

    @given(INSTANTS, st.integers(1, 10**15))
    def test_sorts_as_its_time_to_the_microsecond(self, instant, gap):
        later = instant + timedelta(microseconds=gap)
        self.assertLess(ids.make_id(ids.MEMORY, instant), ids.make_id(ids.MEMORY, later))

    @given(INSTANTS)
    def test_lowest_id_parts_what_is_before_from_what_is_not(self, instant):
        lowest = ids.lowest_id(ids.MEMORY, instant)
        self.assertLessEqual(lowest, ids.make_id(ids.MEMORY, instant))
        self.assertGreater(lowest, ids.make_id(ids.MEMORY, instant - timedelta(microseconds=1)))

    @given(st.integers(0, 2**128 - 1), st.integers(0, 2**128 - 1))
    def test_encodes_numbers_in_their_order(self, one, other):
        self.assertEqual(len(ids.encode(one)), ids.WIDTH)
        self.assertEqual(ids.encode(one) < ids.encode(other), one < other)


class DefaultIdTest(SimpleTestCase):
    def test_every_kind_of_row_draws_an_id_of_its_own_prefix(self):
        for model, prefix in (
            (MemoryStore, ids.STORE),
            (ApiKey, ids.API_KEY),
            (User, ids.USER),
            (Workspace, ids.WORKSPACE),
        ):
            with self.subTest(model=model.__name__):
                self.assertRegex(model().id, rf"\A{prefix}01\w{{22}}\Z")
                self.assertNotEqual(model().id, model().id)
