"""Regrets and average strategy of every visited situation: an open-addressing table by key."""

import numpy as np

from bolicho.agents.cfr.compiled.hashing import fold
from bolicho.games.jit import rule

SLOT = np.dtype([("key", "u8"), ("shape", "u4"), ("visits", "u4"), ("first", "i4"), ("count", "i4")], align=True)
"""Situation: its key, a hash of its choices, the number of learning visits of its seat, its arms.

A slot without arms is free.
"""

ARM = np.dtype([("regret", "f4"), ("average", "f4")], align=True)
"""Action of a situation: its weighted regret, and its weighted share in the average strategy."""

SITUATIONS, ARMS, TURNED_AWAY, CLASHED, TOO_DEEP, TOO_LARGE, NODES = range(7)
STATUS = 7
"""Fields of `status`.

Numbers of situations and of arms; number of situations rejected for lack of space; whether two situations of one key
had different choices; whether a game exceeded the maximum depth, or a walk the maximum size; number of visited nodes.
"""

_SHAPE = np.uint64(0xFFFFFFFF)


@rule
def slot_of(slots, key):
    """Return the slot of a key, or the free slot for it."""
    mask = len(slots) - 1
    slot = np.int64(key) & mask
    while slots[slot].count != 0 and slots[slot].key != key:
        slot = (slot + 1) & mask
    return slot


@rule
def shape_of(labels, n):
    """Return a hash of the labels of `n` choices."""
    h = np.uint64(n)
    for i in range(n):
        h = fold(h, labels[i])
    return np.uint32(h & _SHAPE)


@rule
def claim(slots, arms, status, key, shape, n):
    """Return the slot of a situation with `n` choices, added if new; -1 where there is no space, or a clash."""
    slot = slot_of(slots, key)
    if slots[slot].count == 0:
        if 4 * status[SITUATIONS] >= 3 * len(slots) or status[ARMS] + n > len(arms):
            status[TURNED_AWAY] += 1
            return -1
        slots[slot].key = key
        slots[slot].shape = shape
        slots[slot].first = status[ARMS]
        slots[slot].count = n
        status[SITUATIONS] += 1
        status[ARMS] += n
    elif slots[slot].shape != shape:
        status[CLASHED] = 1
        return -1
    return slot


@rule
def is_narrow(slots, arms, status):
    """Return whether the table should grow."""
    return 2 * status[SITUATIONS] >= len(slots) or 4 * status[ARMS] >= 3 * len(arms)


@rule
def place(slots, kept):
    """Put stored situations into an empty table."""
    for k in range(len(kept)):
        slots[slot_of(slots, kept[k].key)] = kept[k]


@rule
def match_regrets(arms, first, n, out):
    """Write the current strategy of `n` arms, proportional to positive regrets; return the sum of these.

    Without arms (`first` is -1), or without positive regrets, the strategy is uniform.
    """
    total = np.float32(0)
    if first >= 0:
        for i in range(n):
            out[i] = max(arms[first + i].regret, np.float32(0))
            total += out[i]
    for i in range(n):
        out[i] = out[i] / total if total > 0 else np.float32(1) / n
    return total
