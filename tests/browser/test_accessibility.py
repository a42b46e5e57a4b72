"""No page has a fault that axe finds: wide and light, narrow and dark.

Contrast depends on the one, structure on the other, and half the combinations see both.
"""

import pytest
from axe_playwright_python.sync_playwright import Axe

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.mark.parametrize(("width", "scheme"), [(1440, "light"), (390, "dark")])
def test_every_page(open_page, console, width, scheme):
    page = open_page(width=width, color_scheme=scheme)
    found = []
    for name, path in console.paths().items():
        page.goto(path)
        found += faults(page, name)
    page.complaints.clear()  # the browser reports the 404 among them
    page.goto("/stores/")
    page.locator(".menu--end summary").click()
    found += faults(page, "account menu")
    if width < 800:
        page.keyboard.press("Escape")
        page.get_by_role("button", name="Menu").click()
        found += faults(page, "menu")
    assert found == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_sign_in_page(open_page, scheme):
    page = open_page(signed_in=False, color_scheme=scheme)
    page.goto("/login/")
    found = faults(page, "sign in")
    page.get_by_label("E-mail").fill("ada@example.com")
    page.get_by_label("Password").fill("wrong")
    page.get_by_role("button", name="Sign in").click()
    found += faults(page, "wrong password")
    assert found == []


def faults(page, name: str) -> list[str]:
    violations = Axe().run(page).response["violations"]
    return [
        f"{name}: {violation['id']}: {node['html'][:160]} {node.get('failureSummary', '')[:300]}"
        for violation in violations
        for node in violation["nodes"]
    ]
