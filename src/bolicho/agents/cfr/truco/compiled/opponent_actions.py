"""Situations and answers of the other seat of Truco, from events alone; compiled.

A *habit* is the frequency of an answer in a situation. Situations depend on public information and are coarse: the
round, the seat that is ahead, the seat that called. So a few hands are informative.
"""

import numpy as np

from bolicho.games.jit import rule
from bolicho.games.kernel import CHOSE
from bolicho.games.truco import kernel as k
from bolicho.games.truco.compiled.hand import TIE

WATCHED = [
    ("mao", "i1"),
    ("pending", "i1"),
    ("called", "i1"),  # level of truco: called,
    ("level", "i1"),  # and accepted
    ("caller", "i1"),  # seat of the last call of truco
    ("stage", "i1"),  # last call of envido,
    ("bidder", "i1"),  # and its seat
    ("closed", "i1"),  # 1 if envido can no longer be called
    ("led", "i1"),  # 1 if a card lies in this round
    ("ahead", "i1"),  # winner of the first round: a seat or TIE, before it NONE
]
"""Memory of a hand, from its events."""

# Answers where a card may be played: by strength of the card, face down, calls, the deck.
WEAK, FAIR, STRONG, COVERED, CALLS, CALLS_ENVIDO, CALLS_REAL, CALLS_FALTA, LEAVES = range(9)
# Answers to bets.
TAKES, REFUSES, RAISES, RAISES_FALTA = range(4)
# Points shown after an accepted envido.
LOW, GOOD, HIGH = range(3)
ANSWERS = 9

FAIR_FROM, STRONG_FROM = 7, 10  # strengths: the kings, the threes
GOOD_FROM, HIGH_FROM = 27, 30  # points

FREE = 0  # 3 rounds x lead or answer x seat ahead x seat of the call
TO_TRUCO = FREE + 3 * 2 * 3 * 3  # 3 rounds x 3 calls
TO_ENVIDO = TO_TRUCO + 9  # 3 calls
SHOWN = TO_ENVIDO + 3  # seat of the last call
SITUATIONS = SHOWN + 2
NO_HABIT = -1


@rule
def begin_hand(m, mao):
    m.mao = mao
    m.pending = k.NOTHING
    m.called = 0
    m.level = 0
    m.caller = k.NONE
    m.stage = 0
    m.bidder = k.NONE
    m.closed = 0
    m.led = 0
    m.ahead = k.NONE


@rule
def resume(m):
    """Return to a truco that waits for its answer, or to the cards, after a settled bet."""
    m.pending = k.TRUCO_BET if m.called > m.level else k.NOTHING


@rule
def side(who, other):
    """Return 0 for no seat, 1 for the other seat, 2 for the seat itself."""
    return 0 if who == k.NONE or who == TIE else (1 if who == other else 2)


@rule
def card_answer(card):
    if card == k.UNSEEN:
        return COVERED
    strength = k.strength(card)
    return WEAK if strength < FAIR_FROM else (FAIR if strength < STRONG_FROM else STRONG)


@rule
def read_habit(m, event, seat):
    """Record an event that `seat` saw; return the situation and the other's answer, or (NO_HABIT, 0).

    In the first round, the field of the seat ahead is the mão while envido can be called.
    """
    kind, who, value, r = np.int64(event[0]), np.int64(event[1]), np.int64(event[2]), np.int64(event[3])
    other = 1 - seat
    if kind == k.DEALT:
        begin_hand(m, who)
    elif kind == k.ROUND:
        m.led = 0
        if value == 0:
            m.ahead = TIE if who < 0 else who
    elif kind == k.FLOR_SAID:
        m.closed = 1
        if who == m.mao:
            m.pending = k.FLOR_BET
        else:
            resume(m)
    elif kind == k.POINTS and r <= k.BY_FLOR:
        resume(m)
    elif kind == k.ENVIDO_SHOWN and who == other:
        points = LOW if value < GOOD_FROM else (GOOD if value < HIGH_FROM else HIGH)
        return SHOWN + (m.bidder == other), points
    if kind != CHOSE:
        return NO_HABIT, 0
    situation, answer = NO_HABIT, 0
    if m.pending == k.NOTHING:
        ahead = side(m.ahead, other) if r > 0 else (0 if m.closed else (1 if m.mao == other else 2))
        situation = FREE + ((r * 2 + m.led) * 3 + ahead) * 3 + side(m.caller, other)
        if value < k.TRUCO:
            answer = card_answer(value)
        elif value == k.BARALHO:
            answer = LEAVES
        else:
            answer = CALLS if value <= k.VALE4 else CALLS_ENVIDO + value - k.ENVIDO
    elif m.pending == k.TRUCO_BET and (value <= k.VALE4 or value >= k.QUERO):
        situation = TO_TRUCO + r * 3 + m.called - 1
        answer = RAISES if value <= k.VALE4 else (TAKES if value == k.QUERO else REFUSES)
    elif m.pending == k.ENVIDO_BET:
        situation = TO_ENVIDO + m.stage
        answer = value - k.QUERO if value >= k.QUERO else (RAISES_FALTA if value == k.FALTA else RAISES)
    follow(m, who, value)
    return (situation, answer) if who == other else (NO_HABIT, 0)


@rule
def follow(m, who, value):
    """Update the bets after a choice."""
    if value < k.TRUCO:
        m.led = 1
    elif value <= k.VALE4:
        if m.pending == k.TRUCO_BET:  # a raise accepts the call it answers
            m.level = value - k.TRUCO
        m.called = value - k.TRUCO + 1
        m.caller = who
        m.pending = k.TRUCO_BET
        m.closed = 1
    elif value <= k.FALTA:
        m.stage = value - k.ENVIDO
        m.bidder = who
        m.pending = k.ENVIDO_BET
        m.closed = 1
    elif value == k.QUERO or value == k.NAO:
        if m.pending == k.TRUCO_BET:
            m.level = m.called
        resume(m)
