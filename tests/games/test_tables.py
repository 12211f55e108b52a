"""Many tables at once, which equal single tables in deals, views, masks, features and ends."""

import numpy as np
import pytest

from bolicho import BadInput, IllegalAction, game
from bolicho.games.game import Game
from bolicho.games.tables import Tables
from tests.games.pennies import PENNIES

GAMES = [
    game("truco"),
    game("truco", hands=1),
    game("dominoes"),
    game("fives"),
    game("wonders"),
    game("wonders", players=5),
]
GAMES.append(Game(PENNIES, seats=3))
SEEDS = [3, 4, 2**64 - 1, 6, 7]


def mask_of(view):
    mask = np.zeros(view.game.num_actions, bool)
    mask[view.numbers] = True
    return mask


@pytest.mark.parametrize("game", GAMES, ids=repr)
def test_many_tables_equal_single_tables(game):
    rng = np.random.default_rng(1)
    many = Tables(game, len(SEEDS), logged=True)
    many.deal(SEEDS)
    single = [game.deal(seed) for seed in SEEDS]
    while len(live := many.live):
        assert live.tolist() == [i for i, table in enumerate(single) if not table.over]
        features, masks = many.observe(live)
        views = many.views(live)
        chosen = [int(rng.choice(np.flatnonzero(mask))) for mask in masks]
        for k, i in enumerate(live):
            view, one = single[i].view(), many.view(i)
            assert many.turn[i] == single[i].turn == one.seat
            assert views[k].pool.tobytes() == view.pool.tobytes() == one.pool.tobytes()
            assert (views[k].seat, views[k].legal, views[k].history) == (view.seat, view.legal, view.history)
            np.testing.assert_array_equal(masks[k], mask_of(view))
            np.testing.assert_array_equal(features[k], view.features())
            np.testing.assert_array_equal(one.rows, view.rows)
            single[i].play(chosen[k])
        many.play(live, chosen)
    for i, table in enumerate(single):
        assert many.pool[i : i + 1].tobytes() == table.pool.tobytes()
        assert many.actions(i).tolist() == [action.number for action in table.actions]
        for seat in range(game.seats):
            assert many.view(i, seat).history == table.view(seat).history
    assert many.scores().tolist() == [table.scores for table in single]
    assert many.payoffs().tolist() == [table.payoffs for table in single]


def test_table_is_dealt_again_while_the_others_stay_unchanged():
    tables = Tables(game("dominoes"), 3, logged=True)
    tables.deal([1, 2, 3])
    tables.play([0, 1, 2], tables.masks([0, 1, 2]).argmax(axis=1))
    before = tables.pool[[0, 2]].tobytes()
    tables.deal([9], [1])
    assert tables.pool[[0, 2]].tobytes() == before
    assert tables.plies.tolist() == [1, 0, 1]
    assert tables.pool[1:2].tobytes() == game("dominoes").deal(9).pool.tobytes()
    assert tables.view(1).history == game("dominoes").deal(9).view().history


def test_table_in_progress_can_be_placed_among_many():
    table = game("truco").deal(5)
    for _ in range(70):  # more than the log has room for at first
        table.play(table.legal[0])
    tables = Tables(game("truco"), 2, logged=True)
    tables.deal([1, 2])
    tables.place(1, table)
    assert tables.actions(1).tolist() == [action.number for action in table.actions]
    assert tables.view(1).history == table.view().history
    table.play(table.legal[-1])
    tables.play([1], [table.actions[-1].number])
    assert tables.pool[1:2].tobytes() == table.pool.tobytes()
    assert tables.pool[0:1].tobytes() == game("truco").deal(1).pool.tobytes()


def test_an_illegal_action_changes_nothing_at_its_table():
    tables = Tables(game("truco"), 2)
    tables.deal([1, 2])
    legal, illegal = tables.masks([0]).argmax(), tables.masks([1]).argmin()
    before = tables.pool[1:2].tobytes()
    with pytest.raises(IllegalAction, match=f"table 1: {illegal} is not legal"):
        tables.play([0, 1], [legal, illegal])
    assert tables.pool[1:2].tobytes() == before
    assert tables.plies.tolist() == [1, 0]


@pytest.mark.parametrize("count", [0, -1])
def test_zero_tables_are_refused(count):
    with pytest.raises(BadInput, match="one table or more"):
        Tables(game("truco"), count)


def test_ten_thousand_tables_use_little_more_memory_than_their_records():
    tables = Tables(game("truco"), 10_000)
    arrays = [value for value in vars(tables).values() if isinstance(value, np.ndarray)]
    assert sum(array.nbytes for array in arrays) < 10_000 * (game("truco").record_size + 100)
