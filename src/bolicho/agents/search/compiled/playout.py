"""Play from a position: the playouts of the searches, at random or by a player."""

from typing import Any, NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from bolicho.agents import kernel as players
from bolicho.agents.basic.kernel import Anything
from bolicho.agents.search.compiled.leaf import HERE, SEEN, is_judged
from bolicho.games import kernel
from bolicho.games.compiled.chance import below, stream
from bolicho.games.jit import njit
from bolicho.games.kernel import implements


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


class Room(NamedTuple):
    """Room for a search to work in."""

    pool: NDArray[Any]  # see `leaf`
    words: NDArray[np.uint64]  # the same memory, and which words and bits of a record make its key
    used: NDArray[np.int64]
    masks: NDArray[np.uint64]
    memory: NDArray[Any]  # of players, who need none
    legal: NDArray[np.int16]
    chances: NDArray[np.float64]
    payoffs: NDArray[np.float64]


@njit
def decide_here(player, room, luck):
    """What a player does in `pool[HERE]`, of which it knows what its seat knows."""
    room.pool[SEEN] = room.pool[HERE]
    seat = np.int64(room.pool[HERE].turn)
    kernel.hide(room.pool[SEEN], seat)
    return players.decide(player, room.memory[0], room.pool[SEEN], seat, luck)


def play_on(player, leaf, room, seat, seed):
    """Let a player have all seats of `pool[HERE]` until a leaf says what it is worth."""


@njit
def _play_on(player, leaf, room, seat, seed):
    s = room.pool[HERE]
    steps = 0
    while not is_judged(leaf, s, seat, steps):
        if kernel.legal(s, room.legal) > 1:
            action = decide_here(player, room, stream(seed, steps))
        else:
            action = room.legal[0]
        kernel.apply(s, action)
        steps += 1


for _tuples in (types.NamedTuple, types.NamedUniTuple):
    implements(play_on, _tuples)(_play_on)


@implements(play_on, Anything)
@njit
def play_at_random(player, leaf, room, seat, seed):
    """The same, but nobody has to be shown a view."""
    s = room.pool[HERE]
    steps = 0
    while not is_judged(leaf, s, seat, steps):
        n = kernel.legal(s, room.legal)
        kernel.apply(s, room.legal[below(seed, steps, n)])
        steps += 1
