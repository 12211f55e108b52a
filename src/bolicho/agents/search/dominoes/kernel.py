"""The exact solver of draw dominoes and all fives, compiled.

A node is a position whose mover can play: the draws and passes that lead to it are made before the table is asked.
Its value is what the mover still gains over the other, with best play of both.  Searched is by principal variations
(a first move in full, the others against it with a window of nothing) with a table of bounds.

The key of a node is exact: both hands, how many tiles can still be drawn, and the sides.  In draw dominoes these are
two values that the played tiles determine, being the two that occur an odd number of times; unless they are equal.

The search keeps its own stack: Numba cannot keep recursive functions on disk.
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
    MAX_PLIES,
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

ESTIMATE_PART = 4  # of the cap is spent on estimating what took too long

# How moves are ordered; found by counting nodes.
FIRST = 1 << 14  # the table's move
DRAW_DOUBLE, DRAW_MINE, DRAW_THEIRS, DRAW_BLOCKS = 3, 1, 14, 40
FIVES_POINTS, FIVES_MINE, FIVES_THEIRS, FIVES_BLOCKS = 48, 42, 2, 20


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
def mixed(key, more):
    """A hash of a key."""
    bits = np.uint64(key) * HASH_1 ^ np.uint64(more) * HASH_2
    bits ^= bits >> np.uint64(32)
    return bits * HASH_1


@rule
def find(ctx, table, key, more):
    """Where the entry of a key is, or should be put; and its second word, 0 if it is not there."""
    at = np.int64(mixed(key, more) >> np.uint64(ctx.shift)) * 4
    wanted = ctx.generation
    second = table[at + 1]
    current = (second >> GENERATION_AT) & MAX_GENERATION == wanted
    if current and table[at] == key and second & ((1 << KEY_BITS) - 1) == more:
        return at, second
    other = table[at + 3]
    if (other >> GENERATION_AT) & MAX_GENERATION == wanted:
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
def grow(ctx, table):
    """Use twice as much of the table: what is in a pair goes to the two pairs it becomes, from the last on."""
    pairs = np.int64(1) << (64 - ctx.shift)
    ctx.shift -= 1
    for pair in range(pairs - 1, -1, -1):
        words = (table[4 * pair], table[4 * pair + 1], table[4 * pair + 2], table[4 * pair + 3])
        for i in range(8 * pair, 8 * pair + 8):
            table[i] = 0
        for i in range(0, 4, 2):
            key, second = words[i], words[i + 1]
            if (second >> GENERATION_AT) & MAX_GENERATION == ctx.generation:
                at, _ = find(ctx, table, key, second & ((1 << KEY_BITS) - 1))
                table[at], table[at + 1] = key, second


@rule
def store(ctx, table, key, more, lower, upper, move):
    """Keep what was found out about a position (the place may have been taken meanwhile: look again)."""
    at, second = find(ctx, table, key, more)
    if second == 0:
        ctx.stored += 1
        if ctx.stored >> (64 - ctx.shift) and ctx.shift > ctx.last_shift:  # as many as pairs: half full
            grow(ctx, table)
            at, _ = find(ctx, table, key, more)
    table[at] = key
    table[at + 1] = (
        more
        | (lower + INFINITE + 1) << LOWER_AT
        | (upper + INFINITE + 1) << UPPER_AT
        | move << MOVE_AT
        | ctx.generation << GENERATION_AT
    )


# --- Moves --------------------------------------------------------------------------------------

# A move in a list: from its lowest bit the sides it leaves, its points, its name, its rank.
SIDES_BITS = 4 * CODE_BITS
POINTS_AT = SIDES_BITS
POINTS_BITS = 7
NAME_AT = POINTS_AT + POINTS_BITS
RANK_AT = NAME_AT + MOVE_BITS
LOWEST_RANK = -(1 << 12)  # ranks are not negative in a list


@rule
def add_move(ctx, ply, n, name, hint, rank, points, sides):
    """Put a move into the list of a ply."""
    if name == hint:
        rank += FIRST
    ctx.moves[ply, n] = (rank - LOWEST_RANK) << RANK_AT | name << NAME_AT | points << POINTS_AT | sides


@rule
def rank_draw(mine, other, tile, fits):
    """How promising a move is that leaves these tiles fitting."""
    theirs = count(other & fits)
    rank = DRAW_DOUBLE * IS_DOUBLE[tile] - DRAW_MINE * count(mine & fits) - DRAW_THEIRS * theirs
    return rank + DRAW_BLOCKS if theirs == 0 else rank


@rule
def list_draw(ctx, ply, hint):
    """Write the moves of draw dominoes with their ranks; how many."""
    mine, other = ctx.mine[ply], ctx.other[ply]
    a, b = ctx.sides[ply] & 7, ctx.sides[ply] >> 3
    n = 0
    left = mine & (FITS[a] | FITS[b])
    while left:
        tile = lowest(left)
        left &= left - 1
        if (FITS[a] >> tile) & 1:
            c = SUM[tile] - a
            rank = rank_draw(mine, other, tile, FITS[c] | FITS[b])
            add_move(ctx, ply, n, tile << 2 | (a > b), hint, rank, 0, c | b << 3)
            n += 1
        if a != b and (FITS[b] >> tile) & 1:
            c = SUM[tile] - b
            rank = rank_draw(mine, other, tile, FITS[c] | FITS[a])
            add_move(ctx, ply, n, tile << 2 | (b > a), hint, rank, 0, a | c << 3)
            n += 1
    return n


@rule
def rank_fives(mine, other, points, fits):
    """How promising a move is that scores points and leaves these tiles fitting."""
    theirs = count(other & fits)
    rank = FIVES_POINTS * points + FIVES_MINE * count(mine & fits) - FIVES_THEIRS * theirs
    return rank + FIVES_BLOCKS if theirs == 0 else rank


@rule
def list_fives(ctx, ply, hint):
    """Write the moves of all fives with their ranks; how many."""
    mine, other, sides = ctx.mine[ply], ctx.other[ply], ctx.sides[ply]
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
            add_move(ctx, ply, n, tile << 2 | i, hint, rank_fives(mine, other, points, fits_any(after)), points, after)
            n += 1
    return n


@rule
def take_best(ctx, ply):
    """The best of the moves of a ply that are left, and be done with it."""
    i = ctx.next[ply]
    best = i
    for j in range(i + 1, ctx.num_moves[ply]):
        if ctx.moves[ply, j] > ctx.moves[ply, best]:
            best = j
    move = ctx.moves[ply, best]
    ctx.moves[ply, best] = ctx.moves[ply, i]
    ctx.next[ply] = i + 1
    return move


# --- The sides of all fives ---------------------------------------------------------------------


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


# --- The search ---------------------------------------------------------------------------------


@rule
def fitting(ctx, sides):
    """The tiles that fit one of the sides."""
    return fits_any(sides) if ctx.fives else FITS[sides & 7] | FITS[sides >> 3]


@rule
def enter(ctx, table, ply):
    """Look at the position of a ply: whether its value is known at once, and the value; else its moves are listed."""
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
    """All that was to be searched at a ply is: note what is known now, and return the value."""
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
    """Let the position after the move of a ply be searched for values of that move from low to high."""
    points = ctx.points[ply]
    ctx.high[ply] = high
    if ctx.sign[ply] < 0:
        ctx.alpha[ply + 1], ctx.beta[ply + 1] = points - high, points - low
    else:
        ctx.alpha[ply + 1], ctx.beta[ply + 1] = low - points, high - points


@rule
def settle(ctx, ply, rest, other, left, sides, points):
    """The next position after a move that leaves these, or the end: whether it is the end, and its value then."""
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
    """Play the next move of a ply: whether that ends the game, and the value then."""
    move = take_best(ctx, ply)
    name = (move >> NAME_AT) & NO_MOVE
    ctx.move[ply] = name
    rest = ctx.mine[ply] & ~(ONE << (name >> 2))
    sides, points = move & ((1 << SIDES_BITS) - 1), (move >> POINTS_AT) & ((1 << POINTS_BITS) - 1)
    ends, value = settle(ctx, ply, rest, ctx.other[ply], ctx.left[ply], sides, points)
    if not ends:
        floor = max(ctx.alpha[ply], ctx.best[ply])
        set_window(ctx, ply, floor, ctx.beta[ply] if ctx.next[ply] == 1 else floor + 1)
    return ends, value


@rule
def take(ctx, ply, value):
    """The move of a ply has that value."""
    if value > ctx.best[ply]:
        ctx.best[ply] = value
        ctx.best_move[ply] = ctx.move[ply]


@rule
def search(ctx, table, root):
    """What the mover at the ply `root` still gains: exact between alpha and beta, else a bound (fail-soft)."""
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
        while True:  # hand the value up
            if ply == root:
                return value
            ply -= 1
            value = ctx.points[ply] + ctx.sign[ply] * value
            if value < ctx.high[ply] or ctx.high[ply] >= ctx.beta[ply]:
                take(ctx, ply, value)
                break
            set_window(ctx, ply, value - 1, ctx.beta[ply])  # better than thought: see how good
            ply += 1
            known, value = enter(ctx, table, ply)
            if not known:
                break


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
def read_rules(ctx, table, s):
    """The rules and the boneyard of a record; what the table holds is forgotten unless it is of the same deal."""
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
def forget(ctx, table):
    """Begin a new generation of the table."""
    ctx.shift = max(ctx.first_shift, ctx.last_shift)
    ctx.stored = 0
    ctx.generation += 1
    if ctx.generation > MAX_GENERATION:
        table[:] = 0
        ctx.generation = 1


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
def play_root(ctx, s, action):
    """Play an action of a record: whether that ends the game, and what it still gains then."""
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
    return settle(ctx, 0, mine & ~(ONE << tile), other, ctx.num_bone, sides, points)


@rule
def test_move(ctx, table, low, high):
    """Search what the action played last is worth, between low and high."""
    set_window(ctx, 0, low, high)
    return ctx.points[0] + ctx.sign[0] * search(ctx, table, 1)


@rule
def value_of(ctx, table, s, action, guess):
    """What the mover still gains if it plays an action; the nearer the guess, the faster.

    By tests whether it is worth more or less than something, each in a window of nothing (MTD(f)).
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
    """How promising an action is."""
    mine, other = search_hand(s.hands[s.turn]), search_hand(s.hands[1 - s.turn])
    play_root(ctx, s, action)
    fits = fitting(ctx, ctx.sides[1])
    if s.fives:
        return rank_fives(mine, other, ctx.points[0], fits)
    return rank_draw(mine, other, SEARCH_TILE[action >> 2], fits)


@rule
def order_root(ctx, s, actions, n):
    """Put the most promising actions first."""
    for i in range(n):
        ctx.moves[0, i] = (rank_root(ctx, s, actions[i]) - LOWEST_RANK) << MOVE_BITS | actions[i]
    for i in range(n):
        for j in range(i + 1, n):
            if ctx.moves[0, j] > ctx.moves[0, i]:
                ctx.moves[0, i], ctx.moves[0, j] = ctx.moves[0, j], ctx.moves[0, i]
        actions[i] = ctx.moves[0, i] & NO_MOVE


@rule
def solve_every(ctx, table, s, actions, n, values):
    """What the mover still gains with each of the legal actions, which are put in another order."""
    order_root(ctx, s, actions, n)
    guess = np.int64(0)
    for i in range(n):
        guess = value_of(ctx, table, s, actions[i], guess)
        values[i] = guess


@rule
def solve_best(ctx, table, s, actions, n, values):
    """As `solve_every`, but exact only for the best action, which is put first; the others have an upper bound."""
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
    """Solve within the cap, or estimate with a part of it more; whether the values are exact."""
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
    """Values by looking ahead a play farther each time, as far as the cap allows."""
    cap = ctx.cap
    ctx.cap = ctx.nodes + cap // ESTIMATE_PART
    ctx.horizon = 1
    ctx.stopped = 0
    while ctx.stopped == 0 and ctx.horizon <= MAX_PLIES:
        forget(ctx, table)  # what is worth something else when one looks farther
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
    """Solve the position `pool[0]`: how many actions, and whether their values are exact."""
    n = kernel.legal(pool[0], actions)
    return n, solve_position(context[0], table, pool[0], actions, n, values, every)


@njit
def sum_worlds(pool, seat, seed, scratch, context, table, actions, worlds):
    """Redeal a hidden record and solve it, again and again; into `worlds[i]` the values by action number.

    How many actions there are, how many nodes that took, how many worlds were only estimated.
    """
    ctx = context[0]
    values = np.zeros(MAX_MOVES, np.int64)
    order = np.zeros(MAX_MOVES, np.int16)
    n = kernel.legal(pool[0], actions)
    nodes = estimated = 0
    for i in range(worlds.shape[0]):
        scratch[0] = pool[0]
        kernel.redeal(scratch[0], seat, stream(seed, i))
        order[:n] = actions[:n]
        estimated += not solve_position(ctx, table, scratch[0], order, n, values, True)
        nodes += ctx.nodes
        for j in range(n):
            worlds[i, order[j]] = values[j]
    return n, nodes, estimated
