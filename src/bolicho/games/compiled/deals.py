"""Numbering of deals, for games small enough to enumerate all of them."""

import numpy as np

from bolicho.games import kernel
from bolicho.games.compiled.bits import count, lowest
from bolicho.games.jit import njit, rule
from bolicho.games.kernel import implements

MOST = 1 << 62
"""Upper limit on numbered deals."""


@implements(kernel.num_deals, kernel.ANY)
@rule
def not_listed(s):
    return np.int64(0)


@implements(kernel.deal_number, kernel.ANY)
@rule
def no_deal(s, number):
    pass


@rule
def subsets(n, r):
    """Return the number of `r`-subsets of a set of `n`."""
    found = np.int64(1)
    for i in range(r):
        found = found * (n - i) // (i + 1)
    return found


@rule
def subset(bits, r, number):
    """Return the `r`-subset of `bits` with this number, from 0 on."""
    chosen = np.int64(0)
    n = count(bits)
    while r > 0:
        bit = bits & -bits
        bits ^= bit
        n -= 1
        with_it = subsets(n, r - 1)
        if number < with_it:
            chosen |= bit
            r -= 1
        else:
            number -= with_it
    return chosen


@rule
def nth(bits, number):
    """Return the index of the set bit with this number, from 0 on."""
    for _ in range(number):
        bits &= bits - 1
    return lowest(bits)


@njit
def num_deals(pool):
    return kernel.num_deals(pool[0])


@njit
def deal_number(pool, number):
    kernel.deal_number(pool[0], number)
