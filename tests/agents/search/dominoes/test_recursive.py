"""Recursive PIMC, in which every seat of a world plays on by its own view."""

import numpy as np
import pytest

import bolicho
from bolicho.agents.registry import agent
from bolicho.agents.search import pimc
from bolicho.agents.search.dominoes.solve import exact_solver
from bolicho.errors import BadInput
from bolicho.games.dominoes.rules import TILES
from bolicho.games.dominoes.text import held
from bolicho.games.game import Game
from tests.games.coins import COINS

EXPECTED = {
    # hand of the opponent: values of 4-0 and 4-1 if it sees everything; if it plays by its view
    ("4-4", "5-0"): ([5, 5], [8, 5]),
    ("3-0", "4-4"): ([3, 3], [8, 3]),
    ("3-0", "5-0"): ([3, 8], [3, 8]),
}
"""Seat 0 opens with 4-1 or 4-0 of its two tiles.  The other holds two of 4-4, 5-0 and 3-0; the third is never drawn.

After 4-1 there is no choice: the other plays 4-4 or passes, and seat 0 goes out with 4-0 for the pips that are left.
After 4-0 seat 0 goes out with 4-1, whatever the other does.  An opponent that sees this keeps the fewest pips: 5, 3, 3.
One that does not:

- with 4-4 and 5-0 takes 4-1 and 3-0 for equally likely.  4-4 loses 5 to both.  5-0 loses 8 to the first and stops the
  second, after which 4-4 goes out and wins 3: a mean of -2.5.  It plays 5-0, and seat 0 gets 8.
- with 4-4 and 3-0 compares -3 with (-8 + 5) / 2, plays 3-0, and seat 0 gets 8.
- with 5-0 and 3-0 loses to 4-1 and 4-4 alike, and keeps 3-0.

So the mean of 4-0 is 11/3 solved and 19/3 played on; that of 4-1 is 16/3 in both.
"""


def opening():
    return bolicho.game("dominoes", reserve=1).setup(first=0, hands=[["4-1", "4-0"], ["4-4", "5-0"]], boneyard=["3-0"])


def test_values_of_a_world_assume_an_opponent_that_does_not_see_our_hand():
    view = opening().view()
    assert list(map(str, view.legal)) == ["4-0", "4-1"]
    solve = exact_solver(10_000, 1)
    play_on = pimc.recursive_solver(solve, worlds=100)
    found = {}
    for seed in range(20):
        world = view.redeal(seed)
        hand = tuple(sorted(TILES[tile] for tile in held(world.state["hands"][1])))
        found[hand] = tuple(values(world.game, world.pool, seed).tolist() for values in (solve, play_on))
    assert found == EXPECTED


@pytest.mark.parametrize(("levels", "chosen", "values"), [(0, "4-1", (11 / 3, 16 / 3)), (1, "4-0", (19 / 3, 16 / 3))])
def test_recursive_and_plain_pimc_open_differently(levels, chosen, values):
    player = agent(f"pimc(worlds=300, levels={levels}, level_worlds=100)")
    view = opening().view()
    assert player.act(view, np.random.default_rng(1)) == chosen
    assert list(player.explain().facts["values"].values()) == pytest.approx(values, abs=0.4)


@pytest.mark.parametrize(
    "spec", ["pimc(worlds=2, levels=2, level_worlds=2)", "pimc(worlds=2, inference=none, levels=1)"]
)
def test_decisions_of_a_recursive_search_can_be_repeated(spec):
    table = bolicho.game("fives", highest=3, hand=3).deal(2)
    reasons = []
    for _ in range(2):
        player = agent(spec)
        assert player.act(table.view(), np.random.default_rng(1)) in table.legal
        reasons.append(player.explain())
    assert reasons[0] == reasons[1]


def test_recursive_search_of_a_game_with_three_seats():
    table = Game(COINS, coins=6, seats=3).deal(6)
    player = agent("pimc-search(worlds=2, iterations=30, levels=1, level_worlds=2)", table.game)
    assert player.act(table.view(), np.random.default_rng(0)) in ("left", "right")


@pytest.mark.parametrize("spec", ["pimc(levels=-1)", "pimc(levels=4)", "pimc(levels=1, level_worlds=0)"])
def test_wrong_levels_are_refused(spec):
    with pytest.raises(BadInput, match="level"):
        agent(spec)
