"""The regrets and the average strategy of every situation met: an open-addressing table by key."""

import numpy as np

from bolicho.agents.cfr.compiled.hashing import fold
from bolicho.games.jit import rule

SLOT = np.dtype([("key", "u8"), ("shape", "u4"), ("visits", "u4"), ("first", "i4"), ("count", "i4")], align=True)
"""A situation: its key, a hash of what may be chosen there, how often its seat learned there, its arms.

A slot without arms is free."""

ARM = np.dtype([("regret", "f4"), ("average", "f4")], align=True)
"""An action of a situation: what was missed by not taking it, and how often it was taken, both weighted."""

SITUATIONS, ARMS, TURNED_AWAY, CLASHED, TOO_DEEP, TOO_LARGE, NODES = range(7)
STATUS = 7
"""What `status` holds: how many situations and arms there are; how many found no room; whether two situations of one
key had different choices; whether a game was longer than there is room for, or a walk larger than wanted; how many
nodes were walked through."""

_SHAPE = np.uint64(0xFFFFFFFF)


@rule
def slot_of(slots, key):
    """The slot of a key, or the free one where it belongs."""
    mask = len(slots) - 1
    slot = np.int64(key) & mask
    while slots[slot].count != 0 and slots[slot].key != key:
        slot = (slot + 1) & mask
    return slot


@rule
def shape_of(labels, n):
    """A hash of the labels of `n` choices."""
    h = np.uint64(n)
    for i in range(n):
        h = fold(h, labels[i])
    return np.uint32(h & _SHAPE)


@rule
def claim(slots, arms, status, key, shape, n):
    """The slot of a situation with `n` choices, made where it is new; -1 where there is no room, or a clash."""
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
    """Whether it is time for a larger table."""
    return 2 * status[SITUATIONS] >= len(slots) or 4 * status[ARMS] >= 3 * len(arms)


@rule
def place(slots, kept):
    """Put situations that were kept into an empty table."""
    for k in range(len(kept)):
        slots[slot_of(slots, kept[k].key)] = kept[k]


@rule
def match_regrets(arms, first, n, out):
    """Write the strategy by which `n` arms are played: in proportion to positive regrets.  Their sum.

    Without arms (`first` is -1), or where no regret is positive, all are played alike.
    """
    total = np.float32(0)
    if first >= 0:
        for i in range(n):
            out[i] = max(arms[first + i].regret, np.float32(0))
            total += out[i]
    for i in range(n):
        out[i] = out[i] / total if total > 0 else np.float32(1) / n
    return total
