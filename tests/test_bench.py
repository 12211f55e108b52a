"""Benchmarks count honestly; what they measure is not tested, only how."""

import numpy as np
import pytest

from bolicho import BadInput, bench, game
from bolicho.bench.play import random_games


def test_a_figure_knows_whether_it_is_reached():
    assert bench.Figure("x", 3, "s", 2).reached and not bench.Figure("x", 1, "s", 2).reached
    assert bench.Figure("x", 1, "s", 2, at_least=False).reached and bench.Figure("x", 1, "s").reached is None


def test_ratios_are_medians_over_rounds():
    assert bench.ratio([2, 4, 60], [1, 1, 1]) == 4


def test_unknown_benches_and_missing_peers_are_named():
    with pytest.raises(BadInput, match="unknown bench"):
        bench.run(["nothing"])
    with pytest.raises(BadInput, match="not installed"):
        bench.peer("no_such_library")


def test_random_games_count_what_they_play():
    pool = game("truco", hands=1).deal(0).pool
    games, steps = random_games(pool, 200, np.uint64(5))
    again, steps_again = random_games(pool, 200, np.uint64(5))
    assert games == again == 200 and steps == steps_again
    assert 2 * 200 < steps < 12 * 200 and pool["turn"][0] == -1
