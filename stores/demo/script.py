"""The little language of `scripts/*.txt`: who did what to which memory, and when (pure).

    0 14:02 support/23 edit /policies/refunds.md
        why the reason, as a person would give it
        - words that stand in the text exactly once
        + words that take their place
        @
        + lines added at the end
        @ ## Money
        + lines added below the line that begins with "## Money"

A day counts from the Tuesday of the refund story (0), so that weekdays are right; `now -45` is 45
minutes before now. `-` without `+` removes whole lines, `=` gives the whole text; without it a
created memory has the text of its file under `texts/`. `rename /old.md -> /new.md` may edit too;
`restore:3` and `redact:3` name a version by its number on that path. `tick`, `crlf` and `log` are
in CHANGES_BY_NAME.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby

from stores.demo.longtext import replay_log

Change = Callable[[str], str]
INDENT = "    "


class Verb(StrEnum):
    CREATE = "create"
    EDIT = "edit"
    RENAME = "rename"
    DELETE = "delete"
    RESTORE = "restore"
    REDACT = "redact"


@dataclass(frozen=True, slots=True)
class Event:
    """`day` is None where `at` is a number of minutes (below zero) from now."""

    day: int | None
    at: str
    who: str
    verb: Verb
    path: str
    to: str = ""
    version: int = 0
    why: str = ""
    changes: tuple[Change, ...] = ()


def read_script(script: str) -> list[Event]:
    """All events, in the order of the file. Lines that begin with # are for the reader."""
    events: list[list[str]] = []
    for line in script.splitlines():
        if line.startswith(INDENT):
            events[-1].append(line.removeprefix(INDENT))
        elif line and not line.startswith("#"):
            events.append([line])
    return [read_event(head, body) for head, *body in events]


def read_event(head: str, body: list[str]) -> Event:
    day, at, who, act, where = head.split(" ", 4)
    verb, _, version = act.partition(":")
    path, _, to = where.partition(" -> ")
    marked = groupby(map(split, body), first)
    parts = [(mark, [text for _, text in lines]) for mark, lines in marked]
    why = [" ".join(lines) for mark, lines in parts if mark == "why"]
    return Event(
        day=None if day == "now" else int(day),
        at=at,
        who=who,
        verb=Verb(verb),
        path=path,
        to=to,
        version=int(version or 0),
        why="".join(why),
        changes=tuple(read_changes([part for part in parts if part[0] != "why"])),
    )


def split(line: str) -> tuple[str, str]:
    mark, _, text = line.partition(" ")
    return mark, text


def first(pair: tuple[str, str]) -> str:
    return pair[0]


def read_changes(parts: list[tuple[str, list[str]]]) -> Iterator[Change]:
    waiting = iter([*parts, ("", [])])
    mark, lines = next(waiting)
    while mark:
        text = "\n".join(lines)
        following, new = next(waiting)
        if following == "+":
            yield add("\n".join(new), after=text) if mark == "@" else swap(text, "\n".join(new))
            following, new = next(waiting)
        elif mark == "-":
            yield swap(text + "\n", "")
        elif mark == "=":
            yield whole(text + "\n")
        else:
            yield CHANGES_BY_NAME[mark](text)
        mark, lines = following, new


def apply(changes: Iterable[Change], text: str) -> str:
    for change in changes:
        text = change(text)
    return text


def swap(old: str, new: str) -> Change:
    def change(text: str) -> str:
        if text.count(old) != 1:
            raise ValueError(f"{old!r} stands {text.count(old)} times in {text[:60]!r}")
        return text.replace(old, new)

    return change


def add(lines: str, after: str) -> Change:
    """At the end where `after` is empty; with the line ends that the text has."""

    def change(text: str) -> str:
        newline = "\r\n" if "\r\n" in text else "\n"
        kept = text.splitlines(keepends=True)
        places = [n for n, line in enumerate(kept, 1) if line.startswith(after)]
        if after and len(places) != 1:
            raise ValueError(f"{len(places)} lines begin with {after!r} in {text[:60]!r}")
        here = places[0] if after else len(kept)
        added = [line + newline for line in lines.split("\n")]
        return "".join(kept[:here] + added + kept[here:])

    return change


def whole(new: str) -> Change:
    return lambda _: new


def tick(numbers: str) -> Change:
    """Ticks features of a checklist."""
    wanted = tuple(f'    {{"id": {number}, ' for number in numbers.split())

    def change(text: str) -> str:
        lines = text.splitlines(keepends=True)
        return "".join(
            line.replace('"passes": false', '"passes": true') if line.startswith(wanted) else line
            for line in lines
        )

    return change


def crlf(_: str) -> Change:
    """What an editor on Windows does to every line."""
    return lambda text: text.replace("\n", "\r\n")


def log(_: str) -> Change:
    """A text of nearly 100 kB."""
    return lambda text: replay_log()


CHANGES_BY_NAME: dict[str, Callable[[str], Change]] = {"tick": tick, "crlf": crlf, "log": log}
