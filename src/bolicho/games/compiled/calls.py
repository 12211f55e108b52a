"""Compiled entry points: calls of a game's kernel from Python.

They take pools (arrays of records), which pass into compiled code three times as fast as single
records, and each does as much as possible in one call.
"""

import numpy as np

from bolicho.games import kernel
from bolicho.games.compiled.chance import stream
from bolicho.games.jit import njit, rule
from bolicho.games.kernel import implements


@njit
def deal(pool, seed):
    kernel.deal(pool[0], seed)


@njit
def legal(pool, out):
    return kernel.legal(pool[0], out)


@njit
def write_view(pool, seat, out, legal):
    """Copy the state, hide it for `seat`, and list the seat's legal actions from the hidden state."""
    out[0] = pool[0]
    kernel.hide(out[0], seat)
    if out[0].turn != seat:  # the legal actions of other seats may depend on hidden information
        return 0
    return kernel.legal(out[0], legal)


@njit
def note(pool, i, scratch, logs, n):
    """Append the events of the last action of table `i` to every seat's log (last row: unhidden)."""
    seats = logs.shape[0] - 1
    count = pool[i].num_events
    for seat in range(seats + 1):
        scratch[0] = pool[i]
        if seat < seats:
            kernel.hide(scratch[0], seat)
        for row in range(count):
            for j in range(4):
                logs[seat, n + row, j] = scratch[0].events[row, j]
    return n + count


@njit
def play(pool, i, action, legal):
    """Play `action` at table `i` if it is legal; return whether it was."""
    count = kernel.legal(pool[i], legal)
    for k in range(count):
        if legal[k] == action:
            kernel.apply(pool[i], action)
            return True
    return False


@rule
def show(records, legal, logs, n):
    """Hide the state `records[0]` for each seat in the record after it, and append the last events to the seats' logs.

    Return the number of log rows, the number of legal actions, and the seat to act.
    """
    seats = logs.shape[0] - 1
    count = records[0].num_events
    for seat in range(seats + 1):
        at = (seat + 1) % (seats + 1)  # last the state itself, unhidden
        if at > 0:
            records[at] = records[0]
            kernel.hide(records[at], seat)
        for row in range(count):
            for j in range(4):
                logs[seat, n + row, j] = records[at].events[row, j]
    turn = np.int64(records[0].turn)
    may = kernel.legal(records[turn + 1], legal) if turn >= 0 else 0
    return n + count, np.int64(may), turn


@rule
def start(records, seed, legal, logs):
    """Deal, and show the table (see `show`)."""
    kernel.deal(records[0], seed)
    return show(records, legal, logs, 0)


@rule
def step(records, action, legal, may, logs, n):
    """Play `action` if it is in `legal[:may]`, and show the table (see `show`); otherwise return -1 rows."""
    for k in range(may):
        if legal[k] == action:
            kernel.apply(records[0], action)
            return show(records, legal, logs, n)
    return -1, 0, 0


@rule
def steps(records, actions, first, legal, may, logs, n):
    """Play `actions` from index `first` on, as `step` does, while they are legal and the logs have room.

    Return the index of the next action, and the results of `show`.
    """
    turn = np.int64(records[0].turn)
    room = logs.shape[1] - records[0].events.shape[0]
    for k in range(first, len(actions)):
        noted, more, after = step(records, actions[k], legal, may, logs, n) if n <= room else (-1, 0, 0)
        if noted < 0:
            return k, n, may, turn
        n, may, turn = noted, more, after
    return len(actions), n, may, turn


OPEN, IMPOSSIBLE = -2, -3
"""Results of `again` for states that cannot be replayed to the end: a choice is not revealed, or not legal."""


@njit
def again(pool, rows, legal):
    """Rewind a full state and replay it from a seat's events; return the number of choices, or a negative reason."""
    first = kernel.rewind(pool[0], rows)
    if first < 0:
        return first
    count = 0
    for i in range(first, len(rows)):
        if rows[i, 0] == kernel.CHOSE:
            if rows[i, 2] < 0:
                return OPEN
            if not play(pool, 0, rows[i, 2], legal):
                return IMPOSSIBLE
            count += 1
    return count


@njit
def hide(pool, seat):
    kernel.hide(pool[0], seat)


@implements(kernel.behave, kernel.ANY)
@njit
def behave(before, legal, action, after, out):
    """Count nothing."""


@implements(kernel.hide_from_all, kernel.ANY)
@rule
def hide_one_by_one(s, seats):
    for seat in range(seats):
        kernel.hide(s, seat)


@njit
def hide_from_all(pool, seats):
    kernel.hide_from_all(pool[0], seats)


@njit
def publish(pool, actions, log, seats):
    """Replay the game of `pool[0]`, log its public events, and reduce the last position to its public view."""
    n = _note_public(pool, log, 0, seats)
    for k in range(len(actions)):
        kernel.apply(pool[0], actions[k])
        n = _note_public(pool, log, n, seats)
    kernel.hide_from_all(pool[0], seats)
    return n


@njit
def _note_public(pool, log, n, seats):
    pool[1] = pool[0]
    kernel.hide_from_all(pool[1], seats)
    for row in range(pool[1].num_events):
        for j in range(4):
            log[n + row, j] = pool[1].events[row, j]
    return n + pool[1].num_events


@njit
def redeal(pool, seat, seed):
    kernel.redeal(pool[0], seat, seed)


@njit
def redeals(pool, seat, seed, worlds):
    """Fill `worlds` with redeals of the hidden record, and wipe their seeds."""
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


# --- Many tables at once ------------------------------------------------------------------------


@njit
def deal_many(pool, which, seeds):
    for k in range(len(which)):
        kernel.deal(pool[which[k]], seeds[k])


@njit
def write_views(pool, which, views, open, legal, counts):
    """Write the views (with `open`, the states) of the seats to act at some tables, and their legal actions."""
    for k in range(len(which)):
        views[k] = pool[which[k]]
        if not open:
            kernel.hide(views[k], views[k].turn)
        counts[k] = kernel.legal(views[k], legal[k])


@implements(kernel.observe, kernel.ANY)
@rule
def observe(s, features, actions):
    kernel.features(s, s.turn, features)
    return kernel.legal(s, actions)


@rule
def write_features(pool, i, actions, features, mask):
    """Write the features and the mask of legal actions of the seat to act at table `i`."""
    count = kernel.observe(pool[i], features, actions)
    mask[:] = False
    for j in range(count):
        mask[actions[j]] = True


@rule
def observe_many(pool, which, actions, features, masks):
    for k in range(len(which)):
        write_features(pool, which[k], actions, features[k], masks[k])


@rule
def first_illegal(masks, chosen):
    """Return the first table whose chosen action is not legal, or -1."""
    for i in range(len(chosen)):
        if not (0 <= chosen[i] < masks.shape[1] and masks[i, chosen[i]]):
            return i
    return -1


@rule
def deal_next(pool, i, seed, dealt):
    """Deal table `i` the next game of its own stream of seeds; skip deals that are over at once."""
    pool[i].turn = -1
    while pool[i].turn < 0:
        kernel.deal(pool[i], stream(stream(seed, i), dealt[i]))
        dealt[i] += 1


@rule
def reset_all(pool, seed, dealt, actions, features, masks):
    """Deal every table its next game, and observe it."""
    for i in range(len(pool)):
        deal_next(pool, i, seed, dealt)
        write_features(pool, i, actions, features[i], masks[i])


@rule
def step_all(pool, chosen, seed, dealt, actions, features, masks, rewards, done):
    """Play legal actions at all tables, pay and redeal finished games, and observe, in one pass over the records."""
    for i in range(len(pool)):
        done[i] = step_one(pool, i, chosen[i], seed, dealt, actions, features, masks, rewards[i])


@rule
def step_some(pool, which, chosen, seed, dealt, actions, features, masks, rewards, done):
    """Do the same as `step_all` at some tables; rewards and ends refer to these."""
    for k in range(len(which)):
        done[k] = step_one(pool, which[k], chosen[k], seed, dealt, actions, features, masks, rewards[k])


@rule
def step_one(pool, i, action, seed, dealt, actions, features, masks, reward):
    """Play a legal action at a table, pay and redeal if its game ends, and observe; return whether it ended."""
    kernel.apply(pool[i], action)
    reward[:] = 0
    ended = pool[i].turn < 0
    if ended:
        kernel.payoff(pool[i], reward)
        deal_next(pool, i, seed, dealt)
    write_features(pool, i, actions, features[i], masks[i])
    return ended


@njit
def play_many(tables, which, actions, played):
    """Play an action at each of some `tables.Arrays`; write to `played` whether it was legal; return how many were not.

    Legal actions are stored, and their events are logged if there are logs.
    """
    refused = 0
    for k in range(len(which)):
        i = which[k]
        played[k] = play(tables.pool, i, actions[k], tables.legal)
        if played[k]:
            tables.moves[i, tables.plies[i]] = actions[k]
            tables.plies[i] += 1
            if len(tables.logs) > 0:
                tables.noted[i] = note(tables.pool, i, tables.scratch, tables.logs[i], tables.noted[i])
        else:
            refused += 1
    return refused


@njit
def note_many(pool, which, scratch, logs, noted):
    for k in range(len(which)):
        i = which[k]
        noted[i] = note(pool, i, scratch, logs[i], noted[i])


@njit
def payoff_many(pool, which, out):
    for k in range(len(which)):
        kernel.payoff(pool[which[k]], out[k])


@njit
def scores_many(pool, which, out):
    for k in range(len(which)):
        kernel.scores(pool[which[k]], out[k])
