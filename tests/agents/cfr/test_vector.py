"""Vector CFR on public trees: the values of small games, and every update rule."""

import numpy as np
import pytest

from bolicho import game
from bolicho.agents.cfr.rules import CFR_PLUS, DCFR_PLUS, LINEAR, PCFR_PLUS, Rule
from bolicho.agents.cfr.solve import FullTree, solve
from bolicho.agents.cfr.vector_solver import PublicGame
from bolicho.errors import BadInput
from bolicho.games.poker import KUHN, LEDUC

GAMES = {
    "kuhn": KUHN,
    "leduc": LEDUC,
    "dominoes": game("dominoes", highest=2, hand=2),
    "fives": game("fives", highest=2, hand=2),
}


@pytest.mark.parametrize("name", GAMES)
def test_vector_and_tabular_cfr_find_the_same_value(name):
    tabular = solve(FullTree(GAMES[name]), 0.001)
    vector = PublicGame(GAMES[name])
    vector.iterate(tabular.iterations)
    assert vector.exploitability() < 0.002
    assert vector.value() == pytest.approx(tabular.value, abs=0.003)


def test_exploitability_of_the_uniform_strategy_matches_the_tabular_one():
    for chosen in GAMES.values():
        whole = FullTree(chosen)
        vector = PublicGame(chosen)  # without iterations all averages are zero: uniform play
        assert vector.value() == pytest.approx(whole.value(whole.uniform()), abs=1e-5)
        assert vector.exploitability() == pytest.approx(whole.exploitability(whole.uniform()), abs=1e-5)


RULES = {
    "cfr": Rule(np.inf, 0, floored=False, alternating=False),
    "linear": LINEAR,
    "cfr+": CFR_PLUS,
    "dcfr+": DCFR_PLUS,
    "pcfr+": PCFR_PLUS,
}


@pytest.mark.parametrize("name", RULES)
def test_update_rule_converges(name):
    solver, found = PublicGame(LEDUC, RULES[name]), []
    for count in (10, 90, 400):
        solver.iterate(count)
        found.append(solver.exploitability())
    assert found[2] < found[1] / 2 < found[0] / 4
    assert found[2] < 0.1


def test_weights_stand_for_discounts():
    """Growing weights of later regrets equal discounts of earlier ones."""
    rule, total, weighted = Rule(1.5, 1), 0.0, 0.0
    gains = np.random.default_rng(1).random(50)
    weights = rule.weights(0, 50)
    for number, gain in enumerate(gains, start=1):
        before = (number - 1) ** rule.alpha
        total = total * before / (before + 1) + gain
        weighted += weights[number - 1, 0] * gain
    assert weighted / weights[-1, 0] == pytest.approx(total)
    assert (rule.weights(20, 30) == weights[20:]).all()


def test_games_with_too_many_deals_are_refused():
    with pytest.raises(BadInput, match="1 to 10,000 numbered deals"):
        PublicGame(game("truco", hands=1))
