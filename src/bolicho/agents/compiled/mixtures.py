"""Mixtures: drawing an action, and ordering probabilities by legal actions; compiled."""

import numpy as np

from bolicho.games import kernel
from bolicho.games.jit import rule


@rule
def draw(chances, n, chance):
    """Return the index of one of `n` items, drawn by their chances; `chance` is a uniform number from 0 to 1."""
    for i in range(n - 1):
        chance -= chances[i]
        if chance < 0:
            return i
    last = n - 1
    while last > 0 and chances[last] == 0:  # rounding may leave the sum below 1
        last -= 1
    return last


@rule
def spread_mixture(view, actions, chances, n, legal, out):
    """Write the chances of `n` actions in the order of the legal ones; return the number of legal actions."""
    known = kernel.legal(view, legal)
    for i in range(known):
        out[i] = np.float64(0)
        for j in range(n):
            if actions[j] == legal[i]:
                out[i] = chances[j]
    return known
