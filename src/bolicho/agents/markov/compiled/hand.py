"""A hand as one seat saw it, told by the events everybody saw."""

import numpy as np

from bolicho.games.jit import rule
from bolicho.games.kernel import CHOSE
from bolicho.games.truco import kernel as k

HAND = np.dtype(
    [
        ("mao", "i1"),
        ("mine", "i1", (3,)),  # one's own cards; NONE first when they were never seen
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
    ],
    align=True,
)


@rule
def open_hand(h, mao):
    """A new hand, nothing known."""
    h.mao = mao
    for i in range(3):
        h.mine[i] = k.NONE
        h.played[0, i] = k.NONE
        h.played[1, i] = k.NONE
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
