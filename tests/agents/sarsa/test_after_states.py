import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bolicho
from bolicho.agents.sarsa import kernel
from bolicho.agents.sarsa.model import new_model, player
from bolicho.games.dominoes import kernel as rules
from bolicho.games.poker import LEDUC

SEEDS = st.integers(0, 2**64 - 1)
GAMES = [bolicho.game("dominoes"), bolicho.game("fives"), bolicho.game("fives", highest=9, hand=9)]
MODELS = {(game, perfect): new_model(game, perfect) for game in GAMES for perfect in (False, True)}
PLAYERS = {key: player(model) for key, model in MODELS.items()}


def features(table, action, perfect, pool=None):
    """Return the names of the features of an after-state."""
    model, work = MODELS[table.game, perfect], PLAYERS[table.game, perfect]
    work.pool[kernel.ASKED] = (table.pool if pool is None else pool)[0]
    _, n = kernel.ask_value(work, table.turn, int(action))
    assert (work.value[:n] == 1).all()
    names = [model.names[i] for i in work.index[:n]]
    assert len(set(names)) == n
    return set(names)


def random_position(game, seed):
    """Return a random position of a random game."""
    rng = np.random.default_rng(seed % 2**32)
    table = game.deal(seed)
    for _ in range(rng.integers(0, 20)):
        before = table.copy()
        table.play(table.legal[rng.integers(len(table.legal))])
        if table.over:
            return before
    return table


def test_features_of_draw_dominoes_match_the_description_of_pinto():
    table = GAMES[0].setup(hands=[["6-4", "4-4", "1-0"], ["6-6", "5-5"]], boneyard=["3-3", "2-2"], first=0)
    own = {"own 4-4", "own 1-0", "1 doubles", "end 1 is 4", "end 2 is 6"}
    play = next(action for action in table.legal if action.startswith("6-4"))
    assert features(table, play, False) == own | {"other has 2", "boneyard has 2"}
    assert features(table, play, True) == own | {"other 6-6", "other 5-5", "boneyard 3-3", "boneyard 2-2"}
    blocking = next(action for action in table.legal if action.startswith("1-0"))
    assert features(table, blocking, True) == {
        "own 6-4", "own 4-4", "1 doubles", "end 1 is 0", "end 2 is 1", "forces a draw",
        "other 6-6", "other 5-5", "boneyard 3-3", "boneyard 2-2",
    }  # fmt: skip


@given(st.sampled_from(GAMES), SEEDS)
def test_feature_forces_a_draw_agrees_with_the_rules(game, seed):
    table = random_position(game, seed)
    for action in table.legal:
        child = table.copy()
        child.play(action)
        if child.state["counts"][table.turn] == 0:
            continue
        stuck = child.state["stuck"][child.state["num_plays"]] != 0
        assert ("forces a draw" in features(table, action, True)) == stuck
        if "forces a draw" in features(table, action, False):
            assert stuck  # what is certain from the view is true


@given(st.sampled_from(GAMES[1:]), SEEDS)
def test_feature_of_points_equals_the_points_scored(game, seed):
    table = random_position(game, seed)
    for action in table.legal:
        child = table.copy()
        child.play(action)
        scored = [int(row[2]) for row in child.state["events"] if row[0] == rules.SCORED]
        named = [name for name in features(table, action, False) if name.startswith("scores")]
        expected = [f"scores {min(points, 25)}" + " or more" * (points >= 25) for points in scored]
        assert named == expected


@given(st.sampled_from(GAMES), SEEDS)
def test_features_with_imperfect_information_use_nothing_hidden(game, seed):
    table = random_position(game, seed)
    view = table.view()
    other = view.redeal(seed ^ 1)
    for action in table.legal:
        seen = features(table, action, False, view.pool)
        assert seen == features(table, action, False)
        assert seen == features(table, action, False, other.pool)


@given(SEEDS)
def test_a_tile_that_fits_both_ends_alike_leads_to_one_after_state(seed):
    table = random_position(GAMES[0], seed)
    by_tile = {}
    ends = table.state["ends"]
    for action in table.legal:
        by_tile.setdefault(int(action) >> 2, []).append(features(table, action, False))
    for both in by_tile.values():
        if len(both) == 2 and ends[0] == ends[1]:
            assert both[0] == both[1]


@pytest.mark.parametrize("perfect", [False, True])
def test_game_without_binding_uses_its_own_features(perfect):
    game = LEDUC
    model = new_model(game, perfect)
    work = player(model)
    table = game.deal(3)
    seat = table.turn
    work.pool[kernel.ASKED] = table.pool[0]
    for action in table.legal:
        child = table.copy()
        child.play(action)
        worth, n = kernel.ask_value(work, seat, int(action))
        if child.over:
            assert (worth, n) == (child.payoffs[seat], -1)
            continue
        dense = np.zeros(game.num_features, np.float32)
        dense[work.index[:n]] = work.value[:n]
        assert dense.tolist() == child.view(seat).features().tolist()
