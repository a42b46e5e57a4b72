"""Comparing, blaming, searching and looking back, in a real browser."""

import re

import pytest
from playwright.sync_api import expect

from stores.domain.actors import member_actor
from stores.domain.memories import update_memory
from stores.models import Membership, MemoryStore, MemoryVersion
from tests.browser.test_console import main_text, settled, with_and_without_script
from tests.factories import make_memory

pytestmark = pytest.mark.browser


@pytest.fixture
def long(console):
    """A memory of 60 lines with two versions that differ in three places."""
    actor = member_actor(membership=Membership.objects.get(user=console.user))
    store = MemoryStore.objects.get(id=console.store.id)
    lines = [f"Line {number} of the long one." for number in range(1, 61)]
    memory = make_memory(actor=actor, store=store, path="/long.md", content="\n".join(lines) + "\n")
    for number in (4, 30, 55):
        lines[number] = lines[number].replace("long", "very long")
    update_memory(
        actor=actor, store_id=store.id, memory_id=memory.id, content="\n".join(lines) + "\n", reason="Longer"
    )
    return f"{console.store_path}memories/{memory.id}/"


@with_and_without_script
def test_goes_from_a_memory_to_its_diff_and_opens_what_is_folded(open_page, long, script):
    page = open_page(script=script)
    page.goto(long)
    page.get_by_role("link", name="Diff", exact=True).click()
    settled(page, r"/diff/\?to=")
    expect(page.locator("ins").first).to_have_text("very ")
    expect(page.locator("#main")).not_to_contain_text("Line 20 of")
    page.get_by_role("link", name="19 unchanged lines").click()
    expect(page.locator("#n20")).to_be_visible()
    expect(page.locator("#main")).to_contain_text("Line 20 of")
    page.get_by_role("link", name="Unified").click()
    settled(page, "view=unified")
    page.reload()
    expect(page.get_by_role("link", name="Unified")).to_have_attribute("aria-current", "true")
    page.go_back()
    settled(page, r"/diff/\?(?!.*view=)")
    expect(page.get_by_role("link", name="Side by side")).to_have_attribute("aria-current", "true")
    if not script:
        page.go_back()
        settled(page, r"/diff/\?to=")
    page.go_back()
    settled(page, re.escape(long) + "$")
    expect(page.get_by_text("Line 20 of the long one.")).to_be_visible()


def test_moves_among_changes_by_key(open_page, long):
    page = open_page()
    page.goto(long)
    page.keyboard.press("d")
    settled(page, r"/diff/\?to=")
    here = page.locator("[data-diff] .is-here")
    for key, change in (("n", "1"), ("n", "2"), ("n", "3"), ("n", "3"), ("p", "2")):
        page.keyboard.press(key)
        expect(here).to_have_attribute("data-change", change)
    expect(page.locator("#announce")).to_have_text("Change 2")
    page.keyboard.press("b")
    settled(page, "/blame/")
    page.keyboard.press("h")
    settled(page, "/history/")


def test_two_ticks_lead_to_a_diff(open_page, console):
    page = open_page()
    page.goto(f"{console.refunds_path}history/")
    page.get_by_label("Compare v1").check()
    expect(page.get_by_role("button", name="Compare with the newest")).to_be_visible()
    page.get_by_label("Compare v2").check()
    page.get_by_label("Compare v3").check()
    expect(page.get_by_label("Compare v1")).not_to_be_checked()
    page.get_by_label("Compare v2").uncheck()
    page.get_by_label("Compare v1").check()
    page.get_by_role("button", name="Compare v1 with v3").click()
    settled(page, r"/diff/\?from=")
    expect(page.locator("#main")).to_contain_text("The two texts are the same, byte for byte.")
    page.go_back()
    settled(page, "/history/")


def test_two_ticks_lead_to_a_diff_without_script(open_page, console):
    page = open_page(script=False)
    page.goto(f"{console.refunds_path}history/")
    page.get_by_role("button", name="Compare two").click()
    expect(page.locator(".toast")).to_contain_text("Tick two versions to compare them.")
    page.get_by_label("Compare v1").check()
    page.get_by_label("Compare v3").check()
    page.get_by_role("button", name="Compare two").click()
    page.wait_for_url(re.compile(r"/diff/\?from="))


@with_and_without_script
def test_filters_a_history_and_comes_back(open_page, console, script):
    page = open_page(script=script)
    page.goto(f"{console.refunds_path}history/")
    page.get_by_label("What", exact=True).select_option("Created")
    if not script:
        page.get_by_role("button", name="Filter").click()
    settled(page, "operation=created")
    expect(page.locator("tbody tr")).to_have_count(1)
    page.reload()
    expect(page.get_by_label("What", exact=True)).to_have_value("created")
    page.go_back()
    settled(page, "/history/$")
    expect(page.locator("tbody tr")).to_have_count(3)


@with_and_without_script
def test_finds_who_wrote_a_line_and_what_stood_there_before(open_page, long, script):
    """Journey J8: from the text to the change, and to the blame before it."""
    page = open_page(script=script)
    page.goto(long)
    page.get_by_role("link", name="Blame").click()
    settled(page, "/blame/")
    line = page.locator("#L31")
    expect(line).to_contain_text("Longer")
    line.get_by_role("link", name="blame before v2").click()
    settled(page, "version=")
    expect(page.locator("#L31")).to_contain_text("Line 31 of the long one.")
    page.go_back()
    settled(page, "/blame/$")
    page.locator("#L31").get_by_role("link", name="v2", exact=True).click()
    settled(page, r"/diff/\?to=")
    expect(page.locator("ins")).to_have_count(3)


def test_line_numbers_of_a_blame_move_by_arrow_keys(open_page, long):
    page = open_page()
    page.goto(f"{long}blame/")
    page.locator("#L1 .code__n").focus()
    page.keyboard.press("ArrowDown")
    expect(page.locator("#L2 .code__n")).to_be_focused()
    page.keyboard.press("Enter")
    assert page.url.endswith("#L2")


@with_and_without_script
def test_searches_from_any_page(open_page, console, script):
    page = open_page(script=script)
    page.goto(console.store_path)
    if script:
        page.keyboard.press("/")
        expect(page.get_by_label("Search all stores")).to_be_focused()
    page.get_by_label("Search all stores").fill("serial number")
    page.keyboard.press("Enter")
    settled(page, r"/search/\?q=serial\+number")
    expect(page.locator("#main mark").first).to_have_text(re.compile("serial number|Serial number|Serial"))
    page.locator("#main").get_by_role("link", name="/policies/refunds.md").click()
    settled(page, r"/memories/mem_\w+/#L4$")
    page.go_back()
    settled(page, r"/search/")
    expect(page.get_by_label("Search for")).to_have_value("serial number")


@with_and_without_script
def test_browses_a_store_as_it_was(open_page, console, script):
    page = open_page(script=script)
    page.goto(console.store_path)
    page.get_by_role("link", name="As of").click()
    settled(page, "/as-of/$")
    page.get_by_label("As of", exact=True).fill("2025-03-03T08:30:00")
    page.get_by_role("button", name="Go there").click()
    settled(page, "at=2025-03-03T08%3A30")
    expect(page.locator("#main")).to_contain_text("This is the store at 2025-03-03 08:30:00 UTC")
    page.locator("tbody").get_by_role("link", name="policies").click()
    settled(page, "folder=%2Fpolicies%2F")
    expect(page.locator("tbody")).to_contain_text("refunds.md")
    page.get_by_role("link", name="Compare with now").click()
    settled(page, "with=now")
    expect(page.locator("#main")).to_contain_text("added")
    then = main_text(page)
    page.reload()
    assert main_text(page).partition("compared with")[0] == then.partition("compared with")[0]
    page.go_back()
    settled(page, "folder=%2Fpolicies%2F")
    expect(page.locator("tbody")).to_contain_text("refunds.md")


def test_exports_what_the_filters_leave(open_page, console):
    page = open_page()
    page.goto("/activity/?operation=deleted")
    page.locator(".filters__end summary").click()
    with page.expect_download() as download:
        page.get_by_role("link", name="JSON lines").click()
    lines = download.value.path().read_text().splitlines()
    assert len(lines) == 1
    assert '"operation":"deleted"' in lines[0]


def test_the_overview_says_what_changed_since_the_last_visit(open_page, console):
    page = open_page()
    page.goto("/")
    expect(page.get_by_role("heading", level=1)).to_have_text("The last seven days")
    expect(page.get_by_role("img", name="Writes per day")).to_be_visible()
    newest = MemoryVersion.objects.order_by("-id").values_list("path", flat=True).first()
    assert newest
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Activity").click()
    settled(page, "/activity/$")
    page.go_back()
    settled(page, "/$")
