"""After-states of Truco: small numbers, and tables over combinations of them.

Each number (`FIELDS`) is information of a seat after its action; each row of `GROUPS` is a table with a feature for
every combination of some of them, exactly one of which is active. So the value of an after-state is the sum of one
entry per table.
"""

import itertools

import numpy as np

from bolicho.agents.compiled.truco import ENVIDO, LACKING, MATCH
from bolicho.agents.explanation import listed
from bolicho.agents.inputs.truco import say_input
from bolicho.agents.sarsa.compiled.after import after_features, default_features
from bolicho.games.jit import njit, rule
from bolicho.games.kernel import implements
from bolicho.games.truco import kernel as k
from bolicho.games.truco.compiled.hand import OPEN, TIE, hand_winner, round_winner
from bolicho.games.truco.compiled.lexicon import card_to_beat
from bolicho.games.truco.lexicon import CLASSES
from bolicho.games.truco.rules import LENGTH
from bolicho.i18n import Message

SCHEME = MATCH
APART = LENGTH
"""Reward scheme, and the rules that may differ from those of the training."""

(LED, TOOK, TIED, LOST, WON_HAND, LOST_HAND, CALLED, ACCEPTED, GAVE_UP, BET, BET_ACCEPTED, BET_REFUSED,
 FLOR, FLOR_RAISED, FLOR_ACCEPTED, FLOR_REFUSED) = range(16)  # fmt: skip
KINDS = (
    "card led", "round won", "round tied", "round lost", "hand won", "hand lost", "raise called", "raise accepted",
    "hand given up", "envido called", "envido accepted", "envido refused", "flor answered", "flor raised",
    "flor accepted", "flor refused",
)  # fmt: skip
"""Effects of an action on a hand."""

SITUATIONS = (
    "first round", "first round won", "first round tied", "first round lost",
    "a round each after winning the first", "a round each after losing the first", "two rounds tied",
)  # fmt: skip
STAKES = (0, 2, 3, 5, 8, 12)  # upper bounds of steps of an envido or flor stake; the last for more
NO_TABLE = 4  # no card of the other seat to beat

KIND, MAO, STORY, LEVEL, BEST, SECOND, THIRD, MINE, BEATS, POINTS, STAKE, LACKS, OTHER_LACKS = range(13)
FIELDS = (
    KINDS,
    ("pé", "mão"),
    SITUATIONS,
    tuple(f"the hand is worth {level + 1}" for level in range(4)),
    *(
        (f"no {which} card", *(f"{which} card of class {c + 1}" for c in range(CLASSES)))
        for which in ("best", "second", "third")
    ),
    ("no card of mine seen", *(f"my card of class {c + 1}" for c in range(CLASSES))),
    (*(f"{n} cards beat the table" for n in range(NO_TABLE)), "no card to beat"),
    ("my envido is below 4", *(f"my envido is {points} or more" for points in ENVIDO)),
    (
        "no bet",
        *(f"a bet of {points} points at most" for points in STAKES[1:]),
        f"a bet of more than {STAKES[-1]} points",
    ),
    *(
        (*(f"{who} {points} or fewer" for points in LACKING), f"{who} more than {LACKING[-1]}")
        for who in ("I lack", "other lacks")
    ),
)
"""Values of each field, as text."""

GROUPS = (
    (KIND, MAO, LEVEL),
    (KIND, STORY, BEST),
    (KIND, STORY, SECOND),
    (KIND, BEST, SECOND),
    (KIND, THIRD),
    (KIND, STORY, MINE),
    (KIND, BEATS, LEVEL),
    (KIND, MAO, POINTS),
    (KIND, STAKE, POINTS),
    (KIND, LACKS, OTHER_LACKS),
)
JOINED = ", "  # separator of the fields' texts in a feature's name

NONE = -1
STAKE_EDGES = np.array([points + 1 for points in STAKES], np.int64)
LACKING_EDGES = LACKING + 1
SIZES = np.array([len(values) for values in FIELDS], np.int64)
TABLES = np.array([(*group, NONE)[:3] for group in GROUPS], np.int64)
STARTS = np.cumsum([0, *(int(np.prod([len(FIELDS[field]) for field in group])) for group in GROUPS)])


def names(game, perfect):
    """Return the name of each feature, by index."""
    if perfect:
        return list(game.feature_names)
    return [JOINED.join(words) for group in GROUPS for words in itertools.product(*(FIELDS[field] for field in group))]


def say_feature(name: str) -> Message:
    """Return the name of a feature for people, made of its parts."""
    return Message("agents.list", what=listed(say_input(part) for part in name.split(", ")))


# --- After-states -------------------------------------------------------------------------------


@rule
def step_of(edges, x):
    """Return how many of the ascending edges `x` has reached."""
    n = np.int64(0)
    for edge in edges:
        n += x >= edge
    return n


@rule
def situation_of(first, second, seat):
    """Return the index in `SITUATIONS` of a hand that continues."""
    if first == OPEN:
        return 0
    if second != OPEN:
        return 6 if first == TIE else (4 if first == seat else 5)
    return 2 if first == TIE else (1 if first == seat else 3)


@rule
def play(s, seat, action, cell):
    """Write the effects of a card on the round and the hand."""
    r, other = np.int64(s.round), 1 - seat
    own = np.int64(k.strength(action))
    cell[MINE] = own
    first, second = np.int64(s.winners[0]), np.int64(s.winners[1])
    against = s.played[other, r]
    if against == k.NONE:
        cell[KIND] = LED
        cell[STORY] = situation_of(first, second, seat)
        return
    theirs = np.int64(k.strength(against))
    won = round_winner(own, theirs)
    won = won if won == TIE else (seat if won == 0 else other)
    third = np.int64(OPEN)
    if r == 0:
        first = won
    elif r == 1:
        second = won
    else:
        third = won
    winner = hand_winner(first, second, third, s.mao)
    if winner != OPEN:
        cell[KIND] = WON_HAND if winner == seat else LOST_HAND
        return
    cell[KIND] = TIED if won == TIE else (TOOK if won == seat else LOST)
    cell[STORY] = situation_of(first, second, seat)


@rule
def call(s, action, cell):
    """Write the effects of a call or an answer."""
    if action <= k.VALE4:
        cell[KIND] = CALLED
        cell[LEVEL] = s.called
    elif action <= k.FALTA:
        cell[KIND] = BET
        cell[STAKE] = k.envido_bet(s, action - k.ENVIDO)[0]
    elif action == k.BARALHO or (s.pending == k.TRUCO_BET and action == k.NAO):
        cell[KIND] = GAVE_UP
    elif s.pending == k.TRUCO_BET:
        cell[KIND] = ACCEPTED
        cell[LEVEL] = s.called
    elif s.pending == k.ENVIDO_BET:
        cell[KIND] = BET_ACCEPTED if action == k.QUERO else BET_REFUSED
        cell[STAKE] = k.standing_bet(s)[0 if action == k.QUERO else 1]
    elif action == k.FLOR:
        cell[KIND] = FLOR
        cell[STAKE] = s.flor_points
    elif action <= k.RESTO:
        cell[KIND] = FLOR_RAISED
        cell[STAKE] = k.flor_bet(s, action == k.CONTRAFLOR or s.flor_by[0] != k.NONE, action == k.RESTO)[0]
    else:
        cell[KIND] = FLOR_ACCEPTED if action == k.QUERO else FLOR_REFUSED
        cell[STAKE] = k.standing_bet(s)[0 if action == k.QUERO else 1]


@rule
def hold(s, seat, gone, cell):
    """Write the cards left in hand, strongest first, and how many of them beat the card on the table."""
    against = card_to_beat(s, seat)
    beat = np.int64(0)
    for i in range(3):
        card = s.hands[seat, i]
        if card != k.NONE and card != gone:
            own = np.int64(k.strength(card))
            beat += against != k.NONE and own > k.strength(against)
            for place in range(BEST, THIRD + 1):
                if own > cell[place]:
                    own, cell[place] = cell[place], own
    cell[BEATS] = beat if against != k.NONE and gone == k.NONE else NO_TABLE


@njit
def describe(s, seat, action, cell):
    """Write the fields of an action's effects, from the information of the seat."""
    cell[:] = 0
    cell[MAO] = s.mao == seat
    cell[LEVEL] = s.level
    hold(s, seat, action % k.FACE_DOWN if action < k.TRUCO else k.NONE, cell)
    if action < k.TRUCO:
        play(s, seat, action, cell)
    else:
        cell[STORY] = situation_of(np.int64(s.winners[0]), np.int64(s.winners[1]), seat)
        cell[MINE] = k.strength(s.played[seat, s.round]) if s.played[seat, s.round] != k.NONE else 0
        call(s, action, cell)
    cell[POINTS] = step_of(ENVIDO, k.envido_of(s, seat))
    cell[STAKE] = step_of(STAKE_EDGES, cell[STAKE])
    cell[LACKS] = step_of(LACKING_EDGES, s.target - s.scores[seat])
    cell[OTHER_LACKS] = step_of(LACKING_EDGES, s.target - s.scores[1 - seat])


@implements(after_features, k.RECORD)
@njit
def after_choice(s, pool, seat, action, perfect, index, value):
    """Write one feature of each table; with full information, the game's own features."""
    if perfect:
        return default_features(s, pool, seat, action, perfect, index, value)
    cell = np.empty(len(SIZES), np.int64)
    describe(s, seat, np.int64(action), cell)
    for group in range(len(TABLES)):
        place = np.int64(0)
        for field in TABLES[group]:
            if field != NONE:
                place = place * SIZES[field] + cell[field]
        index[group] = STARTS[group] + place
        value[group] = 1
    return len(TABLES)
