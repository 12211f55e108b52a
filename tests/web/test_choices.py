"""Analysis of matches of dominoes and 7 Wonders: each choice judged, once, from what its seat could see."""

import pytest

from bolicho.games import game as make_game
from bolicho.lab import puzzles
from bolicho.web.choices import Choices, judge_of
from bolicho.web.workers import DecisionRequest
from tests.web.running import play_by_http, said


def analysed(served, match, token):
    """Return the whole analysis of a match."""
    found = served.get(f"/api/matches/{match}/analysis", token).json()
    decisions = found["decisions"]
    while len(decisions) < found["of"]:
        found = served.get(f"/api/matches/{match}/analysis", token, since=len(decisions), wait=20).json()
        decisions = decisions + found["decisions"]
    return {**found, "decisions": decisions}


@pytest.mark.parametrize(("game", "opponents"), [("dominoes", ["rule"]), ("wonders", ["rules", "rules"])])
def test_choices_of_a_match_are_judged_after_its_end(app_state, game, opponents):
    match, token = app_state.make(game, opponents)
    assert said(app_state.get(f"/api/matches/{match}/analysis", token)) == "server.analysis-early"
    told = play_by_http(app_state, match, token)
    assert app_state.get(f"/api/matches/{match}").json()["judged"] is True
    found = analysed(app_state, match, token)
    view = told["view"]
    chosen = [entry for entry in view["log"] if entry["event"] == "chose"]
    assert found["of"] == len(found["decisions"]) > 1
    for one in found["decisions"]:
        before = app_state.view(match, token, ply=one["ply"])["view"]
        assert before["turn"] == 0 and {action["action"] for action in before["legal"]} == set(one["values"])
        assert one["cost"] == pytest.approx(max(one["values"].values()) - one["values"][chosen[one["ply"]]["action"]])
    assert found["summary"] and len(found["biggest"]) <= 3
    again = app_state.get(f"/api/matches/{match}/analysis", token).json()
    assert again["decisions"] == found["decisions"]


def test_judge_sees_only_the_view_of_the_seat():
    """Deal two games whose first seat holds the same tiles: the judge says the same about both."""
    own = ["6-4", "4-4", "3-2"]
    tables = [
        make_game("dominoes").setup(first=0, hands=[own, other], boneyard=rest)
        for other, rest in ((["6-5", "4-3", "2-1"], ["0-0", "5-5"]), (["5-5", "0-0", "2-1"], ["4-3", "6-5"]))
    ]
    assert puzzles.judged(tables[0], "pimc(worlds=50)") == puzzles.judged(tables[1], "pimc(worlds=50)")


def test_rules_that_the_judge_does_not_play_have_another_judge():
    assert judge_of(make_game("wonders")) == puzzles.PLANS["wonders"].judge
    assert judge_of(make_game("wonders", players=5)) == "mcts"


def test_summary_counts_mistakes_and_names_the_biggest():
    table = make_game("dominoes").deal(3)
    legal = list(map(str, table.legal))
    table.play(legal[0])
    values = {action: float(at) for at, action in enumerate(legal)}
    rows = [{"ply": 0, "seat": 0, "chosen": legal[0], "unit": "points", "values": values}]
    thought = DecisionRequest("dominoes", {}, 3, (int(table.actions[0]),), "", "")
    told = Choices(0, "pimc", table, rows, thought, ["Ana", "Rui"]).as_json(0)
    assert told["decisions"][0]["cost"] == len(legal) - 1 and told["decisions"][0]["mistake"]
    assert told["of"] == 1 and len(told["biggest"]) == 1
    assert told["summary"][0][1]["m"] == 1
