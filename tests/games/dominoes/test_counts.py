"""Exact counts: how many ways to play there are, the same by both engines."""

import copy

import pytest

import bolicho

from .reference import start, tile_of


def count_compiled(table, depth):
    """Return the number of ends of play and of positions `depth` actions on."""
    if table.over or depth == 0:
        return 1
    total = 0
    for action in table.legal:
        after = table.copy()
        after.play(action)
        total += count_compiled(after, depth - 1)
    return total


def count_reference(game, depth):
    if game.turn is None or depth == 0:
        return 1
    total = 0
    for action in game.legal():
        after = copy.deepcopy(game)
        after.play(action)
        total += count_reference(after, depth - 1)
    return total


CASES = [
    # Two hands that never meet: the opener's two tiles, each a block at once.
    ("dominoes", [["6-6", "5-5"], ["1-0", "2-1"]], [], 99, 2),
    # After 1-0 the other must draw 0-0 and play it, and both pass; after 6-6 it draws in vain, and both pass.
    ("dominoes", [["1-0", "6-6"], ["5-5"]], ["0-0"], 99, 2),
    ("dominoes", [["3-3", "3-2", "2-1"], ["3-1", "2-2", "1-1"]], ["3-0", "1-0"], 99, None),
    ("fives", [["3-3", "3-2", "2-1"], ["3-1", "2-2", "1-1"]], ["3-0", "1-0"], 99, None),
    ("fives", [["5-5"], ["5-4", "5-3"]], [], 99, 1),
    # After 5-5 two tiles at four sides each; after 5-2 two tiles at one side.
    ("fives", [["5-5", "5-2"], ["5-4", "5-3"]], [], 2, 4 * 2 + 2),
]


@pytest.mark.parametrize(("game", "hands", "boneyard", "depth", "known"), CASES)
def test_both_engines_count_the_same_ways_to_play(game, hands, boneyard, depth, known):
    table = bolicho.game(game).setup(first=0, hands=hands, boneyard=boneyard)
    reference = start({"game": game}, [list(map(tile_of, h)) for h in hands], list(map(tile_of, boneyard)), 0)
    counted = count_compiled(table, depth)
    assert counted == count_reference(reference, depth)
    assert known is None or counted == known


@pytest.mark.parametrize("game", ["dominoes", "fives"])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_both_engines_count_the_same_four_plies_of_a_full_deal(game, seed):
    table = bolicho.game(game).deal(seed)
    result = table.result()
    hands = [list(map(tile_of, hand)) for hand in result["hands"]]
    reference = start({"game": game}, hands, list(map(tile_of, result["boneyard"])), 0)
    assert count_compiled(table, 4) == count_reference(reference, 4)
