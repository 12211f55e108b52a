"""Decisions of the rule-based players of dominoes, compiled."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bolicho.agents import kernel as players
from bolicho.games import kernel
from bolicho.games.dominoes.kernel import HIGH, LOW, NUM_SIDES, points_of
from bolicho.games.jit import njit
from bolicho.games.kernel import implements

MOST_PIPS = 64  # more than the pips of any tile


class Ruled(NamedTuple):
    """Rule-based player; `legal` is a work array."""

    legal: NDArray[np.int16]


@implements(players.decide, Ruled)
@njit
def decide(player, memory, view, seat, luck):
    count = kernel.legal(view, player.legal)
    best, value = player.legal[0], -1
    for i in range(count):
        action = player.legal[i]
        high, low = HIGH[action // NUM_SIDES], LOW[action // NUM_SIDES]
        merit = (high == low) * MOST_PIPS + high + low
        points = points_of(view, action) if view.fives else 0
        if points > 0:  # scoring plays first, by points; ties: the first
            merit = points * 2 * MOST_PIPS
        if merit > value:
            best, value = action, merit
    return best


@implements(players.mixture, Ruled)
@njit
def mixture(player, memory, view, seat, out):
    """Write a deterministic decision."""
    chosen = decide(player, memory, view, seat, np.uint64(0))
    n = kernel.legal(view, player.legal)
    for i in range(n):
        out[i] = player.legal[i] == chosen
    return n
