"""Random play: the playouts of the searches, and whole random games."""

from bolicho.games import kernel
from bolicho.games.chance import below, stream
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


@njit
def random_games(pool, first, n, legal, seed, payoffs, totals):
    """Deal and play games `first` .. `first + n - 1` of `seed` at random in `pool[0]`."""
    steps = 0
    for game in range(first, first + n):
        own = stream(seed, game)
        kernel.deal(pool[0], own)
        steps += playout(pool, 0, legal, stream(own, 1))
        kernel.payoff(pool[0], payoffs)
        for seat in range(len(totals)):
            totals[seat] += payoffs[seat]
    return steps
