"""How a kernel notes what an action did: the rows of `events` (see `games.kernel`)."""

from bolicho.games.jit import rule
from bolicho.games.kernel import CHOSE


@rule
def begin(s):
    """A game begins: seat 0 is to act, nothing has happened, no seed."""
    s.seed = 0
    s.turn = 0
    s.num_events = 0
    s.events[:] = 0


@rule
def choose(s, action):
    """An action begins: note that the seat to act chose it, and nothing of what was before."""
    s.num_events = 0
    s.events[:] = 0
    log(s, CHOSE, s.turn, action, 0)


@rule
def log(s, kind, seat, value, extra):
    """Note one more event of the action under way."""
    n = s.num_events
    s.events[n, 0] = kind
    s.events[n, 1] = seat
    s.events[n, 2] = value
    s.events[n, 3] = extra
    s.num_events = n + 1


@rule
def wipe_events(s, last):
    """Zero the rows the last action used and this one did not: equal positions are equal bytes."""
    for i in range(s.num_events, last):
        for j in range(4):
            s.events[i, j] = 0
