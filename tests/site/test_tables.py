"""Tables without a server: whole games in the browser, without a network after loading."""

import hashlib
import json
import random
import re

import pytest

from bolicho.games import game as make_game
from bolicho.games import game_names, kind
from bolicho.games.record import replay
from bolicho.site.variants import CHOSEN, variants
from tests.site.conftest import KUHN
from tests.wasm.test_games import play_at_random
from tests.web.pages.visitor import DESKTOP, PHONE

FIRST_PAGE = 150_000  # bytes over the wire


def open_home(visitor):
    visitor.go("/")
    visitor.page.locator(".agents .agent").first.wait_for()
    visitor.page.evaluate("navigator.serviceWorker.ready.then(() => true)")


def open_table(visitor, game):
    open_home(visitor)
    visitor.press(f"[data-play='{game}']")
    visitor.state()
    visitor.page.wait_for_load_state("networkidle")  # the agents are loaded


@pytest.mark.parametrize("screen", [DESKTOP, PHONE], ids=["desk", "phone"])
@pytest.mark.parametrize("game", [*game_names(), KUHN])
def test_game_is_played_to_the_end_without_a_network(game, screen, come):
    visitor = come(**screen)
    open_table(visitor, game)
    visitor.context.set_offline(True)
    assert visitor.play_to_the_end() > 0
    assert visitor.page.locator("#table").get_attribute("data-over") == "true"


@pytest.mark.parametrize("language", ["en", "pt", "es"])
def test_home_page_works_without_a_network_at_the_second_visit(language, come):
    visitor = come({"language": language})
    open_home(visitor)
    visitor.page.wait_for_load_state("networkidle")
    visitor.context.set_offline(True)
    visitor.page.reload()
    visitor.page.locator(".agents .agent").first.wait_for()
    assert not re.search(r"\bpage\.\w+", visitor.text())  # no key without a sentence


def test_first_page_is_small(come):
    visitor = come()
    wire = visitor.context.new_cdp_session(visitor.page)
    wire.send("Network.enable")
    sizes = []
    wire.on("Network.loadingFinished", lambda event: sizes.append(event["encodedDataLength"]))
    visitor.go("/")
    visitor.page.locator(".agents .agent").first.wait_for()
    print(f"the first page: {sum(sizes):,.0f} bytes in {len(sizes)} answers")
    assert len(sizes) > 5 and sum(sizes) <= FIRST_PAGE


def test_hint_and_reason_come_from_the_agent(come):
    visitor = come()
    open_table(visitor, "truco")
    visitor.press("#hint")
    hint = visitor.page.locator("#hint-panel .decided")
    hint.wait_for()
    assert "plays this in" in visitor.page.locator("#hint-panel").inner_text()
    visitor.page.keyboard.press("Escape")
    luck = random.Random(1)
    while not visitor.page.evaluate("document.querySelectorAll('#log li[data-event=chose]:not(.mine)').length"):
        visitor.play(luck)
    visitor.press("#why")
    visitor.press("#why-panel .decisions button")
    visitor.page.locator("#why-panel .decided").wait_for()


def test_link_of_a_replay_carries_the_record(come):
    visitor = come()
    open_table(visitor, "dominoes")
    visitor.play_to_the_end()
    scores = visitor.page.locator("#notice .figures").inner_text()
    visitor.press("#notice a[href*=replay]")
    visitor.page.wait_for_function("document.querySelector('#table').dataset.ply === '0'")
    link = visitor.page.url
    assert "record=" in link.partition("#")[2]
    other = come()  # a browser that never saw the match
    other.page.goto(link)
    other.page.wait_for_function("document.querySelector('#table').dataset.ply")
    other.press("#last")
    other.page.wait_for_function("document.querySelector('#table').dataset.over === 'true'")
    points = other.page.locator("#score b").all_inner_texts()
    assert sorted(points) == sorted(re.findall(r" (\d+)(?: ·|$)", scores))


def test_record_of_a_table_replays_with_the_library(come, tmp_path):
    visitor = come()
    open_table(visitor, "wonders")
    visitor.play_to_the_end()
    kept = visitor.page.evaluate(
        "JSON.parse(localStorage['bolicho.site.match.' + JSON.parse(localStorage['bolicho.site.matches'])[0]])"
    )
    record = {"game": kept["game"], "rules": kept["rules"], "seed": int(kept["seed"]), "actions": kept["actions"]}
    assert replay(record).over


def test_watching_agents_shows_their_game(come):
    visitor = come()
    open_home(visitor)
    visitor.press("[data-watch=truco]")
    visitor.press("#arrange-panel .main")
    visitor.page.wait_for_url("**/replay.html*")
    visitor.page.wait_for_function("document.querySelector('#table').dataset.ply")
    visitor.press("#last")
    visitor.page.wait_for_function("document.querySelector('#table').dataset.over === 'true'")


def test_rules_on_the_home_page_are_those_that_the_site_offers(come):
    visitor = come()
    visitor.go("/")
    found = visitor.page.evaluate(
        """async () => {
          const {GAMES} = await import("./a/games.js");
          const values = ({options}) => options ?? [false, true];
          return Object.fromEntries(Object.entries(GAMES).map(
            ([game, {rules}]) => [game, Object.fromEntries(rules.map((rule) => [rule.name, values(rule)]))]));
        }"""
    )
    assert {game: found[game] for game in CHOSEN} == {
        game: {name: list(of) for name, of in rules.items()} for game, rules in CHOSEN.items()
    }
    for game in game_names():
        offered = list(variants(kind(game)))
        assert offered[0] == {} and len(offered) == len({json.dumps(one, sort_keys=True) for one in offered})


PLAY = """async (games) => {
  const {open} = await import(new URL("a/engine/index.js", location.href).href);
  const found = [];
  const game = await open(location.href).game(GAME);
  for (let seed = 0; seed < games; seed++) {
    const table = game.deal(seed);
    const records = [];
    while (!table.over) {
      records.push(table.records);
      const word = game.rules.stream(table.seed, table.ply);
      table.play(table.legal[Number((word >> 32n) % BigInt(table.legal.length))]);
    }
    records.push(table.records);
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", await new Blob(records).arrayBuffer()));
    found.push(Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join(""));
  }
  return found;
}"""


@pytest.mark.parametrize("game", game_names())
def test_random_games_in_chromium_have_the_same_records(game, come):
    visitor = come()
    visitor.go("/")
    found = visitor.page.evaluate(PLAY.replace("GAME", json.dumps(game)), 100)
    for seed, digest in enumerate(found):
        table, records = make_game(game).deal(seed), hashlib.sha256()
        records.update(table._memory)
        while not table.over:
            play_at_random(table)
            records.update(table._memory)
        assert records.hexdigest() == digest, seed
