"""The console in a real browser, with script and without."""

import re
import time

import pytest
from playwright.sync_api import Page, expect

from stores.domain.actors import member_actor
from stores.domain.memories import delete_memory
from stores.domain.stores import delete_store
from stores.models import Membership
from tests.browser.conftest import PASSWORD
from tests.factories import make_store

pytestmark = pytest.mark.browser

with_and_without_script = pytest.mark.parametrize("script", [True, False], ids=["script", "no script"])


def main_text(page: Page) -> str:
    """What the page says, but for how long ago something was: that goes on."""
    return re.sub(r"just now|\d+ (?:s|min|h) ago", "…", page.locator("#main").inner_text())


def expect_text(page: Page, text: str) -> None:
    """Waits for it: a script may still be at work on a page that is there."""
    deadline = time.monotonic() + 10
    while main_text(page) != text and time.monotonic() < deadline:
        page.wait_for_timeout(50)
    assert main_text(page) == text


def settled(page: Page, pattern: str) -> None:
    """Waits until the address is reached and nothing is on its way any more."""
    page.wait_for_url(re.compile(pattern))
    page.wait_for_load_state()
    expect(page.locator(".htmx-request, .htmx-swapping, .htmx-settling")).to_have_count(0)


@with_and_without_script
def test_signs_in_with_a_wrong_password_first_and_comes_back_to_the_address(open_page, console, script):
    page = open_page(signed_in=False, script=script)
    page.goto(console.refunds_path)
    page.get_by_label("E-mail").fill("ada@example.com")
    page.get_by_label("Password").fill("wrong")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_text("This e-mail and password do not go together.")).to_be_visible()
    expect(page.get_by_label("E-mail")).to_have_value("ada@example.com")
    expect(page.get_by_label("Password")).to_be_focused()
    page.get_by_label("Password").fill(PASSWORD)
    page.keyboard.press("Enter")
    settled(page, console.refunds_path)
    expect(page.get_by_text("- 30 days.")).to_be_visible()
    page.get_by_text("Account: Ada Lovett").locator("xpath=..").click()
    page.get_by_role("button", name="Sign out").click()
    settled(page, "/login/")
    page.go_back()
    settled(page, "/login/")


WAY = [
    # (what is clicked, where it leads, what is there to read)
    (("link", "Support"), r"/stores/memstore_\w+/$", "README.md"),
    (("link", "policies", "Folders"), r"\?folder=%2Fpolicies%2F$", "refunds.md"),
    (("link", "shipping", "Folders"), r"\?folder=%2Fpolicies%2Fshipping%2F$", "zones.md"),
    (("link", "refunds.md", "Folders"), r"/memories/mem_\w+/$", "- 30 days."),
    (("link", "History 3", "Memory"), r"/history/$", "Restored from v1: It is 30"),
    (("link", "v1", "row"), r"/versions/memver_\w+/$", "created, +48 B"),
    (("link", "v2"), r"/versions/memver_\w+/$", "gone for good"),
    (("link", "Live text"), r"/memories/mem_\w+/$", "- 30 days."),
]


def follow(page: Page, step: tuple[str, ...]) -> None:
    _role, name, *place = step
    where = page.locator("#main")
    if place == ["row"]:
        where = where.locator("tbody td.nowrap")
    elif place:
        where = where.get_by_role("navigation", name=place[0])
    where.get_by_role("link", name=name, exact=True).first.click()


@with_and_without_script
def test_goes_all_the_way_from_the_stores_to_a_version_and_back(open_page, script):
    page = open_page(script=script)
    page.goto("/stores/")
    seen = [(page.url, page.title(), main_text(page))]
    for number, (step, address, words) in enumerate(WAY):
        if script and number > 0:
            page.evaluate("window.sameWindow = true")
        follow(page, step)
        settled(page, address)
        expect(page.locator("#main")).to_contain_text(words)
        if script and number > 0:
            assert page.evaluate("window.sameWindow"), f"{step} loaded the whole page"
        here = (page.url, page.title(), main_text(page))
        page.reload()
        settled(page, address)
        expect_text(page, here[2])
        assert (page.url, page.title()) == here[:2]
        expect(page.locator("h1")).to_have_count(1)
        seen.append(here)
    for then in reversed(seen[:-1]):
        page.go_back()
        settled(page, re.escape(then[0]) + "$")
        expect(page).to_have_title(then[1])
        expect_text(page, then[2])
        expect(page.locator("h1")).to_have_count(1)
    for then in seen[1:]:
        page.go_forward()
        settled(page, re.escape(then[0]) + "$")
        expect(page).to_have_title(then[1])
        expect_text(page, then[2])


def test_keeps_memory_text_out_of_the_browsers_storage(open_page, console):
    page = open_page()
    page.goto(console.store_path)
    follow(page, ("link", "README.md", "Folders"))
    settled(page, "/memories/")
    follow(page, ("link", "policies", "Folders"))
    settled(page, "folder=")
    stored = page.evaluate("JSON.stringify([{...localStorage}, {...sessionStorage}])")
    assert "Read me" not in stored
    assert "README" not in stored


def test_opens_a_link_in_a_new_window_when_asked_to(open_page, console):
    page = open_page()
    page.goto(console.store_path)
    with page.context.expect_page() as opened:
        page.locator("#main").get_by_role("link", name="README.md").first.click(modifiers=["ControlOrMeta"])
    opened.value.wait_for_load_state()
    expect(opened.value.get_by_text("# Read me first")).to_be_visible()
    assert page.url.endswith(console.store_path)


def test_filters_while_typing_and_never_loses_a_letter(open_page):
    page = open_page()
    page.goto("/stores/")
    field = page.get_by_label("Filter by name or description")
    field.press_sequentially("policies and cases", delay=40)
    settled(page, r"\?q=policies%20and%20cases$")
    expect(field).to_have_value("policies and cases")
    expect(field).to_be_focused()
    expect(page.locator("#stores tbody tr")).to_have_count(1)
    page.reload()
    expect(field).to_have_value("policies and cases")
    expect(page.locator("#stores tbody tr")).to_have_count(1)


@with_and_without_script
def test_turns_the_pages_of_the_stores(open_page, console, script):
    for number in range(60):
        make_store(actor=actor_of(console), name=f"Store {number}")
    page = open_page(script=script)
    page.goto("/stores/?q=store")
    rows = page.locator("#stores tbody tr")
    expect(rows).to_have_count(50)
    page.get_by_role("link", name="More stores").click()
    settled(page, "after=")
    expect(rows).to_have_count(10)
    expect(page.locator("h1")).to_have_text("Stores")
    if script:
        expect(page.locator("#announce")).to_have_text("10 stores listed")
    page.go_back()
    settled(page, "q=store$")
    expect(rows).to_have_count(50)
    page.get_by_role("link", name="More stores").click()
    settled(page, "after=")
    page.get_by_role("link", name="From the first").click()
    settled(page, "q=store$")
    expect(rows).to_have_count(50)


def test_filters_by_enter_without_script(open_page):
    page = open_page(script=False)
    page.goto("/stores/")
    page.get_by_label("Filter by name or description").fill("policies")
    page.keyboard.press("Enter")
    settled(page, r"\?q=policies$")
    expect(page.locator("#stores tbody tr")).to_have_count(1)


def test_is_used_by_keyboard_alone(open_page, console):
    page = open_page()
    page.goto(console.store_path)
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#main")).to_be_focused()
    folders = page.get_by_role("navigation", name="Folders")
    folders.get_by_role("link", name="policies").focus()
    outline = "getComputedStyle(document.activeElement).outlineStyle"
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Tab")
    assert page.evaluate(outline) == "solid"
    page.keyboard.press("Enter")
    settled(page, "folder=%2Fpolicies%2F$")
    # Focus is where the reading goes on, never lost on the body.
    assert page.evaluate("document.activeElement.closest('#main') !== null")
    expect(page.locator("#announce")).to_have_text(re.compile("policies"))


def test_moves_among_lines_by_arrow_keys(open_page, console):
    page = open_page()
    page.goto(console.refunds_path)
    assert (
        page.evaluate("[...document.querySelectorAll('.code__n')].filter(a => a.tabIndex === 0).length") == 1
    )
    page.locator("#L1 .code__n").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    expect(page.locator("#L3 .code__n")).to_be_focused()
    page.keyboard.press("End")
    expect(page.locator("#L4 .code__n")).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_url("**/#L4")
    assert page.evaluate("document.querySelector(':target').id") == "L4"


def test_reaches_every_line_without_script(open_page, console):
    page = open_page(script=False)
    page.goto(f"{console.refunds_path}#L3")
    page.locator("#L3 .code__n").focus()
    page.keyboard.press("Tab")
    expect(page.locator("#L4 .code__n")).to_be_focused()


def test_copies_an_id_on_click(open_page, console):
    page = open_page(permissions=["clipboard-read", "clipboard-write"])
    page.goto(console.store_path)
    page.get_by_role("button", name=console.store.id).click()
    expect(page.locator(".toast")).to_have_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()") == console.store.id


@with_and_without_script
def test_keeps_the_chosen_theme(open_page, script):
    page = open_page(script=script, color_scheme="light")
    page.goto("/stores/")

    def ground() -> str:
        return page.screenshot(clip={"x": 700, "y": 500, "width": 4, "height": 4}).hex()

    light = ground()
    page.locator(".menu--end summary").click()
    page.get_by_role("button", name="Dark").click()
    settled(page, "/stores/$")
    assert page.locator("html").get_attribute("data-theme") == "dark"
    page.goto("/connect/")
    assert page.locator("html").get_attribute("data-theme") == "dark"
    assert ground() != light
    page.locator(".menu--end summary").click()
    page.get_by_role("button", name="System").click()
    settled(page, "/connect/$")
    assert page.locator("html").get_attribute("data-theme") is None


def test_goes_to_the_sign_in_page_when_the_session_has_ended(open_page, console):
    page = open_page()
    page.goto(console.store_path)
    page.context.clear_cookies()
    follow(page, ("link", "policies", "Folders"))
    settled(page, "/login/")
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    expect(page.locator(".topbar")).to_have_count(0)
    page.get_by_label("E-mail").fill("ada@example.com")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    settled(page, console.store_path)


@with_and_without_script
def test_shows_what_is_left_of_a_memory_that_was_deleted_meanwhile(open_page, console, script):
    page = open_page(script=script)
    page.goto(f"{console.store_path}?folder=/policies/")
    actor = actor_of(console)
    delete_memory(actor=actor, store_id=console.store.id, memory_id=console.refunds.id)
    follow(page, ("link", "refunds.md", "Folders"))
    settled(page, "/history/$")
    expect(page.get_by_text("This memory is deleted.")).to_be_visible()


@with_and_without_script
def test_says_that_nothing_is_here_when_the_store_is_gone(open_page, console, script):
    page = open_page(script=script)
    page.goto(console.store_path)
    delete_store(actor=actor_of(console), store_id=console.store.id)
    follow(page, ("link", "policies", "Folders"))
    expect(page.get_by_role("heading", name="Nothing is here")).to_be_visible()
    settled(page, "folder=")
    page.complaints.clear()  # the browser reports the 404 itself


def actor_of(console):
    return member_actor(membership=Membership.objects.get(user=console.user))


@pytest.mark.parametrize("width", [320, 390])
def test_never_is_wider_than_a_small_window(open_page, console, width):
    page = open_page(width=width)
    for name, path in console.paths().items():
        page.goto(path)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, name
    page.complaints.clear()  # the 404 among them


def test_opens_menu_and_folders_in_a_small_window(open_page, console):
    page = open_page(width=390)
    page.goto(console.refunds_path)
    menu = page.get_by_role("navigation", name="Main")
    expect(menu).to_be_hidden()
    page.get_by_role("button", name="Menu").click()
    expect(menu.get_by_role("link", name="Stores")).to_be_visible()
    page.keyboard.press("Escape")
    expect(menu).to_be_hidden()
    folders = page.get_by_role("navigation", name="Folders")
    expect(folders).to_be_hidden()
    page.get_by_text("Folders", exact=True).click()
    folders.get_by_role("link", name="README.md").click()
    settled(page, "/memories/")
    expect(page.get_by_text("# Read me first")).to_be_visible()


def test_runs_nothing_that_was_written_into_memories(open_page, console):
    page = open_page()
    for memory in console.hostile_memories:
        page.goto(f"/stores/{console.hostile_store.id}/memories/{memory.id}/")
        expect(page.locator("h1")).to_have_count(1)
        assert page.locator("#main img, #main script").count() == 0
