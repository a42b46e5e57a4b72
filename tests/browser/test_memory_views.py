"""A memory drawn as Markdown and as an agent gets it, and the filter of paths, in a real browser."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.test_accessibility import faults
from tests.browser.test_console import actor_of, settled, with_and_without_script
from tests.factories import make_memory

pytestmark = pytest.mark.browser

TEXT = """# Rules

- [x] *done*
- [ ] [link](https://a.example/)

| a | | long |
|---|---|--:|
| 1 | 2 | 3 |

![pixel](http://track.example/x.png)

<img src=http://track.example/y.png onerror=alert(1)><script>alert(2)</script> \u202eabc

##### Deep

```sh
rm -rf /
```
"""


@pytest.fixture
def drawn(console) -> str:
    memory = make_memory(actor=actor_of(console), store=console.store, path="/drawn.md", content=TEXT)
    return f"{console.store_path}memories/{memory.id}/"


@with_and_without_script
def test_switches_between_text_rendered_and_the_agents_view_and_back(open_page, drawn, script):
    page = open_page(script=script)
    page.goto(drawn)
    views = page.get_by_role("navigation", name="View")
    expect(views.get_by_role("link", name="Text")).to_have_attribute("aria-current", "true")
    views.get_by_role("link", name="Rendered").click()
    settled(page, "view=rendered")
    expect(page.get_by_role("heading", name="Rules", level=3)).to_be_visible()
    views.get_by_role("link", name="Agent’s view").click()
    settled(page, "view=agent")
    expect(page.get_by_label("the answer of the memory tool").first).to_contain_text(
        "Here's the content of /memories/drawn.md with line numbers:"
    )
    page.reload()
    expect(page.get_by_label("the answer of the API").first).to_contain_text('"content":"# Rules\\n')
    page.go_back()
    settled(page, "view=rendered")
    expect(page.get_by_role("heading", name="Rules", level=3)).to_be_visible()
    page.go_back()
    settled(page, re.escape(drawn) + "$")
    expect(page.locator("#L1")).to_contain_text("# Rules")


def test_nothing_is_loaded_and_nothing_acts(open_page, drawn):
    page = open_page()
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{drawn}?view=rendered")
    page.wait_for_timeout(300)
    assert [url for url in asked if "a.example" in url or "track.example" in url] == []
    assert page.locator("#main img, #main script, #main [style]").count() == 0
    expect(page.locator(".md")).to_contain_text("pixel (http://track.example/x.png)")
    expect(page.locator(".md")).to_contain_text("<script>alert(2)</script>")
    expect(page.locator(".md .hid").first).to_have_text("RLO")
    link = page.locator(".md a")
    assert link.get_attribute("rel") == "noopener noreferrer nofollow"
    assert link.get_attribute("target") is None


def test_copies_what_the_agent_gets(open_page, drawn):
    page = open_page(permissions=["clipboard-read", "clipboard-write"])
    page.goto(f"{drawn}?view=agent")
    page.get_by_role("button", name="Copy the answer of the memory tool").click()
    expect(page.locator(".toast")).to_contain_text("Copied")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith("Here's the content of /memories/drawn.md with line numbers:\n     1\t# Rules\n")


def test_filters_while_typing_and_keeps_focus_and_caret(open_page, console):
    page = open_page()
    page.goto(console.store_path)
    field = page.get_by_label("Filter paths")
    field.click()
    field.press_sequentially("case-1", delay=30)
    found = page.get_by_role("navigation", name="Paths found")
    expect(found.get_by_role("link", name="/cases/2025-03/case-10.md")).to_be_visible()
    expect(found.locator(".tree--found a")).to_have_count(2)
    settled(page, r"\?filter=case-1$")
    expect(field).to_be_focused()
    field.press("ArrowLeft")
    field.press_sequentially("0")
    settled(page, r"\?filter=case-01$")
    expect(found.locator(".tree--found a")).to_have_count(1)
    assert page.evaluate("document.activeElement.selectionStart") == 6
    expect(page.locator("#announce")).to_contain_text("1 path holds")
    page.reload()
    expect(field).to_have_value("case-01")
    expect(found.get_by_role("link", name="/cases/2025-03/case-01.md")).to_be_visible()
    found.get_by_role("link", name="/cases/2025-03/case-01.md").click()
    settled(page, "/memories/")
    expect(page.locator("#main")).to_contain_text("# Case 1")
    page.go_back()
    settled(page, r"\?filter=case-01$")
    expect(field).to_have_value("case-01")
    field.focus()
    field.press("Escape")
    settled(page, re.escape(console.store_path) + "$")
    expect(field).to_have_value("")
    expect(field).to_be_focused()
    expect(page.get_by_role("navigation", name="Folders").get_by_role("link", name="cases")).to_be_visible()


def test_the_filter_leaves_the_memory_beside_it_alone(open_page, console):
    page = open_page()
    page.goto(f"{console.refunds_path}?view=agent")
    page.get_by_label("Filter paths").press_sequentially("zones")
    found = page.get_by_role("navigation", name="Paths found")
    expect(found.get_by_role("link", name="/policies/shipping/zones.md")).to_be_visible()
    settled(page, r"\?view=agent&filter=zones$")
    expect(page.get_by_label("the answer of the memory tool").first).to_contain_text("refunds.md")
    found.get_by_role("link", name="All folders").click()
    settled(page, r"\?view=agent$")


def test_the_filter_works_without_script(open_page, console):
    page = open_page(script=False)
    page.goto(f"{console.store_path}?folder=/policies/")
    page.get_by_label("Filter paths").fill("case-1")
    page.get_by_role("button", name="Filter", exact=True).click()
    settled(page, r"filter=case-1")
    expect(page).to_have_url(re.compile("folder=%2Fpolicies%2F"))
    found = page.get_by_role("navigation", name="Paths found")
    expect(found.get_by_role("link", name="/cases/2025-03/case-11.md")).to_be_visible()
    page.get_by_role("link", name="All folders").click()
    settled(page, r"\?folder=%2Fpolicies%2F$")


def test_the_filter_opens_what_it_found_in_a_small_window(open_page, console):
    page = open_page(width=390)
    page.goto(console.store_path)
    page.get_by_label("Filter paths").press_sequentially("zones")
    found = page.get_by_role("navigation", name="Paths found")
    expect(found.get_by_role("link", name="/policies/shipping/zones.md")).to_be_visible()


@pytest.mark.parametrize(("width", "scheme"), [(1440, "light"), (390, "dark")])
def test_have_no_fault_that_axe_finds(open_page, console, drawn, width, scheme):
    page = open_page(width=width, color_scheme=scheme)
    found = []
    bad = f"/stores/{console.hostile_store.id}/"
    declined = make_memory(
        actor=actor_of(console), store=console.store, path="/declined.md", content="[" * 5000 + "\n"
    )
    for path in (
        f"{drawn}?view=rendered",
        f"{drawn}?view=agent",
        f"{console.store_path}memories/{declined.id}/?view=rendered",
        f"{console.store_path}?filter=case",
        f"{console.store_path}?filter=nothing",
        f"{bad}?filter=e",
        *(f"{bad}memories/{memory.id}/?view={view}" for memory in console.hostile_memories[:3]
          for view in ("rendered", "agent")),
    ):  # fmt: skip
        page.goto(path)
        found += faults(page, path)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path
    assert found == []
