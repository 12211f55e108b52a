"""Transposition table of the solver: bounds and the best move of each position, by an exact key; compiled."""

import numpy as np

from bolicho.agents.search.dominoes.compact import NUM_TILES
from bolicho.games.compiled.bits import count
from bolicho.games.jit import rule

INFINITE = 2047  # above any value: 28 plays of at most 48 points, and a bonus of at most 200
HANDS = np.int64((1 << 2 * NUM_TILES) - 1)

# A table entry has two words. The first is the key; the second holds, from its lowest bit:
KEY_BITS = 17  # the part of the key that exceeds the first word
BOUND_BITS = 12  # twice: a lower and an upper bound, each with INFINITE + 1 added
MOVE_BITS = 7
GENERATION_BITS = 16
LOWER_AT = KEY_BITS
UPPER_AT = LOWER_AT + BOUND_BITS
MOVE_AT = UPPER_AT + BOUND_BITS
GENERATION_AT = MOVE_AT + MOVE_BITS
MAX_GENERATION = (1 << GENERATION_BITS) - 1
NO_MOVE = (1 << MOVE_BITS) - 1
HASH_1 = np.uint64(0x9E3779B97F4A7C15)  # odd constants without pattern
HASH_2 = np.uint64(0xD6E8FEB86659FD93)


@rule
def mixed(key, more):
    """Return a hash of a key."""
    bits = np.uint64(key) * HASH_1 ^ np.uint64(more) * HASH_2
    bits ^= bits >> np.uint64(32)
    return bits * HASH_1


@rule
def find(ctx, table, key, more):
    """Return the slot of a key, or the slot to replace; and its second word, 0 if the key is absent."""
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
        # Both are taken: positions with more tiles in hand cost more to solve, so they stay.
        if current and count(table[at + 2] & HANDS) < count(table[at] & HANDS):
            return at + 2, np.int64(0)
        return at, np.int64(0)
    return (at + 2 if current else at), np.int64(0)


@rule
def lower_bound(second):
    return ((second >> LOWER_AT) & ((1 << BOUND_BITS) - 1)) - (INFINITE + 1)


@rule
def upper_bound(second):
    return ((second >> UPPER_AT) & ((1 << BOUND_BITS) - 1)) - (INFINITE + 1)


@rule
def grow(ctx, table):
    """Double the used part of the table: entries of a pair move to its two new pairs, from the last pair on."""
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
    """Store the result for a position. The slot may be taken since the lookup, so it is found again."""
    at, second = find(ctx, table, key, more)
    if second == 0:
        ctx.stored += 1
        if ctx.stored >> (64 - ctx.shift) and ctx.shift > ctx.last_shift:  # as many entries as pairs: half full
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


@rule
def forget(ctx, table):
    """Start a new generation of the table."""
    ctx.shift = max(ctx.first_shift, ctx.last_shift)
    ctx.stored = 0
    ctx.generation += 1
    if ctx.generation > MAX_GENERATION:
        table[:] = 0
        ctx.generation = 1
