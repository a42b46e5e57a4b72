"""The keys: going everywhere without the mouse, the palette, the cursor in lists, the list of keys."""

import re

import pytest
from playwright.sync_api import Page, expect

from stores.models import Membership, Role
from tests.browser.test_accessibility import faults
from tests.browser.test_console import actor_of, settled
from tests.browser.test_going_back import Hold
from tests.factories import make_memory, make_store

pytestmark = pytest.mark.browser


def palette(page: Page, words: str = "") -> None:
    """Opens it and waits for what it finds."""
    page.keyboard.press("Control+k")
    expect(page.get_by_role("combobox", name="Go to a store")).to_be_focused()
    page.keyboard.type(words)
    found(page)


def found(page: Page) -> None:
    expect(page.locator("#palette-say")).to_have_text(re.compile(r"choice|Nothing is called that"))


def meant(page: Page):
    """The option that Enter would open, as a screen reader is told of it."""
    return page.locator("#palette [aria-selected=true]")


def test_goes_all_the_way_by_keys_alone(open_page, console):
    page = open_page()
    page.goto("/")
    palette(page, "polic refu")
    expect(meant(page)).to_contain_text("refunds.md /policies Support")
    page.keyboard.press("Enter")
    settled(page, re.escape(console.refunds_path) + "$")
    page.keyboard.press("h")
    settled(page, "/history/$")
    page.keyboard.press("j")
    page.keyboard.press("j")
    row = page.locator("tbody tr.is-here")
    expect(row).to_have_count(1)
    expect(row).to_have_id("v2")
    page.keyboard.press("j")
    expect(row.get_by_role("link", name="v1", exact=True)).to_be_focused()
    page.keyboard.press("Enter")
    settled(page, r"/versions/memver_\w+/$")
    page.keyboard.press("b")
    settled(page, r"/blame/\?version=memver_\w+$")
    page.keyboard.press("h")
    settled(page, "/history/$")
    for strokes, address in (("gs", "/stores/$"), ("ga", "/activity/$"), ("go", r"\d/$")):
        for stroke in strokes:
            page.keyboard.press(stroke)
        settled(page, address)
    page.keyboard.press("/")
    expect(page.get_by_role("searchbox", name="Search all stores")).to_be_focused()


def test_the_keys_of_a_memory(open_page, console):
    page = open_page()
    for key, address in (("e", "/edit/$"), ("h", "/history/$"), ("d", r"/diff/\?to="), ("b", "/blame/$")):
        page.goto(console.refunds_path)
        page.keyboard.press(key)
        settled(page, address)


def test_two_strokes_must_follow_soon_and_unbroken(open_page, console):
    page = open_page()
    page.goto(console.refunds_path)
    for strokes in (("g", "Escape", "s"), ("g", "x", "s"), ("g", "e"), ("s",), ("Shift+G", "s")):
        for stroke in strokes:
            page.keyboard.press(stroke)
    page.keyboard.press("g")
    page.wait_for_timeout(1700)
    page.keyboard.press("s")
    page.wait_for_timeout(200)
    assert page.url.endswith(console.refunds_path)


def test_typing_presses_no_key(open_page, console):
    page = open_page()
    page.goto(f"{console.refunds_path}edit/")
    address = page.url
    for field in (page.locator("#reason"), page.get_by_role("searchbox", name="Search all stores")):
        field.click()
        page.keyboard.type("gs ga hjkdbx?e/")
        expect(field).to_have_value("gs ga hjkdbx?e/")
    page.goto(f"{console.refunds_path}history/")
    page.get_by_label("What", exact=True).focus()
    page.keyboard.type("gdbh")
    # Neither does a text that is in a shadow root, as editors are.
    page.evaluate(
        """() => {
            const host = document.createElement("div");
            host.attachShadow({ mode: "open" }).append(document.createElement("textarea"));
            document.body.append(host);
            host.shadowRoot.firstChild.focus();
        }"""
    )
    page.keyboard.type("gsbd?")
    expect(page.locator("dialog[open]")).to_have_count(0)
    assert page.url.endswith("/history/")
    assert address.endswith("/edit/")


def test_a_viewer_has_no_key_for_what_he_may_not_do(open_page, console):
    Membership.objects.filter(user=console.user).update(role=Role.VIEWER)
    page = open_page()
    page.goto(console.refunds_path)
    page.keyboard.press("e")
    page.keyboard.press("?")
    keys = page.get_by_role("dialog", name="Keys on this page")
    expect(keys).to_contain_text("History")
    expect(keys).not_to_contain_text("Edit")
    page.keyboard.press("Escape")
    palette(page)
    expect(page.get_by_role("option", name="History")).to_be_visible()
    for name in ("Edit", "Delete", "New"):
        expect(page.get_by_role("option", name=name)).to_have_count(0)


def test_the_list_of_keys_opens_and_gives_the_focus_back(open_page, console):
    page = open_page()
    page.goto(f"{console.refunds_path}history/")
    page.keyboard.press("j")
    page.keyboard.press("?")
    keys = page.get_by_role("dialog", name="Keys on this page")
    for words in ("Search all stores", "Next row", "Tick the row", "Blame"):
        expect(keys).to_contain_text(words)
    # What does nothing here is not there.
    for words in ("Next change", "Save"):
        expect(keys).not_to_contain_text(words)
    page.keyboard.press("d")
    assert page.url.endswith("/history/")
    assert faults(page, "keys") == []
    page.keyboard.press("Escape")
    expect(keys).to_be_hidden()
    expect(page.locator(".is-here a").first).to_be_focused()
    page.locator(".foot").get_by_role("link", name="Keys").click()
    expect(keys).to_be_visible()
    keys.get_by_role("link", name="All keys").click()
    settled(page, "/keys/$")
    expect(page.locator("#main")).to_contain_text("Next change")
    assert faults(page, "keys page") == []


def test_the_list_of_keys_reads_without_script(open_page):
    page = open_page(script=False)
    page.goto("/stores/")
    page.locator(".foot").get_by_role("link", name="Keys").click()
    page.wait_for_url("**/keys/")
    expect(page.locator("#main")).to_contain_text("Next row, previous row")
    expect(page.get_by_role("checkbox", name="Keys without Ctrl")).to_have_count(0)
    expect(page.get_by_role("button", name="Go to")).to_have_count(0)


def test_single_keys_can_be_switched_off(open_page, console):
    page = open_page()
    page.goto("/keys/")
    page.get_by_role("checkbox", name="Keys without Ctrl").uncheck()
    page.goto(console.refunds_path)
    expect(page.get_by_role("link", name="Edit")).not_to_have_attribute("aria-keyshortcuts", "e")
    for key in "hgs?":
        page.keyboard.press(key)
    page.wait_for_timeout(200)
    expect(page.locator("dialog[open]")).to_have_count(0)
    assert page.url.endswith(console.refunds_path)
    palette(page)
    page.keyboard.press("Escape")
    page.goto("/keys/")
    page.get_by_role("checkbox", name="Keys without Ctrl").check()
    page.keyboard.press("g")
    page.keyboard.press("s")
    settled(page, "/stores/$")


def test_what_a_key_follows_says_so(open_page, console):
    page = open_page()
    page.goto(console.refunds_path)
    edit = page.get_by_role("link", name="Edit")
    expect(edit).to_have_attribute("aria-keyshortcuts", "e")
    expect(edit).to_have_attribute("title", "Key: e")
    stores = page.get_by_role("navigation", name="Main").get_by_role("link", name="Stores")
    expect(stores).to_have_attribute("title", "Keys: g then s")
    expect(page.get_by_role("button", name="Go to")).to_have_attribute("aria-keyshortcuts", "Control+K")


@pytest.mark.parametrize(
    "address", ["/", "/stores/", "/activity/", "/search/?q=refunds", "STORE", "STOREactivity/", "STOREas-of/"]
)
def test_the_cursor_moves_in_every_list(open_page, console, address):
    page = open_page()
    page.goto(address.replace("STORE", console.store_path))
    rows = page.locator("[data-rows] > tbody > tr, [data-rows] > li")
    here = page.locator("#main .is-here")
    page.keyboard.press("j")
    expect(rows.first).to_have_class(re.compile("is-here"))
    page.keyboard.press("k")
    expect(rows.first).to_have_class(re.compile("is-here"))
    link = rows.first.get_by_role("link").first
    expect(link).to_be_focused()
    href = link.get_attribute("href")
    page.keyboard.press("Enter")
    page.wait_for_url(lambda url: url.endswith(href))
    settled(page, ".")
    # Another list begins anew.
    expect(here).to_have_count(0)


def test_the_cursor_ticks_rows_and_stays_in_sight(open_page, console):
    for number in range(40):
        make_memory(actor=actor_of(console), store=console.store, path=f"/many/{number:02}.md")
    page = open_page()
    page.goto(f"{console.store_path}?folder=/many/")
    for _ in range(38):
        page.keyboard.press("j")
    page.keyboard.press("x")
    expect(page.get_by_label("Tick 37.md")).to_be_checked()
    inside = """() => {
        const { top, bottom } = document.querySelector("#main .is-here").getBoundingClientRect();
        const bar = document.querySelector(".topbar").getBoundingClientRect().bottom;
        return top >= bar && bottom <= document.querySelector(".ticked").getBoundingClientRect().top;
    }"""
    assert page.evaluate(inside)
    # The mouse on a tick box does not end it.
    page.get_by_label("Tick 36.md").click()
    page.keyboard.press("k")
    expect(page.locator("#main .is-here")).to_contain_text("35.md")
    for _ in range(34):
        page.keyboard.press("k")
    assert page.evaluate(inside)
    for _ in range(2):
        page.keyboard.press("k")
    expect(page.locator("#announce")).to_have_text("This is the first row")


def test_the_palette_does_what_the_page_can_do(open_page, console):
    page = open_page()
    page.goto(console.refunds_path)
    palette(page, "bla")
    expect(meant(page)).to_have_text(re.compile("Blame"))
    page.keyboard.press("Enter")
    settled(page, "/blame/$")
    palette(page, "theme dark")
    page.keyboard.press("Enter")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    expect(page.locator("#palette")).to_be_hidden()
    page.go_back()
    settled(page, re.escape(console.refunds_path) + "$")
    palette(page, "delete")
    page.keyboard.press("Enter")
    expect(page.locator(".toast")).to_contain_text("Undo")
    # What the page offers itself is not offered twice.
    page.goto(f"{console.store_path}?folder=/policies/")
    palette(page, "new mem")
    new = page.locator("#palette").get_by_role("option", name="New memory")
    expect(new).to_have_count(1)
    page.keyboard.press("Enter")
    settled(page, r"/memories/new/\?folder=")


def test_the_palette_moves_by_arrows_and_goes_to_stores_and_pages(open_page, console):
    make_store(actor=actor_of(console), name="Supplies")
    page = open_page()
    page.goto("/activity/")
    palette(page, "supp")
    expect(meant(page)).to_have_text("Supplies")
    combobox = page.get_by_role("combobox", name="Go to a store")
    expect(combobox).to_have_attribute("aria-activedescendant", "pal-0")
    page.keyboard.press("ArrowUp")
    expect(meant(page)).to_have_text("Search all texts for “supp”")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    expect(meant(page)).to_have_text("Support")
    expect(combobox).to_have_attribute("aria-activedescendant", "pal-1")
    with page.context.expect_page() as opened:
        page.keyboard.press("Control+Enter")
    expect(opened.value).to_have_url(re.compile(re.escape(console.store_path) + "$"))
    opened.value.close()
    page.keyboard.press("Enter")
    settled(page, re.escape(console.store_path) + "$")
    page.go_back()
    settled(page, "/activity/$")
    expect(page.locator("#palette")).to_be_hidden()
    palette(page, "supp")
    page.locator("#palette").get_by_role("option", name="Supplies").click()
    settled(page, "/stores/")


def test_enter_waits_for_what_was_typed_last(open_page, console):
    page = open_page()
    page.goto("/stores/")
    palette(page)
    late = Hold(page, "/palette/?q=zones")
    page.keyboard.type("zones")
    page.keyboard.press("Enter")
    late.wait()
    expect(page.locator("#palette-say")).to_have_text("Looking …")
    late.let_go()
    settled(page, r"/memories/mem_\w+/$")
    expect(page.locator("#place")).to_contain_text("zones.md")


def test_the_last_answer_wins(open_page, console):
    page = open_page()
    page.goto("/stores/")
    palette(page)
    late = Hold(page, "q=README")
    page.keyboard.type("README")
    late.wait()
    page.get_by_role("combobox", name="Go to a store").fill("zones")
    expect(page.get_by_role("option", name="zones.md")).to_be_visible()
    late.let_go()
    expect(page.get_by_role("option", name="README.md")).to_have_count(0)


def test_the_palette_says_when_it_fails(open_page, console):
    page = open_page()
    page.goto("/stores/")
    palette(page)
    page.route("**/palette/?q=a&**", lambda route: route.abort())
    page.route("**/palette/?q=ab&**", lambda route: route.fulfill(status=500, body="no"))
    page.keyboard.type("a")
    expect(page.locator("#palette-say")).to_have_text("The server cannot be reached. Type on to try again.")
    page.keyboard.type("b")
    expect(page.locator("#palette-say")).to_have_text("That did not work (error 500). Type on to try again.")
    page.complaints.clear()  # the browser reports both
    page.keyboard.type("c")
    expect(page.get_by_role("option", name="Search all texts")).to_be_visible()


def test_the_palette_with_an_expired_sign_in(open_page, console):
    page = open_page()
    page.goto(console.refunds_path)
    page.context.clear_cookies()
    page.keyboard.press("Control+k")
    settled(page, r"/login/\?next=")


def test_hostile_names_are_text_in_the_palette(open_page, console):
    page = open_page()
    page.goto(f"/stores/{console.hostile_store.id}/")
    for words in ("", "b x", "onmouse", "img", "קובץ", "dddd"):
        palette(page, words)
        assert page.locator("#palette :is(img, script, b)").count() == 0
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        page.keyboard.press("Escape")
    palette(page, "קובץ")
    expect(meant(page)).to_contain_text("קובץ.md")
    page.keyboard.press("Enter")
    settled(page, r"/memories/mem_\w+/$")


@pytest.mark.parametrize("width", [1440, 390])
def test_the_palette_is_accessible(open_page, console, width):
    page = open_page(width=width, color_scheme="light")
    page.goto(console.refunds_path)
    found_faults = []
    for words in ("", "ref", "zzzz"):
        palette(page, words)
        found_faults += faults(page, f"palette {words}")
        page.keyboard.press("Control+k")
        expect(page.locator("#palette")).to_be_hidden()
    assert found_faults == []
