"""Lottery: a small game of three seats, each of which draws a ticket and keeps it or gives it away.

Tickets are worth 0 to 9 and are seen by their owner alone.  A seat scores its ticket if it keeps it,
and 4 otherwise.  The highest score wins; payoffs are the scores.
"""

import dataclasses

import numba
import numpy as np

from bolicho.games import kernel
from bolicho.games.compiled.chance import below
from bolicho.games.jit import njit
from bolicho.games.kernel import CHOSE, implements
from bolicho.games.kind import Kind

KEEP, GIVE = range(2)
TEXTS = ("keep", "give")
STATE = np.dtype(
    [
        ("seed", "u8"),
        ("tickets", "i1", (3,)),
        ("points", "i1", (3,)),
        ("turn", "i1"),
        ("num_events", "i1"),
        ("events", "i2", (1, 4)),
    ],
    align=True,
)
RECORD = numba.from_dtype(STATE)


@dataclasses.dataclass(frozen=True)
class Rules:
    given: int = 4


@implements(kernel.deal, RECORD)
@njit
def deal(s, seed):
    s.seed = np.uint64(seed)
    for seat in range(3):
        s.tickets[seat] = below(seed, seat, 10)
        s.points[seat] = 0
    s.turn = 0
    s.num_events = 0


@implements(kernel.legal, RECORD)
@njit
def legal(s, out):
    if s.turn < 0:
        return 0
    out[0] = KEEP
    out[1] = GIVE
    return 2


@implements(kernel.apply, RECORD)
@njit
def apply(s, action):
    seat = s.turn
    s.points[seat] = s.tickets[seat] if action == KEEP else 4
    s.events[0, 0], s.events[0, 1], s.events[0, 2], s.events[0, 3] = CHOSE, seat, action, 0
    s.num_events = 1
    s.turn = seat + 1 if seat < 2 else -1


@implements(kernel.payoff, RECORD)
@njit
def payoff(s, out):
    for seat in range(3):
        out[seat] = s.points[seat]


@implements(kernel.scores, RECORD)
@njit
def scores(s, out):
    for seat in range(3):
        out[seat] = s.points[seat]


@implements(kernel.hide, RECORD)
@njit
def hide(s, seat):
    s.seed = 0
    for other in range(3):
        if other != seat:
            s.tickets[other] = -1


@implements(kernel.redeal, RECORD)
@njit
def redeal(s, seat, seed):
    s.seed = np.uint64(seed)
    for other in range(3):
        if s.tickets[other] < 0:
            s.tickets[other] = below(seed, other, 10)


LOTTERY = Kind(
    name="lottery",
    title="Lottery: keep a ticket or give it away",
    texts=TEXTS,
    rules=Rules,
    seats=lambda rules: 3,
    zero_sum=False,
    blank=lambda rules: np.zeros(1, STATE),
)
