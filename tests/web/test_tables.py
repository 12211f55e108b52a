"""Dominoes and 7 Wonders in the browser: buttons for legal actions, and layout of the tiles."""

import random
import shutil
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

import bolicho
from bolicho.i18n import LANGUAGES, catalogue

PAGES = Path(bolicho.__file__).parent / "web" / "pages"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
NAMES = ["Ana", "Bia", "Caio", "Dora", "Enzo", "Flor", "Gil"]
PHONE, DESKTOP = (390, 844), (1366, 850)


class _Pages(SimpleHTTPRequestHandler):
    """The folder of the pages under /a/, and an empty page."""

    def translate_path(self, path):
        return str(PAGES / path.removeprefix("/a/").partition("?")[0])

    def do_GET(self):
        if self.path != "/":
            super().do_GET()
            return
        self.send_response(200)
        self.send_header("content-type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html><html lang=en data-still=true><title>t</title><body><main id=root></main>")

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def browser():
    if not CHROMIUM:
        pytest.skip("no Chromium: apt-get install chromium")
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as p:
        opened = p.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def address():
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Pages, directory=str(PAGES)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}/"
    server.shutdown()


class Shown:
    """A table on an empty page, with the actions that it sends."""

    def __init__(self, browser, address, size=DESKTOP, language="pt"):
        self.page = browser.new_page(viewport={"width": size[0], "height": size[1]})
        self.problems = []
        self.page.on("pageerror", lambda problem: self.problems.append(str(problem)))
        self.page.goto(address)
        self.page.evaluate(
            """async ([language, templates, names]) => {
              const {Catalogue} = await import("/a/i18n.js");
              const words = new Catalogue(language, templates);
              window.sent = [];
              window.unsaid = [];
              const say = (said) => {
                if (!(said[0] in templates)) window.unsaid.push(said[0]);
                return words.say(said, names);
              };
              window.show = async (view) => {
                const name = view.game === "wonders" ? "wonders" : "dominoes";
                for (const sheet of ["style", name])
                  if (!document.querySelector(`[href="/a/${sheet}.css"]`))
                    await new Promise((done) => {
                      const link = document.createElement("link");
                      Object.assign(link, {rel: "stylesheet", href: `/a/${sheet}.css`, onload: done});
                      document.head.append(link);
                    });
                const module = await import(`/a/${name}.js`);
                const canAct = view.seat !== null && view.turn === view.seat;
                const word = (key, facts = {}) => say([key, facts]);
                const root = document.querySelector("#root");
                const send = (action) => window.sent.push(action);
                const context = {root, say, word, names, canAct, seat: view.seat, send};
                module.title(view, context);
                module.table(view, context);
              };
            }""",
            [language, catalogue(language).templates, NAMES],
        )

    def show(self, view):
        self.page.evaluate("(view) => window.show(view)", view.data())
        assert self.problems == [] and self.page.evaluate("window.unsaid") == []

    def all(self, selector, attribute):
        return [found.get_attribute(attribute) for found in self.page.query_selector_all(selector)]

    @property
    def sent(self):
        return self.page.evaluate("window.sent")

    def actions(self):
        """Return every action that has a button, including those behind each tile or card."""
        found = self.all("#root [data-action]", "data-action")
        for attribute in ("data-tile", "data-card"):
            for name in self.all(f"#root button[{attribute}]", attribute):
                self.page.click(f'#root button[{attribute}="{name}"]')
                found += self.all(":is(.dm-ends, .wn-panel) [data-action]", "data-action")
                self.page.keyboard.press("Escape")
        return found


def played(game, seed, plies, **rules):
    """Return a table after some random plies, without selling where possible."""
    luck, table = random.Random(seed), bolicho.game(game, **rules).deal(seed=seed)
    for _ in range(plies):
        legal = [action for action in table.legal if not action.startswith("sell")] or list(table.legal)
        if table.over:
            break
        table.play(luck.choice(legal))
    return table


GAMES = [
    ("dominoes", 3, {}),
    ("dominoes", 5, {"highest": 9, "hand": 12}),
    ("fives", 21, {}),
    ("fives", 7, {}),
    ("wonders", 7, {}),
    ("wonders", 12, {"trade": "choose"}),
    ("wonders", 4, {"players": 7}),
]


@pytest.mark.parametrize(("game", "seed", "rules"), GAMES, ids=str)
def test_buttons_match_the_legal_actions(browser, address, game, seed, rules):
    shown = Shown(browser, address, PHONE if seed % 2 else DESKTOP, LANGUAGES[seed % 3])
    for plies in (0, 2, 5, 9, 14, 22, 33, 60):
        table = played(game, seed, plies, **rules)
        for seat in range(table.game.seats)[:3]:
            view = table.view(seat)
            shown.show(view)
            assert sorted(set(shown.actions())) == sorted(map(str, view.legal))
        shown.show(table.public_view())
        assert shown.actions() == []
    assert shown.sent == []  # opening tiles and cards plays nothing


def test_tile_that_fits_at_several_ends_offers_a_choice(browser, address):
    table = bolicho.game("fives").setup(first=0, hands=[["6-4", "6-1", "3-3"], ["6-6", "5-2"]], boneyard=["5-5"])
    table.play("6-4")
    table.play("6-6")
    shown = Shown(browser, address)
    shown.show(table.view(0))
    shown.page.click('[data-tile="6-1"]')
    assert sorted(shown.all(".dm-ends button", "data-action")) == ["6-1 d", "6-1 l", "6-1 u"]
    assert shown.sent == []
    shown.page.click('[data-action="6-1 l"]')
    assert shown.sent == ["6-1 l"]


def test_the_ends_can_be_reached_and_left_by_keyboard(browser, address):
    table = bolicho.game("dominoes").setup(first=0, hands=[["6-4", "6-1"], ["4-1", "5-2"]], boneyard=["5-5"])
    table.play("6-4")
    shown = Shown(browser, address)
    table.play("4-1")
    shown.show(table.view(0))
    shown.page.focus('[data-tile="6-1"]')
    shown.page.keyboard.press("Enter")
    assert shown.page.evaluate("document.activeElement.dataset.action") in ("6-1 l", "6-1 r")
    shown.page.keyboard.press("Escape")
    assert shown.page.evaluate("document.activeElement.dataset.tile") == "6-1"
    assert shown.all(".dm-ends button", "data-action") == []


def test_price_and_its_recipients_are_shown_before_a_card_is_played(browser, address):
    table = bolicho.game("wonders").deal(seed=7)
    view = table.view(0)
    assert view.cost(next(action for action in view.legal if action == "build Stockade")).left == 2
    shown = Shown(browser, address, language="en")
    shown.show(view)
    shown.page.click('[data-card="Stockade"]')
    assert "2 to Bia" in shown.page.inner_text('[data-action="build Stockade"]')
    assert shown.sent == []
    shown.page.click('[data-action="build Stockade"]')
    assert shown.sent == ["build Stockade"]


def test_a_double_click_plays_once(browser, address):
    table = bolicho.game("dominoes").setup(first=0, hands=[["6-4", "3-3"], ["4-1", "5-2"]], boneyard=["5-5"])
    shown = Shown(browser, address)
    shown.show(table.view(0))
    shown.page.dblclick('[data-action="6-4"]')
    assert shown.sent == ["6-4"]


@pytest.mark.parametrize("size", [(720, 430), (350, 300), (340, 420)], ids=str)
def test_tiles_of_a_line_do_not_overlap_and_stay_on_the_table(browser, address, size):
    lines = []
    for game, seeds, rules in (
        ("dominoes", 12, {}),
        ("fives", 30, {}),
        ("dominoes", 3, {"highest": 9, "hand": 12}),
        ("fives", 9, {"highest": 12, "hand": 15}),
    ):
        for seed in range(seeds):
            facts = played(game, seed, 200, **rules).view(0).data()["table"]
            lines.append([facts["line"], facts["ends"]])
    page = browser.new_page()
    page.goto(address)
    laid = page.evaluate(
        """async ([lines, [width, height]]) => {
          const {fit} = await import("/a/tiles.js");
          return lines.map(([line, ends]) => fit(line, ends, width, height, 36));
        }""",
        [lines, size],
    )
    for found in laid:
        tiles = [_rectangle(tile) for tile in found["placed"]]
        box, unit = found["box"], found["unit"]
        assert unit * (box["right"] - box["left"]) <= size[0] + 1e-6
        assert unit * (box["bottom"] - box["top"]) <= size[1] + 1e-6
        for i, tile in enumerate(tiles):
            assert (
                box["left"] <= tile[0]
                and tile[2] <= box["right"]
                and box["top"] <= tile[1]
                and tile[3] <= box["bottom"]
            )
            assert not any(_overlap(tile, other) for other in tiles[:i])


def _rectangle(tile):
    x, y, (across, _) = tile["x"], tile["y"], tile["along"]
    width, height = (1, 0.5) if across else (0.5, 1)
    return x - width, y - height, x + width, y + height


def _overlap(a, b):
    return a[0] < b[2] - 0.01 and b[0] < a[2] - 0.01 and a[1] < b[3] - 0.01 and b[1] < a[3] - 0.01
