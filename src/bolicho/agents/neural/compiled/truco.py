"""Coding of Truco: hands by strength of cards, actions by rank.

Cards are described by their class and by the number of unseen cards they beat, weakest first, so that the net need not
learn the order of forty cards. The outputs are the weakest, the middle and the strongest card, the weakest face down,
and the calls, as in `agents.cfr.truco`. Suits matter only for envido and flor, whose points are inputs.
"""

import numpy as np

from bolicho.agents.compiled.truco import COVERED, ENVIDO, LACKING, MATCH, may_leave
from bolicho.agents.inputs.truco import say_input
from bolicho.agents.neural.compiled import codings
from bolicho.agents.neural.compiled.codings import FEATURES, Binding, Coding
from bolicho.games import kernel
from bolicho.games.jit import njit, rule
from bolicho.games.kernel import implements
from bolicho.games.truco import kernel as k
from bolicho.games.truco.compiled.hand import TIE
from bolicho.games.truco.compiled.lexicon import (
    card_to_beat,
    class_of,
    class_played,
    num_held,
    unseen_classes,
    weakest_first,
)
from bolicho.games.truco.lexicon import CLASSES, ENVIDO_CALLS, FLOR_CALLS, MOST_ENVIDO, MOST_FLOR, TRUCO_CALLS
from bolicho.games.truco.rules import CALLS, LENGTH

HAND = FEATURES + 1
"""Coding in addition to that of every game."""

CARDS = 3
FIRST_CALL = COVERED + 1
OUTPUTS = FIRST_CALL + len(CALLS)

SCALE_STAKE, SCALE_SCORE = 8.0, 24.0


# --- Outputs ------------------------------------------------------------------------------------


@implements(codings.unit, k.RECORD)
@njit
def unit(s, coding, action):
    if coding != HAND:
        return np.int64(action)
    seat = np.int64(s.turn)
    if action >= k.TRUCO:
        return np.int64(-1 if action == k.BARALHO and not may_leave(s, seat) else FIRST_CALL + action - k.TRUCO)
    held, n = weakest_first(s.hands[seat]), num_held(s, seat)
    if action >= k.FACE_DOWN:
        return np.int64(COVERED if n > 1 and action - k.FACE_DOWN == held[0] else -1)
    for i in range(n):
        if held[i] == action:
            return np.int64(i)
    return np.int64(-1)


# --- Inputs -------------------------------------------------------------------------------------


@njit
def encode_cards(s, seat, out):
    """Encode each card in hand, weakest first: its class, the shares of unseen cards below and equal, and the table."""
    held, left = weakest_first(s.hands[seat]), np.empty(CLASSES, np.int64)
    total, against = unseen_classes(s, seat, left), card_to_beat(s, seat)
    at = 0
    for i in range(CARDS):
        if held[i] != k.NONE:
            own = np.int64(class_of(held[i]))
            out[at + own] = 1
            below = 0
            for weaker in range(own):
                below += left[weaker]
            out[at + CLASSES] = below / total
            out[at + CLASSES + 1] = left[own] / total
            if against != k.NONE:
                theirs = class_played(against)
                out[at + CLASSES + 2] = own > theirs
                out[at + CLASSES + 3] = own == theirs
        at += CLASSES + 4
    return at


@rule
def encode_rounds(s, seat, out):
    """Encode each round: cards by class, and its winner."""
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
            out[at + 4 + strength] = 1  # strength 0: face down
        at += 5 + CLASSES
    return at


@rule
def encode_moment(s, seat, out):
    """Encode the action to take, and the truco so far."""
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
    """Encode one's own points, the calls, and their result."""
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
    """Encode the current stakes, and the points that both seats lack."""
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


# --- Names of inputs ----------------------------------------------------------------------------

_CARD = [
    *(f"class {c + 1}" for c in range(CLASSES)),
    "unseen cards it beats", "unseen cards it ties", "beats the table", "ties the table",
]  # fmt: skip
_ROUND = ["won", "lost", "tied", "my card", "other face down", *(f"other of class {c + 1}" for c in range(CLASSES))]
_MOMENT = [
    "mão", "my card is awaited", *(f"round {r + 1} now" for r in range(CARDS)),
    "nothing to answer", "a truco to answer", "an envido to answer", "a flor to answer",
    *(f"the hand is worth {level + 1}" for level in range(4)),
    "no truco called", *(f"{call} called" for call in TRUCO_CALLS), "I may raise",
    *(f"I called {call}" for call in TRUCO_CALLS), *(f"other called {call}" for call in TRUCO_CALLS),
]  # fmt: skip
_ENVIDO = [
    *(f"my envido is {points} or more" for points in ENVIDO), "my envido",
    *(f"I called {call}" for call in ENVIDO_CALLS), *(f"other called {call}" for call in ENVIDO_CALLS),
    "I called envido again", "other called envido again", "envido is open", "I won the envido", "other won the envido",
    "points I showed", "points shown to me",
]  # fmt: skip
_FLOR = [
    "I have a flor", "other has a flor", "points of my flor",
    *(f"I called {call}" for call in FLOR_CALLS), *(f"other called {call}" for call in FLOR_CALLS),
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
    """Return a name for each input of a net."""
    return NAMES


BINDING = Binding(
    seats=2,
    codings={"hand": Coding(HAND, ((INPUTS, OUTPUTS),), apart=LENGTH)},
    schemes={"match": MATCH},
    input_names=input_names,
    say_input=say_input,
    scripted="balanced",
    length=LENGTH,
    of_length=("my score", "other's score"),
)
