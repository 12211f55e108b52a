"""Features of dominoes for learners; compiled."""

import numpy as np

from bolicho.games import kernel
from bolicho.games.compiled.bits import count, lowest
from bolicho.games.dominoes.compiled.unseen import group_size, just_drawn, not_dealt, tiles_with, was_stuck
from bolicho.games.dominoes.kernel import FITTING, NONE, NUM_SIDES, ends_total, fitting, implements, pips
from bolicho.games.dominoes.rules import SIDES, TILES, DrawRules, FivesRules, set_size
from bolicho.games.jit import rule

PER_TILE = 3  # own hand, played, may be in the other hand
PER_VALUE = 6  # at each of four sides; numbers of own tiles and of unseen tiles with it
_OTHERS = (
    "my turn", "my tiles", "other's tiles", "boneyard", "my pips", "my score", "other's score", "a spinner lies",
    "sides of the spinner covered", "sum of the ends", "the ends score", "just had to draw or pass",
)  # fmt: skip
OTHERS = len(_OTHERS)
MOST_POINTS = 100  # scores are clipped there
MOST_ENDS = 40  # upper bound on sums of ends in a double-six set


def feature_names(rules: DrawRules | FivesRules) -> tuple[str, ...]:
    """Return the names of the features: 138 with a double-six set."""
    tiles, values = TILES[: set_size(rules.highest)], range(rules.highest + 1)
    return (
        *(f"{tile} {where}" for where in ("mine", "played", "perhaps the other's") for tile in tiles),
        *(f"{value} open at {side}" for side in SIDES for value in values),
        *(f"{whose} tiles with {value}" for whose in ("my", "unseen") for value in values),
        *_OTHERS,
    )


@rule
def count_fitting(s, tiles, w):
    """Return the number of tiles in word `w` of a set that fit an open side."""
    fit = np.int64(0)
    for side in range(NUM_SIDES):
        if s.ends[side] != NONE:
            fit |= fitting(s, side, w)
    return count(tiles & fit)


@rule
def may_hold(s, seat, w):
    """Return word `w` of the tiles that may be in the other seat's hand."""
    other = 1 - seat
    tiles = s.tiles[w] & ~(s.hands[seat, w] | s.played[w])
    values = 0
    for ply in range(s.num_plays, 0, -1):
        if was_stuck(s, other, ply):
            values |= s.stuck[ply]
            if group_size(s, other, ply) > 0:
                break
    else:
        tiles &= ~not_dealt(s, w)
    if s.turn == other and just_drawn(s, other, s.num_plays):
        return tiles  # the seat has just drawn a tile with a value that it lacked
    return tiles & ~tiles_with(values, w)


@rule
def part(x, most):
    """Return a number as a fraction of a usual maximum, clipped to [-1, 1]."""
    return min(max(x / most, -1.0), 1.0)


@implements(kernel.features)
@rule
def features(s, seat, out):
    """Write flags by tile, then by value, then counts."""
    other = 1 - seat
    num_values = s.highest + 1
    size = num_values * (num_values + 1) // 2
    out[: PER_TILE * size + PER_VALUE * num_values + OTHERS] = 0
    for w in range(s.tiles.shape[0]):
        for part_of in range(PER_TILE):
            left = s.hands[seat, w] if part_of == 0 else (s.played[w] if part_of == 1 else may_hold(s, seat, w))
            while left:
                out[part_of * size + 64 * w + lowest(left)] = 1
                left &= left - 1
    n = PER_TILE * size
    for side in range(4):
        if s.ends[side] != NONE:
            out[n + side * num_values + s.ends[side]] = 1
    n += 4 * num_values
    for value in range(num_values):
        mine = unseen = 0
        for w in range(s.tiles.shape[0]):
            mine += count(s.hands[seat, w] & FITTING[value, w])
            unseen += count(s.tiles[w] & ~(s.hands[seat, w] | s.played[w]) & FITTING[value, w])
        out[n + value] = mine / num_values
        out[n + num_values + value] = unseen / num_values
    n += 2 * num_values
    out[n] = s.turn == seat
    out[n + 1] = s.counts[seat] / size
    out[n + 2] = s.counts[other] / size
    out[n + 3] = (s.num_boneyard - s.drawn) / size
    out[n + 4] = part(pips(s, seat), MOST_POINTS)
    out[n + 5] = part(s.scores[seat], MOST_POINTS)
    out[n + 6] = part(s.scores[other], MOST_POINTS)
    out[n + 7] = s.spinner != NONE
    out[n + 8] = count(np.int64(s.covered)) / 4
    if s.fives:
        total = ends_total(s)
        out[n + 9] = part(total, MOST_ENDS)
        out[n + 10] = total > 0 and total % s.multiple == 0
    out[n + 11] = s.stuck[s.num_plays] != 0
    return n + OTHERS
