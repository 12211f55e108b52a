"""Deals by number: all are different, and every seed deals one of them."""

import numpy as np
import pytest

from bolicho import game
from bolicho.games.compiled.deals import deal_number, num_deals
from bolicho.games.game import Game
from bolicho.games.kind import copy_pool
from bolicho.games.poker import KUHN, LEDUC
from tests.games.pennies import PENNIES
from tests.games.small_truco import small_truco

SMALL = {
    "dominoes": (game("dominoes", highest=2, hand=2), 180),
    "by lot": (game("dominoes", highest=1, hand=1, opens="lot"), 12),
    "by double": (game("dominoes", highest=2, hand=3, opens="double"), 20),
    "fives": (game("fives", highest=2, hand=1, reserve=2), 30 * 24),
    "kuhn": (KUHN, 6),
    "leduc": (LEDUC, 120),
    "truco": (small_truco("1e 7e 3c 3o 12c 6c 4p"), 140),
}


def positions(chosen):
    """Return the first position of every deal, as bytes, without a seed."""
    pool, found = copy_pool(chosen.deal(0).pool), []
    for number in range(num_deals(pool)):
        deal_number(pool, number)
        found.append(pool.tobytes())
    return found


@pytest.mark.parametrize("name", SMALL)
def test_numbered_deals_are_complete_and_different(name):
    chosen, count = SMALL[name]
    found = positions(chosen)
    assert len(found) == len(set(found)) == count


@pytest.mark.parametrize("name", SMALL)
def test_deal_from_a_seed_is_one_of_the_numbered_deals(name):
    chosen, count = SMALL[name]
    known, met = set(positions(chosen)), set()
    for seed in range(300):
        pool = copy_pool(chosen.deal(seed).pool)
        pool["seed"] = 0
        met.add(pool.tobytes())
    assert met <= known
    assert len(met) > min(count, 300) / 2


def test_game_without_numbered_deals_has_none():
    assert num_deals(Game(PENNIES).deal(0).pool) == 0
    assert num_deals(game("truco").deal(0).pool) == 0


def test_the_hands_of_truco_are_numbered():
    single = game("truco", hands=1)
    pool = copy_pool(single.deal(0).pool)
    assert num_deals(pool) == 9880 * 7770
    dealt = set()
    for number in range(0, 9880 * 7770, 7_770_001):
        deal_number(pool, number)
        cards = [*pool["dealt"][0, 0], *pool["dealt"][0, 1]]
        assert len(set(cards)) == 6 and np.array_equal(pool["hands"], pool["dealt"])
        dealt.add(tuple(cards))
    assert len(dealt) == 10
