"""Options that separate the readings of the documents: points, small clusters, membership, cleaning, minimum."""

import numpy as np
import pytest

import bolicho
from bolicho import BadInput, agent
from bolicho.agents.cbr.agent import CaseBased
from bolicho.agents.cbr.bases import load_base, save_base
from bolicho.agents.cbr.casebase import CaseBase
from bolicho.agents.cbr.clusters import cluster_all, label, population
from bolicho.agents.cbr.cycle import CaseBasedOptions
from bolicho.agents.cbr.retain import Course, rescoped
from bolicho.agents.cbr.retrieve import CaseIndex
from bolicho.agents.cbr.revise import mark_unfit, suicides
from bolicho.agents.cbr.truco import TRUCO
from bolicho.agents.cbr.truco.schema import UNFIT_ENVIDO, UNFIT_PLAYS
from bolicho.games.truco.compiled.lexicon import NOBODY

from .hands import hand, learn, make_baseline

MINE, WEAK, STRONG = "6e 4c 5o", "4p 5c 6o", "1e 1p 7e"
FIRST_CARD_LEADS = 0  # the scenario of figures 6 and 7


def base_of(cases):
    found = CaseBase(TRUCO, np.array(cases, TRUCO.schema.dtype), ())
    found.clusterings = cluster_all(TRUCO, found.cases)
    label(found)
    return found


def answer_to_truco(points):
    """Return the answer of nps to a truco that it accepted five times before, winning two of five."""
    won = hand(MINE, WEAK, "truco", "quero", "5c", "6e", "4c", "4p", mao=1)
    lost = hand(MINE, STRONG, "truco", "quero", "1e", "4c", "1p", "5o", mao=1)
    assert (int(won["hand_won"]), int(lost["hand_won"])) == (2, -2)
    index = CaseIndex(base_of([won, won, lost, lost, lost]))
    table = bolicho.game("truco", hands=1).setup(hands=[MINE.split(), WEAK.split()], mao=1)
    table.play("truco")
    return str(
        CaseBased("nps", index, CaseBasedOptions(revise="none", points=points)).act(
            table.view(0), np.random.default_rng(1)
        )
    )


def test_the_balance_refuses_a_bet_that_lost_points_but_less_than_refusing():
    """Two wins and three losses are -2 points; refusing five times would have cost 5, so beyond that it is +3."""
    assert answer_to_truco("balance") == "nao"
    assert answer_to_truco("beyond-refusing") == "quero"


def test_the_explanation_counts_the_points_that_decided():
    won = hand(MINE, WEAK, "truco", "quero", "5c", "6e", "4c", "4p", mao=1)
    index = CaseIndex(base_of([won] * 5))
    for points, told in (("balance", 10), ("beyond-refusing", 15)):
        player = CaseBased("nps", index, CaseBasedOptions(revise="none", points=points))
        table = bolicho.game("truco", hands=1).setup(hands=[MINE.split(), WEAK.split()], mao=1)
        table.play("truco")
        player.act(table.view(0), np.random.default_rng(1))
        (votes,) = player.explain().facts["questions"][-1]["actions"]
        assert (votes["action"], votes["points"]) == ("accept", told)


def figure_7(small_clusters):
    """Five cases of a first card, as in figure 7: three play the middle card, each in a cluster of its own."""
    mid = hand("3e 12c 4o", "2p 5c 6o", "12c", "5c", "3e", "2p")
    high = hand("3e 12c 4o", "2p 5c 6o", "3e", "2p", "12c", "5c")
    base = base_of([mid, mid, high, high, mid])
    base.cases["label"][:, FIRST_CARD_LEADS] = [1, 2, 3, 3, 4]
    player = CaseBased("mjcs", CaseIndex(base), CaseBasedOptions(revise="none", small_clusters=small_clusters))
    table = bolicho.game("truco", hands=1).setup(hands=[["3e", "12c", "4o"], ["2p", "5c", "6o"]], mao=0)
    action = str(player.act(table.view(0), np.random.default_rng(1)))
    return action, player.explain().facts["questions"][-1]


def test_figure_7_played_by_the_agent_itself():
    """The cluster of two cases is chosen (algorithm 2), and they play the high card."""
    action, question = figure_7("choose")
    assert action == "3e" and question["cluster"] == 3 and question["fallback"] == []


def test_small_clusters_are_skipped_or_give_no_answer():
    action, question = figure_7("skip")
    assert action == "12c" and question["cluster"] is None  # the majority of all five, as in figure 6
    action, question = figure_7("no-answer")
    assert question["cluster"] == 3 and "too few of the cases" in question["fallback"][0]
    assert action == "12c"  # the fallback of the game, which leads the middle card


def test_a_minimum_of_cases_lowers_the_threshold():
    index = CaseIndex(make_baseline(400, seed=3))
    table = bolicho.game("truco", hands=1).deal(5)
    found = {}
    for minimum in (0, 100):
        player = CaseBased("mjs", index, CaseBasedOptions(minimum=minimum))
        player.act(table.view(table.turn), np.random.default_rng(1))
        question = player.explain().facts["questions"][-1]
        found[minimum] = question["found"], question["threshold"]
    assert found[100][0] >= 100 > found[0][0] and found[100][1] < found[0][1]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ("points=sum", "unknown reading of points 'sum'"),
        ("small_clusters=drop", "unknown treatment of small clusters 'drop'"),
        ("minimum=-1", "minimum must be a number of cases"),
    ],
)
def test_invalid_options_are_refused(options, told):
    with pytest.raises(BadInput, match=told):
        agent(f"pvcnps({options})")


def totals(base):
    return np.count_nonzero(base.cases["label"], axis=0)


def test_membership_every_round_counts_finished_hands_in_every_round():
    begun = make_baseline(300, seed=2)
    every = rescoped(begun, "every-round", "hand", "all")
    cards = [totals(every)[2 * r] + totals(every)[2 * r + 1] for r in range(3)]
    truco = [totals(every)[8 + 2 * r] + totals(every)[9 + 2 * r] for r in range(3)]
    decided = np.count_nonzero(begun.cases["hand_won"])
    called = np.count_nonzero((begun.cases["truco_by"][:, 0] != NOBODY) & (begun.cases["hand_won"] != 0))
    assert cards == [decided] * 3 and truco == [called] * 3 and called < decided
    assert totals(begun)[4] + totals(begun)[5] < decided  # of the third round only those in which it began
    assert np.array_equal(totals(begun)[14:], totals(every)[14:])


def test_cleaning_by_decision_removes_only_the_affected_kind():
    bluff = hand("1e 6c 4o", "2p 5c 3o", "envido", "nao", "1e", "2p", "6c", "3o", "5c", "4o")  # no two of a suit
    wasteful = hand("3e 2c 4o", "6p 5c 7o", "6p", "3e", "2c", "5c", mao=1)  # the 2 would have beaten the 6
    fine = hand("3e 2c 4o", "6p 5c 7o", "6p", "2c", "3e", "5c", mao=1)
    base = base_of([bluff, wasteful, fine])
    assert (suicides(TRUCO, base.cases, "published") >= 0).tolist() == [True, True, False]
    mark_unfit(TRUCO, base.cases, "published")
    assert base.cases["unfit"].tolist() == [UNFIT_ENVIDO, UNFIT_PLAYS, 0]
    index = CaseIndex(base)
    kinds = {case: set() for case in range(3)}
    for row, owner in zip(index.instances, index.owners, strict=True):
        name = TRUCO.decisions[row["decision"]].name
        kinds[int(owner)].add("envido" if "envido" in name else "play")
    assert kinds[0] == {"play"} and kinds[1] <= {"envido"} and "play" in kinds[2]
    assert population(TRUCO, base.cases, 14).cases.tolist() == [0, 2]
    assert population(TRUCO, base.cases, 15).cases.tolist() == [1, 2]


def test_a_course_keeps_hands_with_suicide_moves_where_decisions_are_cleaned():
    start = make_baseline(200, seed=3)
    learned = learn(start, cases=260, seed=4, membership="every-round", cleaning="decision")
    assert np.any(suicides_of_marked(learned) >= 0) and np.all(learned.cases["every_round"] == 1)
    assert (learned.made["membership"], learned.made["cleaning"]) == ("every-round", "decision")
    with pytest.raises(BadInput, match="unknown membership of scenarios 'all'"):
        Course(start, membership="all")
    with pytest.raises(BadInput, match="unknown unit of cleaning 'round'"):
        Course(start, cleaning="round")


def suicides_of_marked(base):
    unmarked = base.cases.copy()
    unmarked["unfit"] = 0
    return suicides(TRUCO, unmarked)


def test_marks_are_saved_only_if_present_and_loaded(tmp_path):
    plain = make_baseline(60, seed=3)
    marked = rescoped(plain, "every-round", "decision", "all")
    for base, has in ((plain, False), (marked, True)):
        path = tmp_path / f"{has}.parquet"
        save_base(base, path)
        again = load_base(str(path), TRUCO)
        assert again.cases.tobytes() == base.cases.tobytes()
        assert (b"every_round" in path.read_bytes()) is has
