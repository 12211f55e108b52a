"""Tree search as a compiled player: its generator and its decisions are those of the agent."""

import numpy as np

import bolicho
from bolicho.agents.play import play
from bolicho.agents.player import Luck
from bolicho.agents.registry import find
from bolicho.agents.search.compiled.player import seed_of


def test_seed_is_the_first_number_of_the_generator():
    for luck in np.random.default_rng(0).integers(2**64, size=500, dtype=np.uint64):
        assert int(seed_of(luck)) == int(Luck.of(int(luck)).integers(1 << 63))


def test_compiled_player_plays_the_same_game():
    game = bolicho.game("dominoes")
    search = find("mcts").made(iterations=200)
    plain = play(game, [search, find("mcts").made(iterations=200)], seed=3)
    compiled = play(game, [search.compiled(game), search.compiled(game)], seed=3)
    assert compiled.actions.tolist() == plain.actions.tolist()


def test_search_with_a_time_limit_has_no_compiled_form():
    assert find("mcts").made(seconds=0.1).compiled(bolicho.game("truco")) is None
