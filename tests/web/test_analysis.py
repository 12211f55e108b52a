"""Analysis of decisions: for players, after the end, hand by hand, stored once."""

import sqlite3
from hashlib import sha256
from types import SimpleNamespace

import pytest

from bolicho.agents.cfr.analyse import analyse
from bolicho.games.record import replay
from bolicho.store.database import MatchRow, SeatRow
from bolicho.web.analysis import known
from bolicho.web.fair_deals import plain_record
from bolicho.web.match import Match
from bolicho.web.refusal import Refusal
from tests.web.running import agent, invited, me, play_by_http, said

SHORT = {"target": 3, "flor": False}  # `cfr` has not learned hands without flor
HANDS = {"target": 12, "flor": False}  # more than a hand is worth without falta envido


def finished(served, rules=None):
    match, token = served.make("truco", ["balanced"], rules or SHORT)
    play_by_http(served, match, token)
    return match, token


def path(match):
    return f"/api/matches/{match}/analysis"


def judged(served, match, token):
    """Return all decisions, requested as a page does, and the last response."""
    decisions = []
    while True:
        answer = served.get(path(match), token, since=len(decisions), wait=20)
        assert answer.status_code == 200, answer.text
        told = answer.json()
        decisions += told["decisions"]
        if told["done"] == told["of"]:
            return decisions, told


def test_analysis_contains_the_cost_of_every_decision_and_the_biggest_mistakes(truco):
    match, token = finished(truco)
    decisions, told = judged(truco, match, token)
    table = replay(plain_record(truco.get(f"/api/matches/{match}/record", token, **{"as": "whole"}).json()))
    wanted = analyse(table, "balanced", 0)
    assert told["by"] == "balanced" and told["names"] == ["Ana", "balanced"] and told["of"] == len(decisions)
    assert [(one["ply"], one["cost"]) for one in decisions] == [(one.ply, one.cost) for one in wanted.decisions]
    assert [one["ply"] for one in told["biggest"]] == [one.ply for one in wanted.biggest]
    assert [said.as_json() for said in wanted.summary()] == told["summary"] + [one["says"] for one in told["biggest"]]
    for one in decisions:
        assert sum(bar["chosen"] for bar in one["bars"]) == 1


def test_analysis_resumes_after_the_stored_decisions_and_keeps_them(truco):
    match, token = finished(truco, HANDS)
    decisions, _ = judged(truco, match, token)
    later = [(match, one["ply"]) for one in decisions if one["hand"] > decisions[0]["hand"]]
    assert later
    with sqlite3.connect(truco.database) as rows:  # as if the server had been killed after the first hand
        rows.executemany("DELETE FROM judged WHERE match = ? AND ply = ?", later)
        rows.execute("UPDATE judged SET agent = 'kept' WHERE match = ?", (match,))
    again, told = judged(truco, match, token)
    assert [one | {"note": None} for one in again] == [one | {"note": None} for one in decisions]
    assert told["by"] == "kept"


def test_analysis_is_refused_before_the_end_of_the_match(truco):
    match, token = truco.make("truco", ["balanced"])
    answer = truco.get(path(match), token)
    assert (answer.status_code, said(answer)) == (409, "server.analysis-early")


def test_players_get_the_analysis_of_their_own_seat_only(truco):
    match, _ = finished(truco)
    assert said(truco.get(path(match))) == "server.no-token"
    assert truco.get(path(match), "x" * 32).status_code == 403
    made = truco.made("truco", [me(), invited()], SHORT)
    match = made["match"]
    other = truco.post(f"/api/matches/{match}/sit", {"invite": made["seats"][1]["invite"], "name": "Beto"}).json()
    tokens = [made["seats"][0]["token"], other["token"]]
    message = truco.view(match, tokens[0])
    while message["state"] == "playing":
        legal = truco.view(match, tokens[message["view"]["turn"]])["view"]["legal"]
        card = next((one["action"] for one in legal if one["action"][0].isdigit()), legal[-1]["action"])
        message = truco.move(match, tokens[message["view"]["turn"]], message["ply"], card).json()
    found = [judged(truco, match, one) for one in tokens]
    assert [told["seat"] for _, told in found] == [0, 1]
    plies = [{one["ply"] for one in decisions} for decisions, _ in found]
    assert plies[0] | plies[1] == set(range(message["ply"])) and not plies[0] & plies[1]


def test_games_without_a_judge_are_not_analysed(poker):
    match, token = poker.make("examples.kuhn:KUHN", ["random"])
    answer = poker.get(path(match), token)
    assert (answer.status_code, said(answer)) == (409, "server.analysis-game")


def test_matches_of_a_study_are_not_analysed():
    row = MatchRow("abc", "truco", SHORT, {"study": "one"}, b"x" * 32, 1.0)
    match = Match(row, [SeatRow(0, "Ana", token=sha256(b"token").digest()), SeatRow(1, "balanced", agent="balanced")])
    with pytest.raises(Refusal) as refused:
        known(SimpleNamespace(match=lambda number: match), "abc", "token")
    assert (refused.value.status, refused.value.says.key) == (403, "server.analysis-study")


def test_match_of_agents_alone_is_not_analysed(truco):
    match = truco.made("truco", [agent("balanced"), agent("novice")], SHORT)["match"]
    assert said(truco.get(path(match))) == "server.no-token"


@pytest.mark.parametrize("query", [{"since": -1}, {"wait": 1000}, {"since": "x"}])
def test_invalid_queries_are_refused(truco, query):
    match, token = truco.make("truco", ["balanced"])
    assert truco.get(path(match), token, **query).status_code == 422
