"""State spaces: sizes, order, and coverage of all hands."""

from itertools import combinations

import numpy as np

from bolicho.agents.markov import states
from bolicho.agents.markov.compiled import opponent_states
from bolicho.games.truco.kernel import STRENGTH
from bolicho.games.truco.rules import CARDS
from tests.agents.markov import reference

HANDS = list(combinations(range(40), 3))


def test_numbers_of_states_are_as_published():
    assert len(states.TRUCO_STATES) == 502 and 502**2 == 252_004
    assert len(states.ENVIDO_STATES) == 29 and len(states.FLOR_STATES) == 64 and len(states.ORDERS) == 6
    for all_states in (states.TRUCO_STATES, states.ENVIDO_STATES, states.FLOR_STATES, states.ORDERS):
        assert len(set(all_states)) == len(all_states)


def test_truco_states_are_ordered_by_mean_strength_as_published():
    sums = [sum(state) for state in states.TRUCO_STATES]
    assert sums == sorted(sums)
    assert states.truco_name(0) == "4-4-4" and states.truco_name(501) == "7e-1p-1e"
    assert states.truco_name(2) == "4-4-6" and states.truco_name(499) == "7o-7e-1e"  # section 4.2
    assert states.truco_name(270) == "7c-12-7o"  # section 5.2
    assert [tuple(c + 1 for c in state) for state in states.TRUCO_STATES] == reference.HANDS


def test_equal_means_are_possible():
    """Rossato 2020, section 5.1: 11-12-2 and 10-12-3 weigh the same."""
    by_name = {states.truco_name(i): sum(state) for i, state in enumerate(states.TRUCO_STATES)}
    assert by_name["11-12-2"] == by_name["10-12-3"] == 22 - 3  # classes count from 0 here


def test_envido_and_flor_states_are_ordered_by_their_sum():
    for all_states in (states.ENVIDO_STATES, states.FLOR_STATES):
        sums = [sum(state) for state in all_states]
        assert sums == sorted(sums)
    assert states.envido_name(0) == "0-0" and states.envido_name(2) == "0-2" and states.envido_name(28) == "6-7"
    assert states.envido_name(13) == "0-7"  # section 5.2
    names = [states.envido_name(i) for i in range(29)]
    assert names.index("1-2") < names.index("0-5")  # section 5.1
    assert states.flor_name(0) == "0-0-0" and states.flor_name(61) == "3-6-7" and states.flor_name(63) == "5-6-7"


def test_orders_are_named_as_published():
    assert [states.order_name(i) for i in range(6)] == ["BMA", "BAM", "MBA", "MAB", "ABM", "AMB"]


def test_every_hand_has_a_state_and_every_state_a_hand():
    truco, envido, flor = set(), set(), set()
    for hand in HANDS:
        truco.add(states.truco_state(*hand))
        envido.add(states.envido_state(*hand))
        flor.add(states.flor_state(*hand))
    assert truco == set(range(502)) and envido == {-1, *range(29)} and flor == {-1, *range(64)}
    assert sum(states.flor_state(*hand) >= 0 for hand in HANDS) == 480


def test_compiled_states_are_the_same():
    cards = np.zeros(3, np.int8)
    levels = np.zeros(3, np.int8)
    for hand in HANDS[::7]:
        cards[:] = hand
        assert opponent_states.truco_row(cards) == states.truco_state(*hand)
        assert opponent_states.envido_row(cards) == states.envido_state(*hand)
        if states.flor_state(*hand) >= 0:
            assert opponent_states.flor_row(cards) == states.flor_state(*hand)
        opponent_states.by_level(cards, levels)
        assert sorted(levels.tolist()) == sorted(hand)
        assert [STRENGTH[card] for card in levels] == sorted(STRENGTH[card] for card in hand)


def test_names_of_cards_agree_with_the_reference():
    for number, card in enumerate(CARDS):
        assert reference.strength(card) == STRENGTH[number]
