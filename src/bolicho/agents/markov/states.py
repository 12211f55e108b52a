"""State spaces of the four modes, and the order of states in their matrices (Rossato 2020, section 4.1).

A state is the part of a hand that matters in a mode: three strength classes for Truco, two or three values for Envido
and Flor, the order of the low, middle and high card for Cards. Rows are one's own state, columns the opponent's; both
ascend from weak to strong.
"""

from itertools import combinations, combinations_with_replacement

import numpy as np

from bolicho.games.truco import lexicon
from bolicho.games.truco.kernel import STRENGTH, VALUE
from bolicho.games.truco.lexicon import CLASS_CODES, CLASS_SIZES, CLASSES

CLASS_NAMES = tuple(next((c for c in name.split("/") if c[-1] == "c"), name) for name in lexicon.CLASS_NAMES)
"""Fourteen strength classes as in Rossato 2020: of two cards the one of copas."""

FIRST_UNIQUE = 10  # 7o, 7e, 1p and 1e are single cards, so the opponent of a seat with one lacks it

State = tuple[int, ...]


def _hands() -> list[State]:
    """Return every multiset of three classes that the deck can deal: 502 of them."""
    triples = combinations_with_replacement(range(CLASSES), 3)
    return [triple for triple in triples if all(triple.count(c) <= CLASS_SIZES[c] for c in triple)]


def _written(hand: State) -> str:
    """Return the concatenated codes of a hand's cards: the order of hands with equal means."""
    return "".join(str(CLASS_CODES[c]) for c in hand)


TRUCO_STATES: tuple[State, ...] = tuple(sorted(_hands(), key=lambda hand: (sum(hand), _written(hand))))
"""Three classes (0 the fours, 13 the ace of espadas), ascending, by mean strength.

This order reproduces the published positions: 4-4-6 is the 3rd and 7o-7e-1e the 500th (Rossato 2020, section 4.2), and
7p-12-7o has 270 before it (section 5.2).
"""

ENVIDO_STATES: tuple[State, ...] = tuple(
    sorted([(0, 0), *combinations(range(8), 2)], key=lambda pair: (sum(pair), pair))
)
"""Two values of one suit, by their sum; only 10, 11 and 12, with value 0, can repeat a value."""

FLOR_STATES: tuple[State, ...] = tuple(
    sorted(
        [*((0, 0, value) for value in range(8)), *combinations(range(8), 3)],
        key=lambda three: (sum(three), [-value for value in three]),
    )
)
"""Three values of one suit, by their sum; ties are ordered so that the 62nd is 3-6-7, as published."""

LEVELS = "BMA"  # baixa, média, alta: low, middle and high card of a hand
LOW, MIDDLE, HIGH = range(3)
ORDERS: tuple[State, ...] = ((0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0))
"""Orders of play of a hand: BMA, BAM, MBA, MAB, ABM, AMB."""

NUM_TRUCO, NUM_ENVIDO, NUM_FLOR, NUM_ORDERS = len(TRUCO_STATES), len(ENVIDO_STATES), len(FLOR_STATES), len(ORDERS)


def _index(states: tuple[State, ...], side: int) -> np.ndarray:
    """Return a table of state numbers by their members in ascending order; -1 for invalid states."""
    table = np.full((side,) * len(states[0]), -1, np.int16)
    for number, state in enumerate(states):
        table[state] = number
    return table


TRUCO_INDEX = _index(TRUCO_STATES, CLASSES)
ENVIDO_INDEX = _index(ENVIDO_STATES, 8)
FLOR_INDEX = _index(FLOR_STATES, 8)

TRUCO_TABLE = np.array(TRUCO_STATES, np.int8)
TRUCO_BITS = np.array([sum(1 << each for each in set(state)) for state in TRUCO_STATES], np.int16)  # its classes
ENVIDO_TABLE = np.array(ENVIDO_STATES, np.int8)
FLOR_TABLE = np.array(FLOR_STATES, np.int8)
ORDER_TABLE = np.array(ORDERS, np.int8)


def truco_name(state: int) -> str:
    """Return the classes of a Truco state, such as `4-4-6`."""
    return "-".join(CLASS_NAMES[c] for c in TRUCO_STATES[state])


def envido_name(state: int) -> str:
    """Return the values of an Envido state, such as `0-7`."""
    return "-".join(map(str, ENVIDO_STATES[state]))


def flor_name(state: int) -> str:
    """Return the values of a Flor state, such as `3-6-7`."""
    return "-".join(map(str, FLOR_STATES[state]))


def order_name(order: int) -> str:
    """Return the levels of an order, such as `BMA` (low, middle, high)."""
    return "".join(LEVELS[level] for level in ORDERS[order])


# --- States of cards ----------------------------------------------------------------------------


def truco_state(a: int, b: int, c: int) -> int:
    """Return the Truco state of three cards."""
    classes = sorted(int(STRENGTH[card]) - 1 for card in (a, b, c))
    return int(TRUCO_INDEX[tuple(classes)])


def envido_state(a: int, b: int, c: int) -> int:
    """Return the Envido state of three cards: their best pair of one suit; -1 without a pair."""
    pairs = [sorted((int(VALUE[x]), int(VALUE[y]))) for x, y in ((a, b), (a, c), (b, c)) if x // 10 == y // 10]
    return int(ENVIDO_INDEX[tuple(max(pairs, key=sum))]) if pairs else -1


def flor_state(a: int, b: int, c: int) -> int:
    """Return the Flor state of three cards; -1 when they are not of one suit."""
    if a // 10 != b // 10 or b // 10 != c // 10:
        return -1
    return int(FLOR_INDEX[tuple(sorted(int(VALUE[card]) for card in (a, b, c)))])
