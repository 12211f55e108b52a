"""A site with all games, a static host that compresses, and browsers."""

import functools
import gzip
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest
from playwright.sync_api import sync_playwright

from bolicho.games import game_names
from bolicho.site import build
from tests.wasm.conftest import node  # noqa: F401  (names the missing linker)
from tests.web.pages.visitor import HOW_TO_INSTALL, Visitor, chromium

KUHN = "examples.kuhn:KUHN"


class Host(SimpleHTTPRequestHandler):
    """A static host, which compresses as public ones do."""

    def log_message(self, *facts):
        pass

    def send_head(self):
        found = super().send_head()
        if found is None or self.path.endswith(".gz"):
            return found
        body = gzip.compress(found.read(), 6)
        found.close()
        return _Body(body)

    def send_header(self, name, value):
        if name == "Content-Length" and not self.path.endswith(".gz"):
            return
        super().send_header(name, value)

    def end_headers(self):
        if not self.path.endswith(".gz") and self._is_file:
            self.send_header("Content-Encoding", "gzip")
        super().end_headers()

    def send_response(self, code, message=None):
        self._is_file = code == 200
        super().send_response(code, message)


class _Body:
    def __init__(self, body):
        self.body = body

    def read(self, size=-1):
        body, self.body = self.body, b""
        return body

    def close(self):
        pass


@pytest.fixture(scope="session")
def built(node, tmp_path_factory):  # noqa: F811
    """Build a site with all games and Kuhn poker; return its folder and what was built."""
    folder = tmp_path_factory.mktemp("site")
    return folder, build(folder, [*game_names(), KUHN])


@pytest.fixture(scope="session")
def base(built):
    """Serve the site below a path, as hosts of many sites do; return its address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Host, directory=str(built[0])))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")  # a process runs one Playwright at a time, and other tests start their own
def browser():
    program = chromium()
    if program is None:
        pytest.skip(HOW_TO_INSTALL)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def come(browser, base):
    """Make visitors with separate browsers, and check at the end that their pages had no errors."""
    visitors = []

    def make(settings=None, **context):
        visitors.append(Visitor(browser, base, settings, **context))
        return visitors[-1]

    yield make
    for visitor in visitors:
        visitor.close()
