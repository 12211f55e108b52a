"""Truco for learners: a hand by the strength of its cards, and choices by their rank.

No net has to find out which of forty cards beats which: cards are told by their class and by how many of the unseen
ones they beat, weakest first.  The outputs are the weakest, the middle and the strongest card, the weakest face down,
and the calls: what `agents.cfr.truco` considers too.  Suits matter for envido and flor alone, whose points are told.
"""

import math

import numpy as np

from bolicho.agents.cfr.truco.kernel import COVERED, may_leave, weakest_first
from bolicho.agents.neural.compiled import codings
from bolicho.agents.neural.compiled.codings import FEATURES, PAYOFF, Binding, Coding
from bolicho.agents.neural.truco import say_input
from bolicho.games import kernel
from bolicho.games.jit import njit, rule
from bolicho.games.kernel import implements
from bolicho.games.truco import kernel as k
from bolicho.games.truco.compiled.hand import TIE
from bolicho.games.truco.rules import CALLS, LENGTH, STRENGTH_CLASSES

HAND = FEATURES + 1
"""The coding beside the one of every game."""

MATCH = PAYOFF + 1
"""The scheme beside the one of every game."""

CARDS = 3
CLASSES = len(STRENGTH_CLASSES)
IN_CLASS = np.array([0, *(len(cards) for cards in STRENGTH_CLASSES)], np.int64)  # cards of each strength
FIRST_CALL = COVERED + 1
OUTPUTS = FIRST_CALL + len(CALLS)

ENVIDO = np.array([4, 6, 20, 23, 25, 26, 27, 28, 29, 30, 31, 32, 33])
LACKING = np.array([1, 2, 3, 4, 6, 9, 12])
"""Points from which on, and lacking points up to which, there is an input of its own."""

MOST_ENVIDO, MOST_FLOR = 33.0, 38.0
SCALE_STAKE, SCALE_SCORE = 8.0, 24.0


# --- Outputs ------------------------------------------------------------------------------------


@rule
def num_held(s, seat):
    n = 0
    while n < CARDS and s.hands[seat, n] != k.NONE:
        n += 1
    return n


@implements(codings.unit, k.RECORD)
@njit
def unit(s, coding, action):
    if coding != HAND:
        return np.int64(action)
    seat = np.int64(s.turn)
    if action >= k.TRUCO:
        return np.int64(-1 if action == k.BARALHO and not may_leave(s, seat) else FIRST_CALL + action - k.TRUCO)
    held, n = np.empty(CARDS, np.int64), num_held(s, seat)
    weakest_first(s, seat, n, held)
    if action >= k.FACE_DOWN:
        return np.int64(COVERED if n > 1 and action - k.FACE_DOWN == held[0] else -1)
    for i in range(n):
        if held[i] == action:
            return np.int64(i)
    return np.int64(-1)


# --- Inputs -------------------------------------------------------------------------------------


@rule
def count_unseen(s, seat, left):
    """How many cards of each strength the seat has not seen; how many in all."""
    other, total = 1 - seat, 0
    for i in range(CLASSES + 1):
        left[i] = IN_CLASS[i]
    for i in range(CARDS):
        left[k.strength(s.dealt[seat, i])] -= 1
        if 0 <= s.played[other, i] < k.FACE_DOWN:
            left[k.strength(s.played[other, i])] -= 1
    for i in range(1, CLASSES + 1):
        total += left[i]
    return total


@njit
def encode_cards(s, seat, out):
    """Each card in hand, weakest first: its class, the share of unseen cards below it and beside it, and the table."""
    held, left, n = np.empty(CARDS, np.int64), np.empty(CLASSES + 1, np.int64), num_held(s, seat)
    total = count_unseen(s, seat, left)
    against = s.played[1 - seat, s.round] if s.played[seat, s.round] == k.NONE else k.NONE
    weakest_first(s, seat, n, held)
    at = 0
    for i in range(CARDS):
        if i < n:
            own = np.int64(k.strength(held[i]))
            out[at + own - 1] = 1
            below = 0
            for strength in range(1, own):
                below += left[strength]
            out[at + CLASSES] = below / total
            out[at + CLASSES + 1] = left[own] / total
            if against != k.NONE:
                theirs = k.strength(against)
                out[at + CLASSES + 2] = own > theirs
                out[at + CLASSES + 3] = own == theirs
        at += CLASSES + 4
    return at


@rule
def encode_rounds(s, seat, out):
    """What each round was: cards by class, and who won it."""
    other, at = 1 - seat, 0
    for r in range(CARDS):
        mine, theirs = s.played[seat, r], s.played[other, r]
        out[at] = s.winners[r] == seat
        out[at + 1] = s.winners[r] == other
        out[at + 2] = s.winners[r] == TIE
        if mine != k.NONE:
            out[at + 3] = k.strength(mine) / CLASSES
        if theirs != k.NONE:
            strength = np.int64(k.strength(theirs))
            out[at + 4 + strength] = 1  # 0: face down
        at += 5 + CLASSES
    return at


@rule
def encode_moment(s, seat, out):
    """Whose turn it is to do what, and the truco so far."""
    other = 1 - seat
    out[0] = s.mao == seat
    out[1] = s.player == seat
    out[2 + s.round] = 1
    out[5 + s.pending] = 1
    out[9 + s.level] = 1
    out[13 + s.called] = 1
    out[17] = k.may_raise(s, seat)
    for level in range(3):
        out[18 + level] = s.truco_by[level] == seat
        out[21 + level] = s.truco_by[level] == other
    return 24


@rule
def encode_envido(s, seat, out):
    """My points, what was called, and how it came out."""
    other, points = 1 - seat, np.int64(k.envido_of(s, seat))
    for i in range(len(ENVIDO)):
        out[i] = points >= ENVIDO[i]
    at = len(ENVIDO)
    out[at] = points / MOST_ENVIDO
    for kind in range(3):
        out[at + 1 + kind] = s.envido_by[kind] == seat
        out[at + 4 + kind] = s.envido_by[kind] == other
    out[at + 7] = s.envido_again == seat
    out[at + 8] = s.envido_again == other
    out[at + 9] = k.may_open_envido(s, seat)
    out[at + 10] = s.envido_winner == seat
    out[at + 11] = s.envido_winner == other
    if s.envido_shown > 0:
        out[at + 12 + (s.envido_winner == other)] = s.envido_shown / MOST_ENVIDO
    return at + 14


@rule
def encode_flor(s, seat, out):
    other = 1 - seat
    out[0] = s.has_flor[seat] == 1
    out[1] = s.has_flor[other] == 1
    out[2] = k.flor_of(s, seat) / MOST_FLOR if k.holds_flor(s, seat) else 0
    for kind in range(2):
        out[3 + kind] = s.flor_by[kind] == seat
        out[5 + kind] = s.flor_by[kind] == other
    return 7


@rule
def encode_score(s, seat, out):
    """What is at stake now, and what the two still lack."""
    stake, refused = k.standing_bet(s)
    out[0] = stake / SCALE_STAKE
    out[1] = refused / SCALE_STAKE
    out[2] = k.falta(s) / SCALE_SCORE
    out[3] = k.must_fight(s, seat)
    at = 4
    for who in range(2):
        lacks = s.target - s.scores[seat if who == 0 else 1 - seat]
        out[at] = lacks / SCALE_SCORE
        for i in range(len(LACKING)):
            out[at + 1 + i] = lacks <= LACKING[i]
        at += 1 + len(LACKING)
    return at


@implements(codings.encode, k.RECORD)
@njit
def encode(s, seat, coding, out):
    if coding != HAND:
        return kernel.features(s, seat, out)
    out[:INPUTS] = 0
    at = encode_cards(s, seat, out)
    at += encode_rounds(s, seat, out[at:])
    at += encode_moment(s, seat, out[at:])
    at += encode_envido(s, seat, out[at:])
    at += encode_flor(s, seat, out[at:])
    return at + encode_score(s, seat, out[at:])


# --- Rewards ------------------------------------------------------------------------------------

STEEPNESS = 1.38  # of the chance of winning a match by the lead: a logistic fit to 300 of `markov-plus` and `cfr`
MATCH_WORTH = 20.0  # so that a point is worth about 1 where a match begins


@rule
def chance(mine, theirs, target):
    """How likely who has `mine` points wins a match, by the score alone."""
    if mine >= target or theirs >= target:
        return 1.0 if mine >= target else 0.0
    return 1 / (1 + math.exp(-STEEPNESS * (mine - theirs) / math.sqrt(2 * target - mine - theirs)))


@implements(codings.worth, k.RECORD)
@njit
def worth(s, seat, scheme):
    """Ours: the chance of winning the match, however few hands of it are played."""
    if scheme == MATCH:
        return MATCH_WORTH * chance(s.scores[seat], s.scores[1 - seat], s.target)
    if not kernel.over(s):
        return 0.0
    out = np.zeros(2)
    kernel.payoff(s, out)
    return out[seat]


@implements(codings.chapter, k.RECORD)
@njit
def chapter(s):
    """Hand by hand: what a choice brings is seen when its hand is over, and the score says what that is worth."""
    return np.int64(s.hand_number)


# --- What the inputs mean -----------------------------------------------------------------------

_RAISES, _BETS, _FLOR_BETS = CALLS[:3], CALLS[3:6], CALLS[7:9]
_CARD = [
    *(f"class {c + 1}" for c in range(CLASSES)),
    "unseen cards it beats", "unseen cards it ties", "beats the table", "ties the table",
]  # fmt: skip
_ROUND = ["won", "lost", "tied", "my card", "other face down", *(f"other of class {c + 1}" for c in range(CLASSES))]
_MOMENT = [
    "mão", "my card is awaited", *(f"round {r + 1} now" for r in range(CARDS)),
    "nothing to answer", "a truco to answer", "an envido to answer", "a flor to answer",
    *(f"the hand is worth {level + 1}" for level in range(4)),
    "no truco called", *(f"{call} called" for call in _RAISES), "I may raise",
    *(f"I called {call}" for call in _RAISES), *(f"other called {call}" for call in _RAISES),
]  # fmt: skip
_ENVIDO = [
    *(f"my envido is {points} or more" for points in ENVIDO), "my envido",
    *(f"I called {call}" for call in _BETS), *(f"other called {call}" for call in _BETS),
    "I called envido again", "other called envido again", "envido is open", "I won the envido", "other won the envido",
    "points I showed", "points shown to me",
]  # fmt: skip
_FLOR = [
    "I have a flor", "other has a flor", "points of my flor",
    *(f"I called {call}" for call in _FLOR_BETS), *(f"other called {call}" for call in _FLOR_BETS),
]  # fmt: skip
_SCORE = [
    "stake if accepted", "stake if refused", "falta", "refusing loses the match",
    "points I lack", *(f"I lack {points} or fewer" for points in LACKING),
    "points other lacks", *(f"other lacks {points} or fewer" for points in LACKING),
]  # fmt: skip
NAMES = (
    *(f"my card {i + 1}: {what}" for i in range(CARDS) for what in _CARD),
    *(f"round {r + 1}: {what}" for r in range(CARDS) for what in _ROUND),
    *_MOMENT, *_ENVIDO, *_FLOR, *_SCORE,
)  # fmt: skip
INPUTS = len(NAMES)


def input_names(game, coding, which):
    """A name for each input of a net."""
    return NAMES


BINDING = Binding(
    seats=2,
    codings={"hand": Coding(HAND, ((INPUTS, OUTPUTS),), apart=LENGTH)},
    schemes={"match": MATCH},
    input_names=input_names,
    say_input=say_input,
    scripted="balanced",
)
