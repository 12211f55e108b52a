"""Types and sets of Truco hands, compared with independent counts."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest

from bolicho.agents.cfr.truco.hands import CLASSES, COVERED, SETS, SHOWN, TOLD, hands
from bolicho.games.truco.rules import CARDS, STRENGTH_CLASSES

HANDS = hands()
CLASS = {card: number for number, cards in enumerate(STRENGTH_CLASSES) for card in cards}


def test_numbers_of_hand_types_match_known_counts():
    assert len(HANDS.type_set) == 1727
    assert HANDS.type_flor.sum() == 256
    assert len(set(HANDS.type_set.tolist())) == 502
    assert HANDS.prior.sum() == pytest.approx(1)
    assert pytest.approx(float(HANDS.prior[HANDS.type_flor].sum()), abs=1e-6) == (480 / 9880)


def test_joint_probability_of_two_sets_matches_counted_draws():
    """Comparison with draws of three and three cards, class by class, in plain Python."""
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


def test_probabilities_of_all_pairs_of_sets_sum_to_one():
    alone = np.bincount(HANDS.type_set, HANDS.prior, SETS)
    assert alone @ HANDS.core @ alone == pytest.approx(1, abs=1e-5)


def test_later_rounds_coarsen_point_information_and_keep_which_seat_showed():
    """Information of later rounds: a function of the earlier one, with the seat that has shown points."""
    for later, earlier in ((1, 0), (2, 1)):
        known = {}
        for told in range(TOLD):
            assert known.setdefault(HANDS.told[earlier, told], HANDS.told[later, told]) == HANDS.told[later, told]
    for told in range(SHOWN, TOLD):
        assert HANDS.told[2, told] == 1 + (told - SHOWN) % 2


def test_cards_remembered_alike_are_adjacent():
    for steps in HANDS.remembered:
        assert (np.diff(steps) >= 0).all()
        assert steps[COVERED] > steps[COVERED - 1]


def test_three_cards_of_a_class_are_held_only_if_the_class_has_three():
    for c in range(CLASSES):
        for pair, (a, b) in enumerate(HANDS.pairs.tolist()):
            wanted = Counter([c, a, b])
            assert HANDS.held[c, pair] == all(n <= len(STRENGTH_CLASSES[k]) for k, n in wanted.items())
