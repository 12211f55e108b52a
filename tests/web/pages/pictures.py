"""Pictures of the tables for README and docs, as a browser shows them: `python -m tests.web.pages.pictures`.

Each shows a hand during play, 1280 by 800 pixels, in 256 colours.
"""

import io
import random
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

from bolicho.store.database import open_database
from bolicho.store.tokens import new_token
from tests.web.pages.visitor import HOW_TO_INSTALL, Visitor, calm, chromium, sensible
from tests.web.running import Served

IMAGES = Path(__file__).parents[3] / "docs" / "images"
MOST = 200_000  # bytes
# Name of the picture: game, opponents, language, condition for the picture.
PICTURES = {
    "table": ("truco", ["balanced"], "en", lambda view: is_second_round(view["table"])),
    "table.pt": ("truco", ["balanced"], "pt", lambda view: is_second_round(view["table"])),
    "dominoes-table": ("fives", ["rule"], "en", lambda view: len(view["table"]["line"]["row"]) > 8),
    "wonders-table": (
        "wonders",
        ["rules", "dqn"],
        "en",
        lambda view: view["table"]["age"] == 2 and view["table"]["round"] > 2,
    ),
}

STYLES = ["balanced", "novice", "cautious", "bluffer", "random"]


def is_second_round(table):
    """Return whether a hand of Truco is in its second round without a pending bet, after a complete hand."""
    lying = sum(map(len, table["played"]))
    return table["hand"] > 4 and lying == 3 and table["pending"] is None and sum(map(len, table["last"]["played"])) > 4


def photograph(browser, served, name):
    """Play until the condition holds, and take the picture."""
    game, others, language, is_ripe = PICTURES[name]
    for seed in range(20):
        match, token = served.make(game, others)
        ana = Visitor(browser, served.base, {"language": language})
        ana.sit(match, token, game=game)
        luck = random.Random(seed)
        while not ana.state()["over"] and not is_ripe(served.view(match, token)["view"]):
            ana.play(luck, among=calm if game == "truco" else sensible)
        if not ana.state()["over"]:
            ana.page.wait_for_timeout(4000)  # short messages have disappeared
            ana.page.mouse.move(0, 0)
            ana.page.evaluate("document.activeElement.blur(); scrollTo(0, 0)")
            drawn = ana.page.screenshot()
            ana.close()
            return drawn
        ana.close()
    raise AssertionError(f"nothing worth a picture in {game}")


def photograph_arena(browser, served):
    """Take a picture of a tournament of the scripted styles with about half of its table filled."""
    with open_database(served.database).begin() as connection:
        token = new_token(connection, "pictures", ["research"])
    asked = {"game": "truco", "agents": STYLES, "duplicates": 1500, "name": "styles of truco"}
    served.post("/api/arena/runs", asked, token)
    ana = Visitor(browser, served.base, {"language": "en"}, viewport={"width": 1280, "height": 1210})
    ana.go("/arena#run=styles+of+truco")
    ana.page.locator("#token").fill(token)
    ana.page.locator(".door .main").click()
    ana.page.locator(".cross button").nth(11).wait_for()
    ana.page.mouse.move(0, 0)
    drawn = ana.page.screenshot()
    served.post("/api/arena/runs/styles of truco/stop", token=token)
    ana.close()
    return drawn


def write(path, drawn):
    """Write a picture with 256 colours."""
    few = Image.open(io.BytesIO(drawn)).convert("RGB").quantize(256, dither=Image.Dither.NONE)
    few.save(path, optimize=True)
    assert path.stat().st_size < MOST, f"{path} has {path.stat().st_size:,} bytes"


def main():
    """Take all pictures."""
    program = chromium()
    if program is None:
        raise SystemExit(HOW_TO_INSTALL)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        served = Served(Path(folder) / "matches.db", "--runs", folder)
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        for name in PICTURES:
            write(IMAGES / f"{name}.png", photograph(browser, served, name))
            print(IMAGES / f"{name}.png")
        write(IMAGES / "arena.png", photograph_arena(browser, served))
        browser.close()
        served.stop()


if __name__ == "__main__":
    main()
