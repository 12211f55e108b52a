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
from numba import types

from bolicho.games import kernel
from bolicho.games.compiled import calls
from bolicho.games.compiled.chance import stream
from bolicho.games.jit import njit
from bolicho.games.kernel import implements

BATCH = 64  # views that are looked at together: more fall out of the processor's nearest memory


def decide(player, memory, view, seat, luck):
    """The number of the action `player` takes in `view`, where it is `seat`'s turn."""


def observe(player, memory, event, seat):
    """Take note of a row of `events` that `seat` saw; called for each, in order, before the next decision.

    By default nothing, and `forget` as well.
    """


def forget(player, memory, seat):
    """A game begins: make the memory what it is at the start."""


def finish(player, memory, view, seat):
    """A game is over, `view` is the last: asked of those that learn, and by default nothing."""


def mixture(player, memory, view, seat, out):
    """Write the probability of every legal action of `view`, in the order of `legal`; how many (0: they are not known).

    They are what `decide` draws from by luck.  By default they are not known.
    """


def decide_many(player, memory, views, which, luck, out):
    """Write what `decide` says of each view into `out`; `which[k]` is the table of `views[k]`.

    By default one after the other.  Whoever answers them together gives the same bytes for one as for many.
    """


@njit
def _finish(player, memory, view, seat):
    pass


@njit
def _decide_many(player, memory, views, which, luck, out):
    for k in range(len(views)):
        seat = np.int64(views[k].turn)
        out[k] = decide(player, memory[which[k], seat], views[k], seat, luck[k])


@njit
def _observe(player, memory, event, seat):
    pass


@njit
def _forget(player, memory, seat):
    pass


@njit
def _mixture(player, memory, view, seat, out):
    return np.int64(0)


for _tuples in (types.NamedTuple, types.NamedUniTuple):  # every player with nothing of its own
    implements(observe, _tuples)(_observe)
    implements(forget, _tuples)(_forget)
    implements(mixture, _tuples)(_mixture)
    implements(finish, _tuples)(_finish)
    implements(decide_many, _tuples)(_decide_many)


# --- Called by the loop, and by the face ---------------------------------------------------------


@njit
def answer(player, memory, pool, which, luck, open, views, out):
    """Let a player decide at some tables, of which it knows what the seat to act knows."""
    for first in range(0, len(which), len(views)):
        tables = which[first : first + len(views)]
        n = len(tables)
        for k in range(n):
            views[k] = pool[tables[k]]
            if not open:
                kernel.hide(views[k], np.int64(views[k].turn))
        decide_many(player, memory, views[:n], tables, luck[first : first + n], out[first : first + n])


@njit
def watch(player, memory, pool, me, desk, which, played, view):
    """Let the player of number `me` note what the last action did at tables where something was played."""
    for k in range(len(which)):
        if played[k]:
            i = which[k]
            for seat in range(memory.shape[1]):
                if desk[i].seated[seat] == me:
                    note(player, memory[i, seat : seat + 1], pool[i : i + 1], seat, view)


@njit
def note(player, memory, pool, seat, view):
    """Let a player note what the last `deal` or action at one table did, as its seat saw it."""
    view[0] = pool[0]
    kernel.hide(view[0], seat)
    for row in range(view[0].num_events):
        observe(player, memory[0], view[0].events[row], seat)


@njit
def act(player, memory, pool, seat, luck):
    return decide(player, memory[0], pool[0], seat, luck)


@njit
def mix(player, memory, pool, seat, out):
    return mixture(player, memory[0], pool[0], seat, out)


@njit
def sample(player, memory, pool, seat, luck, counts):
    """Count by action what a player decides with each of some luck."""
    for k in range(len(luck)):
        counts[decide(player, memory[0], pool[0], seat, luck[k])] += 1


@njit
def read(player, memory, rows, seat):
    for row in range(len(rows)):
        observe(player, memory[0], rows[row], seat)


@njit
def begin(player, memory, seat):
    forget(player, memory[0], seat)


@njit
def conclude(player, memory, pool, seat, open, view):
    """A game is over where a player that learns has a seat."""
    view[0] = pool[0]
    if not open:
        kernel.hide(view[0], seat)
    finish(player, memory[0], view[0], seat)


# --- The steps of the loop that touch every table -----------------------------------------------


MOST_SEATS = 8  # that a desk has room for, so that it is one type for all games with no more


def desks(count, seats):
    """Beside each of some tables: whose turn it is, who sits where, their luck, and what they spent."""
    room = (max(seats, MOST_SEATS),)
    fields = [("dealt", "i8"), ("turn", "i1"), ("first", "i1"), ("seated", "i2", room), ("keys", "u8", room)]
    fields += [("decisions", "i4", room), ("seconds", "f8", room), ("slowest", "f8", room)]
    made = np.zeros(count, np.dtype(fields, align=True))
    made["dealt"] = made["turn"] = -1
    return made


@njit
def split(desk, plies, counts, order, luck):
    """Sort the live tables by the agent that must act, and draw the luck of each decision.

    `counts[a]` of them wait for agent `a`.  Luck comes of the seat's key and the ply alone.
    """
    counts[:] = 0
    for i in range(len(desk)):
        if desk[i].turn >= 0:
            counts[desk[i].seated[desk[i].turn]] += 1
    at = np.cumsum(counts) - counts
    for i in range(len(desk)):
        if desk[i].turn >= 0:
            who = desk[i].seated[desk[i].turn]
            order[at[who]] = i
            luck[at[who]] = stream(desk[i].keys[desk[i].turn], plies[i])
            at[who] += 1


@njit
def step(desk, tables, which, actions, played, spent):
    """Play what was decided at some `tables.Arrays`, and book it; how many were not legal, how many games ended."""
    return calls.play_many(tables, which, actions, played), book(desk, which, played, tables.pool, spent)


@njit
def book(desk, which, played, pool, spent):
    """Take down the decisions that were played, what they took, and whose turn it is now; how many games ended."""
    ended = 0
    for k in range(len(which)):
        if played[k]:
            d = desk[which[k]]
            d.decisions[d.turn] += 1
            d.seconds[d.turn] += spent[k]
            d.slowest[d.turn] = max(d.slowest[d.turn], spent[k])
            d.turn = pool[which[k]].turn
            ended += d.turn < 0
    return ended
