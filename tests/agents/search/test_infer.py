"""Search with inference: weights of worlds, independence of hidden information, and values of Truco scores."""

from typing import NamedTuple

import numpy as np
import pytest

import bolicho
from bolicho import BadInput, agent
from bolicho.agents import kernel as players
from bolicho.agents.search import TECHNIQUE, infer, mcts
from bolicho.agents.search.binding import binding
from bolicho.agents.search.limits import Limits
from bolicho.agents.search.truco.hands import match_chances
from bolicho.games.game import Game
from bolicho.games.jit import njit
from bolicho.games.kernel import implements
from bolicho.games.poker import KUHN
from tests.games.pennies import PENNIES

JACK, QUEEN, KING = range(3)
FOLD, CALL, RAISE = range(3)
TREMBLE = 0.1


class Bettor(NamedTuple):
    """Player that raises with a probability by its card, and calls every raise."""

    raises: np.ndarray


@implements(players.mixture, Bettor)
@njit
def mixture(player, memory, view, seat, out):
    out[0] = 1 - player.raises[view.cards[seat]]
    out[1] = player.raises[view.cards[seat]]
    return 2


@implements(players.decide, Bettor)
@njit
def decide(player, memory, view, seat, luck):
    return CALL


def raised_before_a_queen():
    """Return the view of seat 1 with the queen, after a raise by seat 0."""
    for seed in range(100):
        table = KUHN.deal(seed)
        if table.state["cards"][1] == QUEEN:
            table.play("raise")
            return table.view()
    raise AssertionError("no deal has the queen there")


def means(jack, worlds=400):
    return mcts.Means(Bettor(np.array([jack, 0.0, 1.0])), tremble=TREMBLE, worlds=worlds, enough=1e9)


def weight(chance):
    return (1 - TREMBLE) * chance + TREMBLE / 2


@pytest.mark.parametrize("jack", [0.0, 0.25, 0.8])
def test_weight_of_a_world_is_the_model_probability_of_the_opponents_actions(jack):
    view = raised_before_a_queen()
    how = means(jack)
    worlds, likely = mcts.weighted_worlds(
        mcts._room(KUHN, view.pool, True), how.model, how, view.rows, view.seat, seed=3
    )
    cards = worlds.pool["cards"][:, 0]
    assert set(cards.tolist()) == {JACK, KING} and len(cards) == 400
    expected = np.where(cards == KING, weight(1.0), weight(jack))
    assert np.exp(worlds.logs) == pytest.approx(expected)
    assert worlds.sums[-1] == pytest.approx((expected / expected.max()).sum())
    assert likely == pytest.approx(expected.sum() ** 2 / (expected**2).sum())


@pytest.mark.parametrize(("jack", "best"), [(0.0, FOLD), (0.8, CALL)])
def test_queen_calls_a_model_that_bluffs_and_folds_to_one_that_does_not(jack, best):
    view = raised_before_a_queen()
    found = mcts.search(
        KUHN, view.pool, Limits(4000), seat=1, opponents=mcts.MODELLED, means=means(jack), rows=view.rows, seed=1
    )
    bluff = weight(jack) / (weight(jack) + weight(1.0))
    assert found.numbers == [FOLD, CALL] and found.best == best
    assert found.values == pytest.approx([-1, 2 * bluff - 2 * (1 - bluff)], abs=0.25)


def test_worlds_without_a_model_have_equal_weights():
    view = raised_before_a_queen()
    found = mcts.search(KUHN, view.pool, Limits(4000), seat=1, seed=1)
    assert found.best == CALL and found.values[1] == pytest.approx(0, abs=0.15) and found.likely is None


def test_action_of_model_probability_zero_counts_as_a_tremble():
    view = raised_before_a_queen()
    never = mcts.Means(Bettor(np.zeros(3)), tremble=TREMBLE, worlds=50, enough=1e9)
    worlds, likely = mcts.weighted_worlds(
        mcts._room(KUHN, view.pool, True), never.model, never, view.rows, view.seat, seed=3
    )
    assert np.exp(worlds.logs) == pytest.approx(weight(0.0)) and likely == pytest.approx(50)


def test_drawing_of_worlds_stops_at_enough():
    view = raised_before_a_queen()
    few = mcts.Means(Bettor(np.ones(3)), worlds=1000, enough=60)
    worlds, likely = mcts.weighted_worlds(
        mcts._room(KUHN, view.pool, True), few.model, few, view.rows, view.seat, seed=3
    )
    assert len(worlds.sums) == 64 and likely == pytest.approx(64)


def test_game_without_rewind_is_searched_with_equal_weights():
    table = Game(PENNIES).deal(0)
    table.play("heads")
    player = agent("infer(iterations=400, worlds=50)")
    assert player.act(table.view(), np.random.default_rng(1)) in table.legal
    assert player.explain().facts["likely"] == 50


# --- Agent ----------------------------------------------------------------------------------------

SPEC = "infer(iterations=60, worlds=40)"


def positions(name, plies):
    table = bolicho.game(name).deal(5)
    rng = np.random.default_rng(2)
    while not table.over and table.ply < plies:
        if len(table.legal) > 1:
            yield table.view()
        table.play(table.legal[int(rng.integers(len(table.legal)))])


@pytest.mark.parametrize("name", ["truco", "dominoes"])
def test_decision_depends_only_on_luck_and_view(name):
    for view in positions(name, 10):
        first, again = agent(SPEC, name), agent(SPEC, name)
        first.act(view, np.random.default_rng(9))  # an earlier decision has no effect
        first.act(view, np.random.default_rng(7))
        other = view.redeal(11).view(view.seat)
        seen = view.game.make_view(view.game, view.seat, other.pool, other.numbers, view.rows.tobytes(), view.ply)
        again.act(seen, np.random.default_rng(7))
        assert first.explain().facts == again.explain().facts


@pytest.mark.parametrize("model", ["markov", "human", "pi"])
def test_only_memoryless_agents_without_hidden_information_can_be_models(model):
    game = bolicho.game("dominoes" if model == "pi" else "truco")
    with pytest.raises(BadInput, match="a search cannot use"):
        agent(f"infer(model={model})", game)


@pytest.mark.parametrize("options", ["tremble=0", "worlds=-1", "leaves=rule", "opponents=nobody", "leaves=hand"])
def test_invalid_options_are_refused(options):
    with pytest.raises(BadInput):
        agent(f"infer({options})", bolicho.game("dominoes"))


def test_every_plan_names_agents_of_its_game():
    for name in TECHNIQUE.bindings:
        plan = binding(name).plan
        made = agent("infer", bolicho.game(name))
        assert made.plan(bolicho.game(name)) == plan


def test_rules_unknown_to_the_model_use_the_fallback_settings():
    assert infer.usual(bolicho.game("wonders", players=5)) == binding("wonders").otherwise
    assert infer.usual(KUHN) == infer.SearchSettings()


# --- Values of scores -----------------------------------------------------------------------------


def test_match_of_fair_hands_has_the_chances_of_a_random_walk():
    fair = np.array([[1, 0], [0, 1]]), np.array([0.5, 0.5])
    assert match_chances(2, *fair).tolist() == [[0.5, 0.25], [0.75, 0.5]]


def test_match_chances_when_the_mao_always_wins():
    """Hands of one point that the mão always wins: the present mão wins the first and the third."""
    mao = np.array([[1, 0]]), np.array([1.0])
    assert match_chances(2, *mao).tolist() == [[1, 0], [1, 1]]


def test_seats_that_reach_the_target_in_one_hand_share_the_match():
    assert match_chances(1, np.array([[1, 2]]), np.array([1.0])).tolist() == [[0.5]]
