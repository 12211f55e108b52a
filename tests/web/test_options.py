"""Options of agents over HTTP: declared values are accepted, all others are refused."""

import pytest

from bolicho.agents.agent import Within
from bolicho.agents.cbr.agent import CaseBased
from bolicho.agents.registry import entries
from bolicho.games import game
from bolicho.i18n import LANGUAGES, catalogue
from tests.web.running import agent, me, play_by_http, said

ALLOWED = [
    "pvcnps(base=baseline, victory=share)",
    "nps(minimum=30, points=balance, retrieval=clusters, threshold=0.9)",
    "cbr(policy=mjcs, revise=published, small_clusters=no-answer)",
]
REFUSED = {
    "pvcnps(base=/etc/passwd)": "server.option.value",
    "pvcnps(base=../x)": "server.option.value",
    "pvcnps(base='x.parquet')": "server.option.value",
    "pvcnps(base=cbr-dominoes)": "server.option.value",
    "pvcnps(base='http://localhost/')": "server.option.value",
    "pvcnps(base=os:system)": "server.option.value",
    "pvcnps(base=[1])": "server.option.value",
    "pvcnps(base=true)": "server.option.value",
    "pvcnps(victory=always)": "server.option.value",
    "pvcnps(revise=none+all)": "server.option.value",
    "pvcnps(threshold=0.2)": "server.option.within",
    "pvcnps(threshold=true)": "server.option.within",
    "pvcnps(threshold=1e999)": "server.option.within",
    "pvcnps(minimum=10.5)": "server.option.within",
    "pvcnps(minimum=1001)": "server.option.within",
    "pvcnps(policy=nps)": "server.option.unknown",
    "pvcnps(nothing=1)": "server.option.unknown",
    "balanced(style=novice)": "server.option.none",
    "cfr(artifact=../x)": "server.option.none",
    "mcts(iterations=1000000)": "server.option.none",
    "pvcnps(base=)": "server.no-agent",
    "remote(url='http://localhost/')": "server.no-agent",
    "llm(model=m)": "server.no-agent",
}


def asked(spec):
    return {"game": "truco", "seats": [me(), agent(spec)], "rules": {"hands": 1}}


@pytest.mark.parametrize("spec", ALLOWED)
def test_an_agent_with_declared_options_plays_a_match(truco, spec):
    match, token = truco.make("truco", [spec], {"hands": 1})
    assert play_by_http(truco, match, token)["state"] == "over"
    players = truco.get(f"/api/matches/{match}").json()["players"]
    assert players[1]["agent"] == spec and players[1]["name"] == spec.split("(")[0]


def test_a_spec_is_kept_in_its_canonical_form(truco):
    match, _ = truco.make("truco", [" pvcnps( victory=share,base = baseline )"])
    assert truco.get(f"/api/matches/{match}").json()["players"][1]["agent"] == ALLOWED[0]


@pytest.mark.parametrize("spec", REFUSED)
def test_undeclared_options_and_values_are_refused_in_every_language(truco, spec):
    answer = truco.post("/api/matches", asked(spec))
    assert answer.status_code == 422 and said(answer) == REFUSED[spec], answer.text
    key, facts = answer.json()["says"]
    for language in LANGUAGES:
        sentence = catalogue(language).templates[key]
        assert all(f"{{{fact}}}" in sentence for fact in facts), sentence


def test_hint_accepts_an_agent_with_options(truco):
    match, token = truco.make("truco", ["novice"])
    view = truco.view(match, token)
    while not view["view"]["legal"]:
        view = truco.view(match, token, ply=view["ply"], wait=20)
    path = f"/api/matches/{match}/hint"
    assert truco.post(path, {"agent": ALLOWED[0]}, token).status_code == 200
    assert said(truco.post(path, {"agent": "pvcnps(base=/etc/passwd)"}, token)) == "server.option.value"


def test_options_are_listed_with_defaults_and_values(truco):
    told = truco.get("/api/options", game="truco").json()["agents"]
    assert told["pvcnps"]["base"] == {"default": "learned", "values": ["baseline", "learned", "published"]}
    assert told["pvcnps"]["threshold"] == {"default": 0.98, "least": 0.5, "most": 1.0, "whole": False}
    assert told["cbr"]["policy"]["values"][0] == "best" and "policy" not in told["pvcnps"]
    assert "mcts" not in told and "cfr" not in told
    assert truco.get("/api/options", game="chess").status_code == 404


def test_every_declared_value_makes_an_agent():
    for name in ("truco", "dominoes", "fives", "wonders"):
        played = game(name)
        for entry in entries():
            for option, values in entry.option_values(name).items() if entry.plays(name) else ():
                some = (values.least, values.most) if isinstance(values, Within) else values
                for value in some:
                    made = entry.made(**{option: value})
                    made.prepare(played)
                    assert made.plays(played) is None
    assert CaseBased("nps").option_values(game("fives"))["base"] == ("learned",)
