"""Undoing what a session wrote, and going back to a moment, in a real browser."""

import re

import pytest
from playwright.sync_api import Page, expect

from stores.domain import memories
from stores.domain.actors import Road, member_actor, session_actor
from stores.models import Membership, Memory, MemoryVersion
from tests.browser.test_accessibility import faults
from tests.browser.test_console import settled, with_and_without_script
from tests.factories import make_memory

pytestmark = pytest.mark.browser

TUESDAY = "sesn_01" + "t" * 22
UNDO = rf"/activity/undo/\?actor={TUESDAY}$"


@pytest.fixture
def tuesday(console):
    """What the agent learned wrong: four memories, one of them new."""
    ada = member_actor(membership=Membership.objects.get(user=console.user))
    agent = session_actor(
        session_id=TUESDAY,
        label="support-agent",
        workspace_id=console.store.workspace_id,
        road=Road.TOOL,
    )
    zones = Memory.objects.get(store=console.store, path="/policies/shipping/zones.md")
    case = Memory.objects.get(store=console.store, path="/cases/2025-03/case-01.md")
    for memory, content in (
        (console.refunds, "# Refunds\n\n- 90 days.\n"),
        (zones, "# Zones\n\nNowhere.\n"),
        (case, "# Case 1\n\nLost.\n"),
    ):
        memories.update_memory(actor=agent, store_id=console.store.id, memory_id=memory.id, content=content)
    make_memory(actor=agent, store=console.store, path="/rumours.md", content="The shop closes.\n")
    return {"ada": ada, "agent": agent, "zones": zones, "case": case}


def texts(console) -> dict[str, str]:
    heads = dict(Memory.objects.filter(store=console.store).values_list("path", "head_version_id"))
    contents = dict(MemoryVersion.objects.values_list("id", "content"))
    return {path: contents[head] for path, head in heads.items()}


def ticks(page: Page):
    return page.locator(".plan td input[type=checkbox]")


def untick(page: Page, name: str) -> None:
    page.locator(".plan tr").filter(has_text=name).get_by_role("checkbox").uncheck()


def test_an_agent_that_learned_something_wrong_is_set_right_in_six_clicks(open_page, console, tuesday):
    """J2. Typing and keys are no clicks: / searches, h is the history, Enter sends a form."""
    page = open_page()
    page.goto("/")
    clicks = 0

    def click(locator) -> None:
        nonlocal clicks
        clicks += 1
        locator.click()

    page.keyboard.press("/")
    page.keyboard.type("90 days")
    page.keyboard.press("Enter")
    settled(page, r"/search/\?q=90")
    click(page.locator(".find__list").get_by_role("link", name="/policies/refunds.md"))
    settled(page, console.refunds_path)
    page.keyboard.press("h")
    settled(page, "/history/$")
    newest = page.locator("tbody tr").first
    expect(newest).to_contain_text("support-agent")
    click(newest.get_by_title("What v4 changed"))
    settled(page, "/diff/")
    expect(page.locator("#main")).to_contain_text("90 days")
    click(page.get_by_role("link", name="Restore v3"))
    settled(page, "/restore/$")
    click(page.get_by_label("Then show me what else"))
    page.get_by_label("Reason").fill("It is 30 days")
    page.keyboard.press("Enter")
    settled(page, UNDO)
    expect(page.locator(".toast")).to_contain_text("v5 is a restore of v3")
    expect(page.locator("#main")).to_contain_text("3 memories would go back")
    expect(ticks(page)).to_have_count(3)
    # Two of them are reverted: one click takes the third off, and Enter in the reason does it.
    click(page.locator(".plan tr").filter(has_text="case-01").get_by_role("checkbox"))
    page.get_by_label("Reason").fill("Learned wrong on Tuesday")
    page.keyboard.press("Enter")
    expect(page.locator(".toast").last).to_contain_text("Undone: 2 memories.")
    assert clicks <= 6
    now = texts(console)
    assert "- 30 days." in now["/policies/refunds.md"]
    assert now["/policies/shipping/zones.md"] == "# Zones\n\nEU, UK, CH.\n"
    assert "/rumours.md" not in now
    assert now["/cases/2025-03/case-01.md"] == "# Case 1\n\nLost.\n"
    # Undo of the undoing is one click.
    page.locator(".toast").last.get_by_role("button", name="Undo").click()
    expect(page.locator(".toast").last).to_contain_text("Undone: 2 memories.")
    assert texts(console)["/rumours.md"] == "The shop closes.\n"


@with_and_without_script
def test_leads_from_the_activity_to_the_preview_and_back(open_page, console, tuesday, script):
    page = open_page(script=script)
    page.goto("/activity/")
    page.locator("tbody tr").first.get_by_role("link", name="support-agent").click()
    settled(page, rf"/activity/\?actor={TUESDAY}")
    page.reload()
    page.get_by_role("link", name="Undo what this wrote").click()
    settled(page, UNDO)
    expect(ticks(page)).to_have_count(4)
    page.reload()
    expect(ticks(page)).to_have_count(4)
    page.go_back()
    settled(page, rf"/activity/\?actor={TUESDAY}")
    page.go_forward()
    settled(page, UNDO)
    untick(page, "rumours.md")
    page.get_by_label("Reason").fill("wrong")
    page.get_by_role("button", name="Undo what is ticked").click()
    expect(page.locator(".toast")).to_contain_text("Undone: 3 memories.")
    assert "/rumours.md" in texts(console)
    assert "- 30 days." in texts(console)["/policies/refunds.md"]
    page.reload()
    expect(page.locator(".toast")).to_have_count(0)
    page.go_back()
    settled(page, UNDO)
    page.reload()
    expect(ticks(page)).to_have_count(1)


@with_and_without_script
def test_what_changed_meanwhile_is_shown_and_never_overwritten(open_page, console, tuesday, script):
    page = open_page(script=script)
    page.goto(f"/activity/undo/?actor={TUESDAY}")
    page.get_by_label("Reason").fill("kept")
    memories.update_memory(
        actor=tuesday["ada"], store_id=console.store.id, memory_id=tuesday["zones"].id, content="By hand.\n"
    )
    page.get_by_role("button", name="Undo what is ticked").click()
    expect(page.get_by_role("alert")).to_contain_text("Of what was ticked, 1 memory changed.")
    expect(page.locator("#left")).to_contain_text("Ada Lovett has changed it afterwards.")
    expect(page.get_by_label("Reason")).to_have_value("kept")
    expect(ticks(page)).to_have_count(3)
    page.get_by_role("button", name="Undo what is ticked").click()
    expect(page.locator(".toast")).to_contain_text("Undone: 3 memories. 1 left alone.")
    assert texts(console)["/policies/shipping/zones.md"] == "By hand.\n"
    page.complaints.clear()  # the 400


def test_a_double_click_undoes_once(open_page, console, tuesday):
    page = open_page()
    page.goto(f"/activity/undo/?actor={TUESDAY}")
    before = MemoryVersion.objects.count()
    page.get_by_role("button", name="Undo what is ticked").dblclick()
    expect(page.locator(".toast").first).to_be_visible()
    assert MemoryVersion.objects.count() == before + 4


def test_one_tick_is_for_all_and_for_what_is_not_listed(open_page, console):
    agent = session_actor(session_id="sesn_many", label="", workspace_id=console.store.workspace_id)
    for number in range(203):
        make_memory(actor=agent, store=console.store, path=f"/many/{number:03}.md")
    page = open_page()
    page.goto("/activity/undo/?actor=sesn_many")
    every, rest = page.get_by_label("All 203", exact=True), page.get_by_label("3 more that are not listed")
    button = page.get_by_role("button", name="Undo what is ticked")
    expect(button).to_have_text("Undo what is ticked (203)")
    expect(every).to_be_checked()
    rest.uncheck()
    expect(button).to_have_text("Undo what is ticked (200)")
    expect(every).not_to_be_checked()
    every.check()
    expect(rest).to_be_checked()
    every.uncheck()
    expect(rest).not_to_be_checked()
    expect(button).to_have_text("Undo what is ticked (0)")
    button.click()
    expect(page.get_by_role("alert")).to_contain_text("Nothing is ticked")
    expect(page.get_by_label("All 203", exact=True)).not_to_be_checked()
    untick = page.locator(".plan td input[type=checkbox]").first
    untick.check()
    expect(button).to_have_text("Undo what is ticked (1)")
    button.click()
    expect(page.locator(".toast")).to_contain_text("Undone: 1 memory.")
    assert Memory.objects.filter(path__startswith="/many/").count() == 202
    page.complaints.clear()  # 400


def test_is_done_by_keyboard_alone(open_page, console, tuesday):
    page = open_page()
    page.goto(f"/activity/undo/?actor={TUESDAY}")
    box = ticks(page).first
    for _ in range(40):
        if box.evaluate("(box) => box === document.activeElement"):
            break
        page.keyboard.press("Tab")
    page.keyboard.press("Space")
    expect(box).not_to_be_checked()
    page.keyboard.press("ControlOrMeta+s")
    expect(page.locator(".toast")).to_contain_text("Undone: 3 memories.")


@with_and_without_script
def test_restores_a_folder_and_some_memories_to_a_moment(open_page, console, tuesday, script):
    page = open_page(script=script)
    page.goto(f"{console.store_path}as-of/?at=2025-06-01T00:00Z")
    page.get_by_label("Tick the folder policies").check()
    page.get_by_role("button", name="Restore what is ticked").click()
    page.wait_for_url(re.compile("/as-of/restore/"))
    expect(ticks(page)).to_have_count(2)
    page.get_by_role("button", name="Restore what is ticked").click()
    expect(page.locator(".toast")).to_contain_text("Back as then: 2 memories.")
    assert "- 30 days." in texts(console)["/policies/refunds.md"]
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".toast")).to_contain_text("Undone: 2 memories.")
    assert "- 90 days." in texts(console)["/policies/refunds.md"]

    page.goto(f"{console.store_path}as-of/?at=2025-06-01T00:00Z&with=now")
    page.get_by_role("listitem").filter(has_text="rumours.md").get_by_role("checkbox").check()
    page.get_by_role("button", name="Restore what is ticked").click()
    expect(page.locator(".plan")).to_contain_text("Deleted")
    page.get_by_role("button", name="Restore what is ticked").click()
    expect(page.locator(".toast")).to_contain_text("Back as then: 1 memory.")
    assert "/rumours.md" not in texts(console)


@with_and_without_script
def test_restores_the_whole_store_to_a_moment(open_page, console, tuesday, script):
    page = open_page(script=script)
    page.goto(f"{console.store_path}as-of/?at=2025-06-01T00:00Z")
    page.get_by_role("link", name="Restore this store to this moment").click()
    settled(page, "/as-of/restore/")
    expect(page.locator("#main")).to_contain_text("3 restored")
    page.get_by_label("Delete what was written first").check()
    page.get_by_role("button", name="Show what happens").click()
    settled(page, "later=1")
    expect(page.locator("#main")).to_contain_text("1 deleted")
    page.reload()
    page.go_back()
    settled(page, "folders=%2F$")
    page.go_forward()
    settled(page, "later=1")
    page.get_by_label("Reason").fill("as in June")
    page.get_by_role("button", name="Restore what is ticked").click()
    expect(page.locator(".toast")).to_contain_text("Back as then: 4 memories.")
    assert "/rumours.md" not in texts(console)
    assert texts(console)["/policies/shipping/zones.md"] == "# Zones\n\nEU, UK, CH.\n"


@pytest.mark.slow
@pytest.mark.parametrize(("width", "scheme"), [(1440, "light"), (390, "dark")])
def test_conflicts_and_changed_previews_have_no_fault(open_page, console, tuesday, width, scheme):
    page = open_page(width=width, color_scheme=scheme, reduced_motion="reduce")
    change = {"store_id": console.store.id, "memory_id": tuesday["zones"].id}
    memories.update_memory(actor=tuesday["ada"], content="By hand.\n", **change)
    memories.update_memory(actor=tuesday["agent"], content="Again.\n", **change)
    found = []

    def look(name: str) -> None:
        found.extend(faults(page, name))
        if page.evaluate("document.documentElement.scrollWidth") > width:
            found.append(f"{name} is wider than the window")

    page.goto(f"/activity/undo/?actor={TUESDAY}")
    page.get_by_label("Undo only what came after that").check()
    untick(page, "case-01")
    look("conflict, one unticked")
    make_memory(actor=tuesday["agent"], store=console.store, path="/later.md")
    page.get_by_role("button", name="Undo what is ticked").click()
    expect(page.locator("#main")).to_contain_text("Nothing was done yet")
    expect(page.get_by_label("Undo only what came after that")).to_be_checked()
    look("changed since")
    page.get_by_role("button", name="Undo what is ticked").click()
    expect(page.locator(".toast")).to_contain_text("Undone: 3 memories.")
    assert texts(console)["/policies/shipping/zones.md"] == "By hand.\n"
    page.goto(f"{console.store_path}as-of/?at=2025-06-01T00:00Z&with=now")
    look("compared, with ticks")
    page.complaints.clear()  # the 400
    assert found == []
