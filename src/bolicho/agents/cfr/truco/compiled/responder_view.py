"""Information of a responder in a hand of Truco: the other seat's cards by class of strength; compiled."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bolicho.agents.cfr.compiled.hashing import fold
from bolicho.agents.cfr.compiled.respond import bounds, information, is_simple, kind_of, shortcut
from bolicho.agents.cfr.kernel import choices
from bolicho.agents.cfr.truco.compiled.cards_response import Boards, are_points_settled, settle
from bolicho.agents.cfr.truco.kernel import choices_of
from bolicho.games.jit import njit, rule
from bolicho.games.kernel import CHOSE, implements
from bolicho.games.truco import kernel as k
from bolicho.games.truco.compiled.unseen import set_dealt

POINTS, TRUCO, CARDS = 0, 1, 4
"""Kinds of decision: envido and flor; answers to truco, by round; cards, by round.

A call of truco in the place of a card belongs to the kind of the cards.
"""


class ByClass(NamedTuple):
    """Abstraction of a responder: its cards, all calls, the other's cards by class; actions as in `Steps`."""

    recalls: bool
    class_of: NDArray[np.int8]  # by card + 2
    set_of: NDArray[np.int16]  # by three classes
    boards: Boards


@implements(information, ByClass)
@rule
def class_information(abstraction, s, seat, past, seen):
    for row in range(s.num_events):
        kind, who, value = np.int64(s.events[row, 0]), np.int64(s.events[row, 1]), np.int64(s.events[row, 2])
        if kind == CHOSE and who != seat and value < k.FACE_DOWN:
            value = np.int64(abstraction.class_of[value + 2])
        past = fold(past, (((kind << 8) | (who & 255)) << 16) | (value & 0xFFFF))
    return past


@implements(kind_of, ByClass)
@rule
def kind_of_decision(abstraction, s, seat):
    if s.pending == k.ENVIDO_BET or s.pending == k.FLOR_BET:
        return POINTS
    return (TRUCO if s.pending == k.TRUCO_BET else CARDS) + np.int64(s.round)


@implements(choices, ByClass)
@rule
def consider(abstraction, s, seat, out, labels):
    return choices_of(abstraction, s, seat, out, labels)


MOST_BY_CARDS = 4  # vale quatro
MOST_BY_POINTS = 8  # maximum of bets on points; falta and resto are worth at most the target


@implements(bounds, ByClass)
@rule
def bounds_of_points(abstraction, s, seat):
    """Return the bounds; once points are settled, a seat that gives up the hand loses the accepted stake."""
    other = 1 - seat
    gain = float((s.scores[seat] - s.start[seat]) - (s.scores[other] - s.start[other]))
    if are_points_settled(s):
        return gain - MOST_BY_CARDS, gain - 1 - s.level, gain + MOST_BY_CARDS
    most = float(MOST_BY_CARDS + max(MOST_BY_POINTS, np.int64(s.target)))
    return gain - most, gain - most, gain + most


@implements(is_simple, ByClass)
@rule
def is_settled(abstraction, player, s):
    return player.by_class and not player.remembers and are_points_settled(s)


@implements(shortcut, ByClass)
@njit
def by_boards(abstraction, player, room, first, end, me, kinds, least):
    return settle(abstraction, player, room, first, end, me, kinds, least)


@njit
def lay_worlds(pool, blank, me, own, others):
    """Write an opened record for each possible hand of the other seat, beside a seat's own hand."""
    for w in range(len(others)):
        s = pool[w]
        pool[w] = blank[0]
        set_dealt(s, me, own)
        set_dealt(s, 1 - me, others[w])
        s.seed = 0
        s.mao = 0
        s.num_events = 0
        k.open_hand(s)
