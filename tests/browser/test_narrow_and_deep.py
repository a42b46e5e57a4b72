"""Long names, deep trees and far lines in a real window."""

from itertools import pairwise

import pytest
from playwright.sync_api import expect

from stores.domain.actors import session_actor
from stores.domain.stores import archive_store, update_store
from tests.browser.test_console import actor_of, settled
from tests.factories import make_memory, make_store

pytestmark = pytest.mark.browser


def test_a_long_name_never_widens_a_small_window(open_page, console):
    agent = session_actor(
        session_id="sesn_01" + "z" * 22, label="nightly-consolidation-agent-of-the-whole-team " * 3,
        workspace_id=console.store.workspace_id,
    )  # fmt: skip
    memory = make_memory(actor=agent, store=console.store, path="/long.md", content="x\n")
    page = open_page(width=320)
    at = f"{console.store_path}memories/{memory.id}/"
    for path in (
        f"{console.store_path}versions/{memory.head_version_id}/", at, f"{at}history/", console.store_path,
        f"{console.store_path}activity/", "/stores/",
    ):  # fmt: skip
        page.goto(path)
        assert page.evaluate("document.documentElement.scrollWidth") <= 320, path


def test_every_level_of_a_deep_tree_is_indented(open_page, console):
    folder = "".join(f"/f{level}" for level in range(19))
    memory = make_memory(actor=actor_of(console), store=console.store, path=f"{folder}/x.md")
    page = open_page()
    page.goto(f"{console.store_path}memories/{memory.id}/")
    lefts = page.evaluate(
        "[...document.querySelectorAll('.tree .is-open')].slice(1).map((a) => a.getBoundingClientRect().left)"
    )
    assert len(lefts) == 19
    assert all(inner - outer >= 3 for outer, inner in pairwise(lefts))


@pytest.mark.parametrize("script", [True, False], ids=["script", "no script"])
def test_a_long_description_takes_two_lines_until_one_asks_for_it(open_page, console, script):
    update_store(actor=actor_of(console), store_id=console.store.id, description="A few words. " * 70)
    page = open_page(script=script)
    page.goto(console.refunds_path)
    text = page.locator(".brief__text")
    assert text.bounding_box()["height"] <= 45
    page.get_by_text("Read all").click()
    assert text.bounding_box()["height"] > 80
    page.get_by_text("Show less").click()
    assert text.bounding_box()["height"] <= 45


def test_a_line_on_a_later_page_is_found_by_its_number_alone(open_page, console):
    memory = make_memory(actor=actor_of(console), store=console.store, path="/far.md", content="x\n" * 5000)
    page = open_page()
    page.goto(f"{console.store_path}memories/{memory.id}/#L4500")
    settled(page, r"\?from=4001#L4500$")
    expect(page.locator("#L4500")).to_be_in_viewport()
    assert page.evaluate("document.querySelector(':target').id") == "L4500"
    page.goto(f"{console.store_path}memories/{memory.id}/#L9000")
    settled(page, "/#L9000$")


def test_showing_archived_stores_keeps_the_typed_filter(open_page, console):
    old = make_store(actor=actor_of(console), name="Support of old")
    archive_store(actor=actor_of(console), store_id=old.id)
    page = open_page()
    page.goto("/stores/")
    page.get_by_label("Filter by name or description").press_sequentially("of old", delay=20)
    settled(page, "q=of%20old")
    expect(page.get_by_text("1 archived one has")).to_be_visible()
    page.get_by_label("With archived").check()
    settled(page, "archived=1")
    assert "q=of%20old" in page.url
    expect(page.locator("#stores tbody tr")).to_have_count(1)
    page.go_back()
    settled(page, "q=of%20old$")
    expect(page.get_by_label("With archived")).not_to_be_checked()
    expect(page.get_by_label("Filter by name or description")).to_have_value("of old")
