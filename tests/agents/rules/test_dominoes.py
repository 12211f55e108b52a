"""The rule players of dominoes, by positions written by hand."""

import numpy as np
import pytest

from bolicho import agent, game
from bolicho.i18n import catalogue

RNG = np.random.default_rng(0)


@pytest.mark.parametrize(
    ("name", "hand", "expected"),
    [
        ("dominoes", ["6-5", "1-1", "0-0"], "1-1"),  # the heaviest double, before heavier tiles
        ("dominoes", ["6-5", "4-1", "3-2"], "6-5"),
        ("fives", ["6-4", "3-2", "6-6"], "6-4"),  # opening with ten points
        ("fives", ["6-5", "1-1", "4-2"], "1-1"),  # nothing scores: the draw rule
    ],
)
def test_the_opening_follows_the_rule(name, hand, expected):
    table = game(name).setup(first=0, hands=[hand, ["5-0", "5-1", "5-2"]], boneyard=[])
    player = agent("rule", name)
    assert player.act(table.view(0), RNG) == expected
    assert expected in catalogue("en").say(player.explain().sentence)


def test_double_that_does_not_fit_is_ignored():
    table = game("dominoes").setup(first=0, hands=[["6-3", "2-1"], ["3-1", "6-2", "5-5"]], boneyard=[])
    table.play("6-3")
    assert agent("rule", "dominoes").act(table.view(1), RNG) == "6-2"
