"""What lists of changes are narrowed by: read from the address, and shown as fields again."""

from datetime import date, datetime, time, timedelta
from typing import Any
from urllib.parse import urlencode

from django.http import Http404, HttpRequest
from django.utils import timezone

from stores.console import text
from stores.console.rows import ACTOR_KINDS
from stores.domain.actors import ID_PREFIXES, ActorType, Road
from stores.domain.listing import Mark
from stores.models import Operation

OPERATIONS = {Operation.CREATED: "Created", Operation.MODIFIED: "Changed", Operation.DELETED: "Deleted"}
# Of one memory's versions these can be told apart too.
MARKS = {Mark.RESTORED: "Restored", Mark.REDACTED: "Redacted"}
KINDS = {
    ActorType.SESSION: "Sessions",
    ActorType.API: "API keys",
    ActorType.USER: "People",
    ActorType.SERVICE_ACCOUNT: "Service accounts",
}
ACTOR_CHARACTERS = 100
# Ids hold the time since 1970; nothing was written before, nor will be at the end of the calendar.
FIRST_DAY, LAST_DAY = date(1970, 1, 2), date(9999, 12, 29)


def actor_id(request: HttpRequest) -> str | None:
    """Who, by id; what no id begins with was never anybody."""
    value = request.GET.get("actor", "").strip()
    if not value:
        return None
    fits = len(value) <= ACTOR_CHARACTERS and value.isascii() and value.isprintable()
    if not fits or not value.startswith(tuple(ID_PREFIXES.values())):
        raise Http404("There is nobody with this id.")
    return value


def operation(request: HttpRequest) -> Operation | None:
    value = request.GET.get("operation", "")
    return Operation(value) if value in Operation.values else None


def mark(request: HttpRequest) -> Mark | None:
    value = request.GET.get("operation", "")
    return Mark(value) if value in set(Mark) else None


def kind(request: HttpRequest) -> ActorType | None:
    value = request.GET.get("kind", "")
    return ActorType(value) if value in set(ActorType) else None


def road(request: HttpRequest) -> Road | None:
    value = request.GET.get("road", "")
    return Road(value) if value in set(Road) else None


def day(request: HttpRequest, name: str) -> date | None:
    """A day as browsers send it; what is none does not narrow anything."""
    try:
        found = date.fromisoformat(request.GET.get(name, ""))
    except ValueError:
        return None
    return min(max(found, FIRST_DAY), LAST_DAY)


def begin_of(chosen: date | None) -> datetime | None:
    """The first instant of a day in the zone that times are shown in."""
    return None if chosen is None else timezone.make_aware(datetime.combine(chosen, time.min))


def end_of(chosen: date | None) -> datetime | None:
    """The last instant of a day; a day of a clock change is longer or shorter than others."""
    if chosen is None:
        return None
    following = datetime.combine(chosen + timedelta(days=1), time.min)
    return timezone.make_aware(following) - timedelta(microseconds=1)


def choices(words: dict[Any, str], chosen: str | None) -> list[dict[str, Any]]:
    """Options of a <select>."""
    return [
        {"value": str(value), "word": word, "chosen": str(value) == (chosen or "")}
        for value, word in words.items()
    ]


def who(type_: str, id_: str, label: str) -> str:
    """Somebody in a list of choices, which can hold nothing but plain text."""
    _, word, _ = ACTOR_KINDS.get(ActorType(type_), ("service", type_, ""))
    tail = f" …{id_[-4:]}" if label and type_ == ActorType.SESSION else ""
    return f"{text.plain(label or id_)[:60]}{tail} ({word})"


def address(path: str, asked: dict[str, Any]) -> str:
    """A list with these filters; empty ones are left out."""
    query = urlencode({name: value for name, value in asked.items() if value})
    return f"{path}?{query}" if query else path
