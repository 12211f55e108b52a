"""Distribution of the worlds of PIMC: `inference=none`, `answered`, `draws` or `all`."""

from collections import Counter
from math import comb

import numpy as np
import pytest

import bolicho
from bolicho.agents.registry import agent
from bolicho.agents.search import pimc
from bolicho.agents.search.dominoes.compiled.worlds import ANSWERED, STUCK, lacked
from bolicho.errors import BadInput
from bolicho.games.check import chi_square_tail
from bolicho.games.dominoes.rules import HALVES, TILES
from bolicho.games.dominoes.text import held
from bolicho.games.game import Table

seen_worlds = []


def note_world(game, pool, seed):
    """Record the world instead of solving it."""
    seen_worlds.append(pool.copy())
    return np.zeros(len(Table(game, pool, {}).legal))


def worlds_of(view, inference, worlds=300):
    """Return the worlds that the agent draws."""
    seen_worlds.clear()
    agent(f"pimc-search(worlds={worlds}, inner={__name__}:note_world, inference={inference})").act(
        view, np.random.default_rng(1)
    )
    return [world[0] for world in seen_worlds]


def hands_of(view, inference):
    """Return the hands of the other seat in these worlds."""
    return [{TILES[tile] for tile in held(world["hands"][1 - view.seat])} for world in worlds_of(view, inference)]


def dealt_tiles(view):
    """Return, for each inference, the tiles that the other seat holds in some world."""
    return {inference: set().union(*hands_of(view, inference)) for inference in pimc.INFERENCES}


def without(tiles, *values):
    return {tile for tile in tiles if not set(tile.split("-")) & set(values)}


def test_tiles_dealt_after_a_draw_at_open_ends_6_and_4():
    """Seat 1 draws 5-5 and 6-5 and plays 6-5 at the 6: it has no 6, as published, and no 4 either."""
    boneyard = ["5-5", "6-5", "6-6", "6-2", "4-2", "5-3", "4-0", "3-3"]
    table = bolicho.game("dominoes").setup(
        first=0, hands=[["6-4", "4-1", "5-1"], ["3-2", "2-1", "1-0"]], boneyard=boneyard
    )
    table.play("6-4")
    table.play("6-5")
    unseen = {"3-2", "2-1", "1-0", *boneyard} - {"6-5"}
    assert dealt_tiles(table.view()) == {
        "none": unseen,
        "answered": without(unseen, "6"),
        "draws": without(unseen, "6", "4"),
        "all": without(unseen, "6", "4"),
    }


@pytest.mark.parametrize(("side", "value"), [("l", "6"), ("r", "3")])
def test_published_inference_excludes_only_the_value_of_the_side_played_at(side, value):
    """Seat 1 draws 6-3 at open ends 6 and 3, and plays it at one of them."""
    boneyard = ["6-3", "6-6", "3-1", "4-4"]
    table = bolicho.game("dominoes").setup(
        first=0, hands=[["6-5", "3-3", "6-2", "3-2"], ["5-3", "2-1", "1-0"]], boneyard=boneyard
    )
    for action in ("6-5", "5-3", "3-3", f"6-3 {side}"):
        table.play(action)
    unseen = {"2-1", "1-0", "6-6", "3-1", "4-4"}
    dealt = dealt_tiles(table.view())
    assert dealt["answered"] == without(unseen, value)
    assert dealt["draws"] == dealt["all"] == without(unseen, "6", "3")


def test_tiles_dealt_after_a_pass_at_open_ends_6_and_4():
    """Two tiles are never drawn, so seat 1 passes; the published inference looks at draws only."""
    table = bolicho.game("dominoes", reserve=2).setup(
        first=0, hands=[["6-4", "4-1", "6-1"], ["3-2", "2-1", "1-0"]], boneyard=["6-6", "4-0"]
    )
    table.play("6-4")
    assert table.turn == 0
    everything = {"3-2", "2-1", "1-0", "6-6", "4-0"}
    known = {"3-2", "2-1", "1-0"}
    assert dealt_tiles(table.view()) == {"none": everything, "answered": everything, "draws": known, "all": known}


def test_only_inference_all_uses_draws_before_the_last():
    """Seat 1 drew at 6 and 4, later at 5 and 3, where it kept one tile: only that one can have a 6 or a 4."""
    table = bolicho.game("dominoes").setup(
        first=0,
        hands=[["6-4", "4-3", "3-2", "3-1"], ["2-1", "1-0", "2-0"]],
        boneyard=["6-5", "6-2", "5-1", "6-6", "4-4", "4-0", "6-1", "5-5"],
    )
    for action in ("6-4", "6-5", "4-3", "5-1"):
        table.play(action)
    view = table.view()
    with_6_or_4 = {
        inference: max(len(hand - without(hand, "6", "4")) for hand in hands_of(view, inference))
        for inference in pimc.INFERENCES
    }
    assert with_6_or_4 == {"none": 4, "answered": 4, "draws": 4, "all": 1}
    dealt = dealt_tiles(view)
    assert "5-5" in dealt["none"] and "5-5" not in dealt["answered"] | dealt["draws"] | dealt["all"]


def test_worlds_without_inference_are_uniform_and_complete():
    table = bolicho.game("dominoes", highest=3, hand=2).setup(
        first=0, hands=[["3-3", "3-2", "3-0"], ["2-1", "1-0"]], boneyard=["3-1", "2-2", "1-1"]
    )
    table.play("3-3")
    table.play("3-1 l")
    view = table.view()
    worlds = worlds_of(view, "none", 2000)
    hands = Counter(tuple(held(world["hands"][1])) for world in worlds)
    assert len(hands) == comb(4, 2)  # 2-1, 1-0 and the boneyard of two
    assert chi_square_tail(np.array(list(hands.values())), len(worlds) / len(hands)) > 1e-6
    for world in worlds:
        rest = world["boneyard"][world["drawn"] : world["num_boneyard"]]
        assert sorted([*held(world["hands"][1]), *rest]) == sorted(map(TILES.index, ["2-1", "1-0", "2-2", "1-1"]))
        assert world["hands"][0] == view.state["hands"][0]


@pytest.mark.parametrize("name", ["dominoes", "fives"])
def test_the_real_hand_is_never_excluded(name):
    rng = np.random.default_rng(1)
    excluded = Counter()
    for deal in range(60):
        table = bolicho.game(name).deal(deal)
        while not table.over:
            other = 1 - table.turn
            pool = np.concatenate([table.pool, table.pool])
            for inference in (ANSWERED, STUCK):
                values = lacked(pool, other, inference)
                excluded[inference] += values != 0
                hand = [HALVES[tile] for tile in held(table.state["hands"][other])]
                assert not any(values >> half & 1 for halves in hand for half in halves)
            table.play(rng.choice(table.legal))
    assert excluded[STUCK] >= excluded[ANSWERED] > 100


@pytest.mark.parametrize("name", ["dominoes", "fives"])
@pytest.mark.parametrize("inference", pimc.INFERENCES)
def test_every_inner_search_plays_a_game_on_these_worlds(name, inference):
    for inner in ("exact", "mcts, budget=20", "alphabeta, budget=50"):
        player = agent(f"pimc(worlds=3, inner={inner}, inference={inference})", name)
        table, rng = bolicho.game(name).deal(3), np.random.default_rng(1)
        while not table.over:
            table.play(player.act(table.view(), rng))


def test_inference_all_is_the_default():
    view = bolicho.game("fives").deal(5).view()
    facts = []
    for spec in ("pimc(worlds=5)", "pimc(worlds=5, inference=all)", "pimc(worlds=5, inference=none)"):
        player = agent(spec)
        player.act(view, np.random.default_rng(1))
        facts.append(player.explain().facts)
    assert facts[0] == facts[1] != facts[2]


def test_unknown_and_unsupported_inference_is_refused():
    with pytest.raises(BadInput, match="did you mean 'draws'"):
        agent("pimc(inference=draw)")
    with pytest.raises(BadInput, match="inference=none is for dominoes, fives only"):
        agent("pimc-search(inference=none)", "truco")
