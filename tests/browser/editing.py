"""The field a text is written in: a textarea, and where there is script the editor in its place."""

from playwright.sync_api import Locator, Page, expect


def text_value(page: Page) -> Locator:
    """What holds the text that is sent, in sight or not."""
    return page.locator("textarea#text")


def text_field(page: Page) -> Locator:
    """What a person writes in."""
    return page.locator("textarea#text:visible, .editor .cm-content")


def editor(page: Page) -> Locator:
    """The editor, when it is there."""
    content = page.locator(".editor .cm-content")
    expect(content).to_be_visible()
    return content


def write_text(page: Page, text: str) -> None:
    """Puts `text` in the place of all that is in the field."""
    if page.evaluate("'htmx' in window"):
        editor(page)  # a textarea that is about to go takes no keys
    # By the keys of a person: `fill` would select behind the editor's back.
    text_field(page).press("ControlOrMeta+a")
    if text:
        page.keyboard.insert_text(text)
    else:
        page.keyboard.press("Delete")
    expect(text_value(page)).to_have_value(text)
