"""Truco's vocabulary for compiled code: classes of cards, ranked hands, leaders, pending bets."""

import numpy as np

from bolicho.games.jit import rule
from bolicho.games.truco.compiled.hand import ascending, leader_after
from bolicho.games.truco.kernel import FACE_DOWN, NONE, STRENGTH, strength
from bolicho.games.truco.lexicon import CLASS_SIZES, CLASSES

IN_CLASS = np.array(CLASS_SIZES, np.int64)
PLACES = 64  # more than the number of cards: separates the classes of a ranking
NOBODY, ME, OTHER = range(3)
"""Players as a seat sees them."""


# --- Cards --------------------------------------------------------------------------------------


@rule
def is_face_up(card):
    """Return whether an entry of `played` is a face-up card."""
    return 0 <= card < FACE_DOWN


@rule
def class_of(card):
    """Return the class of a card: 0 (fours) to 13 (ace of espadas)."""
    return STRENGTH[card] - 1


@rule
def class_played(card):
    """Return the class of a played card; -1 face down, which every face-up card beats."""
    return class_of(card) if is_face_up(card) else -1


@rule
def unseen_classes(s, seat, left):
    """Write the number of unseen cards of each class; return the number of all."""
    total = 0
    for c in range(CLASSES):
        left[c] = IN_CLASS[c]
    for i in range(3):
        left[class_of(s.dealt[seat, i])] -= 1
        if is_face_up(s.played[1 - seat, i]):
            left[class_of(s.played[1 - seat, i])] -= 1
    for c in range(CLASSES):
        total += left[c]
    return total


@rule
def count_shown(cards):
    """Return how many of three played cards are face up."""
    shown = 0
    for i in range(3):
        shown += is_face_up(cards[i])
    return shown


@rule
def card_to_beat(s, seat):
    """Return the opponent's card in this round if the seat has not played yet, or NONE."""
    return s.played[1 - seat, s.round] if s.played[seat, s.round] == NONE else np.int8(NONE)


# --- Ranked hands -------------------------------------------------------------------------------


@rule
def num_held(s, seat):
    """Return the number of cards in a seat's hand."""
    n = 0
    while n < 3 and s.hands[seat, n] != NONE:
        n += 1
    return n


@rule
def place(card, rank):
    """Return a number that orders cards by rank, then by number, with NONE last."""
    return np.int64(PLACES - 1 if card == NONE else rank) * PLACES + card + 1


@rule
def ranked(a, b, c):
    """Return the cards of three numbers of `place`, in their order."""
    a, b, c = ascending(a, b, c)
    return a % PLACES - 1, b % PLACES - 1, c % PLACES - 1


@rule
def weakest_first(cards):
    """Return three cards, the weakest first, those of one class by number, with NONE last."""
    a, b, c = cards[0], cards[1], cards[2]
    return ranked(place(a, strength(a)), place(b, strength(b)), place(c, strength(c)))


@rule
def strongest_first(cards):
    """Return three cards, the strongest first, those of one class by number, with NONE last."""
    a, b, c = cards[0], cards[1], cards[2]
    return ranked(place(a, CLASSES - strength(a)), place(b, CLASSES - strength(b)), place(c, CLASSES - strength(c)))


@rule
def cheapest_winner(s, seat, theirs):
    """Return the weakest card in hand that beats `theirs`, or NONE."""
    for card in weakest_first(s.hands[seat]):
        if card != NONE and strength(card) > strength(theirs):
            return card
    return NONE


# --- Players and bets ---------------------------------------------------------------------------


@rule
def player_of(seat, actor):
    """Return an actor as a seat sees it: NOBODY, ME or OTHER."""
    return NOBODY if actor == NONE else (ME if actor == seat else OTHER)


@rule
def leader_of(s, r):
    """Return the seat that leads a round that has begun."""
    return np.int64(s.mao) if r == 0 else np.int64(leader_after(s.winners[r - 1], s.mao))


@rule
def last_envido(s):
    """Return the number of the highest envido call made: 0 envido, 1 real, 2 falta."""
    return 2 if s.envido_by[2] != NONE else (1 if s.envido_by[1] != NONE else 0)
