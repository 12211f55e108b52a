"""How the rules agent decides, compiled; `agents.compiled.weights` says what cards are worth to it."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bolicho.agents import kernel as players
from bolicho.agents.compiled.wonders import weight, worth
from bolicho.games import kernel
from bolicho.games.jit import njit, rule
from bolicho.games.kernel import implements
from bolicho.games.wonders.actions import card_of, kind_of
from bolicho.games.wonders.cards import NUM_CARDS
from bolicho.games.wonders.kernel import price_of
from bolicho.games.wonders.layout import BUILD, SELL, WONDER


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
