"""Pages of a site: their links, opponents, endings and installation."""

import json
from urllib.parse import urldefrag

import pytest

from bolicho.site.variants import GUIDED
from bolicho.web.assets import pages
from tests.site.test_tables import open_home, open_table
from tests.web.pages.visitor import DESKTOP, PHONE

LINKS = """[...document.querySelectorAll('a[href]')].filter(
  one => one.checkVisibility() && !one.getAttribute('href').startsWith('#')).map(one => one.href)"""
KEPT = "JSON.parse(localStorage['bolicho.site.match.' + JSON.parse(localStorage['bolicho.site.matches'])[0]])"


def follow_links(visitor):
    """Request every link that is shown, and return the names of their pages."""
    addresses = {urldefrag(one).url for one in visitor.page.evaluate(LINKS)}
    assert addresses
    for address in addresses:
        assert visitor.context.request.get(address).ok, address
    return {address.rpartition("/")[2].partition("?")[0] for address in addresses}


@pytest.mark.parametrize("screen", [DESKTOP, PHONE], ids=["desk", "phone"])
def test_links_lead_to_pages_of_the_site(screen, come):
    visitor = come(**screen)
    open_home(visitor)
    assert follow_links(visitor) == {"learn.html"}
    visitor.press(".learn-links a")
    visitor.page.locator("#guided").wait_for()
    assert follow_links(visitor) == {"index.html", "learn.html"}
    open_table(visitor, "truco")
    assert visitor.page.locator("#end, #fair").evaluate_all("all => all.every(one => one.hidden)")
    visitor.play_to_the_end()
    assert follow_links(visitor) == {"index.html", "replay.html"}
    visitor.press("#notice a[href*=replay]")
    visitor.page.wait_for_function("document.querySelector('#table').dataset.ply")
    assert follow_links(visitor) == {"index.html"}
    assert visitor.page.locator("#fair").is_hidden()


@pytest.mark.parametrize("game", ["truco", "wonders"])
def test_another_match_is_against_the_same_agents_with_the_seats_moved_on(game, come):
    visitor = come()
    open_table(visitor, game)
    visitor.play_to_the_end()
    before, address = visitor.page.evaluate(KEPT), visitor.page.url
    visitor.press("#again")
    visitor.page.wait_for_url(lambda url: url != address)
    visitor.state()
    after = visitor.page.evaluate(KEPT)
    agents = [seat["agent"] for seat in before["seats"]]
    assert [seat["agent"] for seat in after["seats"]] == [agents[-1], *agents[:-1]]
    assert after["seed"] != before["seed"] and after["rules"] == before["rules"]


def test_guided_hand_explains_each_choice(come):
    visitor = come()
    open_home(visitor)
    visitor.press(".game.truco .learn-links a")
    visitor.press("#guided")
    visitor.state()
    assert "Guide:" in visitor.page.locator("#guide").inner_text()
    assert visitor.page.evaluate(KEPT)["rules"] == GUIDED["truco"]
    visitor.press("#guide-off")
    visitor.page.reload()
    visitor.state()
    assert visitor.page.locator("#guide").is_hidden()


def test_agents_are_those_that_play_the_rules(come):
    visitor = come()
    open_home(visitor)
    found = visitor.page.evaluate(
        """async () => {
          const {agentsFor, ask} = await import("./a/api.js");
          const refused = (asked) => asked.then(() => null, ({name, status}) => status);
          return {
            usual: (await agentsFor("truco")).agents,
            plain: (await agentsFor("truco", {flor: false})).agents.map(({name}) => name),
            statuses: await Promise.all([
              agentsFor("chess"), agentsFor("truco", {target: 13}), ask("/api/matches/1/action-help"),
              ask("/api/matches/1/resign", {method: "POST"}), ask("/api/puzzles/truco"), ask("/api/matches/1"),
            ].map(refused)),
          };
        }"""
    )
    names = [agent["name"] for agent in found["usual"]]
    assert "cfr" in names and "cfr" not in found["plain"] and "balanced" in found["plain"]
    ratings = [agent["rating"] for agent in found["usual"] if agent["rating"] is not None]
    assert len(ratings) > 8 and ratings == sorted(ratings, reverse=True)
    assert found["statuses"] == [422, 422, 404, 404, 404, 404]


def test_replay_cannot_be_stepped_through_before_it_is_loaded(come):
    maker, visitor = come(), come(service_workers="block")
    visitor.allowed = ["Service Worker registration blocked"]
    open_table(maker, "truco")
    maker.play_to_the_end()
    maker.press("#notice a[href*=replay]")
    maker.page.wait_for_function("document.querySelector('#table').dataset.ply === '0'")
    held = []
    visitor.page.route("**/games/rules-*.wasm", lambda route: held.append(route))  # without it nothing is known
    visitor.page.goto(maker.page.url)
    while not held:
        visitor.page.wait_for_timeout(50)
    box = visitor.page.locator("#last").bounding_box()
    visitor.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    visitor.page.wait_for_timeout(200)
    for route in held:
        route.continue_()
    visitor.press("#last")  # waits until it can be pressed
    visitor.page.wait_for_function("document.querySelector('#table').dataset.over === 'true'")


def test_site_can_be_installed(built):
    folder = built[0] / "a"
    told = json.loads((folder / "manifest.webmanifest").read_text())
    assert all((folder / icon["src"]).read_bytes() == pages()[icon["src"]].body for icon in told["icons"])
    for address in (told["start_url"], *(one["url"] for one in told["shortcuts"])):
        assert (folder / address.partition("?")[0]).is_file(), address
    for page in built[0].glob("*.html"):
        assert 'rel="manifest" href="a/manifest.webmanifest"' in page.read_text()
        assert 'rel="apple-touch-icon" href="a/icon-192.png"' in page.read_text()
