import numpy as np
import pytest

import bolicho
from bolicho.agents.search.playout import play_out
from bolicho.games import game_names
from bolicho.games.game import Game
from tests.agents.search.reference import children
from tests.games.coins import COINS


def expected_by_chance(table):
    """Return the exact mean payoffs of random play."""
    if table.over:
        return np.array(table.payoffs)
    return np.mean([expected_by_chance(child) for child in children(table)], axis=0)


@pytest.mark.parametrize("seats", [2, 3])
def test_playouts_average_to_the_value_of_random_play(seats):
    table = Game(COINS, coins=7, seats=seats).deal(9)
    played = play_out(table.game, table.pool, 40_000, seed=1)
    assert played.payoffs == pytest.approx(expected_by_chance(table), abs=0.15)
    assert played.steps == 40_000 * 7


@pytest.mark.parametrize("name", game_names())
def test_playouts_of_every_game_end(name):
    game = bolicho.game(name)
    played = play_out(game, game.deal(3).pool, 50, seed=3)
    assert played.games == 50
    assert played.steps >= 50
    if game.kind.zero_sum:
        assert played.payoffs.sum() == pytest.approx(0)
    again = play_out(game, game.deal(3).pool, 50, seed=3)
    assert (again.steps, again.payoffs.tolist()) == (played.steps, played.payoffs.tolist())
