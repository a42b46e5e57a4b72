"""Plays a script: gives every event its instant and the text it leaves behind (pure)."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from stores.demo.script import Event, Verb, apply, read_script

HERE = Path(__file__).parent
TUESDAY = 1  # as datetime.weekday() counts
# What a script counts back from `now` lies within this time, everything else before it.
LAST_HOURS = timedelta(hours=8)
# `<<-12>>` is the date of that day, `<<today>>` that of now.
MARK = re.compile(r"<<(token|today|-?\d+)>>")
# Looks like a token and never was one. In parts, so that no scanner stumbles over this file.
TOKEN = "".join(("cal", "br_", "live_", "7Qm2xV9t", "KdR4wZ8p", "Hs6Yc3Lf"))


@dataclass(frozen=True, slots=True)
class Story:
    """A store. `created` and `archived` are a day and a time; the script tells the rest."""

    folder: str
    name: str
    description: str
    metadata: dict[str, str]
    created: tuple[int, str]
    archived: tuple[int, str] | None = None

    @property
    def script(self) -> Path:
        return HERE / "scripts" / f"{self.folder}.txt"

    @property
    def texts(self) -> Path:
        return HERE / "texts" / self.folder


@dataclass(frozen=True, slots=True)
class Step:
    """`content` is None where no text is written: bare renames, deletions, restores, redactions."""

    at: datetime
    event: Event
    content: str | None


def play(story: Story, now: datetime) -> list[Step]:
    """The steps in order of time."""
    events = read_script(story.script.read_text(encoding="utf-8"))
    texts = Texts(story.texts)
    steps = []
    for at, event in in_order(events, now):
        content = texts.write(event)
        steps.append(Step(at, event, None if content is None else fill_in(content, now)))
    return steps


def in_order(events: Iterable[Event], now: datetime) -> list[tuple[datetime, Event]]:
    """Leaves out what the script's last days would put into the future or into the last hours."""
    timed = [(instant(event.day, event.at, now), event) for event in events]
    border = now - LAST_HOURS
    kept = [(at, event) for at, event in timed if event.day is None or at < border]
    return sorted(kept, key=lambda pair: pair[0])


def instant(day: int | None, at: str, now: datetime) -> datetime:
    if day is None:
        return now.astimezone(UTC).replace(second=0, microsecond=0) + timedelta(minutes=int(at))
    hours, minutes, *seconds = (int(part) for part in at.split(":"))
    return story_day(day, now) + timedelta(hours=hours, minutes=minutes, seconds=sum(seconds))


def story_day(day: int, now: datetime) -> datetime:
    """Midnight (UTC) of that day; day 0 is the last Tuesday that is at least two days ago."""
    midnight = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    latest = midnight - timedelta(days=2)
    return latest - timedelta(days=(latest.weekday() - TUESDAY) % 7) + timedelta(days=day)


def fill_in(text: str, now: datetime) -> str:
    """The text with its dates and the token."""

    def filled(mark: re.Match[str]) -> str:
        if mark[1] == "token":
            return TOKEN
        day = now.astimezone(UTC) if mark[1] == "today" else story_day(int(mark[1]), now)
        return day.date().isoformat()

    return MARK.sub(filled, text)


class Texts:
    """The texts of every path, version by version, with their marks not yet filled in."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.versions: dict[str, list[str]] = {}

    def write(self, event: Event) -> str | None:
        """Notes what the event makes of the text and returns it, if the event writes one."""
        if event.verb is Verb.REDACT:
            return None
        texts = self.versions.pop(event.path, [])
        texts.append(self.next_text(event, texts))
        self.versions[event.to or event.path] = texts
        writes = event.verb is Verb.CREATE or event.changes
        return texts[-1] if writes else None

    def next_text(self, event: Event, texts: list[str]) -> str:
        if event.verb is Verb.CREATE:
            file = self.folder / event.path.removeprefix("/")
            given = file.read_bytes().decode() if file.exists() else ""
            return apply(event.changes, given)
        if event.verb is Verb.RESTORE:
            return texts[event.version - 1]
        if event.verb is Verb.DELETE:
            return ""
        new = apply(event.changes, texts[-1])
        if event.verb is Verb.EDIT and new == texts[-1]:
            raise ValueError(f"{event.path} does not change on day {event.day}, {event.at}")
        return new
