"""The twenty agents at the table, and what they say of their decisions."""

import json

import numpy as np
import pytest

import bolicho
from bolicho.agents.cbr.bases import save_base
from bolicho.agents.cbr.casebase import CaseBase
from bolicho.agents.cbr.clusters import from_labels
from bolicho.agents.cbr.observe import watch_table
from bolicho.agents.cbr.reuse import POLICIES
from bolicho.agents.cbr.revise import suicides
from bolicho.agents.cbr.truco import TRUCO
from bolicho.agents.cbr.truco.baseline import make_baseline


def play(players, seed, explained=None, **rules):
    game = bolicho.game("truco", **rules)
    table = game.deal(seed)
    rng = np.random.default_rng(seed)
    for seat, player in enumerate(players):
        player.begin(game, seat)
    while (turn := table.turn) is not None:
        view = table.view(turn)
        action = players[turn].act(view, rng)
        assert action in view.numbers
        if explained is not None and turn == 0:
            explained.append((view, action, players[0].explain()))
        table.play(action)
    return table


@pytest.mark.parametrize("policy", POLICIES)
def test_every_policy_plays_legally_with_either_base(policy):
    play([bolicho.agent(f"{policy}(base=baseline)"), bolicho.agent(policy)], seed=3)


@pytest.mark.parametrize(
    "rules",
    [
        {"target": 12}, {"target": 30}, {"hands": 1}, {"face_down": False}, {"flor": False}, {"envido_first": True},
        {"envido_envido": True, "envido_first": True},
    ],
)  # fmt: skip
def test_every_variation_of_the_rules_can_be_played(rules):
    for seed in range(6):
        play([bolicho.agent("plcs(revise=none)"), bolicho.agent("nps(retrieval=clusters)")], seed, **rules)


def test_the_same_chance_gives_the_same_match():
    players = [bolicho.agent("plcs"), bolicho.agent("pls(retrieval=clusters)")]
    assert play(players, 5).record() == play(players, 5).record()


def test_a_decision_needs_no_more_than_the_view():
    """An agent asked in the middle of a match, without having seen its beginning, decides the same."""
    table = play([bolicho.agent("pvcnps"), bolicho.agent("nps")], 8)
    half = bolicho.replay({**table.record(), "actions": table.record()["actions"][:30]})
    view = half.view()
    choices = {bolicho.agent("npcs").act(view, np.random.default_rng(0)) for _ in range(3)}
    assert len(choices) == 1


def test_revision_keeps_agents_from_suicide():
    found = {"all": 0, "none": 0}
    for revise in found:
        for seed in range(25):
            table = play([bolicho.agent(f"pls(revise={revise})"), bolicho.agent("balanced")], seed)
            found[revise] += int(np.count_nonzero(suicides(TRUCO, watch_table(TRUCO, table, 0)) >= 0))
    assert found["all"] == 0 < found["none"]


def test_explanations_rest_on_cases():
    explained = []
    play([bolicho.agent("pvcnps(base=baseline, retrieval=clusters)"), bolicho.agent("balanced")], 2, explained)
    base = bolicho.agents.cbr.agent.load_index("baseline").base
    for view, action, explanation in explained:
        facts = json.loads(json.dumps(explanation.facts))
        assert facts["action"] == view.legal[view.numbers.index(action)] and facts["cases_in_base"] == 3195
        for question in facts["questions"]:
            assert sum(row["cases"] for row in question["clusters"]) <= question["found"]
            assert len(question["cases"]) == min(10, question["found"])
            for case in question["cases"]:
                mean = sum(case["local"].values()) / len(case["local"])
                assert case["similarity"] == pytest.approx(mean) and mean >= question["threshold"] - 1e-12
                assert 0 <= case["case"] < len(base) and set(case["local"]) == set(question["query"])
            check_choice(question)
        assert explanation.sentence.startswith("pvcnps: ")
        for question in facts["questions"]:
            shown = [line for line in explanation.lines if line.startswith(f"{question['question']}: ")]
            assert shown and f"{question['found']} cases at {question['threshold']:.2f} or more" in shown[0]
        chosen = [line for line in explanation.lines if line.endswith(" <")]
        votes = sum(row["action"] == q["suggested"] for q in facts["questions"] for row in q["actions"])
        assert len(chosen) == votes + sum(q["cluster"] is not None for q in facts["questions"])


def check_choice(question):
    """PV picks the cluster and NP (PV for cards) the action: read off the votes that are shown."""
    if question["cluster"] is not None:
        chosen = next(row for row in question["clusters"] if row["cluster"] == question["cluster"])
        enough = [row for row in question["clusters"] if row["cases"] >= 5]
        assert chosen["victories"] >= max(row["victories"] for row in enough) - 1e-12
    votes = {row["action"]: row for row in question["actions"]}
    bold = {name: row for name, row in votes.items() if name != question["passive"]}
    key = "points" if question["has_points"] else "victories"
    if question["suggested"] == question["passive"]:
        assert all(row["points"] <= 0 for row in bold.values())
    elif votes:
        assert votes[question["suggested"]][key] == max(row[key] for row in bold.values())
    assert (question["revised_by"] is None) == (question["suggested"] == question["done"])


def tiny(tmp_path, count):
    base = make_baseline(40, seed=9)
    small = CaseBase(TRUCO, base.cases[:count], (), {"name": "tiny"})
    small.clusterings = from_labels(TRUCO, small.cases)
    save_base(small, tmp_path / "tiny.parquet")
    return tmp_path / "tiny.parquet"


@pytest.mark.parametrize("retrieval", ["exact", "clusters"])
def test_a_base_too_small_falls_back_and_says_so(tmp_path, retrieval):
    path = tiny(tmp_path, 6)
    explained = []
    players = [bolicho.agent(f"pvcnps(base={path}, retrieval={retrieval})"), bolicho.agent("balanced")]
    for seed in range(4):
        play(players, seed, explained)
    questions = [question for _, _, explanation in explained for question in explanation.facts["questions"]]
    said = {text for question in questions for text in question["fallback"]}
    assert any("no case was found" in text for text in said) and any("no cluster had enough" in text for text in said)
    assert any(text.startswith("only ") and text.endswith("such cases are known, however unlike") for text in said)
    assert any("whole base was searched" in text for text in said) == (retrieval == "clusters")
    alone = [explanation for _, _, explanation in explained if explanation.facts["questions"][-1]["found"] == 0]
    assert alone and all("no case was found" in explanation.sentence for explanation in alone)


def test_nothing_is_explained_before_a_decision():
    assert bolicho.agent("pvcnps").explain() is None
