"""The contract of a player: what a compiled way of playing promises.

A *player* is what does not change while it plays (options, weights, cases): a named tuple of
numbers and arrays, of a class of its own.  Its *memory* is a record of what it knows of one game
from one seat beyond the view.  Each function below is a documented stub that every technique
overloads for its own class (`@implements(decide, Style)`), as games overload `games.kernel` for
their records; so a technique is compiled once for each game, and never for each opponent.

`view` is always a hidden record (an oracle's is open), so that nothing can be decided by what is not known.
All chance is `luck`, a number that depends on (the run, the game, the seat, which decision) and
nothing else: `chance.below(luck, i, n)` and `chance.uniform(luck, i)` draw from it.

The face of such a player is `agents.player.Compiled`.
"""

import numpy as np

from bolicho.games import kernel
from bolicho.games.chance import stream
from bolicho.games.jit import njit


def decide(player, memory, view, seat, luck):
    """The number of the action `player` takes in `view`, where it is `seat`'s turn."""


def observe(player, memory, event, seat):
    """Take note of a row of `events` that `seat` saw; called for each, in order, before the next decision."""


def forget(player, memory, seat):
    """A game begins: make the memory what it is at the start."""


# --- Called by the loop, and by the face ---------------------------------------------------------


@njit
def answer(player, memory, pool, which, luck, open, view, out):
    """Let a player decide at some tables, of which it knows what the seat to act knows."""
    for k in range(len(which)):
        i = which[k]
        seat = np.int64(pool[i].turn)
        view[0] = pool[i]
        if not open:
            kernel.hide(view[0], seat)
        out[k] = decide(player, memory[i, seat], view[0], seat, luck[k])


@njit
def watch(player, memory, pool, which, seats, view):
    """Let a player note what the last action did at some tables where it has these seats."""
    for k in range(len(which)):
        seat = np.int64(seats[k])
        view[0] = pool[which[k]]
        kernel.hide(view[0], seat)
        for row in range(view[0].num_events):
            observe(player, memory[which[k], seat], view[0].events[row], seat)


@njit
def begin(player, memory, which, seats):
    """A game begins at some tables where a player has these seats."""
    for k in range(len(which)):
        forget(player, memory[which[k], seats[k]], np.int64(seats[k]))


@njit
def act(player, memory, pool, seat, luck):
    return decide(player, memory[0], pool[0], seat, luck)


@njit
def read(player, memory, rows, seat):
    for row in range(len(rows)):
        observe(player, memory[0], rows[row], seat)


@njit
def begin_one(player, memory, seat):
    forget(player, memory[0], seat)


# --- The steps of the loop that touch every table -----------------------------------------------


@njit
def split(turn, seated, counts, order):
    """Sort the live tables by the agent that must act; `counts[a]` of them wait for agent `a`."""
    counts[:] = 0
    for i in range(len(turn)):
        if turn[i] >= 0:
            counts[seated[i, turn[i]]] += 1
    at = np.cumsum(counts) - counts
    for i in range(len(turn)):
        if turn[i] >= 0:
            who = seated[i, turn[i]]
            order[at[who]] = i
            at[who] += 1


@njit
def draw(which, turn, keys, plies, luck):
    """The luck of each table's next decision: of the seat's key and the ply alone."""
    for k in range(len(which)):
        i = which[k]
        luck[k] = stream(keys[i, turn[i]], plies[i])


@njit
def book(which, turn, now, spent, decisions, seconds, slowest):
    """Take down that seats answered and what they spent, and whose turn it is now."""
    for k in range(len(which)):
        i = which[k]
        seat = turn[i]
        decisions[i, seat] += 1
        seconds[i, seat] += spent[k]
        slowest[i, seat] = max(slowest[i, seat], spent[k])
        turn[i] = now[i]
