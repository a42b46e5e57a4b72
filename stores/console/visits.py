"""When somebody was here last, kept in a cookie of the browser: reading the console writes no row."""

import re
from datetime import UTC, datetime, timedelta

from django.conf import settings
from django.http import HttpResponse

from stores.console.access import ConsoleRequest
from stores.domain import clock

COOKIE = "visit"
YEAR_SECONDS = 365 * 24 * 60 * 60
# Looking again within this is the same visit.
SAME_VISIT = timedelta(minutes=30)
FIRST_VISIT = timedelta(days=7)


def last_visit(request: ConsoleRequest, *, now: datetime) -> tuple[datetime, bool]:
    """The end of the visit before this one, and whether there was one; else a week ago."""
    since, seen = _read(request)
    left = seen if seen is not None and now - seen > SAME_VISIT else since
    if left is None or left > now:
        return now - FIRST_VISIT, False
    return left, True


def note_visit(request: ConsoleRequest, response: HttpResponse, *, now: datetime) -> None:
    since, seen = _read(request)
    if seen is not None and now - seen > SAME_VISIT:
        since = seen
    value = f"{request.member.actor.id}.{_seconds(since)}.{_seconds(now)}"
    response.set_cookie(
        COOKIE, value, YEAR_SECONDS, samesite="Lax", secure=settings.SECURE_COOKIES, httponly=True
    )


def _read(request: ConsoleRequest) -> tuple[datetime | None, datetime | None]:
    """Since when, and when last; nothing of what somebody else in this browser left."""
    found = re.fullmatch(r"(user_\w+)\.(\d{0,11})\.(\d{1,11})", request.COOKIES.get(COOKIE, ""), re.ASCII)
    if found is None or found[1] != request.member.actor.id:
        return None, None
    since = datetime.fromtimestamp(int(found[2]), UTC) if found[2] else None
    return since, min(datetime.fromtimestamp(int(found[3]), UTC), clock.now_utc())


def _seconds(moment: datetime | None) -> str:
    return "" if moment is None else str(int(moment.timestamp()))
