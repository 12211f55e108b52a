import pytest

import bolicho
from bolicho import BadInput
from bolicho.agents.search import limits, mcts
from bolicho.agents.search.limits import Limits
from bolicho.games.game import Game
from tests.agents.search.reference import after_taking, gain
from tests.games.coins import COINS
from tests.games.pennies import PENNIES


def gains_of_ends(row, seats, again):
    """Yield the least and greatest value of each end to seat 0 under best play afterwards."""
    for end in (0, -1):
        gains = [gain(points, 0) for points in after_taking(row, end, 0, seats, again)]
        yield min(gains), max(gains)


@pytest.mark.parametrize("seats", [2, 3])
@pytest.mark.parametrize("hidden", [False, True])
def test_search_finds_the_best_end_of_a_row(seats, hidden):
    game = Game(COINS, coins=7, seats=seats)
    told_apart = 0
    for seed in range(16):
        table = game.deal(seed)
        left, right = gains_of_ends(tuple(table.state["row"][:7].tolist()), seats, 7)
        if left[0] < right[1] + 2 and right[0] < left[1] + 2:
            continue
        told_apart += 1
        best = 0 if left > right else 1
        found = mcts.search(game, table.pool, Limits(units=200_000), seat=0 if hidden else None, seed=seed)
        assert found.best == best
        assert found.visits.sum() == 200_000
        least, most = (left, right)[best]
        assert least - 0.75 < found.values[best] < most + 0.75
    assert told_apart > 3


@pytest.mark.parametrize("opponents", mcts.OPPONENTS)
@pytest.mark.parametrize("seats", [2, 3])
def test_no_seat_in_the_tree_sees_a_covered_coin(seats, opponents):
    game = Game(PENNIES, seats=seats)
    table = game.deal(0)
    for seat in range(seats):
        view = table.view(seat)
        found = mcts.search(game, view.pool, Limits(units=20_000), seat=seat, opponents=opponents)
        assert abs(found.values).max() < 0.5  # a seat that saw the others' coins would always win
        table.play("heads")


def test_last_seat_wins_when_all_coins_are_visible():
    table = Game(PENNIES).deal(0)
    first = mcts.search(table.game, table.pool, Limits(units=2_000))
    assert first.values.max() < -0.9
    table.play("tails")
    last = mcts.search(table.game, table.pool, Limits(units=2_000))
    assert last.best == 1
    assert last.values[1] == 1


def test_worlds_are_drawn_from_the_view():
    """Worlds of seat 1 after covered heads by seat 0: half of them have heads."""
    table = Game(PENNIES).deal(0)
    table.play("heads")
    found = mcts.search(table.game, table.view().pool, Limits(units=10_000), seat=1)
    assert found.values == pytest.approx([0, 0], abs=0.1)
    assert found.worlds == 10_000
    single = mcts.search(table.game, table.view().pool, Limits(units=1_000), seat=1, worlds=1)
    assert sorted(single.values) == [-1, 1]  # in one world the covered coin is always the same
    assert single.worlds == 1


@pytest.mark.parametrize("iterations", [1, 2, 50, 1000])
def test_iteration_limit_is_respected(iterations):
    table = bolicho.game("truco").deal(4)
    found = mcts.search(table.game, table.view().pool, Limits(units=iterations), seat=table.turn)
    assert found.iterations == found.visits.sum() == iterations
    assert found.nodes <= iterations
    assert found.visits[found.numbers.index(found.best)] == found.visits.max()


def test_a_limit_of_time_ends_the_search():
    table = bolicho.game("truco").deal(4)
    found = mcts.search(table.game, table.view().pool, Limits(seconds=0.01), seat=table.turn)
    assert found.iterations >= 1


def test_slicing_of_a_search_does_not_change_its_result(monkeypatch):
    table = bolicho.game("truco", hands=1).deal(11)
    whole = mcts.search(table.game, table.view().pool, Limits(units=500), seat=table.turn, seed=1)
    monkeypatch.setattr(limits, "_UNTIMED_SLICE", 7)
    cut = mcts.search(table.game, table.view().pool, Limits(units=500), seat=table.turn, seed=1)
    assert whole.visits.tolist() == cut.visits.tolist()


def test_search_continues_when_the_tree_is_full(monkeypatch):
    monkeypatch.setattr(mcts, "MAX_NODES", 50)
    table = bolicho.game("truco", hands=1).deal(11)
    found = mcts.search(table.game, table.pool, Limits(units=5_000), seed=1)
    assert found.nodes == 50
    assert found.visits.sum() == 5_000


def test_search_of_a_finished_game_is_refused():
    done = Game(COINS, coins=1).deal(0)
    done.play("left")
    with pytest.raises(BadInput, match="over"):
        mcts.search(done.game, done.pool, Limits(units=1))
