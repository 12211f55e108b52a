"""Functions for kernels to write the events of an action: the rows of `events` (see `games.kernel`)."""

from bolicho.games.jit import rule
from bolicho.games.kernel import CHOSE


@rule
def begin(s):
    """Begin a game: seat 0 is to act, with no events and no seed."""
    s.seed = 0
    s.turn = 0
    s.num_events = 0
    s.events[:] = 0


@rule
def choose(s, action):
    """Begin an action: clear the events and log the choice of the seat to act."""
    s.num_events = 0
    s.events[:] = 0
    log(s, CHOSE, s.turn, action, 0)


@rule
def log(s, kind, seat, value, extra):
    """Append one event to those of the current action."""
    n = s.num_events
    s.events[n, 0] = kind
    s.events[n, 1] = seat
    s.events[n, 2] = value
    s.events[n, 3] = extra
    s.num_events = n + 1


@rule
def wipe_events(s, last):
    """Zero the rows that the previous action used and this one did not: equal positions have equal bytes."""
    for i in range(s.num_events, last):
        for j in range(4):
            s.events[i, j] = 0
