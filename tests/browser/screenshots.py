"""Pictures of every page: light and dark, wide and narrow, empty, full and hostile.

    python -m tests.browser.screenshots [PART OF A NAME ...]

writes them into screenshots/ and says so of each page with something wrong in it: a script error, a refusal
by the CSP, or a part that is wider than the window. It uses a database of its own, which it throws away.
"""

import os
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

PASSWORD = "correct horse battery"
EMAIL = "ada@example.com"
WIDTHS = (1440, 390)
SCHEMES = ("light", "dark")


def main(wanted: list[str]) -> int:
    with tempfile.TemporaryDirectory(prefix="memconsole-screenshots-") as folder:
        os.environ["MEMCONSOLE_DATA_DIR"] = folder
        os.environ["DJANGO_SETTINGS_MODULE"] = "memconsole.settings"
        os.environ.pop("DATABASE_URL", None)
        import django  # the settings read the environment above

        django.setup()
        return run(wanted)


def run(wanted: list[str]) -> int:
    from django.core.management import call_command

    from tests.browser.chromium import chromium

    call_command("migrate", verbosity=0)
    say("Making the data ...")
    pages = build()
    chosen = {n: p for n, p in pages.items() if not wanted or any(part in n for part in wanted)}
    target = Path("screenshots")
    target.mkdir(exist_ok=True)
    wrong = 0
    with serving() as address, chromium() as browser:
        for scheme in SCHEMES:
            for width in WIDTHS:
                context = browser.new_context(
                    viewport={"width": width, "height": 900}, color_scheme=scheme, base_url=address
                )
                wrong += sum(shoot(context, chosen, target, f"{width}-{scheme}"))
                context.close()
    say(f"{len(chosen) * len(WIDTHS) * len(SCHEMES)} pictures in {target}/, {wrong} with something wrong.")
    return 1 if wrong else 0


def say(words: str) -> None:
    sys.stdout.write(f"{words}\n")
    sys.stdout.flush()


def shoot(context: Any, pages: dict[str, dict[str, Any]], target: Path, suffix: str):
    from tests.browser.chromium import collect_complaints

    page = context.new_page()
    complaints = collect_complaints(page)
    page.goto("/login/")
    who = None
    for name, scene in pages.items():
        complaints.clear()
        if scene["who"] != who:
            who = scene["who"]
            context.clear_cookies()
            if who:
                sign_in(page, who)
        page.goto(scene["url"])
        if page.locator("[data-editor]").count():
            page.locator(".editor .cm-content").wait_for()
        act(page, scene)
        if name.endswith("-refused") or scene["url"].endswith("/nothing/") or scene["fill"]:
            complaints.clear()  # the browser reports the refusal that is wanted
        # Whole pages, but never a tower: 100 kB wrap into very many lines.
        height = min(page.evaluate("document.documentElement.scrollHeight"), 3000)
        width = page.viewport_size["width"]
        page.set_viewport_size({"width": width, "height": max(900, height)})
        page.screenshot(path=target / f"{name}-{suffix}.png")
        page.set_viewport_size({"width": width, "height": 900})
        if page.evaluate("document.documentElement.scrollWidth") > width:
            complaints.append("something is wider than the window")
        for complaint in complaints:
            say(f"{name}-{suffix}: {complaint}")
        yield bool(complaints)


def act(page: Any, scene: dict[str, Any]) -> None:
    """What is typed, clicked and pressed before the picture is taken."""
    for words, value in scene["fill"].items():
        page.get_by_label(words).first.fill(value)
    if scene["click"]:
        page.locator(scene["click"]).first.click()
        page.wait_for_timeout(300)
    for key in scene["press"].split():
        page.keyboard.press(key)
    if scene["press"]:
        page.wait_for_timeout(600)


def sign_in(page: Any, email: str) -> None:
    page.goto("/login/")
    page.get_by_label("E-mail").fill(email)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(lambda url: "/login/" not in url)


def serving():
    """The product on a free port of this machine, in this process."""
    from contextlib import contextmanager

    from django.core.servers.basehttp import ThreadedWSGIServer, WSGIRequestHandler

    from memconsole.wsgi import application

    class Quiet(WSGIRequestHandler):
        def log_message(self, *args: Any) -> None:
            pass

    @contextmanager
    def running():
        server = ThreadedWSGIServer(("127.0.0.1", 0), Quiet)
        server.set_app(application)
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            server.server_close()

    return running()


def build() -> dict[str, dict[str, Any]]:
    """Fills the database; answers each page's name with its address, who looks at it, and what to click."""
    from django.utils import timezone

    from stores.demo.build import build_demo_workspace
    from stores.domain import memories
    from stores.domain.actors import member_actor
    from stores.models import Memory, MemoryStore, MemoryVersion
    from tests import factories
    from tests.console import hostile

    ada = factories.make_user(email=EMAIL, name="Ada Lovett", password=PASSWORD, is_superuser=True)
    demo = factories.make_workspace(name="Tern Bay")
    build_demo_workspace(workspace=demo, admin=ada, now=timezone.now())

    def person(name: str, workspace_name: str) -> tuple[str, Any]:
        user = factories.make_user(email=f"{name}@example.com", name=name.title(), password=PASSWORD)
        membership = factories.make_member(workspace=factories.make_workspace(name=workspace_name), user=user)
        return user.email, member_actor(membership=membership)

    newcomer, newcomer_actor = person("newcomer", "Fresh start")
    factories.make_workspace(name="Other")
    crowded, crowded_actor = person("crowded", "Crowded")
    victim, victim_actor = person("victim", hostile.NAME)

    full = factories.make_store(actor=crowded_actor, name="Ten thousand memories")
    made_full(crowded_actor, full)
    for number in range(55):
        factories.make_store(actor=crowded_actor, name=f"Store {number}", description="One of many")

    bad = factories.make_store(
        actor=victim_actor, name=hostile.NAME, description=hostile.NAME + hostile.INVISIBLE,
        metadata={hostile.IMAGE: hostile.REVERSED, "k" * 64: "v" * 512},
    )  # fmt: skip
    evil = hostile.make_hostile_memories(actor=victim_actor, store=bad)
    evil_versions = [
        memories.update_memory(
            actor=victim_actor, store_id=bad.id, memory_id=evil[1].id, content=text, reason=hostile.NAME
        )
        for text in (hostile.IMAGE, hostile.REVERSED + "\n" + hostile.INVISIBLE)
    ]

    pages: dict[str, dict[str, Any]] = {}

    def add(
        name: str,
        url: str,
        who: str | None = EMAIL,
        click: str = "",
        fill: dict[str, str] | None = None,
        press: str = "",
    ) -> None:
        pages[name] = {"url": url, "who": who, "click": click, "fill": fill or {}, "press": press}

    def store_url(store_id: str) -> str:
        return f"/stores/{store_id}/"

    def memory_url(memory: Any) -> str:
        return f"{store_url(memory.store_id)}memories/{memory.id}/"

    support = MemoryStore.objects.get(workspace=demo, name__icontains="support", archived_at=None)
    archived = MemoryStore.objects.get(workspace=demo, archived_at__isnull=False)
    refunds = Memory.objects.get(store=support, path="/policies/refunds.md")
    redacted = MemoryVersion.objects.filter(store__workspace=demo, redacted_at__isnull=False).first()
    deletion = MemoryVersion.objects.filter(store__workspace=demo, operation="deleted").first()
    restored = MemoryVersion.objects.filter(store__workspace=demo, restored_from__isnull=False).first()

    def version_url(version: Any) -> str:
        return f"{store_url(version.store_id)}versions/{version.id}/"

    add("login", "/login/", who=None)
    add("overview", "/")
    add("stores", "/stores/")
    add("stores-archived", "/stores/?archived=1")
    add("stores-none-found", "/stores/?q=nowhere")
    add("menu-account", "/stores/", click=".menu--end summary")
    add("menu-nav", "/stores/", click=".topbar__menu:visible, .nav__link")
    add("connect", "/connect/")
    add("store", store_url(support.id))
    add("store-archived", store_url(archived.id))
    add("folder", store_url(support.id) + "?folder=/policies/shipping/")
    add("folder-gone", store_url(support.id) + "?folder=/gone/")
    add("memory", memory_url(refunds))
    add("memory-rendered", memory_url(refunds) + "?view=rendered")
    add("memory-agent", memory_url(refunds) + "?view=agent")
    add("memory-evidence", memory_url(refunds) + "blame/?format=print")
    add("store-paths", store_url(support.id) + "?filter=policies")
    add("store-paths-none", store_url(support.id) + "?filter=zebra")
    add("version-evidence", version_url(restored) + "?format=print")
    add("version-evidence-redacted", version_url(redacted) + "?format=print")
    add("history", memory_url(refunds) + "history/")
    add("history-deleted", f"{store_url(deletion.store_id)}memories/{deletion.memory_id}/history/")
    add("history-redacted", f"{store_url(redacted.store_id)}memories/{redacted.memory_id}/history/")
    add("version", version_url(restored))
    add("version-redacted", version_url(redacted))
    add("version-deletion", version_url(deletion))
    add("activity", store_url(support.id) + "activity/")
    add("edit", memory_url(refunds) + "edit/")
    shorter = {"Text": "# Refunds\n\n- 14 days from delivery.\n"}
    add("edit-diff", memory_url(refunds) + "edit/", fill=shorter, click="[value=diff]")
    add("edit-too-long", memory_url(refunds) + "edit/", fill={"Text": "x" * 102_401}, click="[value=save]")
    add("move", memory_url(refunds) + "move/")
    add("move-taken", memory_url(refunds) + "move/", fill={"New path": "/policies"}, click=".btn--main")
    add("memory-new", store_url(support.id) + "memories/new/?folder=/policies/")
    add("memory-redact", memory_url(refunds) + "redact/")
    add(
        "memory-redact-where",
        memory_url(refunds) + "redact/",
        fill={"The value": "Refunds"},
        click="[value=look]",
    )
    first = MemoryVersion.objects.filter(memory_id=refunds.id, redacted_at=None).order_by("seq").first()
    add("version-restore", version_url(first) + "restore/")
    add("version-redact", version_url(first) + "redact/")
    add("folder-rename", store_url(support.id) + "?folder=/policies/", click="[value=rename]")
    add("store-new", "/stores/new/")
    add("store-settings", store_url(support.id) + "settings/")
    add("store-settings-archived", store_url(archived.id) + "settings/")
    wide = f"{store_url(support.id)}diff/?from={first_version(refunds).id}&to={refunds.head_version_id}"
    add("diff", wide)
    add("diff-unified", wide + "&view=unified")
    add("diff-redacted", f"{store_url(redacted.store_id)}diff/?to={redacted.id}")
    add("blame", memory_url(refunds) + "blame/")
    add("as-of", f"{store_url(support.id)}as-of/")
    add("as-of-compared", f"{store_url(support.id)}as-of/?at=2026-01-01T00:00Z&with=now")
    add("all-activity", "/activity/")
    add("all-activity-export", "/activity/", click=".filters__end summary")
    writer = MemoryVersion.objects.filter(store=support, actor_type="session_actor").order_by("id").last()
    add("activity-of-one", f"/activity/?actor={writer.actor_id}")
    add("undo", f"/activity/undo/?actor={writer.actor_id}")
    add("undo-of-all", f"/activity/undo/?since=2020-01-01&store={support.id}")
    add("undo-nothing", "/activity/undo/?actor=sesn_nobody")
    add("undo-refused", f"/activity/undo/?actor={writer.actor_id}&operation=deleted")
    middle = MemoryVersion.objects.filter(store=support).order_by("id")[support.memory_count]
    then = f"{middle.created_at:%Y-%m-%dT%H:%MZ}"
    add("as-of-then", f"{store_url(support.id)}as-of/?at={then}")
    add("as-of-then-compared", f"{store_url(support.id)}as-of/?at={then}&with=now")
    add("as-of-restore", f"{store_url(support.id)}as-of/restore/?at={then}&folders=/")
    add("as-of-restore-later", f"{store_url(support.id)}as-of/restore/?at={then}&folders=/policies/&later=1")
    add("as-of-restore-nothing", f"{store_url(support.id)}as-of/restore/?at=2031-01-01&folders=/")
    add("search", "/search/?q=refund+days&history=1")
    add("search-empty", "/search/")
    add("search-none-found", "/search/?q=zebra+crossing&mode=words")
    add("keys", "/keys/")
    add("keys-of-a-memory", memory_url(refunds), press="?")
    add("list-cursor", memory_url(refunds) + "history/", press="j j x")
    add("palette", memory_url(refunds), press="Control+k")
    add("palette-found", memory_url(refunds), press="Control+k r e f")
    add("palette-none-found", "/stores/", press="Control+k z z q x")
    add("not-found", "/stores/nothing/")
    add("empty-stores", "/stores/", who=newcomer)
    add("empty-store", "", who=newcomer)
    add("full-stores", "/stores/", who=crowded)
    add("full-root", store_url(full.id), who=crowded)
    add("full-folder", store_url(full.id) + "?folder=/cases/", who=crowded)
    many = Memory.objects.get(store=full, path="/cases/case-09000.md")
    add("full-memory", memory_url(many), who=crowded)
    busy = Memory.objects.get(store=full, path="/counter.md")
    add("full-paths", store_url(full.id) + "?filter=case-0", who=crowded)
    add("full-history", memory_url(busy) + "history/", who=crowded)
    add("full-blame", memory_url(busy) + "blame/", who=crowded)
    add("full-overview", "/", who=crowded)
    add("full-undo", "/activity/undo/?since=2020-01-01", who=crowded)
    add(
        "full-as-of-restore",
        store_url(full.id) + "as-of/restore/?at=2020-01-01&folders=/&later=1",
        who=crowded,
    )
    add("full-search", "/search/?q=case", who=crowded)
    add("hostile-overview", "/", who=victim)
    add("hostile-all-activity", "/activity/", who=victim)
    add("hostile-search", "/search/?q=alert&mode=substring&history=1", who=victim)
    add("hostile-undo", "/activity/undo/?since=2020-01-01", who=victim)
    add(
        "hostile-as-of-restore",
        store_url(bad.id) + "as-of/restore/?at=2020-01-01&folders=/&later=1",
        who=victim,
    )
    add("hostile-diff", f"{store_url(bad.id)}diff/?to={evil_versions[-1].head_version_id}", who=victim)
    add("hostile-blame", memory_url(evil[1]) + "blame/", who=victim)
    add("hostile-stores", "/stores/", who=victim)
    add("hostile-palette", store_url(bad.id), who=victim, press="Control+k m d")
    add("hostile-store", store_url(bad.id), who=victim)
    add("hostile-activity", store_url(bad.id) + "activity/", who=victim)
    for number, memory in enumerate(evil):
        add(f"hostile-memory-{number:02}", memory_url(memory), who=victim)
    add("hostile-rendered", memory_url(evil[0]) + "?view=rendered", who=victim)
    add("hostile-agent", memory_url(evil[1]) + "?view=agent", who=victim)
    add("hostile-paths", store_url(bad.id) + "?filter=e", who=victim)
    add("hostile-evidence", memory_url(evil[1]) + "blame/?format=print", who=victim)
    add("hostile-history", memory_url(evil[1]) + "history/", who=victim)
    add("hostile-version", version_url_of(evil_versions[-1]), who=victim)
    add("hostile-edit", memory_url(evil[1]) + "edit/", who=victim)
    add("hostile-move", memory_url(evil[-2]) + "move/", who=victim)
    add("hostile-redact", memory_url(evil[0]) + "redact/", who=victim)
    add("hostile-settings", store_url(bad.id) + "settings/", who=victim)
    # Last, for it ends the emptiness of that workspace.
    pages["empty-store"]["url"] = store_url(factories.make_store(actor=newcomer_actor, name="first-store").id)
    pages["empty-store"]["who"] = newcomer
    other_newcomer, _ = person("beginner", "Nothing yet")
    pages["empty-stores"]["who"] = other_newcomer
    return pages


def first_version(memory: Any) -> Any:
    from stores.models import MemoryVersion

    return MemoryVersion.objects.get(memory_id=memory.id, seq=1)


def version_url_of(memory: Any) -> str:
    return f"/stores/{memory.store_id}/versions/{memory.head_version_id}/"


def made_full(actor: Any, store: Any) -> None:
    """10,000 memories, one of them with 1,000 versions; in one transaction, for the disk's sake."""
    from django.db import transaction

    from stores.domain import memories
    from tests import factories

    with transaction.atomic():
        counter = factories.make_memory(actor=actor, store=store, path="/counter.md", content="0\n")
        for number in range(1, 1000):
            memories.update_memory(
                actor=actor, store_id=store.id, memory_id=counter.id, content=f"{number}\n" * (number % 9 + 1)
            )
        for number in range(9_600):
            factories.make_memory(actor=actor, store=store, path=f"/cases/case-{number:05}.md")
        for number in range(399):
            factories.make_memory(actor=actor, store=store, path=f"/topic-{number:03}/notes.md")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
