"""Immediate effects of a play of dominoes, as features of the play; compiled."""

import numpy as np

from bolicho.games.compiled.bits import count
from bolicho.games.dominoes.compiled.features import count_fitting, may_hold
from bolicho.games.dominoes.kernel import HIGH, LOW, bit, ends_total, place
from bolicho.games.jit import rule

ABOUT = ("points", "fits the other", "fits me", "pips", "double")  # features of a play, before its values
SCALE_POINTS = 20.0
SCALE_PIPS = 12.0
MOST_PIPS = 64  # more than the pips of any tile


@rule
def encode_play(s, seat, action, out):
    """Write the immediate effects of a legal play into `out` (unless it is empty); return the play's merit.

    The state is restored afterwards.
    """
    ends = (s.ends[0], s.ends[1], s.ends[2], s.ends[3])
    worth = (s.worth[0], s.worth[1], s.worth[2], s.worth[3])
    spinner, covered = s.spinner, s.covered
    tile = action >> 2
    high, low = np.int64(HIGH[tile]), np.int64(LOW[tile])
    place(s, tile, action & 3, s.num_plays == 0)
    points = np.int64(ends_total(s)) if s.fives else np.int64(0)
    if points < 0 or points % s.multiple != 0:
        points = np.int64(0)
    if len(out) > 0:
        theirs = mine = fit_theirs = fit_mine = 0
        for w in range(s.hands.shape[1]):
            perhaps, left = may_hold(s, seat, w), s.hands[seat, w]
            if w == tile >> 6:
                left &= ~bit(tile)
            theirs += count(perhaps)
            mine += count(left)
            fit_theirs += count_fitting(s, perhaps, w)
            fit_mine += count_fitting(s, left, w)
        out[0] = points / SCALE_POINTS
        out[1] = fit_theirs / max(1, theirs)
        out[2] = fit_mine / max(1, mine)
        out[3] = (high + low) / SCALE_PIPS
        out[4] = high == low
        out[len(ABOUT) + high] = 1
        out[len(ABOUT) + low] = 1
    for side in range(4):
        s.ends[side] = ends[side]
        s.worth[side] = worth[side]
    s.spinner = spinner
    s.covered = covered
    return merit(points, high, low)


@rule
def merit(points, high, low):
    return points * 2 * MOST_PIPS if points > 0 else (high == low) * MOST_PIPS + high + low
