"""The editor over the textarea: it shows what is there, sends what was typed, and stays out of the way."""

import re
import time

import pytest
from playwright.sync_api import Page, expect

from stores.console.text import pieces
from stores.domain import memories
from stores.models import MemoryVersion
from tests.browser.editing import editor, text_field, text_value, write_text
from tests.browser.test_accessibility import faults
from tests.browser.test_writing import actor_of, click, live
from tests.console import hostile
from tests.factories import make_memory

pytestmark = pytest.mark.browser


def make(console, path: str, content: str):
    return make_memory(actor=actor_of(console), store=console.store, path=path, content=content)


def edit(page: Page, console, memory) -> None:
    page.goto(f"{console.store_path}memories/{memory.id}/edit/")
    editor(page)


def test_stands_in_for_the_textarea_when_a_page_is_loaded_and_when_it_is_swapped_in(open_page, console):
    page = open_page()
    page.goto(f"{console.refunds_path}edit/")
    expect(editor(page)).to_contain_text("30 days.")
    expect(text_value(page)).to_be_hidden()
    page.goto("/stores/")
    for url, text in ((f"{console.refunds_path}edit/", "30 days."), (console.paths()["new memory"], "")):
        page.evaluate("(url) => htmx.ajax('GET', url, '#main')", url)
        expect(editor(page)).to_contain_text(text)
        expect(page.locator(".editor")).to_have_count(1)
    page.evaluate("htmx.ajax('GET', '/stores/', '#main')")
    expect(page.locator(".editor")).to_have_count(0)


def test_pages_without_a_text_field_do_not_fetch_it(open_page, console):
    page = open_page()
    fetched = []
    page.on("request", lambda request: fetched.append(request.url))
    page.goto(console.refunds_path)
    page.wait_for_load_state("networkidle")
    assert any("js/editor" in url for url in fetched)
    assert not any("vendor/editor" in url for url in fetched)


def test_what_is_typed_is_what_is_saved(open_page, console):
    page = open_page()
    page.goto(f"{console.refunds_path}edit/")
    write_text(page, "")
    # Among them the keys that do something on other pages.
    page.keyboard.type("/gs ?jknpe x\n\n  - [caf\u00e9] {(\n\U0001f600 \"'`")
    expect(page.locator("#text-size")).to_have_text("39 B")
    page.keyboard.press("ControlOrMeta+s")
    expect(page.locator(".toast")).to_contain_text("Saved as v4.")
    assert live(console.refunds) == "/gs ?jknpe x\n\n  - [caf\u00e9] {(\n  \U0001f600 \"'`"


def test_a_change_in_one_place_changes_that_place(open_page, console):
    before = "\n\ufeffone \r\ntwo\rthree\t\r\n\x85\u2028four \U0001f468\u200d\U0001f469 \u202e\n\n "
    memory = make(console, "/nasty.txt", before)
    page = open_page()
    edit(page, console, memory)
    editor(page).press("Control+Home")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("End")
    page.keyboard.type("!")
    click(page, "Save")
    expect(page.locator(".toast")).to_be_visible()
    assert live(memory) == before.replace("two", "two!")


def test_what_was_taken_back_makes_no_version(open_page, console):
    memory = make(console, "/back.md", "\r\none\u2029 \r\n")
    page = open_page()
    edit(page, console, memory)
    write_text(page, "something else")
    editor(page).press("ControlOrMeta+z")
    expect(text_value(page)).to_have_value("\none\u2029 \n")
    click(page, "Save")
    expect(page.locator(".toast")).to_contain_text("Nothing was changed")


def test_pasted_line_breaks_are_line_breaks(open_page, console):
    page = open_page()
    page.goto(f"{console.refunds_path}edit/")
    write_text(page, "")
    editor(page).evaluate(
        """(content) => {
            const clipboardData = new DataTransfer();
            clipboardData.setData("text/plain", "one\\r\\ntwo\\rthree\\u2028\\n");
            content.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true }));
        }"""
    )
    expect(text_value(page)).to_have_value("one\ntwo\nthree\u2028\n")


def test_a_draft_reaches_the_editor(open_page, console):
    page = open_page()
    page.goto(f"{console.refunds_path}edit/")
    editor(page).press("Control+End")
    page.keyboard.type("Mine.")
    page.goto("/stores/")
    page.goto(f"{console.refunds_path}edit/")
    expect(editor(page)).not_to_contain_text("Mine.")
    page.get_by_role("button", name="Take it up again").click()
    expect(editor(page)).to_contain_text("Mine.")
    expect(editor(page)).to_be_focused()
    page.keyboard.press("Control+End")
    page.keyboard.type(" More.")
    page.keyboard.press("ControlOrMeta+s")
    expect(page.locator(".toast")).to_contain_text("Saved as v4.")
    assert live(console.refunds).endswith("readable.\nMine. More.")


def test_what_was_typed_before_it_came_is_in_it(open_page, console):
    page = open_page()
    held = []
    page.route("**/vendor/editor.js", lambda route: held.append(route))
    page.goto(f"{console.refunds_path}edit/")
    text_field(page).press("ControlOrMeta+a")
    page.keyboard.type("Early")
    held[0].continue_()
    expect(editor(page)).to_be_focused()
    page.keyboard.type(" bird")
    expect(text_value(page)).to_have_value("Early bird")


def test_without_the_bundle_the_textarea_does_everything(open_page, console):
    page = open_page()
    page.route("**/vendor/editor.js", lambda route: route.abort())
    page.goto(f"{console.refunds_path}edit/")
    page.wait_for_load_state("networkidle")
    page.get_by_label("Text").fill("Alone.\n")
    click(page, "Save")
    expect(page.locator(".toast")).to_contain_text("Saved as v4.")
    assert live(console.refunds) == "Alone.\n"
    page.complaints.clear()  # the browser reports what could not be fetched


HIDDEN = [
    *(text for text in hostile.TEXTS.values() if len(text) < 1000),
    "\u200cx \u200d\n\U0001f468\u200d\n\u0645\u06cc\u200c\u062e\nA\u200dB \u05d0\u200f\u200f \u05d0\u200e.\n",
    "a\ufe0f \u2764\ufe0f\ufe0f #\ufe0f \U0001f3f4\U000e0067\U000e0062 \U000e0041\U000e007f",
    "\x01\x0b\x0c\x7f\x80\x85\xa0\xad\u034f\u061c\u115f\u17b4\u180e\u2007\u200b\u2028\u2029",
    "\u202a\u202f\u2060\u2066\u2069\u3164\ufeff\uffa0\ufff9\ufffd\uffff\U0001d173\U000e01ef",
]


def test_marks_the_hidden_characters_that_other_pages_mark(open_page, console):
    made = [make(console, f"/hidden/{number}", text) for number, text in enumerate(HIDDEN)]
    page = open_page()
    for text, memory in zip(HIDDEN, made, strict=True):
        edit(page, console, memory)
        lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        wanted = [piece["mark"] for line in lines for piece in pieces(line) or () if "mark" in piece]
        found = page.locator(".editor .cm-hid").all_inner_texts()
        assert found == wanted, ascii(text)


def test_reverses_nothing(open_page, console):
    memory = make(console, "/turned.md", f"{hostile.REVERSED}\n")
    page = open_page()
    edit(page, console, memory)
    assert editor(page).inner_text().strip() == "harmless RLOgnihtyreve eteledPDF text"
    expect(page.get_by_text("They are drawn where they stand.")).to_be_visible()
    expect(page.get_by_text("The field cannot show them")).to_be_hidden()


def test_the_keyboard_gets_in_and_out(open_page, console):
    page = open_page()
    page.goto(f"{console.refunds_path}edit/")
    before = text_value(page).input_value()
    editor(page)
    page.get_by_text("Text", exact=True).click()
    expect(editor(page)).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.get_by_label("Reason")).to_be_focused()
    page.keyboard.press("Shift+Tab")
    expect(editor(page)).to_be_focused()
    page.keyboard.press("ControlOrMeta+f")
    expect(page.get_by_label("Find")).to_be_focused()
    page.keyboard.type("days")
    page.keyboard.press("Enter")
    expect(page.locator(".cm-searchMatch-selected")).to_have_text("days")
    page.keyboard.press("Escape")
    expect(editor(page)).to_be_focused()
    expect(text_value(page)).to_have_value(before)
    assert page.evaluate("Object.keys(localStorage)") == []


def test_is_a_named_and_described_field(open_page, console):
    page = open_page()
    page.goto(f"{console.refunds_path}edit/")
    editor(page)
    field = page.get_by_role("textbox", name="Text", exact=True)
    expect(field).to_have_accessible_description(re.compile("Tab leaves this field"))


@pytest.mark.parametrize(("width", "scheme"), [(1440, "light"), (390, "dark")])
def test_has_no_fault_that_axe_finds(open_page, console, width, scheme):
    text = "# Head\n\n*a* **b** `c` [d](https://example.com) ~~e~~\n> f\n\n- g\u200b\n```\nh\n```\n<b>i</b>\n"
    pages = [make(console, "/look.md", text * 20), make(console, "/look.json", '{"a": [1, "b", null, true]}')]
    pages.append(make(console, "/look.yaml", "a: 1 # b\nc:\n  - 'd'\n"))
    page = open_page(width=width, color_scheme=scheme)
    found = []
    for memory in pages:
        edit(page, console, memory)
        found += faults(page, memory.path)
        editor(page).press("ControlOrMeta+f")
        page.keyboard.type("a")
        found += faults(page, f"{memory.path}, searched")
        if page.evaluate("document.documentElement.scrollWidth") > width:
            found.append(f"{memory.path} is wider than the window")
    assert found == []


def test_follows_the_theme(open_page, console):
    page = open_page(color_scheme="light")
    page.goto(f"{console.refunds_path}edit/")
    ink = "(content) => getComputedStyle(content).color"
    light = editor(page).evaluate(ink)
    page.emulate_media(color_scheme="dark")
    assert editor(page).evaluate(ink) != light
    page.evaluate("document.documentElement.dataset.theme = 'light'")
    assert editor(page).evaluate(ink) == light


def test_colours_by_the_ending_of_the_path(open_page, console):
    page = open_page()
    page.goto(console.paths()["new memory"])
    write_text(page, "# Head")
    coloured = page.locator(".editor .cm-line span")
    expect(coloured).to_have_count(0)
    page.get_by_label("Path").fill("/a.md")
    page.get_by_label("Path").press("Tab")
    expect(coloured.first).to_be_visible()


LARGE = {
    "/line.txt": "word " * 20_480,
    "/line.json": '{"a": "' + "0123456789abcdef" * 6399 + '"}',
    "/line.md": "**a** `b` [c](d) " * 6023,
    "/hidden.txt": "a\u200b" * 25_600,
    "/paragraph.md": "**a** `b` [c](d)\n" * 6023,
    "/lines.md": "- a line\n" * 11_377,
    "/empty.log": "\n" * 12_000,
}


@pytest.mark.parametrize("path", LARGE)
def test_the_largest_texts_stay_usable(open_page, console, path):
    memory = make(console, path, LARGE[path])
    page = open_page()
    started = time.monotonic()
    edit(page, console, memory)
    for key in ("Control+Home", "Delete", "x", "ArrowDown", "ArrowRight", "Control+End", "y"):
        editor(page).press(key)
    expect(text_value(page)).to_have_value("x" + LARGE[path][1:] + "y")
    # Some ten times what it takes, for machines that have other work.
    assert time.monotonic() - started < 30
    assert page.locator(".editor *").count() < 10_000


def test_the_merged_text_of_two_people_can_be_edited(open_page, console):
    page = open_page()
    page.goto(f"{console.refunds_path}edit/")
    editor(page).press("Control+End")
    page.keyboard.type("- Mine.\n")
    memories.update_memory(
        actor=actor_of(console),
        store_id=console.store.id,
        memory_id=console.refunds.id,
        content="# Refunds, theirs\n\n- 30 days.\n- Serial number readable.\n",
    )
    click(page, "Save")
    expect(page.locator("#main")).to_contain_text("Nothing clashes")
    click(page, "Look at the result and edit it")
    editor(page).press("Control+End")
    page.keyboard.type("- More.\n")
    click(page, "Save")
    expect(page.locator(".toast")).to_contain_text("Saved as v5.")
    page.complaints.clear()  # the 409
    assert live(console.refunds).endswith(
        "theirs\n\n- 30 days.\n- Serial number readable.\n- Mine.\n- More.\n"
    )
    assert MemoryVersion.objects.filter(memory_id=console.refunds.id).count() == 5
