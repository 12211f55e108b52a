"""Root of the solver: from the record of a game to the value of every action; compiled."""

import numpy as np

from bolicho.agents.search.dominoes.compact import (
    BARE,
    CLOSED,
    CODE_BITS,
    DOUBLE,
    FITS,
    IS_DOUBLE,
    MAX_PLIES,
    SEARCH_TILE,
    SUM,
)
from bolicho.agents.search.dominoes.compiled.hands import ONE
from bolicho.agents.search.dominoes.compiled.moves import LOWEST_RANK, rank_draw, rank_fives
from bolicho.agents.search.dominoes.compiled.search import fitting, search, set_window, write_position
from bolicho.agents.search.dominoes.compiled.sides import place_fives, points_fives, survey
from bolicho.agents.search.dominoes.compiled.table import INFINITE, MOVE_BITS, NO_MOVE, forget
from bolicho.games import kernel
from bolicho.games.compiled.bits import lowest
from bolicho.games.dominoes.kernel import NONE
from bolicho.games.jit import njit, rule

ESTIMATE_PART = 4  # 1/4 of the node cap is spent on the estimate after an interrupted search


@rule
def search_hand(words):
    """Return a hand of the record in the search's numbering."""
    hand = np.int64(0)
    left = words[0]
    while left:
        hand |= ONE << SEARCH_TILE[lowest(left)]
        left &= left - 1
    return hand


@rule
def read_rules(ctx, table, s):
    """Read the rules and the boneyard of a record; clear the table unless it holds the same deal."""
    n = max(0, s.num_boneyard - s.reserve - s.drawn)
    same = n <= ctx.num_bone and ctx.generation > 0 and ctx.tiles == s.tiles[0] and ctx.fives == s.fives
    same &= ctx.arms_after == s.arms_after and ctx.spinner_counts == s.spinner_counts
    same &= ctx.rounding == s.rounding and ctx.multiple == s.multiple
    for i in range(n):
        tile = SEARCH_TILE[s.boneyard[s.drawn + n - 1 - i]]
        same &= ctx.bone[i] == ONE << tile
        ctx.bone[i] = ONE << tile
        ctx.bone_pips[i + 1] = ctx.bone_pips[i] + SUM[tile]
    ctx.fives, ctx.arms_after, ctx.spinner_counts = s.fives, s.arms_after, s.spinner_counts
    ctx.rounding, ctx.multiple, ctx.tiles, ctx.num_bone = s.rounding, s.multiple, s.tiles[0], n
    if not same:
        forget(ctx, table)


@rule
def read_side(s, side):
    """Return the code of a side of a record of all fives."""
    value = np.int64(s.ends[side])
    if value == NONE:
        return np.int64(CLOSED)
    if s.spinner != NONE and not (s.covered >> side) & 1:
        return BARE + value
    return DOUBLE + value if s.worth[side] > value else value


@rule
def read_sides(s):
    """Return the four sides of a record of all fives, in its order."""
    sides = np.int64(0)
    for side in range(4):
        sides |= read_side(s, side) << (CODE_BITS * side)
    return sides


@rule
def lead_sides(ctx, tile):
    """Return the four sides after the first tile."""
    if IS_DOUBLE[tile]:
        code = BARE + SUM[tile] // 2
        arm = code if ctx.arms_after == 0 else np.int64(CLOSED)
        return code | code << CODE_BITS | arm << 2 * CODE_BITS | arm << 3 * CODE_BITS
    high, low = halves(tile)
    return high | low << CODE_BITS | np.int64(CLOSED) << 2 * CODE_BITS | np.int64(CLOSED) << 3 * CODE_BITS


@rule
def halves(tile):
    """Return the two values of a tile, the higher first."""
    low = 0
    while not (FITS[low] >> tile) & 1:
        low += 1
    return SUM[tile] - low, np.int64(low)


@rule
def play_root(ctx, s, action):
    """Play an action of a record; return whether it ends the game, and the value in that case."""
    tile, side = SEARCH_TILE[action >> 2], action & 3
    mine, other = search_hand(s.hands[s.turn]), search_hand(s.hands[1 - s.turn])
    points = np.int64(0)
    if s.fives:
        if s.num_plays == 0:
            sides = lead_sides(ctx, tile)
        else:
            sides = read_sides(s)
            bare, closed, spinner = survey(sides)
            sides = place_fives(ctx, sides, side, tile, bare, closed, spinner)
        points = points_fives(ctx, sides)
    elif s.num_plays == 0:
        high, low = halves(tile)
        sides = high | low << 3
    else:
        sides = SUM[tile] - s.ends[side] | np.int64(s.ends[1 - side]) << 3
    return write_position(ctx, 0, mine & ~(ONE << tile), other, ctx.num_bone, sides, points)


@rule
def test_move(ctx, table, low, high):
    """Test the value of the last played action in the window from low to high."""
    set_window(ctx, 0, low, high)
    return ctx.points[0] + ctx.sign[0] * search(ctx, table, 1)


@rule
def value_of(ctx, table, s, action, guess):
    """Return the value of an action for the mover; a good guess speeds up the search.

    Runs a series of tests with an empty window (MTD(f)).
    """
    ends, value = play_root(ctx, s, action)
    if ends:
        return value
    low, high = np.int64(-INFINITE), np.int64(INFINITE)
    value = np.int64(guess)
    while low < high and ctx.stopped == 0:
        limit = value + 1 if value == low else value
        value = test_move(ctx, table, limit - 1, limit)
        if value < limit:
            high = value
        else:
            low = value
    return value


@rule
def rank_root(ctx, s, action):
    """Return the rank of an action."""
    mine, other = search_hand(s.hands[s.turn]), search_hand(s.hands[1 - s.turn])
    ends, _ = play_root(ctx, s, action)
    fits = np.int64(0) if ends else fitting(ctx, ctx.sides[1])  # at the end no sides are written
    if s.fives:
        return rank_fives(mine, other, np.int64(0) if ends else ctx.points[0], fits)
    return rank_draw(mine, other, SEARCH_TILE[action >> 2], fits)


@rule
def order_root(ctx, s, actions, n):
    """Sort actions by rank, best first."""
    for i in range(n):
        ctx.moves[0, i] = (rank_root(ctx, s, actions[i]) - LOWEST_RANK) << MOVE_BITS | actions[i]
    for i in range(n):
        for j in range(i + 1, n):
            if ctx.moves[0, j] > ctx.moves[0, i]:
                ctx.moves[0, i], ctx.moves[0, j] = ctx.moves[0, j], ctx.moves[0, i]
        actions[i] = ctx.moves[0, i] & NO_MOVE


@rule
def solve_every(ctx, table, s, actions, n, values):
    """Write the value of each legal action for the mover; reorders the actions."""
    order_root(ctx, s, actions, n)
    guess = np.int64(0)
    for i in range(n):
        guess = value_of(ctx, table, s, actions[i], guess)
        values[i] = guess


@rule
def solve_best(ctx, table, s, actions, n, values):
    """Solve as `solve_every`, exactly only for the best action, which comes first; the others have upper bounds."""
    order_root(ctx, s, actions, n)
    values[0] = value_of(ctx, table, s, actions[0], 0)
    for i in range(1, n):
        ends, value = play_root(ctx, s, actions[i])
        if not ends:
            value = test_move(ctx, table, values[0], values[0] + 1)
            if value > values[0]:
                value = value_of(ctx, table, s, actions[i], value)
        values[i] = value
        if value > values[0]:
            actions[0], actions[i] = actions[i], actions[0]
            values[0], values[i] = values[i], values[0]


@rule
def solve_position(ctx, table, s, actions, n, values, every):
    """Solve within the node cap, or estimate with a further part of it; return whether the values are exact."""
    ctx.nodes = 0
    ctx.stopped = 0
    ctx.horizon = MAX_PLIES
    read_rules(ctx, table, s)
    if every:
        solve_every(ctx, table, s, actions, n, values)
    else:
        solve_best(ctx, table, s, actions, n, values)
    if ctx.stopped == 0:
        return True
    estimate_position(ctx, table, s, actions, n, values)
    return False


@rule
def estimate_position(ctx, table, s, actions, n, values):
    """Estimate values by iterative deepening, as far as the cap allows."""
    cap = ctx.cap
    ctx.cap = ctx.nodes + cap // ESTIMATE_PART
    ctx.horizon = 1
    ctx.stopped = 0
    while ctx.stopped == 0 and ctx.horizon <= MAX_PLIES:
        forget(ctx, table)  # values depend on the horizon
        solve_every(ctx, table, s, actions, n, ctx.found)
        if ctx.stopped == 0:
            for i in range(n):
                values[i] = ctx.found[i]
        ctx.horizon += 1
    ctx.cap = cap
    forget(ctx, table)


# --- Entry points -------------------------------------------------------------------------------


@njit
def solve(pool, context, table, every, actions, values):
    """Solve the position `pool[0]`; return the number of actions, and whether their values are exact."""
    n = kernel.legal(pool[0], actions)
    return n, solve_position(context[0], table, pool[0], actions, n, values, every)
