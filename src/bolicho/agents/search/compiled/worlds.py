"""Worlds weighed by how well they explain what the others did; compiled.

All chance is in the deal.  So a redeal can be taken back to where it was dealt (`rewind`) and played again by what the
seat saw, and at each choice of another seat a model of it says how likely it was, with what that seat would know there.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bolicho.agents import kernel as players
from bolicho.agents.search.compiled.leaf import HERE, ROOT, SEEN
from bolicho.agents.search.compiled.playout import decide_here
from bolicho.games import kernel
from bolicho.games.compiled.chance import stream, uniform
from bolicho.games.jit import njit

IMPOSSIBLE = -np.inf
LEAST = 32  # worlds that are drawn before it is asked whether they are enough


class Worlds(NamedTuple):
    """Worlds that were drawn, and the sums of their weights up to each; none: they are drawn as they are needed."""

    pool: NDArray[Any]
    logs: NDArray[np.float64]
    sums: NDArray[np.float64]


@njit
def gather(model, tremble, room, rows, told, worlds, seat, enough, seed):
    """Draw worlds for `pool[ROOT]` and weigh them, until they are worth `enough` equally likely ones or there is no
    more room; how many, and what they are worth."""
    worth, check = 0.0, LEAST
    most = len(worlds.logs)
    drawn = 0
    while drawn < most and worth < enough:
        room.pool[HERE] = room.pool[ROOT]
        kernel.redeal(room.pool[HERE], seat, stream(seed, 2 * drawn))
        told[:] = rows
        worlds.logs[drawn] = explain(model, tremble, room, told, seat, stream(seed, 2 * drawn + 1))
        worlds.pool[drawn] = room.pool[HERE]
        drawn += 1
        if drawn == check or drawn == most:
            check *= 2
            worth = add_up(worlds.logs[:drawn], worlds.sums)
    return drawn, worth


@njit
def add_up(logs, sums):
    """Write the sums of the weights up to each world; how many equally likely ones they are worth."""
    highest = np.max(logs)
    total, squares = 0.0, 0.0
    for i in range(len(logs)):
        weight = np.exp(logs[i] - highest) if highest > IMPOSSIBLE else 1.0
        total += weight
        squares += weight * weight
        sums[i] = total
    return total * total / squares


@njit
def explain(model, tremble, room, rows, seat, seed):
    """Take the world `pool[HERE]` back and play it again; the logarithm of how likely the others did what they did.

    A choice that nobody was shown yet is made by the model.  Redeals come with such choices, each alike, so worlds
    where there were more of them are drawn more often: that is put right here.
    """
    s = room.pool[HERE]
    first = kernel.rewind(s, rows)
    found = 0.0
    for i in range(max(0, first), len(rows) if first >= 0 else 0):
        if rows[i, 0] != kernel.CHOSE:
            continue
        action = np.int64(rows[i, 2])
        n = kernel.legal(s, room.legal)
        if action < 0:
            found -= np.log(n)
            action = np.int64(decide_here(model, room, stream(seed, i)))
        elif s.turn != seat and n > 1:
            found += np.log(likelihood(model, tremble, room, action, n))
        kernel.apply(s, action)
    return found


@njit
def likelihood(model, tremble, room, action, n):
    """How likely the seat to act in `pool[HERE]` takes one of its `n` actions: now and then anybody takes any."""
    at = 0
    while at < n and room.legal[at] != action:
        at += 1
    if at == n:
        return 0.0
    room.pool[SEEN] = room.pool[HERE]
    turn = np.int64(room.pool[HERE].turn)
    kernel.hide(room.pool[SEEN], turn)
    chance = 0.0
    if players.mixture(model, room.memory[0], room.pool[SEEN], turn, room.chances) > 0:
        chance = room.chances[at]
    elif players.decide(model, room.memory[0], room.pool[SEEN], turn, np.uint64(0)) == action:
        chance = 1.0  # who does not tell is taken to leave nothing to luck
    return (1 - tremble) * chance + tremble / n


@njit
def draw(worlds, luck):
    """One of the worlds, by weight."""
    wanted = uniform(luck, 0) * worlds.sums[-1]
    return min(np.searchsorted(worlds.sums, wanted, side="right"), len(worlds.sums) - 1)
