"""What a new store can begin with. The texts tell an agent, and people, what goes where."""

from collections.abc import Mapping
from datetime import datetime

import msgspec
from django.db import transaction

from stores.domain.actors import Actor, Right
from stores.domain.errors import InvalidInput
from stores.domain.memories import create_memory
from stores.domain.stores import create_store
from stores.models import MemoryStore


class Template(msgspec.Struct, frozen=True):
    """`store_description` is what the store gets unless another one is given: agents read it to know what the
    store is for. `files` are texts by path.
    """

    key: str
    title: str
    summary: str
    store_description: str
    files: Mapping[str, str]


BLANK = Template("blank", "Blank", "An empty store.", "", {})

USER_PREFERENCES = Template(
    "user_preferences",
    "User preferences",
    "What a person likes, how they want to be addressed, what to avoid.",
    "What we know about how the user wants to be served. Read it before answering; keep it short and true.",
    {
        "/README.md": (
            "# User preferences\n\n"
            "One file a subject, one fact a line, newest knowledge wins: change a line instead of adding\n"
            "a second one that says otherwise. Say where a fact comes from. Never write passwords, card\n"
            "numbers or health data here.\n"
        ),
        "/profile.md": "# Profile\n\n- Name:\n- Language:\n- Time zone:\n- Role:\n",
        "/preferences/communication.md": (
            "# Communication\n\n- Form of address:\n- Length of answers:\n- Format:\n- Avoid:\n"
        ),
        "/preferences/work.md": "# Work\n\n- Tools:\n- Conventions:\n- Never without asking:\n",
    },
)

PROJECT_LOG = Template(
    "project_log",
    "Project log with progress",
    "A running log of a project: what was decided, done and learned, and where it stands.",
    "The log of a project. Read /progress.md first; add to it what was done, decided or learned.",
    {
        "/README.md": (
            "# Project log\n\n"
            "- `/progress.md`: where the project stands. Always true; old lines move to the log.\n"
            "- `/log/`: a file a day, `YYYY-MM-DD.md`, what was done and why.\n"
            "- `/decisions.md`: what was decided, by whom, and what else was considered.\n"
            "- `/learned.md`: what turned out otherwise than expected.\n"
        ),
        "/progress.md": "# Progress\n\n## Done\n\n## In progress\n\n## Next\n\n## Blocked\n",
        "/decisions.md": "# Decisions\n\n| date | decision | why | instead of |\n| --- | --- | --- | --- |\n",
        "/learned.md": "# Learned\n",
    },
)

FEATURE_CHECKLIST = Template(
    "feature_checklist",
    "Feature checklist and start-up note",
    "For work that many sessions share: a list of features with their state, and what to do first.",
    "The state of work that goes on over many sessions. Follow /start-up.md before anything else; tick a "
    "feature in /features.md only when it was tried and works.",
    {
        "/start-up.md": (
            "# Start-up\n\n"
            "At the beginning of every session:\n\n"
            "1. Read this note, `/features.md` and the last entry of `/progress.md`.\n"
            "2. Start what has to run and see that it works: (commands)\n"
            "3. Choose one feature that is not ticked, the most important first.\n"
            "4. Do it, try it as a user would, then tick it.\n"
            "5. Before the end, write to `/progress.md` what was done and what comes next.\n\n"
            "Never take a feature off the list, or change what it says, to make it pass.\n"
        ),
        "/features.md": "# Features\n\n- [ ] (what a user can do, and how one can see that it works)\n",
        "/progress.md": "# Progress\n",
    },
)

TEMPLATES = {template.key: template for template in (BLANK, USER_PREFERENCES, PROJECT_LOG, FEATURE_CHECKLIST)}


@transaction.atomic
def create_store_from_template(
    *,
    actor: Actor,
    name: str,
    template: str,
    description: str | None = None,
    metadata: Mapping[str, str] | None = None,
    now: datetime | None = None,
) -> MemoryStore:
    """A new store with the texts of a template, all of it or nothing. `description` None takes the
    template's. Raises InvalidInput (also for an unknown template), PermissionDenied.
    """
    actor.require(Right.MANAGE)
    chosen = TEMPLATES.get(template)
    if chosen is None:
        raise InvalidInput(f"There is no template {template!r}.")
    store = create_store(
        actor=actor,
        name=name,
        description=chosen.store_description if description is None else description,
        metadata=dict(metadata or {}),
        now=now,
    )
    for path, content in chosen.files.items():
        create_memory(
            actor=actor,
            store_id=store.id,
            path=path,
            content=content,
            reason=f"From the template “{chosen.title}”",
            now=now,
        )
    return store
