"""A browser, a served console with something in it, and people to look at it."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.test import Client

from stores.domain import memories, rollback, versions
from stores.domain.actors import Road, member_actor, session_actor
from stores.models import Membership, MemoryStore, MemoryVersion, User
from stores.models.statements.rows import MemoryRow
from tests.browser.chromium import chromium, collect_complaints
from tests.console import hostile
from tests.factories import make_member, make_memory, make_store, make_user, make_workspace

PASSWORD = "correct horse battery"
SESSION = "sesn_01" + "k" * 22
# Long ago, so that no relative time changes while a test looks.
BEGIN = datetime(2025, 3, 3, 8, 0, tzinfo=UTC)


# Not for the session: while Playwright runs, no other event loop can, and the SDK's tests have one.
@pytest.fixture(scope="module")
def browser():
    with chromium() as running:
        yield running


@dataclass
class Console:
    """What is there to see."""

    address: str
    user: User
    store: MemoryStore
    hostile_store: MemoryStore
    hostile_memories: list[MemoryRow]
    refunds: MemoryRow
    deleted_id: str
    redacted_id: str

    @property
    def store_path(self) -> str:
        return f"/stores/{self.store.id}/"

    @property
    def refunds_path(self) -> str:
        return f"{self.store_path}memories/{self.refunds.id}/"

    def paths(self) -> dict[str, str]:
        """Every page by a name."""
        bad = f"/stores/{self.hostile_store.id}/"
        first = self.refunds.head_version_id
        head = MemoryVersion.objects.get(memory_id=self.refunds.id, seq=3)
        return {
            "stores": "/stores/",
            "stores archived": "/stores/?archived=1",
            "none found": "/stores/?q=nowhere",
            "connect": "/connect/",
            "store": self.store_path,
            "folder": f"{self.store_path}?folder=/policies/",
            "folder gone": f"{self.store_path}?folder=/gone/",
            "activity": f"{self.store_path}activity/",
            "memory": self.refunds_path,
            "memory, rendered": f"{self.refunds_path}?view=rendered",
            "memory, as an agent": f"{self.refunds_path}?view=agent",
            "paths": f"{self.store_path}?filter=case",
            "evidence": f"{self.refunds_path}blame/?format=print",
            "history": f"{self.refunds_path}history/",
            "history of a deleted memory": f"{self.store_path}memories/{self.deleted_id}/history/",
            "version": f"{self.store_path}versions/{head.id}/",
            "overview": "/",
            "all activity": "/activity/",
            "search": "/search/?q=refunds",
            "search, nothing found": "/search/?q=nowhere",
            "search, empty": "/search/",
            "keys": "/keys/",
            "diff": f"{self.store_path}diff/?to={head.id}",
            "diff of equal texts": f"{self.store_path}diff/?from={first}&to={head.id}",
            "diff, unified": f"{self.store_path}diff/?view=unified&to={first}",
            "blame": f"{self.refunds_path}blame/",
            "as of": f"{self.store_path}as-of/?at=2025-03-04T00:00Z",
            "as of, compared": f"{self.store_path}as-of/?at=2025-03-03T10:30Z&with=now",
            "as of, restored": f"{self.store_path}as-of/restore/?at=2025-03-03T10:30Z&folders=/&later=1",
            "as of, nothing to restore": f"{self.store_path}as-of/restore/?at=2031-01-01&folders=/",
            "activity of a session": f"/activity/?actor={SESSION}",
            "undo": f"/activity/undo/?actor={SESSION}",
            "undo, a filter refused": f"/activity/undo/?actor={SESSION}&operation=created",
            "undo, nothing": "/activity/undo/?actor=sesn_nobody",
            "hostile undo": f"/activity/undo/?since=2020-01-01&store={self.hostile_store.id}",
            "hostile diff": f"{bad}diff/?to={self.hostile_memories[1].head_version_id}",
            "hostile blame": f"{bad}memories/{self.hostile_memories[1].id}/blame/",
            "redacted version": f"{self.store_path}versions/{self.redacted_id}/",
            "edit": f"{self.refunds_path}edit/",
            "move": f"{self.refunds_path}move/",
            "redact": f"{self.refunds_path}redact/",
            "new memory": f"{self.store_path}memories/new/?folder=/policies/",
            "restore": f"{self.store_path}versions/{self.refunds.head_version_id}/restore/",
            "redact version": f"{self.store_path}versions/{self.refunds.head_version_id}/redact/",
            "nothing to redact": f"{self.store_path}versions/{self.redacted_id}/redact/",
            "new store": "/stores/new/",
            "store settings": f"{self.store_path}settings/",
            "not found": "/stores/nothing/",
            "hostile settings": f"{bad}settings/",
            "hostile edit": f"{bad}memories/{self.hostile_memories[1].id}/edit/",
            "hostile move": f"{bad}memories/{self.hostile_memories[-2].id}/move/",
            "hostile store": bad,
            "hostile activity": f"{bad}activity/",
            "hostile memory": f"{bad}memories/{self.hostile_memories[1].id}/",
            "hostile memory, rendered": f"{bad}memories/{self.hostile_memories[0].id}/?view=rendered",
            "hostile memory, as an agent": f"{bad}memories/{self.hostile_memories[1].id}/?view=agent",
            "hostile paths": f"{bad}?filter=e",
            "hostile evidence": f"{bad}memories/{self.hostile_memories[1].id}/blame/?format=print",
            "longest path": f"{bad}memories/{self.hostile_memories[-2].id}/",
            "right to left": f"{bad}memories/{self.hostile_memories[5].id}/",
        }


@pytest.fixture
def console(live_server) -> Console:
    workspace = make_workspace(name="Tern Bay")
    user = make_user(email="ada@example.com", name="Ada Lovett", password=PASSWORD)
    membership: Membership = make_member(workspace=workspace, user=user)
    ada = member_actor(membership=membership)
    agent = session_actor(
        session_id=SESSION, label="support-agent", workspace_id=workspace.id, road=Road.TOOL
    )
    hours = (BEGIN + timedelta(hours=number) for number in range(1000))

    store = make_store(
        actor=ada, name="Support", description="Policies and cases", metadata={"team": "support"}, now=BEGIN
    )

    def write(path: str, content: str, actor: Any = agent) -> MemoryRow:
        return make_memory(actor=actor, store=store, path=path, content=content, now=next(hours))

    refunds = write("/policies/refunds.md", "# Refunds\n\n- 30 days.\n- Serial number readable.\n")
    write("/policies/shipping/zones.md", "# Zones\n\nEU, UK, CH.\n")
    write("/README.md", "# Read me first\n", ada)
    for number in range(12):
        write(f"/cases/2025-03/case-{number:02}.md", f"# Case {number}\n")
    change = {"store_id": store.id, "memory_id": refunds.id}
    second = memories.update_memory(
        actor=agent, content="# Refunds\n\n- 90 days.\n", now=next(hours), **change
    )
    rollback.restore_version(
        actor=ada, store_id=store.id, version_id=refunds.head_version_id, reason="It is 30", now=next(hours)
    )
    versions.redact_version(actor=ada, store_id=store.id, version_id=second.head_version_id, now=next(hours))
    deleted = write("/scratch.md", "Gone soon.\n")
    memories.delete_memory(actor=ada, store_id=store.id, memory_id=deleted.id, now=next(hours))

    bad = make_store(
        actor=ada, name=hostile.NAME, description=hostile.INVISIBLE, metadata={hostile.IMAGE: hostile.NAME}
    )
    evil = hostile.make_hostile_memories(actor=ada, store=bad)
    return Console(live_server.url, user, store, bad, evil, refunds, deleted.id, second.head_version_id)


@pytest.fixture
def open_page(browser, console):
    """Opens a window, signed in unless told otherwise; afterwards nothing may have gone wrong in any."""
    contexts, complaints = [], []

    def opening(*, signed_in: bool = True, script: bool = True, width: int = 1440, **options: Any) -> Any:
        context = browser.new_context(
            base_url=console.address,
            java_script_enabled=script,
            viewport={"width": width, "height": 900},
            **options,
        )
        context.set_default_timeout(10_000)
        contexts.append(context)
        if signed_in:
            client = Client()
            client.force_login(console.user)
            cookie = client.cookies["sessionid"].value
            context.add_cookies([{"name": "sessionid", "value": cookie, "url": console.address}])
        page = context.new_page()
        page.complaints = collect_complaints(page)
        complaints.append(page.complaints)
        return page

    yield opening
    for context in contexts:
        context.close()
    assert [c for listed in complaints for c in listed] == []
