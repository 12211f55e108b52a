"""The exact solver of draw dominoes and all fives, compiled.

A node is a position whose mover can play: the draws and passes that lead to it are made before the table is asked.
Its value is what the mover still gains over the other, with best play of both.  Searched is by principal variations
(a first move in full, the others against it with a window of nothing) with a table of bounds.

The key of a node is exact: both hands, how many tiles can still be drawn, and the sides.  In draw dominoes these are
two values that the played tiles determine, being the two that occur an odd number of times; unless they are equal.
"""

import numpy as np

from bolicho.agents.search.dominoes.compact import (
    BARE,
    CLOSED,
    CODE_BITS,
    CODE_FITS,
    DOUBLE,
    END,
    FITS,
    IS_DOUBLE,
    MAX_MOVES,
    NO_VALUE,
    NUM_TILES,
    PLANES,
    SEARCH_TILE,
    SUM,
    WORTH,
)
from bolicho.games import kernel
from bolicho.games.chance import stream
from bolicho.games.dominoes.bits import count, lowest
from bolicho.games.dominoes.kernel import AS_DOUBLE, NONE, ROUND_DOWN, ROUND_NEAREST, ROUND_UP
from bolicho.games.jit import njit, rule

INFINITE = 2047  # more than any value: 28 plays of at most 48 points, and a bonus of at most 200
P0, P1, P2, P3 = (np.int64(plane) for plane in PLANES)
CODE = np.int64(31)
ONE = np.int64(1)

# A table entry is two words.  The first is the key; the second holds, from its lowest bit:
KEY_BITS = 17  # what does not fit into the first
BOUND_BITS = 12  # twice: a lower and an upper bound, each with INFINITE + 1 added
MOVE_BITS = 7
GENERATION_BITS = 16
LOWER_AT = KEY_BITS
UPPER_AT = LOWER_AT + BOUND_BITS
MOVE_AT = UPPER_AT + BOUND_BITS
GENERATION_AT = MOVE_AT + MOVE_BITS
MAX_GENERATION = (1 << GENERATION_BITS) - 1
NO_MOVE = (1 << MOVE_BITS) - 1
HASH_1 = np.uint64(0x9E3779B97F4A7C15)  # odd numbers without pattern
HASH_2 = np.uint64(0xD6E8FEB86659FD93)

# How moves are ordered; found by counting nodes.
FIRST = 1 << 20  # the table's move
BLOCKS = 40  # the other cannot play


# --- Hands --------------------------------------------------------------------------------------


@rule
def pips(hand):
    return count(hand & P0) + 2 * count(hand & P1) + 4 * count(hand & P2) + 8 * count(hand & P3)


@rule
def bonus(ctx, hand):
    """What a hand left brings the winner."""
    points = pips(hand)
    unit = ctx.multiple
    if ctx.rounding == ROUND_UP:
        return (points + unit - 1) // unit * unit
    if ctx.rounding == ROUND_NEAREST:
        return (2 * points + unit) // (2 * unit) * unit
    if ctx.rounding == ROUND_DOWN:
        return points // unit * unit
    return points


@rule
def draw_tiles(ctx, hand, left, fits):
    """Draw until a tile fits or none is left: the hand, and how many are left."""
    while left > 0:
        left -= 1
        hand |= ctx.bone[left]
        if ctx.bone[left] & fits:
            break
    return hand, left


@rule
def blocked(ctx, mine, other):
    """What a blocked game is worth to the first."""
    if mine & -mine < other & -other:
        return bonus(ctx, other)
    return -bonus(ctx, mine)


@rule
def estimate(mine, other):
    """What a position beyond the horizon may be worth: half of what the hands differ by."""
    return (pips(other) - pips(mine)) // 2


# --- The table ----------------------------------------------------------------------------------


@rule
def find(ctx, table, key, more):
    """Where the entry of a key is, or should be put; and its second word, 0 if it is not there."""
    mixed = np.uint64(key) * HASH_1 ^ np.uint64(more) * HASH_2
    mixed ^= mixed >> np.uint64(32)
    at = np.int64((mixed * HASH_1) >> np.uint64(ctx.shift)) * 4
    wanted = ctx.generation
    second = table[at + 1]
    current = second >> GENERATION_AT == wanted
    if current and table[at] == key and second & ((1 << KEY_BITS) - 1) == more:
        return at, second
    other = table[at + 3]
    if other >> GENERATION_AT == wanted:
        if table[at + 2] == key and other & ((1 << KEY_BITS) - 1) == more:
            return at + 2, other
        # Both are taken: what has more tiles in hand took longer to find out.
        if current and count(table[at + 2] & HANDS) < count(table[at] & HANDS):
            return at + 2, np.int64(0)
        return at, np.int64(0)
    return (at + 2 if current else at), np.int64(0)


HANDS = np.int64((1 << 2 * NUM_TILES) - 1)


@rule
def lower_bound(second):
    return ((second >> LOWER_AT) & ((1 << BOUND_BITS) - 1)) - (INFINITE + 1)


@rule
def upper_bound(second):
    return ((second >> UPPER_AT) & ((1 << BOUND_BITS) - 1)) - (INFINITE + 1)


@rule
def store(ctx, table, key, more, lower, upper, move):
    """Keep what was found out about a position (the place may have been taken meanwhile: look again)."""
    at, _ = find(ctx, table, key, more)
    table[at] = key
    table[at + 1] = (
        more
        | (lower + INFINITE + 1) << LOWER_AT
        | (upper + INFINITE + 1) << UPPER_AT
        | move << MOVE_AT
        | ctx.generation << GENERATION_AT
    )


@rule
def key_of(mine, other, left):
    return mine | other << NUM_TILES | left << 2 * NUM_TILES


# --- Draw dominoes ------------------------------------------------------------------------------

# A move in the list: from its lowest bit the two values it leaves open, the tile, its rank.
TILE_AT = 6
RANK_AT = 16


@rule
def list_draw(ctx, ply, mine, other, a, b, hint):
    """Write the moves at two open values with their ranks; how many."""
    n = 0
    left = mine & (FITS[a] | FITS[b])
    while left:
        tile = lowest(left)
        left &= left - 1
        for side in range(2):
            value, stays = (a, b) if side == 0 else (b, a)
            if not (FITS[value] >> tile) & 1 or (side == 1 and a == b):
                continue
            outer = SUM[tile] - value
            fits = FITS[outer] | FITS[stays]
            theirs = count(other & fits)
            rank = 4 * SUM[tile] + 2 * count(mine & fits) - 4 * theirs
            if theirs == 0:
                rank += BLOCKS
            if hint == 4 * tile + (value > stays):
                rank += FIRST
            ctx.moves[ply, n] = (rank + 512) << RANK_AT | tile << TILE_AT | outer << 3 | stays
            n += 1
    return n


@rule
def take_best(ctx, ply, i, n):
    """Bring the highest of the moves from i on to place i."""
    best = i
    for j in range(i + 1, n):
        if ctx.moves[ply, j] > ctx.moves[ply, best]:
            best = j
    move = ctx.moves[ply, best]
    ctx.moves[ply, best] = ctx.moves[ply, i]
    return move


@rule
def search_draw(ctx, table, mine, other, left, a, b, alpha, beta, ply):
    """What the mover, who can play, still gains: exact between alpha and beta, else a bound (fail-soft)."""
    ctx.nodes += 1
    if ctx.nodes > ctx.cap:
        ctx.stopped = 1
        return np.int64(0)
    most = pips(other) + ctx.bone_pips[left]
    if most <= alpha:
        return most
    least = -(pips(mine) + ctx.bone_pips[left])
    if least >= beta:
        return least
    if ply >= ctx.horizon:
        return estimate(mine, other)
    key = key_of(mine, other, left) | (a if a == b else np.int64(NO_VALUE)) << 61
    _, second = find(ctx, table, key, np.int64(0))
    lower, upper = least, most
    hint = np.int64(NO_MOVE)
    if second != 0:
        lower, upper = lower_bound(second), upper_bound(second)
        if lower >= beta or lower == upper:
            return lower
        if upper <= alpha:
            return upper
        hint = (second >> MOVE_AT) & NO_MOVE
    n = list_draw(ctx, ply, mine, other, a, b, hint)
    best = np.int64(-INFINITE)
    best_move = np.int64(NO_MOVE)
    floor = alpha
    for i in range(n):
        move = take_best(ctx, ply, i, n)
        tile = (move >> TILE_AT) & CODE
        c, d = (move >> 3) & 7, move & 7
        rest = mine & ~(ONE << tile)
        value = np.int64(0)
        if rest == 0:
            value = pips(other)
        else:
            fits = FITS[c] | FITS[d]
            theirs, now_left = other, left
            if other & fits == 0:
                theirs, now_left = draw_tiles(ctx, other, left, fits)
            if theirs & fits:
                high = beta if i == 0 else floor + 1
                value = -search_draw(ctx, table, theirs, rest, now_left, c, d, -high, -floor, ply + 1)
                if value >= high and high < beta and ctx.stopped == 0:
                    value = -search_draw(ctx, table, theirs, rest, now_left, c, d, -beta, -value + 1, ply + 1)
            elif rest & fits:
                value = search_draw(ctx, table, rest, theirs, now_left, c, d, floor, beta, ply + 1)
            else:
                value = blocked(ctx, rest, theirs)
        if ctx.stopped:
            return np.int64(0)
        if value > best:
            best = value
            value_left = SUM[tile] - c
            best_move = 4 * tile + (value_left > d)
            if best > floor:
                floor = best
                if floor >= beta:
                    break
    if best > alpha:
        lower = max(lower, best)
    if best < beta:
        upper = min(upper, best)
    store(ctx, table, key, np.int64(0), lower, upper, best_move)
    return best


# --- All fives ----------------------------------------------------------------------------------

# A move in the list: from its lowest bit the four sides it leaves, its points, the tile, the side, its rank.
POINTS_AT = 20
FIVES_TILE_AT = 27
SIDE_AT = 32
FIVES_RANK_AT = 34


@rule
def code_at(sides, i):
    return (sides >> (CODE_BITS * i)) & CODE


@rule
def sorted_sides(sides):
    """The four sides, highest code first: which is where does not matter."""
    a, b, c, d = code_at(sides, 0), code_at(sides, 1), code_at(sides, 2), code_at(sides, 3)
    a, b = max(a, b), min(a, b)
    c, d = max(c, d), min(c, d)
    a, c = max(a, c), min(a, c)
    b, d = max(b, d), min(b, d)
    b, c = max(b, c), min(b, c)
    return a | b << CODE_BITS | c << 2 * CODE_BITS | d << 3 * CODE_BITS


@rule
def fits_any(sides):
    """The tiles that fit one of the sides."""
    return (
        CODE_FITS[code_at(sides, 0)]
        | CODE_FITS[code_at(sides, 1)]
        | CODE_FITS[code_at(sides, 2)]
        | CODE_FITS[code_at(sides, 3)]
    )


@rule
def survey(sides):
    """How many sides are bare, how many closed, and the spinner's value if one is bare."""
    bare, closed, spinner = np.int64(0), np.int64(0), np.int64(0)
    for i in range(4):
        code = code_at(sides, i)
        if code == CLOSED:
            closed += 1
        elif code >= BARE:
            bare += 1
            spinner = code - BARE
    return bare, closed, spinner


@rule
def open_closed(sides, code):
    """Put a code at every closed side."""
    for i in range(4):
        if code_at(sides, i) == CLOSED:
            sides ^= (CLOSED ^ code) << (CODE_BITS * i)
    return sides


@rule
def place_fives(ctx, sides, i, tile, bare, closed, spinner):
    """The sides after a tile is played at the i-th; the next three are the `survey` of the sides."""
    old = code_at(sides, i)
    value = END[old]
    if not IS_DOUBLE[tile]:
        new = SUM[tile] - value
    elif bare == 0 and closed > 0:  # the first double: the spinner
        sides ^= (old ^ (BARE + value)) << (CODE_BITS * i)
        if ctx.arms_after <= 1:
            sides = open_closed(sides, BARE + value)
        return sides
    else:
        new = DOUBLE + value if value > 0 else np.int64(0)
    sides ^= (old ^ new) << (CODE_BITS * i)
    if closed > 0 and old >= BARE and 2 - (bare - 1) >= ctx.arms_after:
        sides = open_closed(sides, BARE + spinner)
    return sides


@rule
def points_fives(ctx, sides):
    """What the open ends score."""
    total = WORTH[code_at(sides, 0)] + WORTH[code_at(sides, 1)] + WORTH[code_at(sides, 2)] + WORTH[code_at(sides, 3)]
    bare, closed, spinner = survey(sides)
    if ctx.spinner_counts == AS_DOUBLE:
        if bare > 0 and 4 - bare - closed < 2:
            total += 2 * spinner
    else:
        total += bare * spinner
    return total if total % ctx.multiple == 0 else np.int64(0)


@rule
def list_fives(ctx, ply, mine, other, sides, hint):
    """Write the moves at four sides with their ranks; how many."""
    n = 0
    bare, closed, spinner = survey(sides)
    for i in range(4):
        code = code_at(sides, i)
        if i > 0 and code == code_at(sides, i - 1):
            continue
        left = mine & CODE_FITS[code]
        while left:
            tile = lowest(left)
            left &= left - 1
            after = place_fives(ctx, sides, i, tile, bare, closed, spinner)
            points = points_fives(ctx, after)
            fits = fits_any(after)
            theirs = count(other & fits)
            rank = 8 * points + SUM[tile] + 2 * count(mine & fits) - 3 * theirs
            if theirs == 0:
                rank += BLOCKS
            if hint == 4 * tile + i:
                rank += FIRST
            ctx.moves[ply, n] = (
                (rank + 512) << FIVES_RANK_AT | i << SIDE_AT | tile << FIVES_TILE_AT | points << POINTS_AT | after
            )
            n += 1
    return n


@rule
def search_fives(ctx, table, mine, other, left, sides, alpha, beta, ply):
    """As `search_draw`."""
    ctx.nodes += 1
    if ctx.nodes > ctx.cap:
        ctx.stopped = 1
        return np.int64(0)
    if ply >= ctx.horizon:
        return estimate(mine, other)
    sides = sorted_sides(sides)
    key = key_of(mine, other, left) | (sides & 7) << 61
    more = sides >> 3
    _, second = find(ctx, table, key, more)
    lower, upper = np.int64(-INFINITE), np.int64(INFINITE)
    hint = np.int64(NO_MOVE)
    if second != 0:
        lower, upper = lower_bound(second), upper_bound(second)
        if lower >= beta or lower == upper:
            return lower
        if upper <= alpha:
            return upper
        hint = (second >> MOVE_AT) & NO_MOVE
    n = list_fives(ctx, ply, mine, other, sides, hint)
    best = np.int64(-INFINITE)
    best_move = np.int64(NO_MOVE)
    floor = alpha
    for i in range(n):
        move = take_best(ctx, ply, i, n)
        tile = (move >> FIVES_TILE_AT) & CODE
        points = (move >> POINTS_AT) & 127
        after = move & ((1 << 4 * CODE_BITS) - 1)
        rest = mine & ~(ONE << tile)
        value = np.int64(0)
        if rest == 0:
            value = points + bonus(ctx, other)
        else:
            fits = fits_any(after)
            theirs, now_left = other, left
            if other & fits == 0:
                theirs, now_left = draw_tiles(ctx, other, left, fits)
            if theirs & fits:
                high = beta if i == 0 else floor + 1
                value = points - search_fives(
                    ctx, table, theirs, rest, now_left, after, points - high, points - floor, ply + 1
                )
                if value >= high and high < beta and ctx.stopped == 0:
                    value = points - search_fives(
                        ctx, table, theirs, rest, now_left, after, points - beta, points - value + 1, ply + 1
                    )
            elif rest & fits:
                value = points + search_fives(
                    ctx, table, rest, theirs, now_left, after, floor - points, beta - points, ply + 1
                )
            else:
                value = points + blocked(ctx, rest, theirs)
        if ctx.stopped:
            return np.int64(0)
        if value > best:
            best = value
            best_move = (move >> FIVES_TILE_AT & CODE) * 4 + (move >> SIDE_AT & 3)
            if best > floor:
                floor = best
                if floor >= beta:
                    break
    if best > alpha:
        lower = max(lower, best)
    if best < beta:
        upper = min(upper, best)
    store(ctx, table, key, more, lower, upper, best_move)
    return best


# --- From the record of the game ----------------------------------------------------------------


@rule
def search_hand(words):
    """A hand of the record, numbered as the search does."""
    hand = np.int64(0)
    left = words[0]
    while left:
        hand |= ONE << SEARCH_TILE[lowest(left)]
        left &= left - 1
    return hand


@rule
def read_rules(ctx, s):
    """The rules and the boneyard of a record."""
    ctx.fives, ctx.arms_after, ctx.spinner_counts = s.fives, s.arms_after, s.spinner_counts
    ctx.rounding, ctx.multiple = s.rounding, s.multiple
    n = max(0, s.num_boneyard - s.reserve - s.drawn)
    ctx.num_bone = n
    ctx.bone_pips[0] = 0
    for i in range(n):
        tile = SEARCH_TILE[s.boneyard[s.drawn + n - 1 - i]]
        ctx.bone[i] = ONE << tile
        ctx.bone_pips[i + 1] = ctx.bone_pips[i] + SUM[tile]


@rule
def read_side(s, side):
    """The code of a side of a record of all fives."""
    value = np.int64(s.ends[side])
    if value == NONE:
        return np.int64(CLOSED)
    if s.spinner != NONE and not (s.covered >> side) & 1:
        return BARE + value
    return DOUBLE + value if s.worth[side] > value else value


@rule
def read_sides(s):
    """The four sides of a record of all fives, in their order there."""
    sides = np.int64(0)
    for side in range(4):
        sides |= read_side(s, side) << (CODE_BITS * side)
    return sides


@rule
def lead_sides(ctx, tile):
    """The four sides after the first tile."""
    if IS_DOUBLE[tile]:
        code = BARE + SUM[tile] // 2
        arm = code if ctx.arms_after == 0 else np.int64(CLOSED)
        return code | code << CODE_BITS | arm << 2 * CODE_BITS | arm << 3 * CODE_BITS
    high, low = halves(tile)
    return high | low << CODE_BITS | np.int64(CLOSED) << 2 * CODE_BITS | np.int64(CLOSED) << 3 * CODE_BITS


@rule
def halves(tile):
    """The two values of a tile, the higher first."""
    low = 0
    while not (FITS[low] >> tile) & 1:
        low += 1
    return SUM[tile] - low, np.int64(low)


@rule
def value_of(ctx, table, s, action, alpha, beta):
    """What the mover still gains if it plays a legal action: as `search_draw`."""
    tile, side = SEARCH_TILE[action >> 2], action & 3
    mine, other = search_hand(s.hands[s.turn]) & ~(ONE << tile), search_hand(s.hands[1 - s.turn])
    points = np.int64(0)
    a, b, sides = np.int64(0), np.int64(0), np.int64(0)
    if s.fives:
        if s.num_plays == 0:
            sides = lead_sides(ctx, tile)
        else:
            sides = read_sides(s)
            bare, closed, spinner = survey(sides)
            sides = place_fives(ctx, sides, side, tile, bare, closed, spinner)
        points = points_fives(ctx, sides)
        fits = fits_any(sides)
    else:
        if s.num_plays == 0:
            a, b = halves(tile)
        else:
            a, b = SUM[tile] - s.ends[side], np.int64(s.ends[1 - side])
        fits = FITS[a] | FITS[b]
    if mine == 0:
        return points + bonus(ctx, other)
    left = ctx.num_bone
    if other & fits == 0:
        other, left = draw_tiles(ctx, other, left, fits)
    if other & fits:
        if s.fives:
            return points - search_fives(ctx, table, other, mine, left, sides, points - beta, points - alpha, 1)
        return -search_draw(ctx, table, other, mine, left, a, b, -beta, -alpha, 1)
    if mine & fits:
        if s.fives:
            return points + search_fives(ctx, table, mine, other, left, sides, alpha - points, beta - points, 1)
        return search_draw(ctx, table, mine, other, left, a, b, alpha, beta, 1)
    return points + blocked(ctx, mine, other)


@rule
def new_search(ctx, table):
    """Forget what the table holds."""
    ctx.stopped = 0
    ctx.generation += 1
    if ctx.generation > MAX_GENERATION:
        table[:] = 0
        ctx.generation = 1


@rule
def solve_all(ctx, table, s, actions, n, values):
    """The value of every action."""
    for i in range(n):
        values[i] = value_of(ctx, table, s, actions[i], -INFINITE, INFINITE)
        if ctx.stopped:
            return


@rule
def solve_best(ctx, table, s, actions, n, values):
    """The value of the best action, and a bound for the others; returns the place of the best."""
    best = 0
    floor = np.int64(-INFINITE)
    for i in range(n):
        high = np.int64(INFINITE) if i == 0 else floor + 1
        values[i] = value_of(ctx, table, s, actions[i], floor, high)
        if values[i] >= high and ctx.stopped == 0:
            values[i] = value_of(ctx, table, s, actions[i], values[i] - 1, INFINITE)
        if ctx.stopped:
            return best
        if values[i] > floor:
            floor = values[i]
            best = i
    return best
