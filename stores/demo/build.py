"""Plays the scripts of the demo through the domain functions."""

from dataclasses import dataclass, field
from datetime import datetime

from django.db import transaction

from stores.demo import cast
from stores.demo.play import Step, Story, instant, play
from stores.demo.script import Verb
from stores.demo.stories import STORIES
from stores.domain import memories, rollback, stores, versions
from stores.models import User, Workspace


@dataclass(frozen=True, slots=True)
class Summary:
    """What was made; `memories` are the live ones."""

    stores: int
    memories: int
    versions: int


@dataclass(slots=True)
class Line:
    """What was written on one path: the memory's id, and its versions, the oldest first."""

    memory_id: str = ""
    version_ids: list[str] = field(default_factory=list)
    is_live: bool = True


@transaction.atomic
def build_demo_workspace(*, workspace: Workspace, admin: User, now: datetime) -> Summary:
    """Fills a workspace with four stores and eight weeks of history; `admin` is one of the actors.

    The same `now` (an aware time) gives the same paths, texts, version numbers and times; only
    ids differ.
    """
    start = min(instant(*story.created, now) for story in STORIES)
    players = cast.gather(workspace=workspace, admin=admin, now=start)
    lines = [line for story in STORIES for line in build_store(story, players, now)]
    return Summary(
        stores=len(STORIES),
        memories=sum(line.is_live for line in lines),
        versions=sum(len(line.version_ids) for line in lines),
    )


def build_store(story: Story, players: cast.Cast, now: datetime) -> list[Line]:
    """Makes one store and plays its script; the lines of all its paths, deleted ones included."""
    admin = players.actor(cast.ADMIN)
    store = stores.create_store(
        actor=admin,
        name=story.name,
        description=story.description,
        metadata=story.metadata,
        now=instant(*story.created, now),
    )
    lines: dict[str, Line] = {}
    for step in play(story, now):
        line = lines.pop(step.event.path, None) or Line()
        take(step, line, store.id, players)
        lines[step.event.to or step.event.path] = line
    if story.archived:
        stores.archive_store(actor=admin, store_id=store.id, now=instant(*story.archived, now))
    return list(lines.values())


def take(step: Step, line: Line, store_id: str, players: cast.Cast) -> None:
    """One step, one domain call."""
    event, now = step.event, step.at
    actor = players.actor(event.who)
    if event.verb is Verb.REDACT:
        version_id = line.version_ids[event.version - 1]
        versions.redact_version(
            actor=actor, store_id=store_id, version_id=version_id, reason=event.why, now=now
        )
        return
    if event.verb is Verb.DELETE:
        memories.delete_memory(
            actor=actor, store_id=store_id, memory_id=line.memory_id, reason=event.why, now=now
        )
        line.is_live = False
        line.version_ids.append("")  # the domain does not say which id the deletion got
        return
    if event.verb is Verb.CREATE:
        memory = memories.create_memory(
            actor=actor,
            store_id=store_id,
            path=event.path,
            content=step.content or "",
            reason=event.why,
            now=now,
        )
    elif event.verb in (Verb.EDIT, Verb.RENAME):
        memory = memories.update_memory(
            actor=actor,
            store_id=store_id,
            memory_id=line.memory_id,
            content=step.content,
            path=event.to or None,
            reason=event.why,
            now=now,
        )
    else:
        memory = rollback.restore_version(
            actor=actor,
            store_id=store_id,
            version_id=line.version_ids[event.version - 1],
            reason=event.why,
            now=now,
        )
    line.memory_id = memory.id
    line.version_ids.append(memory.head_version_id)
    line.is_live = True
