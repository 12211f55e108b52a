"""Values of hands, and drawing tiles; compiled."""

import numpy as np

from bolicho.agents.search.dominoes.compact import PLANES
from bolicho.games.compiled.bits import count
from bolicho.games.dominoes.kernel import rounded
from bolicho.games.jit import rule

ONE = np.int64(1)
P0, P1, P2, P3 = (np.int64(plane) for plane in PLANES)


@rule
def pips(hand):
    return count(hand & P0) + 2 * count(hand & P1) + 4 * count(hand & P2) + 8 * count(hand & P3)


@rule
def bonus(ctx, hand):
    """Return the winner's bonus for a remaining hand."""
    return rounded(pips(hand), ctx.rounding, ctx.multiple)


@rule
def draw_tiles(ctx, hand, left, fits):
    """Draw until a tile fits or none is left; return the hand and the number of tiles left."""
    while left > 0:
        left -= 1
        hand |= ctx.bone[left]
        if ctx.bone[left] & fits:
            break
    return hand, left


@rule
def blocked(ctx, mine, other):
    """Return the value of a blocked game for the owner of the first hand."""
    if mine & -mine < other & -other:
        return bonus(ctx, other)
    return -bonus(ctx, mine)


@rule
def estimate(mine, other):
    """Estimate a position beyond the horizon: half of the difference of the hands."""
    return (pips(other) - pips(mine)) // 2
