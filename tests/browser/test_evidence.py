"""Journey J8: an auditor asks who changed this sentence, and when. At most four clicks, with a role that may
only read.
"""

import json
import re

import pytest
from django.test import Client
from playwright.sync_api import Page, expect

from stores.domain import memories, rollback, versions
from stores.domain.actors import Road, session_actor
from stores.models import MemoryVersion, Role
from tests.browser.test_accessibility import faults
from tests.browser.test_console import actor_of, settled, with_and_without_script
from tests.factories import make_member, make_memory, make_user

pytestmark = pytest.mark.browser


class Clicks:
    """Counts them, as journeys.md does."""

    def __init__(self) -> None:
        self.count = 0

    def on(self, locator) -> None:
        locator.click()
        self.count += 1


@pytest.fixture
def audited(console):
    """A sentence that an agent changed, in a memory that was renamed since; and the auditor's page."""
    actor = actor_of(console)
    agent = session_actor(
        session_id="sesn_01" + "q" * 22,
        label="billing-agent",
        workspace_id=actor.workspace_id,
        road=Road.TOOL,
    )
    memory = make_memory(
        actor=actor, store=console.store, path="/invoices.md", content="# Invoices\n\nSend them to finance.\n"
    )
    change = {"store_id": console.store.id, "memory_id": memory.id}
    memories.update_memory(
        actor=agent, content="# Invoices\n\nSend them to Eve.\n", reason="Eve asked for it", **change
    )
    memories.update_memory(actor=actor, path="/finance/invoices.md", **change)
    return memory


@pytest.fixture
def auditors_page(open_page, console):
    def opening(**options) -> Page:
        auditor = make_user(email="kim@example.com", name="Kim Audit")
        make_member(workspace=actor_workspace(console), user=auditor, role=Role.VIEWER)
        client = Client()
        client.force_login(auditor)
        page = open_page(signed_in=False, **options)
        cookie = client.cookies["sessionid"].value
        page.context.add_cookies([{"name": "sessionid", "value": cookie, "url": console.address}])
        return page

    return opening


def actor_workspace(console):
    return console.user.memberships.get().workspace


@with_and_without_script
def test_finds_who_changed_a_sentence_in_four_clicks(auditors_page, console, audited, script):
    page = auditors_page(script=script)
    clicks = Clicks()
    page.goto(f"{console.store_path}memories/{audited.id}/")  # the link that was pasted
    clicks.on(page.get_by_role("link", name="Blame", exact=True))
    settled(page, "/blame/")
    line = page.locator("#L3")
    for words in ("v2", "billing-agent", "Eve asked for it"):
        expect(line).to_contain_text(words)
    clicks.on(line.locator(".code__n"))
    assert page.url.endswith("/blame/#L3")
    clicks.on(line.get_by_role("link", name="blame before v2"))
    settled(page, "version=")
    expect(page.locator("#L3")).to_contain_text("Send them to finance.")
    clicks.on(page.get_by_role("link", name="Evidence to print"))
    page.wait_for_url(re.compile("format=print"))
    expect(page.locator(".evidence__check")).to_contain_text("3 of 3 versions checked, chain unbroken")
    first = MemoryVersion.objects.get(memory_id=audited.id, seq=1)
    for words in (first.id, first.content_sha256, bytes(first.chain).hex(), "Send them to finance."):
        expect(page.locator("main")).to_contain_text(words)
    assert clicks.count <= 4
    page.go_back()
    settled(page, "/blame/.*version=")
    page.reload()
    expect(page.locator("#L3")).to_contain_text("Send them to finance.")


def test_finds_it_by_search_and_takes_the_file_along(auditors_page, console, audited):
    page = auditors_page()
    clicks = Clicks()
    page.goto("/")
    page.get_by_label("Search all stores").fill('"Send them to Eve"')
    page.keyboard.press("Enter")
    settled(page, "/search/")
    clicks.on(page.locator("#main").get_by_role("link", name=re.compile("invoices.md")).first)
    settled(page, "/memories/")
    clicks.on(page.get_by_role("link", name="Blame", exact=True))
    settled(page, "/blame/")
    with page.expect_download() as download:
        clicks.on(page.get_by_role("link", name="Evidence as JSON"))
    assert clicks.count <= 4
    with open(download.value.path(), encoding="utf-8") as file:
        body = json.load(file)
    assert body["chain_check"]["result"] == "3 of 3 versions checked, chain unbroken"
    [line] = [line for line in body["lines"] if "Eve" in line["text"]]
    [version] = [version for version in body["versions"] if version["id"] == line["version_id"]]
    assert (version["actor"]["label"], version["reason"]) == ("billing-agent", "Eve asked for it")


def test_of_a_deleted_memory_is_reached_from_its_address(auditors_page, console, audited):
    memories.delete_memory(actor=actor_of(console), store_id=console.store.id, memory_id=audited.id)
    page = auditors_page()
    clicks = Clicks()
    page.goto(f"{console.store_path}memories/{audited.id}/")
    settled(page, "/history/")
    clicks.on(page.get_by_role("link", name="Blame", exact=True))
    settled(page, "/blame/")
    expect(page.locator("#main")).to_contain_text("This memory is deleted.")
    expect(page.locator("#L3")).to_contain_text("billing-agent")
    clicks.on(page.get_by_role("link", name="Evidence to print"))
    page.wait_for_url(re.compile("format=print"))
    expect(page.locator(".evidence__check")).to_contain_text("4 of 4 versions checked, chain unbroken")
    assert clicks.count <= 4


@pytest.fixture
def brought_back(console, audited):
    """The audited memory, deleted and brought back: under another id."""
    here = {"actor": actor_of(console), "store_id": console.store.id}
    last = MemoryVersion.objects.get(memory_id=audited.id, seq=3)
    memories.delete_memory(**here, memory_id=audited.id)
    return rollback.restore_version(**here, version_id=last.id)


@with_and_without_script
def test_of_a_memory_that_was_brought_back_goes_on_before_its_deletion(
    auditors_page, console, audited, brought_back, script
):
    page = auditors_page(script=script)
    clicks = Clicks()
    main = page.locator("#main")
    page.goto(f"{console.store_path}memories/{audited.id}/")  # the link that was pasted before the deletion
    settled(page, "/history/")
    clicks.on(main.get_by_role("link", name="/finance/invoices.md"))
    settled(page, f"/memories/{brought_back.id}/")
    clicks.on(page.get_by_role("link", name="Blame", exact=True))
    settled(page, "/blame/")
    line = page.locator("#L3")
    for words in ("v2", "before its deletion", "billing-agent", "Eve asked for it"):
        expect(line).to_contain_text(words)
    clicks.on(line.get_by_role("link", name="blame before v2 of the memory before its deletion"))
    settled(page, f"/memories/{audited.id}/blame/.*version=")
    expect(page.locator("#L3")).to_contain_text("Send them to finance.")
    assert clicks.count <= 4
    page.goto(f"{console.store_path}memories/{brought_back.id}/blame/?format=print")
    checks = page.locator(".evidence__check")
    expect(checks.nth(0)).to_contain_text("1 of 1 version checked, chain unbroken")
    expect(checks.nth(1)).to_contain_text(f"{audited.id}: 4 of 4 versions checked, chain unbroken")


def test_of_a_redacted_version_says_who_and_when_and_not_what(auditors_page, console, audited):
    second = MemoryVersion.objects.get(memory_id=audited.id, seq=2)
    memories.update_memory(
        actor=actor_of(console), store_id=console.store.id, memory_id=audited.id, content="# Invoices\n"
    )
    third = MemoryVersion.objects.get(memory_id=audited.id, seq=3)
    for version in (second, third):
        versions.redact_version(actor=actor_of(console), store_id=console.store.id, version_id=version.id)
    page = auditors_page()
    page.goto(f"{console.store_path}versions/{second.id}/")
    page.get_by_role("link", name="Evidence to print").click()
    page.wait_for_url(re.compile("format=print"))
    main = page.locator("main")
    expect(main).to_contain_text("Version 2, redacted")
    expect(main).to_contain_text("by person Ada Lovett")
    expect(main).to_contain_text("billing-agent")
    expect(main).not_to_contain_text("Eve")
    expect(main).not_to_contain_text("invoices.md")


def test_on_paper_is_what_proves_and_nothing_to_click(auditors_page, console, audited):
    page = auditors_page(color_scheme="dark")
    for path in (
        f"{console.store_path}memories/{audited.id}/",
        f"{console.store_path}memories/{audited.id}/blame/",
    ):
        page.goto(path)
        page.emulate_media(media="print", color_scheme="dark")
        for part in (".topbar", ".nav", ".tabs", ".foot"):
            expect(page.locator(part).first).to_be_hidden()
        expect(page.locator("#main").get_by_role("button")).to_have_count(
            page.locator("#main button.id:visible").count()
        )
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        assert page.evaluate("getComputedStyle(document.body).color") == "rgb(0, 0, 0)"
        after = "getComputedStyle(document.querySelector('#main time'), '::after').content"
        assert re.search(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC", page.evaluate(after))
        page.emulate_media(media="screen")
    page.goto(f"{console.store_path}memories/{audited.id}/blame/?format=print")
    page.emulate_media(media="print")
    expect(page.locator(".evidence__acts")).to_be_hidden()
    expect(page.locator(".evidence__lines")).to_be_visible()


@pytest.mark.parametrize(("width", "scheme"), [(1440, "light"), (390, "dark")])
def test_has_no_fault_that_axe_finds(auditors_page, console, audited, brought_back, width, scheme):
    page = auditors_page(width=width, color_scheme=scheme)
    found = []
    bad = f"/stores/{console.hostile_store.id}/"
    for path in (
        f"{console.store_path}memories/{audited.id}/blame/?format=print",
        f"{console.store_path}memories/{audited.id}/history/",
        f"{console.store_path}memories/{brought_back.id}/blame/?format=print",
        f"{console.store_path}memories/{brought_back.id}/blame/",
        f"{console.store_path}memories/{brought_back.id}/history/",
        f"{console.store_path}versions/{brought_back.head_version_id}/",
        f"{console.refunds_path}blame/?format=print",
        f"{console.store_path}versions/{console.redacted_id}/?format=print",
        f"{console.store_path}versions/{console.refunds.head_version_id}/?format=print",
        *(f"{bad}memories/{memory.id}/blame/?format=print" for memory in console.hostile_memories[:4]),
        f"{bad}memories/{console.hostile_memories[-2].id}/blame/?format=print",
    ):
        page.goto(path)
        found += faults(page, path)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path
    assert found == []
