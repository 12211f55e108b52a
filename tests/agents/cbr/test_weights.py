"""Learned weights of attributes: the formula by hand, the search against plain NumPy, and the agent."""

import numpy as np
import pytest

import bolicho
from bolicho import BadInput, agent
from bolicho.agents.cbr.agent import CaseBased, load_index
from bolicho.agents.cbr.casebase import CaseBase
from bolicho.agents.cbr.clusters import from_labels
from bolicho.agents.cbr.cycle import CaseBasedOptions
from bolicho.agents.cbr.domain import MAX_NUMERIC
from bolicho.agents.cbr.retrieve import CaseIndex
from bolicho.agents.cbr.truco import TRUCO
from bolicho.agents.cbr.weights import UNIT, explained, indicators, learned_weights, whole_weights
from bolicho.i18n import catalogue

from .hands import hand, make_baseline

FIRST_CARD_LEADS = 0  # attributes: high, mid, low, mão


@pytest.fixture(scope="module")
def index():
    return CaseIndex(make_baseline(400, seed=3))


def test_share_explained_by_groups_as_computed_by_hand():
    """Values 0, 2, 4, 6 in two groups: variance 5, within each group 1, so 0.8."""
    groups = np.array([1, 1, 2, 2])
    assert explained(np.array([0, 2, 4, 6]), groups) == pytest.approx(0.8)
    assert explained(indicators(np.array([1, 1, 1, 2])), groups) == pytest.approx(1 - (0.5 / 2) / 0.375)
    assert explained(np.array([7, 7, 7, 7]), groups) == 0
    assert whole_weights([0.8, 0.4, 0.0, 0.0]).tolist() == [267, 133, 0, 0]


def four_hands():
    """Return a base whose high card differs between clusters of the first card, and its low card within them."""
    strong = [hand(f"1e 12c {low}", "2p 5c 6o", "1e", "2p", "12c", "5c") for low in ("4o", "6e")]
    weak = [hand(f"3e 12c {low}", "2p 5c 6o", "3e", "2p", "12c", "5c") for low in ("4o", "6e")]
    cases = np.array([*strong, *weak], TRUCO.schema.dtype)
    cases["label"] = [[1] * 16] * 2 + [[2] * 16] * 2
    return CaseBase(TRUCO, cases, from_labels(TRUCO, cases))


def test_weights_of_a_small_base_are_those_computed_by_hand():
    index = CaseIndex(four_hands()).weighted("clusters")
    assert index.attribute_weights(FIRST_CARD_LEADS).tolist() == [4, 0, 0, 0]  # mean 1, all on the high card
    query = index.query(FIRST_CARD_LEADS, [52, 8, 3], [1])
    found = index.retrieve(query, minimum=1)
    assert set(found.cases) == {0, 1} and found.similarity.tolist() == [1, 1]  # the low card has weight 0
    assert CaseIndex(four_hands()).retrieve(query, minimum=1).similarity.tolist() == [1, 1 - 2 / 208]
    assert index.retrieve(query, minimum=3).similarity.tolist() == [1, 1, 1 - 28 / 52, 1 - 28 / 52]


def test_outcome_weights_prefer_attributes_that_separate_victory_from_defeat():
    base = four_hands()
    base.cases["hand_won"] = [1, -1, 1, -1]
    assert CaseIndex(base).weighted("outcomes").attribute_weights(FIRST_CARD_LEADS).tolist() == [0, 0, 4, 0]


@pytest.mark.parametrize("weights", ["clusters", "outcomes"])
def test_weighted_search_matches_plain_numpy(index, weights):
    """Comparison with whole-number distances of all instances, at every threshold down to 0."""
    other, rng = index.weighted(weights), np.random.default_rng(5)
    for d, decision in enumerate(TRUCO.decisions):
        rows = np.flatnonzero(index.instances["decision"] == d)
        if not len(rows):
            continue
        n, m = len(decision.numeric), len(decision.equal)
        w = other.index.weights[d]
        for query_row in index.instances[rng.choice(rows, 3)]:
            numeric = np.clip(query_row["numeric"][:n] + rng.integers(-3, 4, n), 0, 52)
            query = other.query(d, numeric, query_row["equal"][:m])
            gaps = np.abs(index.instances["numeric"][rows, :n].astype(int) - numeric) @ w[:n]
            gaps += (
                52 * (index.instances["equal"][rows, :m] != query_row["equal"][:m]) @ w[MAX_NUMERIC : MAX_NUMERIC + m]
            )
            for minimum in (1, 5, 60):
                level = 980
                while np.count_nonzero(1000 * gaps <= 52 * w.sum() * (1000 - level)) < minimum and level > 0:
                    level = max(0, level - 20)
                wanted = rows[1000 * gaps <= 52 * w.sum() * (1000 - level)]
                found = other.retrieve(query, minimum=minimum)
                assert round(1000 * found.threshold) == level
                assert sorted(found.cases) == sorted(index.owners[wanted])
                assert np.allclose(np.sort(1 - found.similarity), np.sort(gaps[np.isin(rows, wanted)]) / (52 * w.sum()))


def test_equal_weights_are_the_default_and_leave_the_index_as_it_is(index):
    assert index.weighted("equal") is index and index.weighted("clusters") is index.weighted("clusters")
    assert np.array_equal(index.weighted("clusters").weighted("equal").index.weights, index.index.weights)
    assert set(np.unique(index.index.weights)) == {0, 1}
    assert agent("nps").index(bolicho.game("truco")) is load_index("learned", "truco")


def test_weights_have_mean_one_in_every_decision_of_a_base(index):
    rows = learned_weights(TRUCO, index.base.cases, index.instances, index.owners, "clusters")
    for decision, row in zip(TRUCO.decisions, rows, strict=True):
        assert abs(row.sum() - UNIT * len(decision.attributes)) <= len(decision.attributes)  # rounding


def test_explanation_contains_the_learned_weights(index):
    table = bolicho.game("truco", hands=1).deal(5)
    for weights, told in (("equal", False), ("clusters", True)):
        player = CaseBased("nps", index, CaseBasedOptions(weights=weights))
        player.act(table.view(table.turn), np.random.default_rng(1))
        explanation = player.explain()
        question = explanation.facts["questions"][-1]
        assert ("weights" in question) is told
        assert any("weights: " in catalogue("en").say(line) for line in explanation.lines) is told
        if told:
            assert sum(question["weights"].values()) == pytest.approx(len(question["weights"]), abs=0.1)


def test_unknown_weights_are_refused():
    with pytest.raises(BadInput, match="weights"):
        agent("nps(weights=heavy)")
