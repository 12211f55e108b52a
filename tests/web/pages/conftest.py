"""Fixtures: one Chromium for each module, and visitors who use it."""

import pytest
from playwright.sync_api import sync_playwright

from tests.web.pages.visitor import HOW_TO_INSTALL, Visitor, chromium


@pytest.fixture(scope="session", autouse=True)
def program():
    """Return the path of Chromium, before any server is started."""
    found = chromium()
    if found is None:
        pytest.skip(HOW_TO_INSTALL)
    return found


@pytest.fixture(scope="module")
def browser(program):
    """Start Chromium as Debian ships it."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def come(browser, app_state):
    """Make visitors with separate browser contexts, and check at the end that their pages had no errors."""
    visitors = []

    def make(settings=None, base=app_state.base, **context):
        visitors.append(Visitor(browser, base, settings, **context))
        return visitors[-1]

    yield make
    for visitor in visitors:
        visitor.close()
