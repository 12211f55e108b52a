"""Check that an abstraction reads only the information of a seat; compiled."""

import numpy as np

from bolicho.agents.cfr.kernel import choices, key
from bolicho.games import kernel
from bolicho.games.compiled.chance import below, stream
from bolicho.games.jit import njit


@njit
def is_honest(abstraction, room, games, seed):
    """Return whether keys and choices are the same for the state as for the view, in random games."""
    for number in range(games):
        own = stream(seed, number)
        kernel.deal(room.pool[0], own)
        drawn = 0
        while room.pool[0].turn >= 0:
            seat = np.int64(room.pool[0].turn)
            room.seen[0] = room.pool[0]
            kernel.hide(room.seen[0], seat)
            n = choices(abstraction, room.seen[0], seat, room.actions[1], room.labels)
            if n != choices(abstraction, room.pool[0], seat, room.actions[0], room.labels):
                return False
            for i in range(n):
                if room.actions[0, i] != room.actions[1, i]:
                    return False
            past = np.uint64(0)
            if key(abstraction, room.pool[0], seat, past) != key(abstraction, room.seen[0], seat, past):
                return False
            n = kernel.legal(room.pool[0], room.actions[0])
            kernel.apply(room.pool[0], room.actions[0, below(own, drawn, n)])
            drawn += 1
    return True
