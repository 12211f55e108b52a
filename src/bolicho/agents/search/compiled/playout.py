"""Random play from a position: the playouts of the searches."""

from bolicho.games import kernel
from bolicho.games.compiled.chance import below, stream
from bolicho.games.jit import njit


@njit
def playout(pool, i, legal, seed):
    """Play `pool[i]` to its end, every choice uniform over the legal ones; return how many choices."""
    s = pool[i]
    steps = 0
    while not kernel.over(s):
        n = kernel.legal(s, legal)
        kernel.apply(s, legal[below(seed, steps, n)])
        steps += 1
    return steps


@njit
def playouts(pool, n, legal, seed, payoffs, totals):
    """Play the position `pool[0]` out `n` times in `pool[1]`; add what each seat got to `totals`."""
    steps = 0
    for game in range(n):
        pool[1] = pool[0]
        steps += playout(pool, 1, legal, stream(seed, game))
        kernel.payoff(pool[1], payoffs)
        for seat in range(len(totals)):
            totals[seat] += payoffs[seat]
    return steps
