"""The Markov agent's options, one by one."""

import numpy as np

from bolicho.agents.markov.options import PLUS, PUBLISHED, SINGLE, WITHOUT
from bolicho.lab.markov import options


def test_options_alone_and_left_out():
    assert list(SINGLE) == list(WITHOUT) == [name for name in PUBLISHED.facts() if name != "reading"]
    for name in SINGLE:
        assert SINGLE[name].facts() == PUBLISHED.facts() | {name: PLUS.facts()[name]} != PUBLISHED.facts()
        assert WITHOUT[name].facts() == PLUS.facts() | {name: PUBLISHED.facts()[name]} != PLUS.facts()


def test_effects_have_intervals_and_a_spread():
    found = options.effects(options.Parts(30, 30, 4, 1), (1, 2))
    assert list(found) == [*SINGLE, "everything"]
    assert all(effect.alone.shape == (2, 4) for effect in found.values()) and found["everything"].without is None
    assert found["area"].without.shape == (2, 4) and found["area"].four.shape == (2, 1)
    table = options.effects_table(found)
    assert len(table.rows) == 8 and all(
        row[1].estimate.low <= row[1].estimate.value <= row[1].estimate.high for row in table.rows
    )
    shares = 100 * found["minimums"].alone.mean(axis=1)
    assert next(row for row in table.rows if row[0] == "minimums")[2] == f"{shares.min():.0f} to {shares.max():.0f}"


def test_a_player_against_itself_wins_half():
    player = options.trained(PUBLISHED, 10, 1)
    shares = options.won(player, player, 5, 3)
    assert set(np.unique(shares)) <= {0.0, 0.5, 1.0}
