"""Truco code that several techniques share: chances by cards, considered actions, rewards; compiled."""

import math

import numpy as np

from bolicho.agents.compiled import rewards
from bolicho.agents.compiled.rewards import PAYOFF
from bolicho.games import kernel
from bolicho.games.compiled.bits import count
from bolicho.games.jit import njit, rule
from bolicho.games.kernel import implements
from bolicho.games.truco import kernel as k
from bolicho.games.truco.compiled.hand import TIE
from bolicho.games.truco.compiled.lexicon import cheapest_winner, strongest_first
from bolicho.games.truco.compiled.unseen import unseen_bits
from bolicho.games.truco.lexicon import CLASSES
from bolicho.games.truco.rules import CARDS

MATCH = PAYOFF + 1
"""Scheme in addition to that of every game."""

ENVIDO = np.array([4, 6, 20, 23, 25, 26, 27, 28, 29, 30, 31, 32, 33])
LACKING = np.array([1, 2, 3, 4, 6, 9, 12])
"""Thresholds of inputs: at least so many envido points; lacking at most so many points of the match."""

LOWEST, MIDDLE, HIGHEST, COVERED = range(4)
"""Labels of cards by their strength in the hand, and of the weakest card played face down."""


@rule
def may_leave(s, seat):
    """Return whether going to the deck is considered: only as the mão's very first action.

    Later, a seat that gives up a hand plays a card and refuses.
    """
    return s.round == 0 and seat == s.mao and s.called == 0 and s.envido_stake == 0 and s.played[seat, 0] == k.NONE


# --- Chances ------------------------------------------------------------------------------------


STRENGTHS = k.STRENGTH[: len(CARDS)]
WEAKER, EQUAL = (
    np.array([sum(1 << int(card) for card in np.flatnonzero(is_so(STRENGTHS, mine))) for mine in range(CLASSES + 1)])
    for is_so in (np.less, np.equal)
)
"""Cards that a card of each strength beats, and those that it ties with, as sets of bits."""


@rule
def beats(unseen, card):
    """Return the share of a set of unseen cards that `card` beats, ties counting half; 0 without a card."""
    mine = k.strength(card)
    return (count(unseen & WEAKER[mine]) + 0.5 * count(unseen & EQUAL[mine])) / count(unseen)


@rule
def win_chance(s, seat):
    """Estimate the chance of winning the hand by cards, with rounds taken as independent."""
    other = 1 - seat
    a, b, c = strongest_first(s.hands[seat])
    unseen = unseen_bits(s)
    best, mid, low = beats(unseen, a), beats(unseen, b), beats(unseen, c)
    r = s.round
    mine, theirs = s.played[seat, r], s.played[other, r]
    if mine != k.NONE:  # this round waits for the other's card
        now = beats(unseen, mine) if mine < k.FACE_DOWN else 0.0
    elif theirs != k.NONE:  # the other has played: win with the cheapest sufficient card
        now, best, mid, low = answer_chance(s, seat, theirs, best, mid, low)
    else:
        now, best, mid = best, mid, low
    return combine(s, seat, now, best, mid)


@rule
def answer_chance(s, seat, theirs, best, mid, low):
    """Return the chance of winning this round against a card on the table, and the chances of the remaining cards."""
    answer = cheapest_winner(s, seat, theirs)
    if answer == k.NONE:
        tie = False
        for i in range(3):
            card = s.hands[seat, i]
            tie |= card != k.NONE and k.strength(card) == k.strength(theirs)
        return (0.5 if tie else 0.0), best, mid, low
    p = beats(unseen_bits(s), answer)
    if p == best:
        return 1.0, mid, low, 0.0
    if p == mid:
        return 1.0, best, low, 0.0
    return 1.0, best, mid, 0.0


@rule
def combine(s, seat, now, second, third):
    """Return the chance of winning the hand from the chances of this round and the next two."""
    if s.round == 0:
        return now * (1 - (1 - second) * (1 - third)) + (1 - now) * second * third
    first = s.winners[0]
    if s.round == 1:
        if first == seat:
            return 1 - (1 - now) * (1 - second)
        return now if first == TIE else now * second
    return now


# --- Rewards ------------------------------------------------------------------------------------

STEEPNESS = 1.38  # slope of the win chance by the lead: a logistic fit to 300 matches of `markov-plus` and `cfr`
MATCH_WORTH = 20.0  # scale: a point is worth about 1 at the start of a match


@rule
def chance(mine, theirs, target):
    """Return the chance of the seat with `mine` points to win the match, by the score alone."""
    if mine >= target or theirs >= target:
        return 1.0 if mine >= target else 0.0
    return 1 / (1 + math.exp(-STEEPNESS * (mine - theirs) / math.sqrt(2 * target - mine - theirs)))


@implements(rewards.scheme_value, k.RECORD)
@njit
def scheme_value(s, seat, scheme):
    """Return the chance of winning the match (scheme `MATCH`), also where a game has fewer hands; else the payoff."""
    if scheme == MATCH:
        return MATCH_WORTH * chance(s.scores[seat], s.scores[1 - seat], s.target)
    if not kernel.over(s):
        return 0.0
    out = np.zeros(2)
    kernel.payoff(s, out)
    return out[seat]


@implements(rewards.game_part, k.RECORD)
@njit
def game_part(s):
    """Return the number of the hand: a choice's effects end with its hand, and the score says what they are worth."""
    return np.int64(s.hand_number)
