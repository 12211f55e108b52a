"""How the rules agent decides, compiled; weights.py says what cards are worth to it."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bolicho.agents import kernel as players
from bolicho.agents.rules.wonders.weights import ALWAYS, MAX_CONDITIONS, MEASURES, RULES
from bolicho.games import kernel
from bolicho.games.jit import njit, rule
from bolicho.games.kernel import implements
from bolicho.games.wonders.actions import card_of, kind_of
from bolicho.games.wonders.cards import NUM_CARDS, NUM_WONDERS, PER_POINTS, POINTS, SCIENTISTS
from bolicho.games.wonders.compiled.payment import left_of, right_of
from bolicho.games.wonders.compiled.scoring import count_for, science_with
from bolicho.games.wonders.kernel import price_of
from bolicho.games.wonders.state import BUILD, SELL, WONDER

STRUCTURES, STAGES, COINS, LEAD, WORTH, THE_WONDER = range(MEASURES.index("structures"), len(MEASURES))


@rule
def worth(s, seat, card):
    """The points a card would score now."""
    if card == SCIENTISTS:
        return science_with(s, seat, 1) - science_with(s, seat, 0)
    return POINTS[card] + PER_POINTS[card] * count_for(s, seat, card)


@rule
def structures(s, seat):
    """How many cards stand in a city."""
    count = 0
    for colour in range(STRUCTURES):
        count += s.colours[seat, colour]
    return count


@rule
def measure(s, seat, card, what):
    """What a condition compares; see the head of weights.py."""
    if what < STRUCTURES:
        return s.colours[seat, what]
    if what == STRUCTURES:
        return structures(s, seat)
    if what == STAGES:
        return s.stages[seat]
    if what == COINS:
        return s.coins[seat]
    if what == LEAD:
        return s.shields[seat] - max(s.shields[left_of(s, seat)], s.shields[right_of(s, seat)])
    if what == WORTH:
        return worth(s, seat, card)
    return s.board[seat] % NUM_WONDERS


@rule
def holds(value, comparison, bound):
    if comparison == 0:
        return value < bound
    if comparison == 1:
        return value <= bound
    if comparison == 2:
        return value == bound
    if comparison == 3:
        return value >= bound
    return value > bound


@rule
def weight(s, seat, card):
    """What a card is worth to a seat: the first condition of its row that holds."""
    for i in range(MAX_CONDITIONS):
        what = RULES[card, i, 0]
        if what == ALWAYS or holds(measure(s, seat, card, what), RULES[card, i, 1], RULES[card, i, 2]):
            return RULES[card, i, 3]
    return 0


@rule
def merit(s, seat, action):
    """How good an action is among those of one kind of decision, as one number to compare.

    The weight of the card first, then its points.  With one card: a stage before a structure, and
    the cheaper way before the dearer.
    """
    kind, card = kind_of(action), card_of(action)
    left, right, bank = price_of(s, seat, action)
    first = (weight(s, seat, card) * 32 + min(31, worth(s, seat, card))) * NUM_CARDS + (NUM_CARDS - 1 - card)
    return (first * 2 + (kind == WONDER)) * 64 + 63 - (left + right + bank) - (kind != BUILD)


@rule
def decide(s, seat, actions, count):
    """The action of the agent: the heaviest card that can be played, or the lightest sold."""
    best, value = -1, 0
    for i in range(count):
        if kind_of(actions[i]) != SELL:
            found = merit(s, seat, actions[i])
            if best < 0 or found > value:
                best, value = actions[i], found
    if best >= 0:
        return best
    for i in range(count):
        found = weight(s, seat, card_of(actions[i]))
        if best < 0 or found < value:
            best, value = actions[i], found
    return best


class Weigher(NamedTuple):
    """The player; `actions` is room for the legal ones."""

    actions: NDArray[np.int16]


@implements(players.decide, Weigher)
@njit
def _decide(player, memory, view, seat, luck):
    return decide(view, seat, player.actions, kernel.legal(view, player.actions))


@njit
def weights(pool, seat, cards, out):
    """Write the weights of some cards."""
    for i in range(cards.shape[0]):
        out[i] = weight(pool[0], seat, cards[i])
