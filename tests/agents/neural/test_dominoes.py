"""Inputs of learners of dominoes for every play: visible information only, and correct consequences."""

import numpy as np
import pytest

import bolicho
from bolicho import agent
from bolicho.agents.neural import kernel
from bolicho.agents.neural.agents import input_names
from bolicho.agents.neural.net import coding
from bolicho.games.compiled import calls
from bolicho.games.kind import copy_pool

GAMES = {
    "dominoes": bolicho.game("dominoes"),
    "fives": bolicho.game("fives"),
    "small": bolicho.game("fives", highest=4, hand=4),
}


def positions(game, games=8):
    rng = np.random.default_rng(1)
    for seed in range(games):
        table = game.deal(seed)
        while not table.over:
            yield table
            table.play(table.legal[rng.integers(len(table.legal))])


def read(game, pool, seat):
    how = coding(game, "plays")
    out = np.full(how.widths[0][0], np.nan, np.float32)
    before = pool.tobytes()
    kernel.read(pool, seat, how.number, out)
    assert pool.tobytes() == before
    return out


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_inputs_use_visible_information_only_and_have_names(game):
    for table in positions(game):
        view = table.view()
        inputs = read(game, view.pool, view.seat)
        assert np.isfinite(inputs).all() and len(inputs) == len(input_names(game, "plays", 0))
        np.testing.assert_array_equal(inputs, read(game, table.pool, view.seat))
        np.testing.assert_array_equal(inputs, read(game, view.redeal(7).pool, view.seat))
        assert not read(game, table.pool, 1 - view.seat)[game.num_features :].any()


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_inputs_of_a_play_match_its_consequences(game):
    names = input_names(game, "plays", 0)
    for table in positions(game, games=3):
        seat, told = table.turn, dict(zip(names, read(game, table.view().pool, table.turn), strict=True))
        for action in table.legal:
            after = table.copy()
            after.play(action)
            if after.over:
                continue
            at = kernel.output_of(table.pool, coding(game, "plays").number, action.number) + 1
            assert told[f"play {at}: points"] == pytest.approx((after.scores[seat] - table.scores[seat]) / 20)
            left = len(after.view(seat).hand)
            if left == len(table.view().hand) - 1:  # otherwise it had to draw
                pool, legal = copy_pool(after.pool), np.zeros(game.num_actions, np.int16)
                pool["turn"] = seat  # as if it were the seat's turn again
                fitting = {number >> 2 for number in legal[: calls.legal(pool, legal)].tolist()}
                assert told[f"play {at}: fits me"] == pytest.approx(len(fitting) / left)


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_plays_have_distinct_outputs_and_the_rule_agent_plays_the_first(game):
    number, rule = coding(game, "plays").number, agent("rule", game)
    for table in positions(game):
        view = table.view()
        places = [kernel.output_of(view.pool, number, action) for action in view.numbers]
        assert sorted(places) == list(range(len(places)))
        assert rule.act(view, np.random.default_rng(1)).number == view.numbers[places.index(0)]
