"""Mass random play of any game, compiled."""

import numpy as np

from bolicho.games import kernel
from bolicho.games.chance import below, mix
from bolicho.games.jit import njit

MAX_ACTIONS = 4096


@njit
def random_games(pool, games, seed):
    """Play random games of the rules in `pool[0]`; returns how many, and how many steps."""
    legal = np.empty(MAX_ACTIONS, np.int16)
    steps = 0
    luck = mix(seed)
    s = pool[0]
    for i in range(games):
        kernel.deal(s, seed + np.uint64(i))
        while not kernel.over(s):
            n = kernel.legal(s, legal)
            kernel.apply(s, legal[below(luck, steps, n)])
            steps += 1
    return games, steps
