"""Alpha-beta for two seats, as a state machine that can pause after any node and resume.

The stack is explicit (`frames`, one record per ply; `pool`, one position per ply), so Python checks the clock between
calls, and the division into calls does not affect the result. Values are those of the seat to move at a frame; a seat
may move several times in a row. A plain search uses no table and no move ordering: it only prunes.
"""

import numpy as np

from bolicho.agents.search.compiled.keys import key_of
from bolicho.agents.search.compiled.playout import playout
from bolicho.games import kernel
from bolicho.games.compiled.chance import stream
from bolicho.games.jit import njit

FRAME = np.dtype(
    [
        ("key", "u8"),
        ("alpha", "f8"),
        ("beta", "f8"),
        ("floor", "f8"),  # alpha when the frame was opened
        ("best", "f8"),
        ("move", "i4"),
        ("count", "i4"),  # legal actions
        ("next", "i4"),  # index of the first move not yet searched
        ("depth", "i4"),  # plies left to search
        ("mover", "i1"),
        ("horizon", "i1"),  # 1 if an evaluation judged any position below
    ],
    align=True,
)
SLOT = np.dtype(
    [("key", "u8"), ("value", "f8"), ("generation", "u4"), ("move", "i4"), ("depth", "i2"), ("bound", "i1")],
    align=True,
)
"""Entry of the transposition table; entries of other generations count as empty."""

EXACT, LOWER, UPPER = 1, 2, 3
SOLVED = 32000  # depth of a value that depends on no evaluation
PLY, NODES, GENERATION, ROOT_DONE, PLAIN = range(5)  # fields of `status`

BY_NOTHING, BY_SCORES, BY_PLAYOUTS = range(3)  # the evaluations
FROM_TABLE, KILLER, LATER_KILLER = 1 << 60, 1 << 59, 1 << 58  # move ordering, before the history


@njit
def find(table, key, generation):
    """Return the slot of the table that holds `key`, or -1."""
    slot = np.int64(key & np.uint64(len(table) - 2))
    for i in range(slot, slot + 2):
        if table[i].key == key and table[i].generation == generation:
            return i
    return -1


@njit
def store(table, generation, f, depth, bound):
    """Store the deepest entry in the first slot of a pair, the newest of the others in the second."""
    slot = np.int64(f.key & np.uint64(len(table) - 2))
    first = table[slot]
    if first.generation == generation and first.key != f.key:
        if first.depth > depth:
            slot += 1
        else:
            table[slot + 1] = first
    t = table[slot]
    t.key = f.key
    t.value = f.best
    t.generation = generation
    t.move = f.move
    t.depth = depth
    t.bound = bound


@njit
def evaluate(pool, ply, key, seat, how, amount, legal, payoffs, points):
    """Evaluate the position for `seat` without further search."""
    if how == BY_NOTHING:
        return 0.0
    if how == BY_SCORES:
        kernel.scores(pool[ply], points)
        return amount * (points[seat] - points[1 - seat])
    last = len(pool) - 1
    total = 0.0
    for i in range(int(amount)):  # seeded by the position: equal positions have equal values
        pool[last] = pool[ply]
        playout(pool, last, legal, stream(key, i))
        kernel.payoff(pool[last], payoffs)
        total += payoffs[seat]
    return total / int(amount)


@njit
def points_to_payoff(pool, n, seed, legal, payoffs, points):
    """Return the slope of payoff on score difference, through zero, over `n` random playouts of `pool[0]`."""
    up, down = 0.0, 0.0
    for i in range(n):
        pool[1] = pool[0]
        playout(pool, 1, legal, stream(seed, i))
        kernel.payoff(pool[1], payoffs)
        kernel.scores(pool[1], points)
        difference = float(points[0] - points[1])
        up += payoffs[0] * difference
        down += difference * difference
    return up / down if down > 0 else 1.0


@njit
def order(moves, ply, count, first, killers, history, mover):
    """Sort the moves of a ply: the table's move, the killers, then by history; stable."""
    for i in range(1, count):
        move = moves[ply, i]
        weight = priority(move, ply, first, killers, history, mover)
        j = i
        while j > 0 and priority(moves[ply, j - 1], ply, first, killers, history, mover) < weight:
            moves[ply, j] = moves[ply, j - 1]
            j -= 1
        moves[ply, j] = move


@njit
def priority(move, ply, first, killers, history, mover):
    """Return the priority of a move; higher is earlier."""
    if move == first:
        return FROM_TABLE
    if move == killers[ply, 0]:
        return KILLER
    if move == killers[ply, 1]:
        return LATER_KILLER
    return history[mover, move]


@njit
def open_frame(
    pool, words, used, masks, frames, moves, killers, history, table, status, ply,
    how, amount, salt, legal, payoffs, points,
):  # fmt: skip
    """Enter `pool[ply]` with its window and depth; return whether its value is already known (in `best`)."""
    f = frames[ply]
    s = pool[ply]
    f.horizon = 0
    if kernel.over(s):
        f.mover = frames[ply - 1].mover
        kernel.payoff(s, payoffs)
        f.best = payoffs[f.mover]
        return True
    f.mover = s.turn
    if frames[ply - 1].mover != f.mover:
        f.alpha, f.beta = -f.beta, -f.alpha
    f.floor = f.alpha
    f.key = key_of(words, ply, used, masks)
    if f.depth <= 0:
        f.horizon = 1
        f.best = evaluate(pool, ply, f.key ^ salt, f.mover, how, amount, legal, payoffs, points)
        return True
    first = -1
    slot = -1 if status[PLAIN] else find(table, f.key, np.uint32(status[GENERATION]))
    if slot >= 0:
        t = table[slot]
        if t.depth >= f.depth and (
            t.bound == EXACT or (t.bound == LOWER and t.value >= f.beta) or (t.bound == UPPER and t.value <= f.alpha)
        ):
            f.best = t.value
            f.horizon = t.depth < SOLVED
            return True
        first = t.move
    f.count = kernel.legal(s, legal)
    for i in range(f.count):
        moves[ply, i] = legal[i]
    if not status[PLAIN]:
        order(moves, ply, f.count, first, killers, history, f.mover)
    f.next = 0
    f.best = -np.inf
    f.move = moves[ply, 0]
    return False


@njit
def close_frame(frames, killers, history, table, status, ply):
    """Close a frame: store its result, and the move that refuted it."""
    if status[PLAIN]:
        return
    f = frames[ply]
    bound = LOWER if f.best >= f.beta else (UPPER if f.best <= f.floor else EXACT)
    store(table, np.uint32(status[GENERATION]), f, f.depth if f.horizon else SOLVED, bound)
    if bound == LOWER:
        history[f.mover, f.move] += f.depth * f.depth
        if killers[ply, 0] != f.move:
            killers[ply, 1] = killers[ply, 0]
            killers[ply, 0] = f.move


@njit
def give(frames, ply, move, root_values, root_bounds, status, every):
    """Pass the value of the child at `ply + 1` to the frame at `ply`."""
    f, child = frames[ply], frames[ply + 1]
    value = child.best if child.mover == f.mover else -child.best
    f.horizon |= child.horizon
    if ply == 0:
        root_values[move] = value
        root_bounds[move] = EXACT if every or value > f.alpha else UPPER
        status[ROOT_DONE] += 1
    if value > f.best:
        f.best = value
        f.move = move
        if value > f.alpha:
            f.alpha = value


@njit
def begin(pool, words, used, masks, frames, moves, root_values, status, depth, legal):
    """Set the root frame for a search of `depth` plies, with moves ordered by their known values, unless plain."""
    f = frames[0]
    f.key = key_of(words, 0, used, masks)
    f.mover = pool[0].turn
    f.alpha = f.floor = f.best = -np.inf
    f.beta = np.inf
    f.depth = depth
    f.horizon = 0
    f.next = 0
    f.count = kernel.legal(pool[0], legal)
    for i in range(f.count):
        j = i
        while j > 0 and not status[PLAIN] and root_values[moves[0, j - 1]] < root_values[legal[i]]:
            moves[0, j] = moves[0, j - 1]
            j -= 1
        moves[0, j] = legal[i]
    f.move = moves[0, 0]
    status[PLY] = 0
    status[ROOT_DONE] = 0


@njit
def advance(
    pool, words, used, masks, frames, moves, killers, history, table, status, root_values, root_bounds,
    every, how, amount, salt, budget, legal, payoffs, points,
):  # fmt: skip
    """Continue for at most `budget` nodes; return whether the search of this depth is complete.

    With `every`, each root move is searched with the full window, so that all values are exact.
    """
    ply = status[PLY]
    stop = status[NODES] + budget
    while True:
        f = frames[ply]
        if f.next == f.count or f.alpha >= f.beta:
            close_frame(frames, killers, history, table, status, ply)
            if ply == 0:
                status[PLY] = 0
                return True
            ply -= 1
            give(frames, ply, moves[ply, frames[ply].next - 1], root_values, root_bounds, status, every)
            continue
        if status[NODES] >= stop:
            status[PLY] = ply
            return False
        status[NODES] += 1
        move = moves[ply, f.next]
        f.next += 1
        pool[ply + 1] = pool[ply]
        kernel.apply(pool[ply + 1], move)
        child = frames[ply + 1]
        child.alpha = -np.inf if every and ply == 0 else f.alpha
        child.beta = f.beta
        child.depth = f.depth - 1
        known = open_frame(
            pool, words, used, masks, frames, moves, killers, history, table, status, ply + 1,
            how, amount, salt, legal, payoffs, points,
        )  # fmt: skip
        if known:
            give(frames, ply, move, root_values, root_bounds, status, every)
        else:
            ply += 1


@njit
def principal_variation(pool, words, used, masks, table, generation, first, legal, line):
    """Write the expected line after `first`, as far as the table holds it; return its length."""
    pool[1] = pool[0]
    move, n = first, 0
    while move >= 0 and n < len(line):
        line[n] = move
        n += 1
        kernel.apply(pool[1], move)
        if kernel.over(pool[1]):
            break
        slot = find(table, key_of(words, 1, used, masks), generation)
        move = -1
        if slot >= 0:
            for i in range(kernel.legal(pool[1], legal)):  # keys may collide, once in 2**64
                if legal[i] == table[slot].move:
                    move = legal[i]
    return n
