"""Leaves of playouts: the end of the game, or a learned evaluation.

A leaf is a class of named tuples that overloads `ended` and `judge`, and `is_judged` if it ends playouts earlier.
"""

from typing import NamedTuple

import numpy as np
from numba import types

from bolicho.agents.compiled.rewards import scheme_value
from bolicho.agents.neural.compiled.codings import unit
from bolicho.agents.neural.kernel import NOWHERE, Net, net_outputs
from bolicho.games import kernel
from bolicho.games.jit import njit
from bolicho.games.kernel import implements

ROOT, HERE, SEEN = range(3)  # records of a room's `pool`: root, current position, its view by the seat to move


def ended(leaf, s):
    """Return whether the searched part of the game is over."""


def is_judged(leaf, s, seat, steps):
    """Return whether a playout may end after so many steps, in a search by `seat`; by default only once it is over."""


def judge(leaf, room, seat):
    """Write the value of `pool[HERE]`, where a playout ended, for each seat into `payoffs`."""


@njit
def _is_judged(leaf, s, seat, steps):
    return ended(leaf, s)


for _tuples in (types.NamedTuple, types.NamedUniTuple):
    implements(is_judged, _tuples)(_is_judged)


class ToTheEnd(NamedTuple):
    """Leaf at the end of the game, with its payoff."""

    seats: int


@implements(ended, ToTheEnd)
@njit
def is_over(leaf, s):
    return kernel.over(s)


@implements(judge, ToTheEnd)
@njit
def pay(leaf, room, seat):
    kernel.payoff(room.pool[HERE], room.payoffs)


class ValueNetLeaf(NamedTuple):
    """Leaf at a turn of the searching seat, evaluated by a value net, after a minimum of steps of a playout.

    The end of the game is worth the reward that the net was trained on.
    """

    net: Net
    scheme: int
    steps: int


@implements(ended, ValueNetLeaf)
@njit
def is_over_too(leaf, s):
    return kernel.over(s)


@implements(is_judged, ValueNetLeaf)
@njit
def has_turn(leaf, s, seat, steps):
    return kernel.over(s) or (steps >= leaf.steps and s.turn == seat)


@implements(judge, ValueNetLeaf)
@njit
def ask(leaf, room, seat):
    """Write the value for `seat`; the other seats share the opposite value equally."""
    s = room.pool[HERE]
    if kernel.over(s):
        value = scheme_value(s, seat, leaf.scheme)
    else:
        room.pool[SEEN] = room.pool[HERE]
        kernel.hide(room.pool[SEEN], seat)
        value = best_value(leaf.net, room.pool[SEEN], seat)
    room.payoffs[:] = -value / (len(room.payoffs) - 1)
    room.payoffs[seat] = value


@njit
def best_value(net, view, seat):
    """Return the value of the best legal action according to a net."""
    out = net_outputs(net, view, seat)
    best = NOWHERE
    for i in range(kernel.legal(view, net.legal)):
        place = unit(view, net.coding, net.legal[i])
        if place >= 0:
            best = max(best, np.float64(out[place]))
    return best if best > NOWHERE else 0.0
