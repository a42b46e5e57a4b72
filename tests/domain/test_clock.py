from datetime import UTC, datetime, timedelta, timezone

from django.test import SimpleTestCase
from hypothesis import given
from hypothesis import strategies as st

from stores.domain import clock

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


class Rfc3339Test(SimpleTestCase):
    def test_is_utc_with_microseconds(self):
        for instant, text in (
            (NOON, "2026-11-30T12:00:00.000000Z"),
            (NOON.replace(microsecond=1), "2026-11-30T12:00:00.000001Z"),
            (NOON.astimezone(timezone(timedelta(hours=5, minutes=30))), "2026-11-30T12:00:00.000000Z"),
        ):
            self.assertEqual(clock.rfc3339(instant), text)

    @given(st.integers(0, 10**17), st.integers(0, 10**17))
    def test_sorts_as_the_instants_do(self, one, other):
        one, other = NOON + timedelta(microseconds=one), NOON + timedelta(microseconds=other)
        self.assertEqual(clock.rfc3339(one) < clock.rfc3339(other), one < other)


class StrictlyAfterTest(SimpleTestCase):
    def test_moves_an_instant_only_where_a_clock_stood_still_or_went_back(self):
        tick = timedelta(microseconds=1)
        for instant, floor, expected in (
            (NOON, None, NOON),
            (NOON, NOON - tick, NOON),
            (NOON, NOON, NOON + tick),
            (NOON, NOON + timedelta(days=1), NOON + timedelta(days=1) + tick),
        ):
            self.assertEqual(clock.strictly_after(instant, floor), expected)

    def test_the_clock_is_in_utc(self):
        before = datetime.now(UTC)
        self.assertTrue(before <= clock.now_utc() <= datetime.now(UTC))
        self.assertEqual(clock.now_utc().utcoffset(), timedelta(0))
