"""Contract of compiled players.

A *player* is the constant part of an agent (options, weights, cases): a named tuple of numbers and arrays, of its own
class. Its *memory* is a record of what it knows about one game from one seat beyond the view. Each function below is a
documented stub that every technique overloads for its own class (`@implements(decide, Style)`), as games overload
`games.kernel` for their records. So a technique is compiled once for each game, never for each opponent. `view` is
always a hidden record (open for an oracle), so decisions cannot use hidden information. All chance is `luck`, a number
that depends only on (the run, the game, the seat, the number of the decision): `chance.below(luck, i, n)` and
`chance.uniform(luck, i)` draw from it.

`agents.player.Compiled` wraps such a player as an `Agent`.
"""

import numpy as np
from numba import types

from bolicho.games import kernel
from bolicho.games.compiled import calls
from bolicho.games.compiled.chance import stream
from bolicho.games.jit import njit
from bolicho.games.kernel import implements

BATCH = 64  # views per batch: more exceed the processor's fastest cache


def decide(player, memory, view, seat, luck):
    """Return the number of the action that `player` takes in `view`, at `seat`'s turn."""


def observe(player, memory, event, seat):
    """Record a row of `events` that `seat` saw; called for each row, in order, before the next decision.

    The defaults of `observe` and `forget` do nothing.
    """


def forget(player, memory, seat):
    """Reset the memory for a new game."""


def finish(player, memory, view, seat):
    """Learn from a finished game; `view` is the last view. Called for players that learn; the default does nothing."""


def mixture(player, memory, view, seat, out):
    """Write the probability of every legal action of `view`, in the order of `legal`; return their number (0: unknown).

    `decide` draws from these probabilities by luck. By default they are unknown.
    """


def decide_many(player, memory, views, which, luck, out):
    """Write the decision of `decide` for each view into `out`; `which[k]` is the table of `views[k]`.

    By default one view after the other. A batched implementation must give the same bytes for one view as for many.
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


for _tuples in (types.NamedTuple, types.NamedUniTuple):  # defaults for every player without its own functions
    implements(observe, _tuples)(_observe)
    implements(forget, _tuples)(_forget)
    implements(mixture, _tuples)(_mixture)
    implements(finish, _tuples)(_finish)
    implements(decide_many, _tuples)(_decide_many)


# --- Called by the loop and by `Compiled` ---------------------------------------------------------


@njit
def answer(player, memory, pool, which, luck, open, views, out):
    """Let a player decide at some tables, with the information of the seat to act."""
    for first in range(0, len(which), len(views)):
        tables = which[first : first + len(views)]
        n = len(tables)
        for k in range(n):
            views[k] = pool[tables[k]]
            if not open:
                kernel.hide(views[k], np.int64(views[k].turn))
        decide_many(player, memory, views[:n], tables, luck[first : first + n], out[first : first + n])


@njit
def observe_tables(player, memory, pool, me, ledger, which, played, view):
    """Let the player of number `me` observe the last action at tables where one was `played`."""
    for k in range(len(which)):
        if played[k]:
            i = which[k]
            for seat in range(memory.shape[1]):
                if ledger[i].seated[seat] == me:
                    note(player, memory[i, seat : seat + 1], pool[i : i + 1], seat, view)


@njit
def note(player, memory, pool, seat, view):
    """Let a player observe the last `deal` or action at one table, as its seat saw it."""
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
    """Count by action the decisions of a player for each of some luck numbers."""
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
    """End a game at a table where a learning player has a seat."""
    view[0] = pool[0]
    if not open:
        kernel.hide(view[0], seat)
    finish(player, memory[0], view[0], seat)


# --- Steps of the loop over all tables -----------------------------------------------------------


MOST_SEATS = 8  # capacity of a desk; one fixed size makes it one type for all games


def ledger(count, seats):
    """Create the loop's data for each table: turn, agents by seat, luck, and time spent."""
    room = (max(seats, MOST_SEATS),)
    fields = [("dealt", "i8"), ("turn", "i1"), ("first", "i1"), ("seated", "i2", room), ("keys", "u8", room)]
    fields += [("decisions", "i4", room), ("seconds", "f8", room), ("slowest", "f8", room)]
    made = np.zeros(count, np.dtype(fields, align=True))
    made["dealt"] = made["turn"] = -1
    return made


@njit
def split(ledger, plies, counts, order, luck):
    """Sort the live tables by the agent that must act, and draw the luck of each decision.

    `counts[a]` of them wait for agent `a`. Luck depends only on the seat's key and the ply.
    """
    counts[:] = 0
    for i in range(len(ledger)):
        if ledger[i].turn >= 0:
            counts[ledger[i].seated[ledger[i].turn]] += 1
    at = np.cumsum(counts) - counts
    for i in range(len(ledger)):
        if ledger[i].turn >= 0:
            who = ledger[i].seated[ledger[i].turn]
            order[at[who]] = i
            luck[at[who]] = stream(ledger[i].keys[ledger[i].turn], plies[i])
            at[who] += 1


@njit
def step(ledger, tables, which, actions, played, spent):
    """Play and record the decisions at some `tables.Arrays`; return the counts of illegal actions and ended games."""
    return calls.play_many(tables, which, actions, played), book(ledger, which, played, tables.pool, spent)


@njit
def book(ledger, which, played, pool, spent):
    """Record the played decisions, their time and the seat to act next; return the number of ended games."""
    ended = 0
    for k in range(len(which)):
        if played[k]:
            d = ledger[which[k]]
            d.decisions[d.turn] += 1
            d.seconds[d.turn] += spent[k]
            d.slowest[d.turn] = max(d.slowest[d.turn], spent[k])
            d.turn = pool[which[k]].turn
            ended += d.turn < 0
    return ended
