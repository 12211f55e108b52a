"""Memory of a player: the current hand as its seat saw it, the questions it answered, bluffs."""

import numpy as np

from bolicho.agents.markov.layout import ASKED_SHAPE
from bolicho.agents.markov.states import NUM_TRUCO
from bolicho.games.jit import rule
from bolicho.games.kernel import CHOSE
from bolicho.games.truco import kernel as k
from bolicho.games.truco.compiled.lexicon import NOBODY
from bolicho.games.truco.compiled.reading import READ, begin_reading, read_event
from bolicho.games.truco.compiled.unseen import dealt_cards

MEMORY = np.dtype(
    [
        # The current hand, read from events.
        ("mao", "i1"),
        ("mine", "i1", (3,)),  # own cards; NONE first while there is no hand
        ("played", "i1", (2, 3)),  # by seat and round, as public
        *READ,
        ("why", "i1"),  # reason why the hand was won
        ("envido_shown", "i1"),  # the winner's points, when accepted
        ("flor_shown", "i1"),
        ("told", "i1"),  # the opponent's points of envido or flor, where a trainer provides them
        ("asked", "i2", ASKED_SHAPE),  # questions and answers of a learning player in this hand
        # The match.
        ("bluffs", "i2", (NUM_TRUCO,)),  # number of observed bluffs of the opponent, by hand
        ("bluffed", "i2"),  # total number of bluffs
    ],
    align=True,
)
"""All fields follow from the events that the seat saw, except `asked`, which does not affect decisions."""


@rule
def no_hand(h):
    """Reset the memory of a hand."""
    for i in range(3):
        h.mine[i] = k.NONE
        h.played[0, i] = k.NONE
        h.played[1, i] = k.NONE
    h.mao = k.NONE
    begin_reading(h)
    h.why = h.envido_shown = h.flor_shown = h.told = k.NONE
    h.asked[-1, 0] = 0


@rule
def open_hand(h, row):
    """Start a new hand, from the event DEALT."""
    no_hand(h)
    h.mao = row[1]
    h.mine[0], h.mine[1], h.mine[2] = dealt_cards(row[3])


@rule
def note(h, seat, row):
    """Read one event into the hand as `seat` sees it."""
    kind, who, value, extra = row[0], row[1], row[2], row[3]
    if kind == CHOSE and value < k.TRUCO:
        h.played[who, extra] = value
    elif kind == k.ENVIDO_SHOWN:
        h.envido_shown = value
    elif kind == k.FLOR_SHOWN:
        h.flor_shown = value
    elif kind == k.POINTS and extra > k.BY_FLOR:
        h.why = extra
    read_event(h, seat, row)


@rule
def was_raised(h):
    """Return whether truco was called in a hand with a winner."""
    return h.truco_by[0] != NOBODY and h.hand_won != 0
