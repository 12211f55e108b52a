"""Whole games in one compiled call: what playing costs where nothing is checked, noted, measured or hidden."""

import numpy as np

from bolicho.agents.kernel import decide
from bolicho.games import kernel
from bolicho.games.compiled.chance import stream
from bolicho.games.jit import njit


@njit
def play_bare(players, memory, pool, seeds, luck):
    """Play a game a seed, one after the other; both players are of one class, and remember nothing."""
    for i in range(len(seeds)):
        kernel.deal(pool[0], seeds[i])
        ply = 0
        while not kernel.over(pool[0]):
            seat = np.int64(pool[0].turn)
            action = decide(players[seat], memory[0], pool[0], seat, stream(luck[i] + np.uint64(seat), ply))
            kernel.apply(pool[0], action)
            ply += 1
