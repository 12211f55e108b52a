"""What a player remembers of a game: the hand under way as its seat saw it, what it asked itself, bluffs."""

import numpy as np

from bolicho.agents.markov.layout import ASKED_SHAPE
from bolicho.agents.markov.states import NUM_TRUCO
from bolicho.games.jit import rule
from bolicho.games.kernel import CHOSE
from bolicho.games.truco import kernel as k
from bolicho.games.truco.compiled.unseen import dealt_cards

MEMORY = np.dtype(
    [
        # The hand under way, told by the events.
        ("mao", "i1"),
        ("mine", "i1", (3,)),  # one's own cards; NONE first while there is no hand
        ("played", "i1", (2, 3)),  # by seat and round, as everybody saw them
        ("called", "i1"),  # how far the truco was raised
        ("caller", "i1"),  # who called last
        ("winner", "i1"),  # of the hand, and why
        ("why", "i1"),
        ("envido_called", "i1"),
        ("envido_winner", "i1"),
        ("envido_shown", "i1"),  # the winner's points, when accepted
        ("flor_raised", "i1"),
        ("flor_winner", "i1"),
        ("flor_shown", "i1"),
        ("told", "i1"),  # the opponent's points of envido or flor, where a trainer says them
        ("hand_points", "i2"),  # won minus lost, by the hand and by envido and flor
        ("bet_points", "i2"),
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
    h.called = 0
    h.caller = k.NONE
    h.winner = k.NONE
    h.why = k.NONE
    h.envido_called = 0
    h.envido_winner = k.NONE
    h.envido_shown = k.NONE
    h.flor_raised = 0
    h.flor_winner = k.NONE
    h.flor_shown = k.NONE
    h.told = k.NONE
    h.hand_points = 0
    h.bet_points = 0
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
    if kind == CHOSE:
        if value < k.TRUCO:
            h.played[who, extra] = value
        elif value <= k.VALE4:
            h.called = value - k.TRUCO + 1
            h.caller = who
        elif value <= k.FALTA:
            h.envido_called = 1
        elif value == k.CONTRAFLOR or value == k.RESTO:
            h.flor_raised = 1
    elif kind == k.ENVIDO_SHOWN:
        h.envido_shown = value
    elif kind == k.FLOR_SHOWN:
        h.flor_shown = value
    elif kind == k.POINTS:
        gain = value if who == seat else -value
        if extra == k.BY_ENVIDO:
            h.envido_winner = who
            h.bet_points += gain
        elif extra == k.BY_FLOR:
            h.flor_winner = who
            h.bet_points += gain
        else:
            h.winner = who
            h.why = extra
            h.hand_points += gain


@rule
def shown_cards(h, other):
    """How many of the opponent's cards were shown."""
    shown = 0
    for r in range(3):
        shown += 0 <= h.played[other, r] < k.FACE_DOWN
    return shown
