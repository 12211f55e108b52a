"""Chromium, one a module, and visitors who come with it."""

import pytest
from playwright.sync_api import sync_playwright

from tests.web.pages.visitor import HOW_TO_INSTALL, Visitor, chromium


@pytest.fixture(scope="session", autouse=True)
def program():
    """Where Chromium is; asked before a server is started for it."""
    found = chromium()
    if found is None:
        pytest.skip(HOW_TO_INSTALL)
    return found


@pytest.fixture(scope="module")
def browser(program):
    """Chromium as Debian ships it."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def come(browser, app_state):
    """Make visitors: each a browser of its own; when the test is over, nothing may have gone wrong in their pages."""
    visitors = []

    def make(settings=None, base=app_state.base, **context):
        visitors.append(Visitor(browser, base, settings, **context))
        return visitors[-1]

    yield make
    for visitor in visitors:
        visitor.close()
