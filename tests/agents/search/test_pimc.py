import numpy as np
import pytest

import bolicho
from bolicho.agents.search import alphabeta, pimc
from bolicho.agents.search.limits import Limits
from bolicho.games.game import Game, Table
from tests.games.coins import COINS
from tests.games.pennies import PENNIES


def test_worlds_without_hidden_information_give_the_exact_values():
    table = Game(COINS, coins=10).deal(4)
    true = alphabeta.search(table.game, table.pool, Limits(units=10**6), every=True)
    found = pimc.search(table.view(), pimc.alphabeta_solver(Limits(units=10**6)), Limits(units=5))
    assert found.values.tolist() == true.values.tolist()
    assert found.errors.tolist() == [0, 0]
    assert found.best == true.best
    assert found.worlds == 5


def test_plain_solver_differs_only_under_a_node_limit():
    """Different values with few nodes, equal values with enough."""
    table = bolicho.game("fives", highest=4, hand=4).deal(1)
    for nodes, same in ((60, False), (10**7, True)):
        usual, plain = (
            pimc.search(
                table.view(),
                pimc.alphabeta_solver(Limits(units=nodes), alphabeta.Horizon(plain=plain)),
                Limits(units=3),
            )
            for plain in (False, True)
        )
        assert (usual.values.tolist() == plain.values.tolist()) is same


def test_every_world_is_consistent_with_the_view():
    table = bolicho.game("truco", hands=1).deal(8)
    table.play(table.legal[0])
    view = table.view()
    hands = set()

    def solve(game, pool, seed):
        world = Table(game, pool.copy(), {})
        assert world.view(view.seat).state == view.state
        hands.add(pool["hands"][0, 1 - view.seat].tobytes())
        return np.zeros(len(view.numbers))

    pimc.search(view, solve, Limits(units=50))
    assert len(hands) > 40


def test_values_are_means_over_worlds():
    view = Game(COINS).deal(0).view()
    said = iter([[1.0, 2.0], [3.0, 2.0], [8.0, 2.0]])
    found = pimc.search(view, lambda game, pool, seed: np.array(next(said)), Limits(units=3))
    assert found.values.tolist() == [4, 2]
    assert found.errors == pytest.approx([np.std([1, 3, 8], ddof=1) / np.sqrt(3), 0])
    assert found.best == 0


@pytest.mark.parametrize(
    "solver", [pimc.alphabeta_solver(Limits(units=100)), pimc.mcts_solver(Limits(units=100))], ids=["alphabeta", "mcts"]
)
def test_guesses_of_a_covered_coin_have_value_zero(solver):
    table = Game(PENNIES).deal(0)
    table.play("heads")
    found = pimc.search(table.view(), solver, Limits(units=400))
    assert found.values == pytest.approx([0, 0], abs=0.2)


def test_a_world_searched_for_one_iteration_still_ranks_every_action():
    table = bolicho.game("truco").deal(8)
    found = pimc.search(table.view(), pimc.mcts_solver(Limits(units=1)), Limits(units=3))
    assert np.isfinite(found.values).all()
