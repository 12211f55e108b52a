"""What a player remembers of a game: the hand under way as its seat saw it, what it asked itself, bluffs."""

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
        # The hand under way, told by the events.
        ("mao", "i1"),
        ("mine", "i1", (3,)),  # one's own cards; NONE first while there is no hand
        ("played", "i1", (2, 3)),  # by seat and round, as everybody saw them
        *READ,
        ("why", "i1"),  # the hand was won
        ("envido_shown", "i1"),  # the winner's points, when accepted
        ("flor_shown", "i1"),
        ("told", "i1"),  # the opponent's points of envido or flor, where a trainer says them
        ("asked", "i2", ASKED_SHAPE),  # of one that learns: its questions and answers in this hand
        # The match.
        ("bluffs", "i2", (NUM_TRUCO,)),  # how often the opponent was seen to bluff with a hand
        ("bluffed", "i2"),  # and with any
    ],
    align=True,
)
"""But for `asked`, which nobody decides by, everything here follows from what the seat saw happen."""


@rule
def no_hand(h):
    """Nothing is known of a hand."""
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
    """A new hand, as the event DEALT tells it."""
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
    """Whether truco was called in a hand that somebody won."""
    return h.truco_by[0] != NOBODY and h.hand_won != 0
