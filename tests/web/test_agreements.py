"""Agreements of players: resigning, stopping, rematches, series, and agents that play by the chosen rules."""

import json

import pytest

from bolicho.games import game as make_game
from bolicho.web.endings import PLAYED, Ending, read_ending, tally
from bolicho.web.fair_deals import check_record, nonce_commitment
from tests.web.running import agent, invited, me, play_by_http, said


def two(served, game="truco", rules=None, **options):
    """Make a match of two people, and return (match, tokens)."""
    made = served.made(game, [me("Ana"), invited()], rules, **options)
    body = {"invite": made["seats"][1]["invite"], "name": "Rui"}
    other = served.post(f"/api/matches/{made['match']}/sit", body).json()["token"]
    return made["match"], [made["seats"][0]["token"], other]


def ask(served, match, what, token, **body):
    return served.post(f"/api/matches/{match}/{what}", body, token)


# --- Resigning and stopping -------------------------------------------------------------------------


def test_resigning_ends_the_match_for_the_others_and_says_so(truco):
    match, tokens = two(truco)
    told = ask(truco, match, "resign", tokens[1]).json()
    assert told["state"] == "over"
    result = told["result"]
    assert (result["winners"], result["ended"], result["by"], result["claimed"]) == ([0], "resigned", 1, None)
    assert said(ask(truco, match, "resign", tokens[0])) == "server.over"


def test_match_with_agents_alone_can_be_resigned_but_not_stopped(truco):
    match, token = truco.make()
    assert said(ask(truco, match, "stop", token)) == "server.no-stop"
    assert ask(truco, match, "resign", token).json()["result"]["winners"] == [1]


def test_match_stops_only_when_all_people_offer_it(truco):
    match, tokens = two(truco)
    told = ask(truco, match, "stop", tokens[0]).json()
    assert told["state"] == "playing" and told["stops"] == [0]
    assert "stops" not in ask(truco, match, "stop", tokens[0], offer=False).json()
    ask(truco, match, "stop", tokens[1])
    told = ask(truco, match, "stop", tokens[0]).json()
    assert told["state"] == "over" and told["result"]["winners"] == [] and told["result"]["ended"] == "stopped"


def test_one_of_several_people_cannot_resign_for_all(app_state):
    made = app_state.made("wonders", [me("Ana"), invited(), agent("rules")])
    body = {"invite": made["seats"][1]["invite"], "name": "Rui"}
    app_state.post(f"/api/matches/{made['match']}/sit", body)
    assert said(ask(app_state, made["match"], "resign", made["seats"][0]["token"])) == "server.no-resign"


@pytest.mark.parametrize("way", ["resign", "stop"])
def test_record_of_a_match_that_ended_early_is_verified(truco, way):
    match, tokens = two(truco)
    view = truco.view(match)["view"]
    turn, legal = view["turn"], truco.view(match, tokens[view["turn"]])["view"]["legal"]
    truco.move(match, tokens[turn], 0, legal[0]["action"])
    for token in tokens if way == "stop" else tokens[:1]:
        assert ask(truco, match, way, token).status_code == 200
    record = truco.get(f"/api/matches/{match}/record", **{"as": "whole"}).json()
    assert any("resigned" in line or "agreed to stop" in line for line in check_record(record))
    record["result"]["winners"] = [1 - turn] if way == "stop" else [0]
    with pytest.raises(ValueError, match="winners"):
        check_record(record)


# --- Rematches ---------------------------------------------------------------------------------------


def test_rematch_of_people_is_one_match_with_their_sides_swapped(truco):
    match, tokens = two(truco, rules={"target": 12})
    assert said(ask(truco, match, "rematch", tokens[0])) == "server.not-over"
    ask(truco, match, "resign", tokens[1])
    assert ask(truco, match, "rematch", tokens[0]).json() == {"match": None, "seat": 1}
    assert truco.view(match, tokens[1])["rematch"] == {"seats": [0], "match": None}
    following = ask(truco, match, "rematch", tokens[1]).json()["match"]
    assert ask(truco, match, "rematch", tokens[0]).json()["match"] == following  # asked again: the same
    told = truco.get(f"/api/matches/{following}").json()
    assert [one["name"] for one in told["players"]] == ["Rui", "Ana"]
    assert told["rules"] == {"target": 12} and told["state"] == "playing"
    assert told["options"]["evening"] == {"won": [0, 1], "points": [0, 0]}
    assert truco.view(following, tokens[0])["view"]["seat"] == 1  # the token of the first match opens the new seat


def test_rematch_against_agents_begins_at_once(truco):
    match, token = truco.make(opponents=("novice",))
    ask(truco, match, "resign", token)
    following = ask(truco, match, "rematch", token).json()["match"]
    assert [one["agent"] for one in truco.get(f"/api/matches/{following}").json()["players"]] == ["novice", None]


def test_nonces_of_a_rematch_are_committed_before_its_deal(truco):
    match, tokens = two(truco)
    ask(truco, match, "resign", tokens[0])
    nonces = [bytes(16), bytes(range(16))]
    for token, nonce in zip(tokens, nonces, strict=True):
        told = ask(truco, match, "rematch", token, nonce_commit=nonce_commitment(nonce).hex()).json()
    following = told["match"]
    assert truco.get(f"/api/matches/{following}").json()["state"] == "waiting"
    for token, nonce in zip(tokens, nonces, strict=True):
        assert ask(truco, following, "reveal", token, nonce=nonce.hex()).status_code == 200
    assert truco.get(f"/api/matches/{following}").json()["state"] == "playing"


def test_series_of_dominoes_goes_on_until_its_target(app_state):
    match, token = app_state.make("dominoes", ["rule"], series=30)
    scores = {"Ana": 0, "rule": 0}
    for _ in range(20):
        told = play_by_http(app_state, match, token)
        names = [one["name"] for one in told["players"]]
        for name, points in zip(names, told["result"]["scores"], strict=True):
            scores[name] += points
        if max(scores.values()) >= 30:
            break
        assert dict(zip(names, told["evening"]["points"], strict=True)) == scores
        assert told["evening"]["won"] == [0, 0]
        match = ask(app_state, match, "rematch", token).json()["match"]
    best = max(scores, key=scores.get)
    assert dict(zip(names, told["evening"]["won"], strict=True))[best] == 1
    assert told["evening"]["points"] == [0, 0]


def test_tally_of_a_series_counts_games_and_series():
    played = {"scores": [40, 0], "winners": [0]}
    assert tally(played, {}, 2) == {"won": [1, 0], "points": [0, 0]}
    open_series = {"series": 100, "evening": {"won": [1, 2], "points": [50, 80]}}
    assert tally(played, open_series, 2) == {"won": [1, 2], "points": [90, 80]}
    assert tally({"scores": [0, 20], "winners": [1]}, open_series, 2) == {"won": [1, 3], "points": [0, 0]}
    equal = {"scores": [70, 40], "winners": [0]}
    assert tally(equal, open_series, 2) == {"won": [1, 2], "points": [120, 120]}  # equal: they play on
    assert tally({**played, "winners": [1], "ended": "resigned"}, open_series, 2)["won"] == [1, 3]


# --- Winners ------------------------------------------------------------------------------------------


def test_going_out_wins_though_the_other_hand_has_no_pips():
    table = make_game("dominoes").setup(first=0, hands=[["6-4"], ["0-0"]], boneyard=[])
    table.play("6-4")
    assert table.payoffs == [0, 0] and table.winners == [0]
    assert PLAYED.result(table)["winners"] == [0]


def test_endings_that_contradict_the_table_are_refused():
    table = make_game("truco").deal(1)
    fields = {"claimed": None, "winners": []}
    with pytest.raises(ValueError, match="not over"):
        read_ending(table, fields, [None, None])
    with pytest.raises(ValueError, match="agents cannot resign"):
        read_ending(table, {**fields, "ended": "resigned", "by": 1}, [None, "novice"])
    with pytest.raises(ValueError, match="is one of"):
        read_ending(table, {**fields, "ended": "won"}, [None, None])
    assert read_ending(table, {**fields, "ended": "stopped"}, [None, None]) == Ending("stopped")


# --- Rules and invitations ----------------------------------------------------------------------------


@pytest.mark.parametrize("rules", ['{"flor": false, "target": 12}', '{"flor": false}'])
def test_only_agents_that_play_by_the_rules_are_offered(truco, rules):
    listed = [truco.get("/api/agents", game="truco", rules=one).json()["agents"] for one in (rules, "{}")]
    offered, everyone = ([one["name"] for one in agents if not one.get("bot")] for agents in listed)
    assert "balanced" in offered and len(offered) < len(everyone)
    body = {"game": "truco", "rules": json.loads(rules), "options": {}}
    for name in everyone:
        answer = truco.post("/api/matches", {**body, "seats": [me(), agent(name)]})
        assert (answer.status_code == 201) == (name in offered), name
        if name not in offered:
            assert said(answer) == "server.agent-rules"
            assert "safetensors" not in answer.text and "/" not in answer.json()["message"]


def test_agents_of_seven_wonders_are_those_for_its_number_of_seats(app_state):
    three, five = (
        {one["name"] for one in app_state.get("/api/agents", game="wonders", rules=rules).json()["agents"]}
        for rules in ("{}", '{"players": 5}')
    )
    assert "rules" in five and five < three


def test_rules_of_agents_must_be_an_object_of_known_rules(truco):
    assert said(truco.get("/api/agents", game="truco", rules="[1]")) == "server.unreadable"
    assert said(truco.get("/api/agents", game="truco", rules='{"targets": 12}')) == "server.rules"


def test_used_invitation_invites_no_more(truco):
    made = truco.made("truco", [me("Ana"), invited()])
    path, invite = f"/api/matches/{made['match']}", made["seats"][1]["invite"]
    assert truco.get(path, invite).json()["invited"] == 1
    truco.post(f"{path}/sit", {"invite": invite, "name": "Rui"})
    assert truco.get(path, invite).json()["invited"] is None


def test_browser_gets_a_page_for_an_address_that_does_not_exist(truco):
    page = truco.client.get("/nothing", headers={"accept": "text/html"})
    assert page.status_code == 404 and page.headers["content-type"].startswith("text/html")
    assert said(truco.get("/nothing")) == "server.no-page"
