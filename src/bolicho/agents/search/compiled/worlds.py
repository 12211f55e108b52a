"""Worlds weighted by the likelihood of the other seats' actions; compiled.

All chance is in the deal. So a redeal can be rewound to its deal (`rewind`) and replayed with the actions that the seat
saw; at each choice of another seat a model gives its likelihood, based on that seat's information at the time.
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
LEAST = 32  # worlds drawn before the first check of the effective sample size


class Worlds(NamedTuple):
    """Drawn worlds, and the cumulative sums of their weights; empty: worlds are drawn on demand."""

    pool: NDArray[Any]
    logs: NDArray[np.float64]
    sums: NDArray[np.float64]


@njit
def gather(model, tremble, room, rows, told, worlds, seat, enough, seed):
    """Draw and weight worlds for `pool[ROOT]` up to an effective sample size of `enough`, or until the arrays are full.

    Returns the number of worlds and their effective sample size.
    """
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
    """Write the cumulative weights of the worlds; return their effective sample size."""
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
    """Rewind the world `pool[HERE]` and replay it; return the log likelihood of the other seats' actions.

    The model makes choices that are still hidden. Redeals draw such choices uniformly, so worlds with more of them are
    drawn more often; the result corrects for that.
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
    """Return the likelihood that the seat to act in `pool[HERE]` takes `action`; it acts at random with `tremble`."""
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
        chance = 1.0  # a model without a mixture counts as deterministic
    return (1 - tremble) * chance + tremble / n


@njit
def draw(worlds, luck):
    """Return the index of a world drawn by weight."""
    wanted = uniform(luck, 0) * worlds.sums[-1]
    return min(np.searchsorted(worlds.sums, wanted, side="right"), len(worlds.sums) - 1)
