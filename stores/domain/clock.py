"""Instants as the product keeps and shows them: UTC with microseconds (pure)."""

from datetime import UTC, datetime, timedelta

MICROSECOND = timedelta(microseconds=1)


def now_utc() -> datetime:
    return datetime.now(UTC)


def rfc3339(instant: datetime) -> str:
    """`2026-04-29T17:04:10.000000Z`: always microseconds, so that text order is time order."""
    return instant.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def strictly_after(instant: datetime, floor: datetime | None) -> datetime:
    """`instant`, moved up to one microsecond above `floor` where a clock stood still or went back.

    A version's time is above that of the version before it (decisions.md, 6).
    """
    if floor is not None and instant <= floor:
        return floor + MICROSECOND
    return instant
