"""Compiled entry points: how Python calls a game's kernel.

They take pools (arrays of records), which cross the border three times as fast as single records,
and each does as much as one call can.
"""

from bolicho.games import kernel
from bolicho.games.jit import njit


@njit
def deal(pool, seed):
    kernel.deal(pool[0], seed)


@njit
def legal(pool, out):
    return kernel.legal(pool[0], out)


@njit
def look(pool, seat, out, legal):
    """Copy the state, hide it for `seat`, and list what the seat may do, from what is left."""
    out[0] = pool[0]
    kernel.hide(out[0], seat)
    if out[0].turn != seat:  # what others may do depends on what is hidden
        return 0
    return kernel.legal(out[0], legal)


@njit
def note(pool, scratch, logs, n):
    """Append the events of the last action to every seat's log (last row: everything)."""
    seats = logs.shape[0] - 1
    count = pool[0].num_events
    for seat in range(seats + 1):
        scratch[0] = pool[0]
        if seat < seats:
            kernel.hide(scratch[0], seat)
        for i in range(count):
            for j in range(4):
                logs[seat, n + i, j] = scratch[0].events[i, j]
    return n + count


@njit
def step(pool, action, legal, scratch, logs, n):
    """Play `action` if it is legal and note what happened; -1 if it is not."""
    count = kernel.legal(pool[0], legal)
    for i in range(count):
        if legal[i] == action:
            kernel.apply(pool[0], action)
            return note(pool, scratch, logs, n)
    return -1


@njit
def hide(pool, seat):
    kernel.hide(pool[0], seat)


@njit
def redeal(pool, seat, seed):
    kernel.redeal(pool[0], seat, seed)


@njit
def redeals(pool, seat, seed, worlds):
    """Fill `worlds` with redeals of the hidden record, their seeds wiped."""
    for i in range(worlds.shape[0]):
        worlds[i] = pool[0]
        kernel.redeal(worlds[i], seat, seed + i)
        worlds[i].seed = 0


@njit
def payoff(pool, out):
    kernel.payoff(pool[0], out)


@njit
def scores(pool, out):
    kernel.scores(pool[0], out)


@njit
def features(pool, seat, out):
    return kernel.features(pool[0], seat, out)
