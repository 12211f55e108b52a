import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bolicho
from bolicho import BadInput
from bolicho.agents.search import alphabeta, limits
from bolicho.agents.search.alphabeta import Horizon
from bolicho.agents.search.limits import Limits
from bolicho.games.game import Game
from tests.agents.search.reference import action_values, coins_outcomes, gain, minimax, pruned, to_depth
from tests.games.coins import COINS

ENOUGH = Limits(units=10**7)
SEEDS = st.integers(0, 2**64 - 1)


def ending_of_truco(seed):
    """Return a random hand of truco in its last round, played without giving up."""
    for attempt in range(1000):
        rng = np.random.default_rng([seed, attempt])
        table = bolicho.game("truco", hands=1).deal(seed)
        while not table.over and table.state["round"] < 2:
            choices = [action for action in table.legal if action not in ("baralho", "nao")]
            table.play(choices[rng.integers(len(choices))])
        if not table.over:
            for _ in range(attempt % 3):
                table.play(table.legal[rng.integers(len(table.legal))])
                if table.over:
                    break
        if not table.over:
            return table
    raise AssertionError("every hand ended early")


@given(SEEDS, st.integers(2, 8), st.integers(1, 9))
@settings(max_examples=60, deadline=None)
def test_values_of_coins_match_minimax(seed, coins, again):
    table = Game(COINS, coins=coins, again=again).deal(seed)
    found = alphabeta.search(table.game, table.pool, ENOUGH, every=True, seed=seed)
    assert found.solved
    assert found.exact.all()
    assert found.values.tolist() == action_values(table)


@given(SEEDS)
@settings(max_examples=40, deadline=None)
def test_value_of_twelve_coins_matches_plain_recursion(seed):
    table = Game(COINS, coins=12).deal(seed)
    row = tuple(table.state["row"].tolist())
    found = alphabeta.search(table.game, table.pool, ENOUGH)
    assert {found.values.max()} == {gain(points, 0) for points in coins_outcomes(row, 0, 2, 7)}
    for number in found.line:
        table.play(number)
    assert minimax(table, 0) == found.values.max()


@given(SEEDS)
@settings(max_examples=40, deadline=None)
def test_values_of_truco_endings_match_minimax(seed):
    table = ending_of_truco(seed)
    found = alphabeta.search(table.game, table.pool, ENOUGH, every=True)
    expected = action_values(table)
    assert found.values.tolist() == expected
    usual = alphabeta.search(table.game, table.pool, ENOUGH)
    assert usual.solved
    assert usual.values[usual.numbers.index(usual.best)] == max(expected)
    for value, exact, true in zip(usual.values, usual.exact, expected, strict=True):
        assert value == true if exact else value >= true


@given(st.sampled_from(["dominoes", "fives"]), SEEDS)
@settings(max_examples=40, deadline=None)
def test_values_of_small_dominoes_match_minimax(name, seed):
    """Deals with transpositions: the key of a position does not contain its past."""
    table = bolicho.game(name, highest=3, hand=3).deal(seed)
    found = alphabeta.search(table.game, table.pool, ENOUGH, every=True)
    assert found.values.tolist() == action_values(table)


def score_difference(table, seat):
    return table.scores[seat] - table.scores[1 - seat]


@given(SEEDS, st.integers(1, 5))
@settings(max_examples=40, deadline=None)
def test_a_horizon_is_judged_by_the_evaluation(seed, depth):
    table = Game(COINS, coins=9, again=4).deal(seed)
    for name, judge in (("none", lambda table, seat: 0), ("scores", score_difference)):
        found = alphabeta.search(table.game, table.pool, ENOUGH, Horizon(depth=depth, eval=name))
        assert found.depth == depth
        assert not found.solved
        assert found.values[found.numbers.index(found.best)] == pytest.approx(to_depth(table, 0, depth, judge))


@given(SEEDS, st.integers(1, 6))
@settings(max_examples=40, deadline=None)
def test_plain_search_visits_the_nodes_of_textbook_alpha_beta(seed, depth):
    table = Game(COINS, coins=9, again=4).deal(seed)
    visited = []
    values = [
        pruned(table, table.turn, plies, score_difference, visited) for plies in range(1, depth + 1)
    ]  # deepening from one ply on
    found = alphabeta.search(table.game, table.pool, ENOUGH, Horizon(depth=depth, eval="scores", plain=True))
    assert found.values[found.numbers.index(found.best)] == pytest.approx(values[-1])
    assert found.nodes == len(visited)


@given(st.sampled_from(["dominoes", "fives"]), SEEDS)
@settings(max_examples=20, deadline=None)
def test_plain_search_of_small_dominoes_matches_minimax_with_more_nodes(name, seed):
    table = bolicho.game(name, highest=3, hand=3).deal(seed)
    plain = alphabeta.search(table.game, table.pool, ENOUGH, Horizon(plain=True), every=True)
    assert plain.solved
    assert plain.values.tolist() == action_values(table)
    assert plain.nodes >= alphabeta.search(table.game, table.pool, ENOUGH, every=True).nodes


def test_limited_plain_search_returns_its_last_complete_depth():
    table = bolicho.game("fives").deal(4)
    for depth in range(1, 5):
        whole = alphabeta.search(table.game, table.pool, ENOUGH, Horizon(depth=depth, eval="scores", plain=True))
        deeper = alphabeta.search(table.game, table.pool, ENOUGH, Horizon(depth=depth + 1, eval="scores", plain=True))
        for nodes in (whole.nodes, (whole.nodes + deeper.nodes) // 2, deeper.nodes - 1):
            cut = alphabeta.search(table.game, table.pool, Limits(units=nodes), Horizon(eval="scores", plain=True))
            assert (cut.nodes, cut.depth, cut.best) == (nodes, depth, whole.best)
            assert cut.values.tolist() == whole.values.tolist()


def test_evaluation_scales_points_to_payoffs():
    """A match of truco pays 1 for winning, so a point of lead is worth less than 1."""
    table = bolicho.game("truco").deal(5)
    found = alphabeta.search(table.game, table.pool, Limits(units=500), Horizon(eval="scores", depth=3))
    assert 0 < abs(found.values).max() <= 1


def test_slicing_of_a_search_does_not_change_its_result(monkeypatch):
    table = bolicho.game("truco", hands=1).deal(11)
    whole = alphabeta.search(table.game, table.pool, Limits(units=3000), seed=1)
    monkeypatch.setattr(limits, "_UNTIMED_SLICE", 7)
    cut = alphabeta.search(table.game, table.pool, Limits(units=3000), seed=1)
    assert whole.values.tolist() == cut.values.tolist()
    assert (whole.best, whole.depth, whole.nodes, whole.line) == (cut.best, cut.depth, cut.nodes, cut.line)


def test_reused_transposition_table_gives_the_same_result():
    table = bolicho.game("truco", hands=1).deal(11)
    memory = alphabeta.TranspositionTable(1 << 8)
    runs = [alphabeta.search(table.game, table.pool, Limits(units=3000), seed=1, table=memory) for _ in range(3)]
    assert len({(run.best, run.depth, tuple(run.line), tuple(run.values)) for run in runs}) == 1


@given(SEEDS)
@settings(max_examples=20, deadline=None)
def test_a_tiny_table_gives_the_same_values(seed):
    table = Game(COINS, coins=10).deal(seed)
    small = alphabeta.search(table.game, table.pool, ENOUGH, table=alphabeta.TranspositionTable(4), every=True)
    large = alphabeta.search(table.game, table.pool, ENOUGH, every=True)
    assert small.values.tolist() == large.values.tolist()


@pytest.mark.parametrize("nodes", [1, 10, 100, 1000])
def test_node_limit_is_respected(nodes):
    table = bolicho.game("truco").deal(2)
    found = alphabeta.search(table.game, table.pool, Limits(units=nodes))
    assert found.nodes == max(nodes, len(table.legal))  # one ply is always searched
    assert found.best in found.numbers
    assert np.isfinite(found.values).all()


def test_a_limit_of_time_ends_the_search():
    table = bolicho.game("truco").deal(2)
    found = alphabeta.search(table.game, table.pool, Limits(seconds=0.01))
    assert found.best in found.numbers
    assert not found.solved


def test_search_does_not_modify_the_position():
    table = Game(COINS).deal(3)
    before = table.pool.tobytes()
    alphabeta.search(table.game, table.pool, ENOUGH)
    assert table.pool.tobytes() == before


def test_unsupported_positions_and_options_are_refused():
    three = Game(COINS, seats=3).deal(0)
    with pytest.raises(BadInput, match="two players"):
        alphabeta.search(three.game, three.pool, ENOUGH)
    done = Game(COINS, coins=1).deal(0)
    done.play("left")
    with pytest.raises(BadInput, match="over"):
        alphabeta.search(done.game, done.pool, ENOUGH)
    with pytest.raises(BadInput, match="did you mean 'scores'"):
        alphabeta.search(Game(COINS), Game(COINS).deal(0).pool, ENOUGH, Horizon(eval="score"))
    with pytest.raises(BadInput, match="depth must be 1 to"):
        alphabeta.search(Game(COINS), Game(COINS).deal(0).pool, ENOUGH, Horizon(depth=0))
