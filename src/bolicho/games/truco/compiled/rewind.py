"""Rewinding a hand of Truco to its opening (`rewind`), for replay; compiled."""

from bolicho.games import kernel
from bolicho.games.compiled.events import wipe_events
from bolicho.games.jit import rule
from bolicho.games.kernel import CHOSE, implements
from bolicho.games.truco.kernel import DEALT, RECORD, UNSEEN, open_hand


@implements(kernel.rewind, RECORD)
@rule
def rewind(s, rows):
    first = len(rows) - 1
    while first >= 0 and rows[first, 0] != DEALT:
        if rows[first, 0] == CHOSE and rows[first, 2] == UNSEEN:  # fill in which card lies there face down
            rows[first, 2] = s.played[rows[first, 1], rows[first, 3]]
        first -= 1
    if first >= 0:
        for seat in range(2):
            s.scores[seat] -= s.hand_points[seat] + s.bet_points[seat]
        last = s.num_events
        s.num_events = 0
        open_hand(s)
        wipe_events(s, last)
    return first
