"""Where playouts end, and what a position is worth there: to the end of the game, or by what was learned.

A leaf is a class of named tuples that overloads `ended` and `judge`, and `is_judged` if it ends playouts sooner.
"""

from typing import NamedTuple

import numpy as np
from numba import types

from bolicho.agents.compiled.rewards import worth
from bolicho.agents.neural.compiled.codings import unit
from bolicho.agents.neural.kernel import NOWHERE, Net, look
from bolicho.games import kernel
from bolicho.games.jit import njit
from bolicho.games.kernel import implements

ROOT, HERE, SEEN = range(3)  # the records of a room's `pool`: the root, the position reached, what its seat knows


def ended(leaf, s):
    """Whether what is searched is over."""


def is_judged(leaf, s, seat, steps):
    """Whether a playout of so many steps, of a search by `seat`, may end here.  By default not before it is over."""


def judge(leaf, room, seat):
    """Write what `pool[HERE]`, where a playout ended, is worth to each seat into `payoffs`."""


@njit
def _is_judged(leaf, s, seat, steps):
    return ended(leaf, s)


for _tuples in (types.NamedTuple, types.NamedUniTuple):
    implements(is_judged, _tuples)(_is_judged)


class ToTheEnd(NamedTuple):
    """The game is played to its end, and worth its payoff."""

    seats: int


@implements(ended, ToTheEnd)
@njit
def is_over(leaf, s):
    return kernel.over(s)


@implements(judge, ToTheEnd)
@njit
def pay(leaf, room, seat):
    kernel.payoff(room.pool[HERE], room.payoffs)


class Learned(NamedTuple):
    """A net of values judges a turn of the searching seat, from so many steps of a playout on; the end is worth what
    the net was paid for."""

    net: Net
    scheme: int
    steps: int


@implements(ended, Learned)
@njit
def is_over_too(leaf, s):
    return kernel.over(s)


@implements(is_judged, Learned)
@njit
def has_turn(leaf, s, seat, steps):
    return kernel.over(s) or (steps >= leaf.steps and s.turn == seat)


@implements(judge, Learned)
@njit
def ask(leaf, room, seat):
    """What one seat wins the others lose, in equal parts."""
    s = room.pool[HERE]
    if kernel.over(s):
        value = worth(s, seat, leaf.scheme)
    else:
        room.pool[SEEN] = room.pool[HERE]
        kernel.hide(room.pool[SEEN], seat)
        value = best_value(leaf.net, room.pool[SEEN], seat)
    room.payoffs[:] = -value / (len(room.payoffs) - 1)
    room.payoffs[seat] = value


@njit
def best_value(net, view, seat):
    """What a net says the best legal action is worth."""
    out = look(net, view, seat)
    best = NOWHERE
    for i in range(kernel.legal(view, net.legal)):
        place = unit(view, net.coding, net.legal[i])
        if place >= 0:
            best = max(best, np.float64(out[place]))
    return best if best > NOWHERE else 0.0
