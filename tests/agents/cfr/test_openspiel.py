"""Agreement with OpenSpiel, an independent implementation, on the same games."""

import pytest

from bolicho.agents.cfr.solve import FullTree, Solver
from bolicho.bench.cfr import GAMES, solved, solved_by_openspiel, walked, walked_by_openspiel

pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed (extra `openspiel`)")


@pytest.mark.parametrize("name", GAMES)
def test_exploitability_of_random_play_agrees_with_openspiel(name):
    whole, theirs = FullTree(GAMES[name].ours), pyspiel.load_game(GAMES[name].theirs)
    found = pyspiel.exploitability(theirs, pyspiel.UniformRandomPolicy(theirs))
    assert whole.exploitability(whole.uniform()) == pytest.approx(found, abs=1e-9)


@pytest.mark.parametrize("name", GAMES)
def test_exploitability_after_cfr_plus_agrees_with_openspiel(name):
    ours, theirs = solved(GAMES[name].ours, 50), solved_by_openspiel(GAMES[name].theirs, 50)
    assert ours == pytest.approx(theirs, abs=0.002)


def test_cfr_plus_takes_the_same_steps_as_openspiel():
    chosen = pyspiel.load_game("kuhn_poker")
    theirs, ours = pyspiel.CFRPlusSolver(chosen), Solver(FullTree(GAMES["Kuhn"].ours))
    for _ in range(20):
        theirs.evaluate_and_update_policy()
        ours.iterate(1)
        found = pyspiel.exploitability(chosen, theirs.average_policy())
        assert ours.solution().exploitability == pytest.approx(found, abs=1e-9)


def test_walks_of_both_implementations_reach_low_exploitability():
    assert walked(GAMES["Kuhn"].ours, 20_000, 1) < 0.02 > walked_by_openspiel("kuhn_poker", 20_000, 1)
