"""Starting the Chromium that tests and screenshots drive, and listening to what goes wrong in it."""

import os
from contextlib import contextmanager

from playwright.sync_api import Browser, Page, sync_playwright

ARGUMENTS = [
    "--no-sandbox",  # containers have no user namespaces to make one from
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


@contextmanager
def chromium():
    """A running browser. Playwright keeps a loop in this thread, in which Django would refuse the ORM."""
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"
    with sync_playwright() as playwright:
        browser: Browser = playwright.chromium.launch(
            executable_path=os.environ["TEST_CHROMIUM"], args=ARGUMENTS
        )
        try:
            yield browser
        finally:
            browser.close()


def collect_complaints(page: Page) -> list[str]:
    """What the browser reports of the page: script errors, refusals by the CSP, failed requests."""
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(f"error: {error}"))
    page.on(
        "console",
        lambda message: (
            complaints.append(f"{message.type}: {message.text}")
            if message.type in ("error", "warning")
            else None
        ),
    )
    page.on("dialog", lambda dialog: (complaints.append(f"dialog: {dialog.message}"), dialog.dismiss()))
    return complaints
