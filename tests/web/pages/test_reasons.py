"""Watching agents, replays, why and hint, downloads, and verification of the deal."""

import json
import random
import re
import subprocess

import pytest

from tests.web.pages.reading import odd_words
from tests.web.pages.visitor import calm
from tests.web.running import BOLICHO, ENVIRONMENT, agent, play_by_http


def watched(app_state, game, names, rules=None):
    """Play a match of agents alone to its end."""
    match = app_state.made(game, [agent(name) for name in names], rules)["match"]
    told = app_state.view(match)
    while told["state"] != "over":
        told = app_state.view(match, ply=told["ply"], wait=20)
    return match, told


def finished(app_state, rules):
    """Play a match of a person against an agent to its end."""
    match, token = app_state.make("truco", ["balanced"], rules)
    play_by_http(app_state, match, token)
    return match, token


def at(page, ply):
    page.wait_for_function("ply => +document.querySelector('#table')?.dataset.ply === ply", arg=ply)


def test_match_of_agents_can_be_watched_from_the_home_page(come, app_state):
    ana = come()
    ana.go("/")
    ana.page.evaluate("localStorage.setItem('bolicho.rules.truco', JSON.stringify({target: 2}))")
    ana.page.locator("[data-watch=truco]").click()
    ana.page.locator("#arrange-panel .main").click()
    ana.page.wait_for_url("**/replay/*")
    ana.page.locator("#speed").select_option("120")
    end = "() => document.querySelector('#table')?.dataset.over === 'true'"
    ana.page.wait_for_function(end)
    match = ana.page.url.split("/replay/")[1].split("#")[0]
    assert ana.ply == app_state.view(match)["ply"]
    assert not ana.page.locator("#root [data-action]").count()


@pytest.mark.parametrize(
    ("game", "names"),
    [("truco", ["markov", "mjcs"]), ("dominoes", ["rule", "sarsa"]), ("wonders", ["rules", "dqn", "random"])],
)
def test_replay_link_opens_any_ply_and_explains_it(come, app_state, game, names):
    match, told = watched(app_state, game, names, {"target": 6} if game == "truco" else None)
    ana = come({"language": "pt"})
    ana.go(f"/replay/{match}#ply=3")
    at(ana.page, 3)
    assert ana.log() == ana.page.locator("#log li").all_inner_texts() != []
    ana.page.keyboard.press("ArrowRight")
    at(ana.page, 4)
    ana.page.keyboard.press("ArrowLeft")
    ana.page.keyboard.press("ArrowLeft")
    at(ana.page, 2)
    assert "ply=2" in ana.page.url
    ana.page.keyboard.press("End")
    at(ana.page, told["ply"])
    ana.page.keyboard.press("Home")
    at(ana.page, 0)
    pictures = 0
    for ply in (1, 2, min(8, told["ply"])):
        ana.go(f"/replay/{match}#ply={ply}")
        at(ana.page, ply)
        ana.page.locator("#why").click()
        ana.page.locator("#reason .decided").wait_for()
        assert not odd_words(ana.text())
        pictures += ana.page.locator("#reason figure").count()
    assert pictures
    ana.page.go_back()
    at(ana.page, 2)


def test_records_can_be_downloaded_and_the_whole_record_verified(come, app_state, tmp_path):
    match, token = finished(app_state, {"target": 3})
    ana = come()
    ana.hold(match, token)
    ana.go(f"/replay/{match}#ply=0&seat=0")
    at(ana.page, 0)
    files = []
    for button in ("#whole", "#record"):
        with ana.page.expect_download() as download:
            ana.page.locator(button).click()
        files.append(tmp_path / download.value.suggested_filename)
        download.value.save_as(files[-1])
    whole, seat = (json.loads(file.read_text()) for file in files)
    assert whole["fair"]["secret"] and seat["seat"] == 0 and "secret" not in json.dumps(seat)
    checked = subprocess.run([*BOLICHO, "verify", *map(str, files)], env=ENVIRONMENT, capture_output=True, text=True)
    assert checked.returncode == 0, checked.stderr


def fair_check(visitor, match):
    visitor.go(f"/m/{match}")
    visitor.page.locator("#notice .finish").wait_for()
    visitor.page.locator("#fair").click()
    visitor.page.locator("#fair-panel").wait_for()
    checks = ("hash", "nonces", "same", "seed")
    return [visitor.page.locator(f"#fair-{what}").get_attribute("class") for what in checks]


OPEN_MATCH = """rules => {
  const seats = [{who: "me", name: "Ana"}, {who: "agent", agent: "balanced"}];
  import("/a/joining.js").then(({openMatch}) => openMatch("truco", rules, seats, {}));
}"""


def begun(visitor, app_state, waits=True):
    """Make a match against an agent in the browser, with its nonce revealed, and return (match, token)."""
    visitor.go("/")
    visitor.page.evaluate(OPEN_MATCH, {"target": 3})
    visitor.page.wait_for_url("**/m/*")
    match = visitor.page.url.rsplit("/", 1)[1]
    if waits:
        visitor.page.locator("#table[data-ply]").wait_for()
    kept = json.loads(visitor.page.evaluate("key => localStorage.getItem(key)", f"bolicho.match.{match}"))
    return match, kept["seats"]["0"]


@pytest.mark.parametrize(
    ("what", "verdict"),
    [
        (None, ["good", "good", "good", "good"]),
        ("secret", ["bad", "good", "good", "bad"]),
        ("seed", ["good", "good", "good", "bad"]),
        ("nonces", ["good", "bad", "bad", "bad"]),
        ("nonce_commits", ["good", "bad", "bad", "good"]),
        ("players", ["good", "good", "bad", "bad"]),
        ("rules", ["bad", "good", "bad", "bad"]),
    ],
)
def test_page_verifies_the_deal_and_detects_changes(come, app_state, what, verdict):
    ana = come()
    match, token = begun(ana, app_state)
    play_by_http(app_state, match, token)

    def change(route):
        answer = route.fetch()
        facts = answer.json()
        if what in ("nonces", "nonce_commits"):
            facts[what][0] = "00" * (len(facts[what][0]) // 2)
        elif what == "players":
            facts["players"][1] = "Mallory"
        elif what == "rules":
            facts["rules"]["target"] = 30
        elif what == "seed":
            facts["seed"] = str(int(facts["seed"]) ^ 1)
        elif what == "secret":
            facts["secret"] = facts["secret"][:-2] + ("00" if facts["secret"][-2:] != "00" else "01")
        route.fulfill(response=answer, json=facts)

    ana.page.route("**/fair", change)
    assert fair_check(ana, match) == verdict


def test_browser_does_not_reveal_its_nonce_if_commitments_have_changed(come, app_state):
    ana = come()
    sent = []

    def changed(text):
        message = json.loads(text)
        if "reveal" in message:
            message["reveal"]["nonce_commits"][0] = "00" * 32
        return json.dumps(message)

    def change(ws):
        server = ws.connect_to_server()
        server.on_message(lambda text: ws.send(changed(text)))
        ws.on_message(server.send)

    ana.page.route_web_socket(re.compile("/live$"), change)
    ana.page.route("**/view*", lambda route: route.fulfill(body=changed(route.fetch().text())))
    ana.page.on("request", lambda request: sent.append(request.url))
    match, _ = begun(ana, app_state, waits=False)
    ana.page.locator("#toast p").first.wait_for()
    assert app_state.view(match)["state"] == "waiting" and not any("/reveal" in url for url in sent)


def test_page_names_seats_without_a_nonce(come, app_state):
    match, token = finished(app_state, {"hands": 1})
    ana = come()
    ana.hold(match, token)
    ana.go(f"/m/{match}")
    ana.page.locator("#notice .finish").wait_for()
    ana.page.locator("#fair").click()
    assert "Ana" in ana.page.locator("#fair-panel .bare").inner_text()


def test_why_is_available_only_after_the_hand(come, app_state):
    match, token = app_state.make("truco", ["balanced"], {"target": 24})
    ana = come()
    ana.allowed.append("403")
    ana.sit(match, token)
    luck = random.Random(3)
    while not ana.page.locator("#log li[data-event=chose]:not(.mine)").count():
        assert ana.play(luck, among=calm)
        ana.state()
    first = app_state.view(match, token)["view"]["table"]["hand"]
    ana.page.locator("#why").click()
    ana.page.locator("#why-panel .decisions button").last.click()
    if first == 1:
        ana.page.locator("#why-panel .answer .sorry").wait_for()
    ana.page.keyboard.press("Escape")
    while app_state.view(match, token)["view"]["table"]["hand"] == 1:
        assert ana.play(luck, among=calm)
        ana.state()
    ana.page.locator("#why").click()
    ana.page.locator("#why-panel .decisions button").last.click()
    ana.page.locator("#why-panel .answer .decided").wait_for()


def test_hint_shows_a_legal_action_and_help_explains_the_actions(come, app_state):
    match, token = app_state.make("truco", ["balanced"])
    ana = come({"language": "es"})
    ana.sit(match, token)
    legal = [one["action"] for one in app_state.view(match, token)["view"]["legal"]] if ana.state() else []
    with ana.page.expect_response("**/hint") as answer:
        ana.page.locator("#hint").click()
    assert answer.value.json()["action"] in legal
    ana.page.locator("#hint-panel .decided").wait_for()
    assert not odd_words(ana.text())
    ana.page.keyboard.press("Escape")
    ana.page.locator("#moment").click()
    ana.page.locator("#moment-panel dt").first.wait_for()
    assert ana.page.locator("#moment-panel dt").count() >= len(legal) / 2
    assert not odd_words(ana.text())


def test_why_and_hint_are_hidden_where_switched_off(come, app_state):
    match, token = app_state.make("truco", ["balanced"], why=False, hint=False)
    ana = come()
    ana.sit(match, token)
    ana.state()
    assert ana.page.locator("#why:visible, #hint:visible").count() == 0
    assert app_state.post(f"/api/matches/{match}/hint", {"agent": "balanced"}, token).status_code == 403
    assert app_state.get(f"/api/matches/{match}/why", token, ply=0).status_code in (403, 404)
