"""Exact solver of draw dominoes and all fives, compiled.

A node is a position whose mover can play: draws and passes that lead to it are made before the table lookup. Its value
is the mover's gain over the opponent from here on, with optimal play of both. The search is a principal variation
search (the first move with the full window, the others with an empty one) with a table of bounds.

The key of a node is exact: both hands, the number of drawable tiles, and the sides. In draw dominoes the sides are two
values that the played tiles determine, being the two that occur an odd number of times; unless they are equal.

The search has its own stack, since Numba cannot cache recursive functions on disk.
"""

import numpy as np

from bolicho.agents.search.dominoes.compact import FITS, NO_VALUE, NUM_TILES
from bolicho.agents.search.dominoes.compiled.hands import ONE, blocked, bonus, draw_tiles, estimate, pips
from bolicho.agents.search.dominoes.compiled.moves import (
    NAME_AT,
    POINTS_AT,
    POINTS_BITS,
    SIDES_BITS,
    list_draw,
    list_fives,
    take_best,
)
from bolicho.agents.search.dominoes.compiled.sides import fits_any, sorted_sides
from bolicho.agents.search.dominoes.compiled.table import (
    INFINITE,
    MOVE_AT,
    NO_MOVE,
    find,
    lower_bound,
    store,
    upper_bound,
)
from bolicho.games.jit import rule


@rule
def fitting(ctx, sides):
    """Return the tiles that fit one of the sides."""
    return fits_any(sides) if ctx.fives else FITS[sides & 7] | FITS[sides >> 3]


@rule
def enter(ctx, table, ply):
    """Enter the position of a ply; return whether its value is known, and the value; otherwise list its moves."""
    ctx.nodes += 1
    if ctx.nodes > ctx.cap:
        ctx.stopped = 1
        return True, np.int64(0)
    alpha, beta = ctx.alpha[ply], ctx.beta[ply]
    mine, other, left = ctx.mine[ply], ctx.other[ply], ctx.left[ply]
    lower, upper = np.int64(-INFINITE), np.int64(INFINITE)
    key = mine | other << NUM_TILES | left << 2 * NUM_TILES
    more = np.int64(0)
    if ctx.fives:
        if ply >= ctx.horizon:
            return True, estimate(mine, other)
        sides = sorted_sides(ctx.sides[ply])
        ctx.sides[ply] = sides
        key |= sides << 61
        more = sides >> 3
    else:
        upper = pips(other) + ctx.bone_pips[left]
        if upper <= alpha:
            return True, upper
        lower = -(pips(mine) + ctx.bone_pips[left])
        if lower >= beta:
            return True, lower
        if ply >= ctx.horizon:
            return True, estimate(mine, other)
        a, b = ctx.sides[ply] & 7, ctx.sides[ply] >> 3
        key |= (a if a == b else np.int64(NO_VALUE)) << 61
    hint = np.int64(NO_MOVE)
    _, second = find(ctx, table, key, more)
    if second != 0:
        lower, upper = lower_bound(second), upper_bound(second)
        if lower >= beta or lower == upper:
            return True, lower
        if upper <= alpha:
            return True, upper
        hint = (second >> MOVE_AT) & NO_MOVE
    ctx.key[ply], ctx.more[ply] = key, more
    ctx.lower[ply], ctx.upper[ply] = lower, upper
    ctx.num_moves[ply] = list_fives(ctx, ply, hint) if ctx.fives else list_draw(ctx, ply, hint)
    ctx.next[ply] = 0
    ctx.best[ply] = -INFINITE
    ctx.best_move[ply] = NO_MOVE
    return False, np.int64(0)


@rule
def leave(ctx, table, ply):
    """Leave a fully searched ply: store its bounds and return its value."""
    best = ctx.best[ply]
    lower, upper = ctx.lower[ply], ctx.upper[ply]
    if best > ctx.alpha[ply]:
        lower = max(lower, best)
    if best < ctx.beta[ply]:
        upper = min(upper, best)
    store(ctx, table, ctx.key[ply], ctx.more[ply], lower, upper, ctx.best_move[ply])
    return best


@rule
def set_window(ctx, ply, low, high):
    """Set the window of the next ply to test the move's value from low to high."""
    points = ctx.points[ply]
    ctx.high[ply] = high
    if ctx.sign[ply] < 0:
        ctx.alpha[ply + 1], ctx.beta[ply + 1] = points - high, points - low
    else:
        ctx.alpha[ply + 1], ctx.beta[ply + 1] = low - points, high - points


@rule
def write_position(ctx, ply, rest, other, left, sides, points):
    """Write the position after a move, or detect the end; return whether the game ends, and its value in that case."""
    if rest == 0:
        return True, points + bonus(ctx, other)
    fits = fitting(ctx, sides)
    if other & fits == 0:
        other, left = draw_tiles(ctx, other, left, fits)
    if other & fits:
        ctx.mine[ply + 1], ctx.other[ply + 1] = other, rest
        ctx.sign[ply] = -1
    elif rest & fits:
        ctx.mine[ply + 1], ctx.other[ply + 1] = rest, other
        ctx.sign[ply] = 1
    else:
        return True, points + blocked(ctx, rest, other)
    ctx.left[ply + 1], ctx.sides[ply + 1] = left, sides
    ctx.points[ply] = points
    return False, np.int64(0)


@rule
def play_next(ctx, ply):
    """Play the next move of a ply; return whether it ends the game, and the value in that case."""
    move = take_best(ctx, ply)
    name = (move >> NAME_AT) & NO_MOVE
    ctx.move[ply] = name
    rest = ctx.mine[ply] & ~(ONE << (name >> 2))
    sides, points = move & ((1 << SIDES_BITS) - 1), (move >> POINTS_AT) & ((1 << POINTS_BITS) - 1)
    ends, value = write_position(ctx, ply, rest, ctx.other[ply], ctx.left[ply], sides, points)
    if not ends:
        floor = max(ctx.alpha[ply], ctx.best[ply])
        set_window(ctx, ply, floor, ctx.beta[ply] if ctx.next[ply] == 1 else floor + 1)
    return ends, value


@rule
def take(ctx, ply, value):
    """Record the value of the current move of a ply."""
    if value > ctx.best[ply]:
        ctx.best[ply] = value
        ctx.best_move[ply] = ctx.move[ply]


@rule
def search(ctx, table, root):
    """Return the mover's gain at the ply `root`: exact between alpha and beta, else a bound (fail-soft)."""
    ply = root
    known, value = enter(ctx, table, ply)
    if known:
        return value
    while True:
        if ctx.next[ply] == ctx.num_moves[ply] or ctx.best[ply] >= ctx.beta[ply]:
            value = leave(ctx, table, ply)
        else:
            ends, value = play_next(ctx, ply)
            if ends:
                take(ctx, ply, value)
                continue
            ply += 1
            known, value = enter(ctx, table, ply)
            if not known:
                continue
        if ctx.stopped:
            return np.int64(0)
        while True:  # pass the value up
            if ply == root:
                return value
            ply -= 1
            value = ctx.points[ply] + ctx.sign[ply] * value
            if value < ctx.high[ply] or ctx.high[ply] >= ctx.beta[ply]:
                take(ctx, ply, value)
                break
            set_window(ctx, ply, value - 1, ctx.beta[ply])  # better than the empty window: search for its exact value
            ply += 1
            known, value = enter(ctx, table, ply)
            if not known:
                break
