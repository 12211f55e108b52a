"""Sampled CFR walks: convergence to exact solutions, continuation after a stop, and refused abstractions."""

from typing import NamedTuple

import numpy as np
import pytest

from bolicho import game
from bolicho.agents.cfr import abstractions, learner
from bolicho.agents.cfr.compiled.hashing import fold_event, hashed
from bolicho.agents.cfr.compiled.player import PAST
from bolicho.agents.cfr.compiled.walk import LINEAR, Learning
from bolicho.agents.cfr.kernel import Recall, key
from bolicho.agents.cfr.learner import FIRST_SLOTS, Regrets
from bolicho.agents.cfr.model import learned, model_of
from bolicho.agents.cfr.solve import FullTree
from bolicho.agents.cfr.train import OPTIONS, CFROptions, Walks
from bolicho.agents.player import InMemoryAgent
from bolicho.errors import BadInput
from bolicho.games.game import Game
from bolicho.games.jit import njit, rule
from bolicho.games.kernel import implements
from bolicho.games.kind import copy_pool
from bolicho.games.poker import KUHN, LEDUC
from tests.games.pennies import PENNIES

DOMINOES = game("dominoes", highest=2, hand=2)


def walks_of(chosen, iterations, abstraction=abstractions.RECALL, **options):
    return Walks(chosen, 1, iterations, abstraction, CFROptions(**options))


def walked(chosen, iterations, **options):
    walks = walks_of(chosen, iterations, **options)
    while walks.done < walks.total:
        walks.step()
    return walks.regrets


def strategy(whole, regrets):
    model = model_of(whole.game, regrets.abstraction, learned(regrets, 1))
    return whole.strategy_of(InMemoryAgent(model.player(), PAST))


@pytest.mark.parametrize("weighting", ["uniform", "linear", "discounted"])
@pytest.mark.parametrize("cut", [0.0, OPTIONS.cut])
def test_walks_converge_to_the_value_of_kuhn_poker(weighting, cut):
    whole = FullTree(KUHN)
    found = strategy(whole, walked(KUHN, 30_000, weighting=weighting, cut=cut))
    assert whole.exploitability(found) < 0.015
    assert whole.value(found) == pytest.approx(-1 / 18, abs=0.01)


@pytest.mark.parametrize(("chosen", "near"), [(LEDUC, 0.1), (DOMINOES, 0.01)], ids=["leduc", "dominoes"])
def test_walks_converge_in_leduc_and_dominoes(chosen, near):
    whole = FullTree(chosen)
    few, many = (whole.exploitability(strategy(whole, walked(chosen, n))) for n in (1_000, 60_000))
    assert many < near and many < few / 3


def test_walks_train_three_seats():
    regrets = walked(Game(PENNIES, seats=3), 20_000)
    assert len(regrets) == 3
    assert learned(regrets, 1)["mixtures"].reshape(3, 2).sum(axis=1).tolist() == [255] * 3


def test_growing_regret_table_keeps_all_information_sets():
    regrets = Regrets(game("dominoes", highest=4, hand=4), Recall(), Learning(LINEAR, OPTIONS.cut, 0.0), 1)
    while len(regrets) < 3 * FIRST_SLOTS:
        before = {int(one["key"]): int(one["visits"]) for one in regrets.met()}
        regrets.iterate(200)
        after = {int(one["key"]): int(one["visits"]) for one in regrets.met()}
        assert len(after) == len(regrets)
        assert all(after[key] >= visits for key, visits in before.items())
    assert len(regrets.slots) >= 6 * FIRST_SLOTS


def test_interrupted_walks_equal_uninterrupted_walks():
    once, often = (Regrets(LEDUC, Recall(), Learning(LINEAR, OPTIONS.cut, 0.95), 7) for _ in range(2))
    once.iterate(5_000)
    while often.done < 5_000:
        again = Regrets(LEDUC, Recall(), Learning(LINEAR, OPTIONS.cut, 0.95), 7)
        again.restore(often.state())
        again.done = often.done
        again.iterate(min(777, 5_000 - often.done))
        often = again
    assert {name: array.tobytes() for name, array in once.state().items()} == {
        name: array.tobytes() for name, array in often.state().items()
    }


# --- Keys ---------------------------------------------------------------------------------------


@njit
def hash_of(pool):
    return hashed(pool[0])


@njit
def fold_row(h, row):
    return fold_event(h, row)


def test_hash_depends_on_every_field_except_seed_and_events():
    pool = DOMINOES.deal(5).pool
    first = hash_of(pool)
    for name in pool.dtype.names:
        other = copy_pool(pool)
        if other[name].size == 0:
            continue
        other[name].reshape(-1)[-1] ^= 1
        assert (hash_of(other) == first) == (name in ("seed", "events", "num_events")), name


def test_hash_does_not_depend_on_padding():
    pool = KUHN.deal(5).pool
    used = np.zeros(pool.dtype.itemsize, bool)
    for kind, offset, *_ in pool.dtype.fields.values():
        used[offset : offset + kind.itemsize] = True
    assert not used.all()
    other = np.frombuffer(bytearray(pool.tobytes()), np.uint8).copy()
    other[~used] ^= 255
    assert hash_of(other.view(pool.dtype)) == hash_of(pool)


def test_hash_depends_on_the_order_of_events():
    rows = np.array([[0, 1, 2, 3], [0, 1, 3, 2]], np.int16)
    ways = [fold_row(fold_row(np.uint64(0), rows[a]), rows[b]) for a, b in ((0, 1), (1, 0), (0, 0), (1, 1))]
    assert len(set(ways)) == 4


# --- Refused abstractions and options -----------------------------------------------------------


class ByTurn(NamedTuple):
    """Abstraction with one key for all situations of a seat."""

    recalls: bool


@implements(key, ByTurn)
@rule
def by_turn(abstraction, view, seat, past):
    return np.uint64(seat)


class Peeking(NamedTuple):
    """Abstraction that reads the opponent's card."""

    recalls: bool


@implements(key, Peeking)
@rule
def peek(abstraction, view, seat, past):
    return np.uint64(view.cards[1 - seat] + 10)


def test_an_abstraction_with_different_choices_under_one_key_is_refused():
    regrets = Regrets(KUHN, ByTurn(False), Learning(LINEAR, OPTIONS.cut, 0.0), 1)
    with pytest.raises(BadInput, match=r"ByTurn is not consistent in .*: two situations have one key and different"):
        regrets.iterate(100)


def test_abstraction_that_reads_hidden_information_is_refused():
    abstractions.check(ByTurn(False), KUHN)
    with pytest.raises(BadInput, match="Peeking reads hidden information"):
        abstractions.check(Peeking(False), KUHN)


@pytest.mark.parametrize(
    ("limit", "why"),
    [
        ("DEEPEST", "more than 2 decisions of a seat"),
        ("MOST_NODES", "walk through .* visits more than 2 decisions"),
    ],
)
def test_a_game_too_large_to_walk_is_refused(limit, why, monkeypatch):
    monkeypatch.setattr(learner, limit, 2)
    regrets = Regrets(LEDUC, Recall(), Learning(LINEAR, OPTIONS.cut, 0.0), 1)
    with pytest.raises(BadInput, match=why):
        regrets.iterate(100)


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"weighting": "quadratic"}, "unknown weighting"),
        ({"prune": 1.0}, "prune must be a share"),
        ({"cut": -1.0}, "cut must be a number"),
        ({"least": 0}, "least must be a whole number"),
        ({"abstraction": "small"}, "unknown abstraction of poker"),
    ],
)
def test_invalid_options_are_refused(options, why):
    with pytest.raises(BadInput, match=why):
        walks_of(KUHN, 10, **options)


# --- The abstractions of Truco ------------------------------------------------------------------


@pytest.mark.parametrize("name", ["small", "fine"])
@pytest.mark.parametrize("rules", [{}, {"flor": False}, {"envido_first": True, "envido_envido": True}], ids=str)
def test_truco_abstractions_read_no_hidden_information_and_are_consistent(name, rules):
    single = game("truco", hands=1, **rules)
    abstraction = abstractions.find(name, single)
    abstractions.check(abstraction, single)
    Regrets(single, abstraction, Learning(LINEAR, OPTIONS.cut, 0.95), 1).iterate(1_000)
