"""Mixtures: drawing from one, and telling one by the legal actions; compiled."""

import numpy as np

from bolicho.games import kernel
from bolicho.games.jit import rule


@rule
def draw(chances, n, chance):
    """The place of one of `n` things, by their chances; `chance` is a number from 0 to 1."""
    for i in range(n - 1):
        chance -= chances[i]
        if chance < 0:
            return i
    last = n - 1
    while last > 0 and chances[last] == 0:  # of a sum that rounding left below 1
        last -= 1
    return last


@rule
def tell(view, actions, chances, n, legal, out):
    """Write the chances of `n` actions by the legal ones, in their order; how many these are."""
    known = kernel.legal(view, legal)
    for i in range(known):
        out[i] = np.float64(0)
        for j in range(n):
            if actions[j] == legal[i]:
                out[i] = chances[j]
    return known
