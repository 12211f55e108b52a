"""Many games, or many queries of a case base, in one compiled call: their cost without Python around them."""

import numpy as np

from bolicho.agents.cbr.compiled.search import retrieve_cases
from bolicho.agents.kernel import decide
from bolicho.games import kernel
from bolicho.games.compiled.chance import below, stream
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


@njit
def retrieve_all(index, decision, queries, threshold, minimum, scratch, cases, distances):
    """Answer every query, writing all its cases out; how many cases in all."""
    found = 0
    for i in range(len(queries)):
        n, _, _ = retrieve_cases(index, decision, queries[i : i + 1], 0, threshold, minimum, scratch, cases, distances)
        found += n
    return found


@njit
def play_at_random(pool, first, legal):
    """Play a game at random at each table, from the seed `first` on; return the number of choices."""
    steps = 0
    for i in range(len(pool)):
        seed = first + np.uint64(i)
        kernel.deal(pool[i], seed)
        ply = 0
        while not kernel.over(pool[i]):
            count = kernel.legal(pool[i], legal)
            kernel.apply(pool[i], legal[below(seed, ply, count)])
            ply += 1
        steps += ply
    return steps
