"""The hands of Truco by type, and vectors of them: counted again another way."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bolicho import game
from bolicho.agents.cfr.truco.compiled.public import BY_CLASS, BY_PAIR, BY_SET, BY_TYPE, size_of
from bolicho.agents.cfr.truco.compiled.vectors import back, carry
from bolicho.agents.cfr.truco.hands import CLASSES, COVERED, SETS, hands
from bolicho.games.game import copy_pool
from bolicho.games.jit import njit
from bolicho.games.truco.rules import CARDS, STRENGTH_CLASSES

HANDS = hands()
CLASS = {card: number for number, cards in enumerate(STRENGTH_CLASSES) for card in cards}


def test_there_are_as_many_types_as_others_counted():
    assert len(HANDS.type_set) == 1727
    assert HANDS.type_flor.sum() == 256
    assert len(set(HANDS.type_set.tolist())) == 502
    assert HANDS.prior.sum() == pytest.approx(1)
    assert pytest.approx(float(HANDS.prior[HANDS.type_flor].sum()), abs=1e-6) == (480 / 9880)


def test_two_sets_are_dealt_together_as_often_as_they_can_be_drawn():
    """By drawing three cards and three more, class by class, in plain Python."""
    left = Counter(CLASS[card] for card in CARDS)
    rng = np.random.default_rng(1)
    alone = np.bincount(HANDS.type_set, HANDS.prior, SETS)
    for _ in range(50):
        drawn = [CLASS[CARDS[card]] for card in rng.choice(40, 6, replace=False)]
        one, other = sorted(drawn[:3]), sorted(drawn[3:])
        ways, rest = 1, Counter(left)
        for hand in (one, other):
            for c, n in Counter(hand).items():
                ways *= len(list(combinations(range(rest[c]), n)))
                rest[c] -= n
        a, b = HANDS.set_of[tuple(one)], HANDS.set_of[tuple(other)]
        assert alone[a] * alone[b] * HANDS.removal[a, b] == pytest.approx(ways / (9880 * 7770), rel=1e-3)


def test_all_pairs_of_sets_together_are_certain():
    alone = np.bincount(HANDS.type_set, HANDS.prior, SETS)
    assert alone @ HANDS.core @ alone == pytest.approx(1, abs=1e-5)


@njit
def carried(h, pool, seat, before, source, target, sums):
    carry(h, pool[0], seat, before, source, target, sums)


@njit
def brought_back(h, pool, seat, before, values, target):
    back(h, pool[0], seat, before, values, target)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from(["first", "second", "covered"]), st.integers(0, CLASSES - 1))
def test_what_is_carried_on_is_worth_what_is_brought_back(seed, step, c):
    """A vector carried to the next space meets values there as the vector meets those values brought back."""
    pool = copy_pool(game("truco", hands=1).deal(3).pool)
    s = pool[0]
    s["played"][:] = -1
    s["played"][:, 0] = HANDS.card_of[c]
    s["round"] = 1
    before, after = BY_SET, BY_PAIR
    if step != "first":
        s["played"][0, 1] = HANDS.card_of[COVERED if step == "covered" else (c + 3) % CLASSES]
        before, after = BY_PAIR, BY_CLASS
    rng = np.random.default_rng(seed)
    source = rng.random(size_of(HANDS, before)).astype(np.float32)
    values = rng.random(size_of(HANDS, after)).astype(np.float32)
    target, returned = np.zeros_like(values), np.zeros_like(source)
    carried(HANDS, pool, 0, before, source, target, np.zeros(SETS, np.float32))
    brought_back(HANDS, pool, 0, before, values, returned)
    assert target @ values == pytest.approx(source @ returned, rel=1e-4)
    assert size_of(HANDS, BY_TYPE) == 1727
