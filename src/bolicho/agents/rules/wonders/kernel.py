"""Decisions of the rule-based agent, compiled; `agents.compiled.weights` holds the weights of cards."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bolicho.agents import kernel as players
from bolicho.agents.compiled.wonders import card_points, weight
from bolicho.games import kernel
from bolicho.games.jit import njit, rule
from bolicho.games.kernel import implements
from bolicho.games.wonders.actions import card_of, kind_of
from bolicho.games.wonders.cards import NUM_CARDS
from bolicho.games.wonders.kernel import price_of
from bolicho.games.wonders.layout import BUILD, SELL, WONDER


@rule
def merit(s, seat, action):
    """Return the merit of an action as one comparable number.

    The weight of the card counts first, then its points. With one card, a stage comes before a structure, and a cheaper
    payment before a more expensive one.
    """
    kind, card = kind_of(action), card_of(action)
    left, right, bank = price_of(s, seat, action)
    first = (weight(s, seat, card) * 32 + min(31, card_points(s, seat, card))) * NUM_CARDS + (NUM_CARDS - 1 - card)
    return (first * 2 + (kind == WONDER)) * 64 + 63 - (left + right + bank) - (kind != BUILD)


@rule
def decide(s, seat, actions, count):
    """Return the agent's action: the heaviest playable card, or the sale of the lightest."""
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
    """Rule-based player; `actions` is a work array for the legal actions."""

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
