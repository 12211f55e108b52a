"""Matches between people, spectators, and clocks."""

import json
import random
import re

from tests.web.pages.visitor import calm
from tests.web.running import invited, me

SHORT = "localStorage.setItem('bolicho.rules.truco', JSON.stringify({target: 4}))"


def invite(ana):
    """Make a match of Truco with an invitation, and return its link."""
    ana.go("/")
    ana.page.evaluate(SHORT)
    ana.page.locator("[data-invite=truco]").click()
    ana.page.locator("#arrange-panel .main").click()
    ana.page.wait_for_url("**/m/*")
    return ana.page.locator("#notice .invite input").input_value()


def whose_turn(visitors):
    """Wait for the next turn, and return its visitor, or None after the end."""
    while True:
        for visitor in visitors:
            if visitor.page.locator("#root [data-action]:enabled").count():
                return visitor
        if all(visitor.page.locator("#notice .finish").count() for visitor in visitors):
            return None
        visitors[0].page.wait_for_timeout(20)


def table_of_two(app_state, come, **options):
    """Make a match of two people, and return (match, tokens, seat to act)."""
    made = app_state.made("truco", [me("Caio"), invited()], **options)
    match = made["match"]
    body = {"invite": made["seats"][1]["invite"], "name": "Dora"}
    tokens = [made["seats"][0]["token"], app_state.post(f"/api/matches/{match}/sit", body).json()["token"]]
    return match, tokens, app_state.view(match)["view"]["turn"]


def test_two_people_play_by_an_invitation_that_works_once(come, app_state):
    ana, beto, late = come({"name": "Ana"}), come({"name": ""}), come()
    link = invite(ana)
    match = re.search(r"/m/(\w+)", link)[1]
    beto.page.goto(link)
    beto.page.locator("form.join [name=name]").fill("Beto <b>&")
    beto.page.locator("#sit").click()
    assert "invite" not in beto.page.url  # the address bar shows no code
    luck = random.Random(1)
    while (who := whose_turn([ana, beto])) is not None:
        who.play(luck)
    told = app_state.view(match)
    assert told["state"] == "over" and [one["name"] for one in told["players"]] == ["Ana", "Beto <b>&"]
    winner = told["players"][told["result"]["winners"][0]]["name"]
    for visitor in (ana, beto):
        assert winner in visitor.page.locator("#notice .finish h2").inner_text()
        assert not visitor.page.locator("#players b").count()  # a name is text
    late.page.goto(link)
    late.page.get_by_text("This invitation has been used").wait_for()


def cards_in(text):
    """Return the cards of Truco in a text of the protocol, in any notation."""
    short = re.findall(r'"(?:virada )?(\d\d?[epco])"', text)
    said = re.findall(
        r'"truco\.card",\{"number":(?:(\d+)|\["[\w.]*?\.(\w+)",\{\}\]),"suit":\["truco\.suit\.(\w)"', text
    )
    figures = {"sota": "10", "cavalo": "11", "rei": "12"}
    return {*short, *((number or figures.get(figure, figure)) + suit for number, figure, suit in said)}


def test_spectator_receives_no_hidden_card(come, app_state):
    match, tokens, _ = table_of_two(app_state, come)
    players = [come(), come()]
    for seat, player in enumerate(players):
        player.sit(match, tokens[seat], seat)
    watcher = come()
    watcher.go(f"/m/{match}#watch")
    watcher.page.locator("#table[data-ply]").wait_for()
    luck, drawn = random.Random(2), {}
    for _ in range(8):
        who = whose_turn(players)
        who.play(luck, among=calm)
        ply = app_state.view(match)["ply"]
        watcher.page.wait_for_function("ply => +document.querySelector('#table').dataset.ply >= ply", arg=ply)
        drawn[ply] = {href.removeprefix("#card-") for href in watcher.page.evaluate(DRAWN)} - {"back"}
        assert watcher.page.locator("#root [data-action], #root [data-gesture]").count() == 0

    hidden, first_hand = {}, {}
    for ply in range(app_state.view(match)["ply"] + 1):
        tables = [app_state.view(match, token, ply=ply)["view"]["table"] for token in tokens]
        hidden[ply] = {card for table in tables for card in table["cards"]}
        first_hand[ply] = tables[0]["hand"] == 1  # later hands may show cards of earlier ones
    assert hidden[0] and len(hidden[0]) == 6
    bodies = [one.text() for one in watcher.responses if "/api/" in one.url and one.status == 200]
    texts = [text for kind, text in watcher.frames if kind == "received"] + bodies
    seen = 0
    for text in texts:
        message = json.loads(text)
        for view in [*message.get("frames", []), message.get("view")]:
            if view and first_hand[view["ply"]]:
                seen += 1
                assert not cards_in(json.dumps(view, separators=(",", ":"))) & hidden[view["ply"]]
                assert view["seat"] is None and view["legal"] == []
    assert seen >= 3
    assert all(not drawn[ply] & hidden[ply] for ply in drawn if first_hand[ply])
    assert any(drawn.values())  # cards on the table are visible
    own = json.dumps(app_state.view(match, tokens[0])["view"], separators=(",", ":"))
    assert cards_in(own) >= set(app_state.view(match, tokens[0])["view"]["table"]["cards"])  # the check finds cards


DRAWN = "() => [...document.querySelectorAll('#root use')].map(one => one.getAttribute('href'))"


def test_clock_is_shown_and_a_player_out_of_time_can_be_claimed_against(come, app_state):
    match, tokens, slow = table_of_two(app_state, come, clock={"seconds": 5, "plus": 0})
    visitors = [come(), come()]
    for seat, visitor in enumerate(visitors):
        visitor.sit(match, tokens[seat], seat)
    quick = visitors[1 - slow]
    clock = quick.page.locator(f'#players [data-seat="{slow}"] .clock')
    clock.wait_for()
    assert re.fullmatch(r"0:0[0-5]", clock.inner_text())
    assert visitors[slow].page.locator("#claim").count() == 0
    quick.page.locator("#claim:enabled").click()
    for visitor in visitors:
        visitor.page.locator("#notice .finish").wait_for()
    result = app_state.view(match)["result"]
    assert result["claimed"] == 1 - slow and result["winners"] == [1 - slow]


def test_absence_and_return_of_a_player_are_shown(come, app_state):
    match, tokens, turn = table_of_two(app_state, come)
    stays, goes = come(), come()
    stays.sit(match, tokens[1 - turn], 1 - turn)
    goes.sit(match, tokens[turn], turn)
    here = f'#players [data-seat="{turn}"]'
    stays.page.locator(f"{here}:not(.away)").wait_for()
    goes.page.goto("about:blank")
    stays.page.locator(f"{here}.away").wait_for()
    stays.page.locator("#away").wait_for()
    assert re.search(r"\d+", stays.page.locator("#away").inner_text())  # a countdown
    assert stays.page.locator("#claim:disabled").count() == 1
    goes.page.go_back()
    stays.page.locator(f"{here}:not(.away)").wait_for()
    stays.page.locator("#away").wait_for(state="hidden")
