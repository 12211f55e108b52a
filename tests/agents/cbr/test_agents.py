"""The twenty case-based agents: play, and explanations of their decisions."""

import json
from pathlib import Path

import numpy as np
import pytest
from numba import typeof

import bolicho
from bolicho.agents.cbr import TECHNIQUE
from bolicho.agents.cbr.bases import save_base
from bolicho.agents.cbr.casebase import CaseBase
from bolicho.agents.cbr.clusters import from_labels
from bolicho.agents.cbr.observe import cases_of_table
from bolicho.agents.cbr.reuse import POLICIES, VICTORIES
from bolicho.agents.cbr.revise import suicides
from bolicho.agents.cbr.truco import TRUCO
from bolicho.agents.loop import Deal, play_deals
from bolicho.agents.registry import recipe
from bolicho.i18n import catalogue
from tests.agents.cbr.hands import make_baseline


def play(players, seed, explained=None, **rules):
    game = bolicho.game("truco", **rules)
    table = game.deal(seed)
    rng = np.random.default_rng(seed)
    for seat, player in enumerate(players):
        player.begin(game, seat)
    while (turn := table.turn) is not None:
        view = table.view(turn)
        action = int(players[turn].act(view, rng))
        assert action in view.numbers
        if explained is not None and turn == 0:
            explained.append((view, action, players[0].explain()))
        table.play(action)
    return table


@pytest.mark.parametrize("policy", POLICIES)
def test_every_policy_plays_legally_with_either_base(policy):
    play([bolicho.agent(f"{policy}(base=baseline)"), bolicho.agent(policy)], seed=3)


@pytest.mark.parametrize("rules", [{"target": 12}, {"target": 30}, {"hands": 1}])
def test_matches_of_any_length_can_be_played(rules):
    for seed in range(6):
        play([bolicho.agent("plcs(revise=none)"), bolicho.agent("nps(retrieval=clusters)")], seed, **rules)


@pytest.mark.parametrize("rules", [{"face_down": False}, {"flor": False}, {"envido_first": True}])
def test_a_base_is_not_used_for_rules_it_was_not_made_for(rules):
    with pytest.raises(bolicho.BadInput, match="the case base learned was made for the default rules"):
        bolicho.agent("nps").prepare(bolicho.game("truco", **rules))


def test_the_same_chance_gives_the_same_match():
    players = [bolicho.agent("plcs"), bolicho.agent("pls(retrieval=clusters)")]
    assert play(players, 5).record() == play(players, 5).record()


def test_decision_depends_only_on_the_view():
    """Equal decisions of new agents in the middle of a match."""
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
            found[revise] += int(np.count_nonzero(suicides(TRUCO, cases_of_table(TRUCO, table, 0)) >= 0))
    assert found["all"] == 0 < found["none"]


def test_explanations_contain_the_cases_of_a_decision():
    explained = []
    play([bolicho.agent("pvcnps(base=baseline, retrieval=clusters)"), bolicho.agent("balanced")], 2, explained)
    base = bolicho.agents.cbr.agent.load_index("baseline", "truco").base
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
        assert catalogue("en").say(explanation.sentence).startswith("pvcnps: ")
        lines = [catalogue("en").say(line) for line in explanation.lines]
        for question in facts["questions"]:
            shown = [line for line in lines if line.startswith(f"{question['question']}: ")]
            assert shown and f"{question['found']} cases at {question['threshold']:.2f} or more" in shown[0]
        chosen = [line for line in lines if line.endswith(" <")]
        votes = sum(row["action"] == q["suggested"] for q in facts["questions"] for row in q["actions"])
        assert len(chosen) == votes + sum(q["cluster"] is not None for q in facts["questions"])


def check_choice(question):
    """Check by the votes shown that PV picks the cluster and NP (PV for cards) the action."""
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


@pytest.mark.parametrize("victory", VICTORIES)
@pytest.mark.parametrize("policy", ["pvs", "pvcs", "nps"])
def test_reason_in_an_explanation_matches_the_votes(policy, victory):
    explained = []
    for seed in range(3):
        play([bolicho.agent(f"{policy}(base=baseline, victory={victory})"), bolicho.agent("balanced")], seed, explained)
    said = [
        (catalogue("en").say(explanation.sentence), explanation.facts["questions"][-1])
        for _, _, explanation in explained
    ]
    for sentence, question in said:
        votes = {row["action"]: row for row in question["actions"]}
        _, _, reason = sentence.rpartition(f"; '{question['suggested']}'")
        if not reason or not votes:
            continue
        chosen, bets = votes.get(question["suggested"]), [
            row for name, row in votes.items() if name != question["passive"]]  # fmt: skip
        if reason.startswith(" has the highest share of victories"):
            assert chosen["victories"] == max(row["victories"] for row in votes.values())
        elif reason.startswith(" has, of the bets, the highest share of victories and won more often than it lost"):
            assert chosen["victories"] == max(row["victories"] for row in bets) > 0.5
        elif reason.startswith(" has the highest number of victories"):
            assert victory == "count"
            assert victories(chosen) == max(victories(row) for row in votes.values())
        elif reason.startswith(" has the highest balance of points"):
            assert chosen["points"] == max(row["points"] for row in votes.values()) > 0
        elif reason.startswith(", since no bet won more often than it lost"):
            assert victory == "bar" and all(row["victories"] <= 0.5 for row in bets)
        elif reason.startswith(", since no bet has a positive balance of points"):
            assert all(row["points"] <= 0 for row in bets)
        else:
            assert reason.startswith(", since nothing has won") and not any(map(victories, votes.values()))
    assert any("highest number of victories" in sentence for sentence, _ in said) == (victory == "count")


def victories(row):
    return round(2 * row["victories"] * row["cases"])


def test_explanation_states_the_minimum_where_small_clusters_are_left_out():
    explained = []
    play([bolicho.agent("pvcs(base=baseline)"), bolicho.agent("balanced")], 2, explained)
    some = set()
    for _, _, explanation in explained:
        question = explanation.facts["questions"][-1]
        if question["cluster"] is not None:
            few = any(row["cases"] < 5 for row in question["clusters"])
            assert (
                "has of those with at least 5 cases the highest" in catalogue("en").say(explanation.sentence)
            ) == few
            some.add(few)
    assert some == {True, False}


def tiny(tmp_path, count):
    base = make_baseline(40, seed=9)
    small = CaseBase(TRUCO, base.cases[:count], (), {"name": "tiny"})
    small.clusterings = from_labels(TRUCO, small.cases)
    save_base(small, tmp_path / "tiny.parquet")
    return tmp_path / "tiny.parquet"


@pytest.mark.parametrize("retrieval", ["exact", "clusters"])
def test_small_base_uses_the_fallback_and_reports_it(tmp_path, retrieval):
    path = tiny(tmp_path, 6)
    explained = []
    players = [bolicho.agent(f"pvcnps(base={path}, retrieval={retrieval})"), bolicho.agent("balanced")]
    for seed in range(4):
        play(players, seed, explained)
    questions = [question for _, _, explanation in explained for question in explanation.facts["questions"]]
    said = {text for question in questions for text in question["fallback"]}
    assert any("no case was found" in text for text in said) and any("no cluster had enough" in text for text in said)
    assert any(text.startswith("only ") and text.endswith("such cases are known, however dissimilar") for text in said)
    assert any("whole base was searched" in text for text in said) == (retrieval == "clusters")
    alone = [explanation for _, _, explanation in explained if explanation.facts["questions"][-1]["found"] == 0]
    assert alone and all("no case was found" in catalogue("en").say(explanation.sentence) for explanation in alone)


def test_explanation_is_absent_before_a_decision():
    assert bolicho.agent("pvcnps").explain() is None


# --- Many tables --------------------------------------------------------------------------------


PLAYERS = ("plcs(base=baseline, retrieval=clusters)", "npcpls(base=baseline)")  # both draw lots


def outcomes(makers, tables):
    game = bolicho.game("truco", target=12)
    deals = [Deal(number, [number % 2, 1 - number % 2], [3 * number, 5 * number]) for number in range(20)]
    played = list(play_deals(game, makers, deals, tables=tables))
    assert not any(outcome.forfeit for outcome in played)
    return {outcome.number: (list(outcome.actions), outcome.scores) for outcome in played}


def test_play_is_the_same_at_one_table_at_many_and_in_python():
    game = bolicho.game("truco", target=12)
    makers = [recipe(spec).maker(game) for spec in PLAYERS]
    faces = [lambda make=make: ViewByView(make()) for make in makers]
    one = outcomes(makers, 1)
    assert one == outcomes(makers, 20) == outcomes(faces, 7) and len(one) == 20


class ViewByView(bolicho.Agent):
    """Agent that is asked view by view, like one written in Python."""

    def __init__(self, inner):
        self.begin, self.act = inner.begin, inner.act


def test_different_luck_gives_different_matches():
    game, luck = bolicho.game("truco"), range(6)
    deals = [Deal(1, [0, 1], [number, number]) for number in luck]
    makers = [recipe(spec).maker(game) for spec in PLAYERS]
    assert len({tuple(outcome.actions) for outcome in play_deals(game, makers, deals)}) == len(luck)


def test_all_agents_share_one_compiled_type():
    """One Numba type for all policies, bases and options."""
    game = bolicho.game("truco")
    kinds = [typeof(bolicho.agent(spec).player(game)) for spec in (*PLAYERS, "nps", "pvs(threshold=0.75)")]
    assert len(set(kinds)) == 1


GAMES = ("truco", "dominoes", "wonders")  # the folders of games in the technique's package


def test_the_technique_imports_no_game():
    home = Path(bolicho.agents.cbr.agent.__file__).parent
    for path in home.rglob("*.py"):
        if path.relative_to(home).parts[0] not in GAMES and path.name != "domains.py":
            imports = "".join(line for line in path.read_text().splitlines() if "import" in line)
            assert not [game for game in GAMES if game in imports], path
    assert bolicho.agents.cbr.agent.CaseBased.games == ("truco",)
    assert bolicho.agents.cbr.agent.cbr().games == tuple(TECHNIQUE.bindings) and {*TECHNIQUE.bindings} == {
        *GAMES,
        "fives",
    }
