"""The last choice wins; Back and Forward find the page, the place in it, and an honest word otherwise."""

import re

import pytest
from playwright.sync_api import Error, Page, Route, expect

from stores.domain.stores import delete_store
from tests.browser.conftest import PASSWORD
from tests.browser.test_console import actor_of, follow, settled
from tests.factories import make_memory

pytestmark = pytest.mark.browser


class Hold:
    """Requests whose address holds `part` wait until they are let go."""

    def __init__(self, page: Page, part: str, *, whole: bool = False) -> None:
        self.page = page
        self.held: list[Route] | None = []
        page.route(lambda address: address.endswith(part) if whole else part in address, self.take)

    def take(self, route: Route) -> None:
        if self.held is None:
            route.continue_()
        else:
            self.held.append(route)

    def wait(self) -> None:
        for _ in range(100):
            if self.held:
                return
            self.page.wait_for_timeout(50)
        raise AssertionError("the request was not sent")

    def let_go(self) -> None:
        held, self.held = self.held or [], None
        for route in held:
            route.continue_()
        self.page.wait_for_timeout(300)
        # That a request was given up is no fault, but htmx writes it down as one.
        self.page.complaints[:] = [c for c in self.page.complaints if not c.startswith("error: htmx:")]


def until(page: Page, condition: str) -> None:
    """Waits until it is true. (Playwright's own way needs `eval`, which the CSP forbids.)"""
    for _ in range(100):
        try:
            if page.evaluate(condition):
                return
        except Error:
            pass  # between two pages
        page.wait_for_timeout(50)
    raise AssertionError(condition)


def long_memory(console, path: str = "/long.md", lines: int = 1900):
    return make_memory(
        actor=actor_of(console), store=console.store, path=path,
        content="".join(f"line {number}\n" for number in range(1, lines + 1)),
    )  # fmt: skip


def test_a_slow_answer_never_takes_the_place_of_a_newer_choice(open_page, console):
    page = open_page()
    page.goto(console.store_path)
    held = Hold(page, "folder=%2Fpolicies%2F")
    follow(page, ("link", "policies", "Folders"))
    held.wait()
    follow(page, ("link", "README.md", "Folders"))
    settled(page, "/memories/")
    held.let_go()
    expect(page.locator("#main")).to_contain_text("# Read me first")
    assert "/memories/" in page.url


def test_a_slow_answer_never_takes_the_place_of_the_page_that_one_went_back_to(open_page, console):
    page = open_page()
    page.goto(console.store_path)
    follow(page, ("link", "README.md", "Folders"))
    settled(page, "/memories/")
    held = Hold(page, "folder=%2Fpolicies%2F")
    follow(page, ("link", "policies", "Folders"))
    held.wait()
    page.go_back()
    settled(page, f"{console.store_path}$")
    held.let_go()
    assert page.url.endswith(console.store_path)
    expect(page.locator("#place")).to_have_text("/")


def test_of_several_steps_back_the_last_one_is_shown(open_page, console):
    page = open_page()
    page.goto(console.store_path)
    follow(page, ("link", "policies", "Folders"))
    settled(page, "folder=")
    follow(page, ("link", "refunds.md", "Folders"))
    settled(page, "/memories/")
    follow(page, ("link", "History 3", "Memory"))
    settled(page, "/history/")
    held = Hold(page, "/memories/")
    # Planned ahead: while a page is on its way, Playwright waits for it.
    page.evaluate("for (const after of [0, 600]) setTimeout(() => history.back(), after)")
    held.wait()
    page.wait_for_timeout(900)
    held.let_go()
    settled(page, "folder=")
    expect(page.locator("#place")).to_have_text("/policies/")
    page.evaluate("history.go(2)")
    settled(page, "/history/")
    expect(page).to_have_title(re.compile("History"))
    assert "/history/" in page.url


def test_a_click_while_the_page_of_before_is_on_its_way_is_followed(open_page, console):
    page = open_page()
    page.goto(console.store_path)
    follow(page, ("link", "policies", "Folders"))
    settled(page, "folder=")
    held = Hold(page, console.store_path, whole=True)
    page.evaluate(
        "const link = document.querySelector('table a[href*=memories]');"
        "setTimeout(() => history.back(), 0); setTimeout(() => link.click(), 600)"
    )
    held.wait()
    page.wait_for_timeout(900)
    held.let_go()
    settled(page, "/memories/")
    expect(page.locator("#main")).to_contain_text("- 30 days.")
    assert "/memories/" in page.url


def test_back_after_the_sign_in_has_ended_asks_for_it_and_comes_to_the_page(open_page, console):
    page = open_page()
    page.goto(f"{console.store_path}?folder=/cases/")
    follow(page, ("link", "policies", "Folders"))
    settled(page, "policies")
    page.context.clear_cookies()
    page.go_back()
    settled(page, "/login/")
    page.get_by_label("E-mail").fill("ada@example.com")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    settled(page, r"folder=/cases/$")
    expect(page.locator("#place")).to_have_text("/cases/")


def test_back_to_what_is_gone_shows_the_servers_own_page_at_its_address(open_page, console):
    page = open_page()
    page.goto(console.store_path)
    follow(page, ("link", "policies", "Folders"))
    settled(page, "folder=")
    follow(page, ("link", "README.md", "Folders"))
    settled(page, "/memories/")
    delete_store(actor=actor_of(console), store_id=console.store.id)
    page.go_back()
    expect(page.get_by_role("heading", name="Nothing is here")).to_be_visible()
    assert "folder=" in page.url
    page.complaints.clear()  # the browser reports the 404 itself


def test_back_without_a_network_says_so_and_finds_the_page_later(open_page, console):
    page = open_page()
    page.goto(console.store_path)
    follow(page, ("link", "policies", "Folders"))
    settled(page, "folder=")
    page.context.set_offline(True)
    page.evaluate("history.back()")
    page.wait_for_timeout(500)
    expect(page.get_by_text("ERR_INTERNET_DISCONNECTED")).to_be_visible()
    page.context.set_offline(False)
    page.reload()
    settled(page, f"{console.store_path}$")
    expect(page.locator("#place")).to_have_text("/")
    page.complaints.clear()  # the browser reports the network itself


def test_back_and_forward_find_the_place_in_a_long_page(open_page, console):
    memory = long_memory(console)
    path = f"{console.store_path}memories/{memory.id}/"
    page = open_page()
    page.goto(path)
    page.evaluate("scrollTo(0, 12000)")
    page.wait_for_timeout(400)
    page.evaluate("document.querySelector('.tree a[href*=policies]').click()")
    settled(page, "folder=")
    assert page.evaluate("scrollY") == 0
    page.go_back()
    settled(page, f"{path}$")
    until(page, "Math.abs(scrollY - 12000) < 2")
    page.go_forward()
    settled(page, "folder=")
    until(page, "scrollY === 0 && document.querySelector('#place').textContent === '/policies/'")
    page.go_back()
    until(page, "Math.abs(scrollY - 12000) < 2")


def test_back_finds_the_place_after_a_page_that_was_loaded_whole(open_page, console):
    memory = long_memory(console)
    page = open_page()
    page.goto(f"{console.store_path}memories/{memory.id}/")
    page.evaluate("scrollTo(0, 12000)")
    page.evaluate("document.querySelector('.crumbs a[href=\"/stores/\"]').click()")
    settled(page, "/stores/$")
    page.go_back()
    until(page, "Math.abs(scrollY - 12000) < 2")


def test_back_to_a_line_is_at_the_line(open_page, console):
    memory = long_memory(console)
    path = f"{console.store_path}memories/{memory.id}/"
    page = open_page()
    page.goto(path)
    page.evaluate("document.querySelector('#L1500 .code__n').click()")
    page.wait_for_url("**/#L1500")
    page.wait_for_timeout(400)
    top = "document.querySelector('#L1500').getBoundingClientRect().top"
    before = page.evaluate(top)
    assert 0 < before < 900
    page.evaluate("document.querySelector('.tree a[href*=policies]').click()")
    settled(page, "folder=")
    page.go_back()
    page.wait_for_url("**/#L1500")
    until(page, f"document.querySelector(':target')?.id === 'L1500' && {top} > 0 && {top} < 900")
    assert abs(page.evaluate(top) - before) < 2
    page.go_back()
    page.wait_for_url(re.compile(f"{path}$"))
    until(page, "scrollY === 0")
    assert page.evaluate("performance.getEntriesByType('navigation')[0].type") == "reload"


def test_back_keeps_no_words_of_the_page_that_was_left_in_the_fields(open_page, console):
    page = open_page()
    page.goto("/stores/")
    page.get_by_label("Filter by name or description").press_sequentially("policies", delay=20)
    settled(page, "q=policies$")
    page.go_back()
    settled(page, "/stores/$")
    expect(page.locator("#stores tbody tr")).to_have_count(2)
    expect(page.get_by_label("Filter by name or description")).to_have_value("")


def test_only_numbers_are_kept_of_a_place(open_page, console):
    page = open_page()
    page.goto(console.refunds_path)
    page.evaluate("scrollTo(0, 50)")
    page.wait_for_timeout(400)
    follow(page, ("link", "policies", "Folders"))
    settled(page, "folder=")
    page.go_back()
    settled(page, console.refunds_path)
    assert set(page.evaluate("Object.values(history.state ?? {}).map((v) => typeof v)")) <= {"number"}
