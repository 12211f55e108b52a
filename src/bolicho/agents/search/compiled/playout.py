"""Playouts of the searches, at random or by a player."""

from typing import Any, NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from bolicho.agents import kernel as players
from bolicho.agents.basic.kernel import RandomPlayer
from bolicho.agents.search.compiled.leaf import HERE, SEEN, is_judged
from bolicho.games import kernel
from bolicho.games.compiled.chance import below, stream
from bolicho.games.jit import njit
from bolicho.games.kernel import implements


@njit
def playout(pool, i, legal, seed):
    """Play `pool[i]` to its end with uniformly random choices; return the number of choices."""
    s = pool[i]
    steps = 0
    while not kernel.over(s):
        n = kernel.legal(s, legal)
        kernel.apply(s, legal[below(seed, steps, n)])
        steps += 1
    return steps


@njit
def playouts(pool, n, legal, seed, payoffs, totals):
    """Play the position `pool[0]` out `n` times in `pool[1]`; add each seat's payoffs to `totals`."""
    steps = 0
    for game in range(n):
        pool[1] = pool[0]
        steps += playout(pool, 1, legal, stream(seed, game))
        kernel.payoff(pool[1], payoffs)
        for seat in range(len(totals)):
            totals[seat] += payoffs[seat]
    return steps


class SearchWorkspace(NamedTuple):
    """Work arrays of a search."""

    pool: NDArray[Any]  # see `leaf`
    words: NDArray[np.uint64]  # the same memory as words; `used` and `masks` select a key's words and bits
    used: NDArray[np.int64]
    masks: NDArray[np.uint64]
    memory: NDArray[Any]  # memory of the players, which is empty
    legal: NDArray[np.int16]
    chances: NDArray[np.float64]
    payoffs: NDArray[np.float64]


@njit
def decide_here(player, room, luck):
    """Return a player's decision in `pool[HERE]`, based on the view of the seat to move."""
    room.pool[SEEN] = room.pool[HERE]
    seat = np.int64(room.pool[HERE].turn)
    kernel.hide(room.pool[SEEN], seat)
    return players.decide(player, room.memory[0], room.pool[SEEN], seat, luck)


def play_on(player, leaf, room, seat, seed):
    """Let a player decide for all seats of `pool[HERE]` until a leaf ends the playout."""


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


@implements(play_on, RandomPlayer)
@njit
def play_at_random(player, leaf, room, seat, seed):
    """Play on at random, without views."""
    s = room.pool[HERE]
    steps = 0
    while not is_judged(leaf, s, seat, steps):
        n = kernel.legal(s, room.legal)
        kernel.apply(s, room.legal[below(seed, steps, n)])
        steps += 1
