"""Who acts in the demo: people, API keys and the agents' sessions."""

import hashlib
import string
from dataclasses import dataclass
from datetime import datetime

from stores.domain import actors, api_keys, workspaces
from stores.domain.actors import Actor, Road
from stores.models import Role, User, Workspace

ADMIN = "admin"
MIRA = "mira"
JONAS = "jonas"
PRIYA = "priya"
NOOR = "noor"
WIKI_IMPORT = "key:wiki-import"
HELPDESK = "key:helpdesk-bridge"
OPS = "key:ops-scripts"

# E-mail address, name, role. Ruth is the auditor: she reads and never appears in a history.
COLLEAGUES = {
    MIRA: ("mira@example.com", "Mira Solberg", Role.REVIEWER),
    JONAS: ("jonas@example.com", "Jonas Albrecht", Role.EDITOR),
    PRIYA: ("priya@example.com", "Priya Raman", Role.REVIEWER),
    NOOR: ("noor@example.com", "Noor Haddad", Role.EDITOR),
    "ruth": ("ruth@example.com", "Ruth Adler", Role.VIEWER),
}
KEYS = {
    WIKI_IMPORT: ("read_write", Road.IMPORT),
    HELPDESK: ("read_write", Road.API),
    OPS: ("admin", Road.API),
}
# "support/7" is the seventh session of the support agent.
AGENTS = {
    "support": ("support-agent", Road.TOOL),
    "coder": ("coding-agent", Road.SYNC),
    "assistant": ("noor-assistant", Road.MCP),
}
BASE62 = string.digits + string.ascii_uppercase + string.ascii_lowercase


@dataclass(frozen=True, slots=True)
class Cast:
    """The actors of one workspace by the names that the scripts use."""

    workspace_id: str
    known: dict[str, Actor]

    def actor(self, who: str) -> Actor:
        if who in self.known:
            return self.known[who]
        label, road = AGENTS[who.partition("/")[0]]
        return actors.session_actor(
            session_id=session_id(who), label=label, workspace_id=self.workspace_id, road=road
        )


def session_id(who: str) -> str:
    """Of the shape that real sessions have, and always the same for the same name."""
    number = int.from_bytes(hashlib.sha256(who.encode()).digest())
    letters = []
    for _ in range(22):
        number, letter = divmod(number, 62)
        letters.append(BASE62[letter])
    return "sesn_01" + "".join(letters)


def gather(*, workspace: Workspace, admin: User, now: datetime) -> Cast:
    """Makes the colleagues and the keys that the scripts name; a colleague who exists is kept."""
    people = {ADMIN: workspaces.add_member(workspace=workspace, user=admin, role=Role.ADMIN)}
    for who, (email, name, role) in COLLEAGUES.items():
        user = find_or_create_user(email, name)
        people[who] = workspaces.add_member(workspace=workspace, user=user, role=role)
    known = {who: actors.member_actor(membership=people[who]) for who in people}
    for who, (access, road) in KEYS.items():
        name = who.removeprefix("key:")
        key, _ = api_keys.create_api_key(workspace=workspace, name=name, access=access, now=now)
        known[who] = actors.key_actor(api_key=key, road=road)
    return Cast(workspace.id, known)


def find_or_create_user(email: str, name: str) -> User:
    """Without a password: nobody can sign in as a colleague until an admin sets one."""
    found = User.objects.filter(email__iexact=email).first()
    return found or workspaces.create_user(email=email, name=name)
