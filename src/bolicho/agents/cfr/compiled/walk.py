"""External-sampling Monte Carlo CFR: one walk per seat through a game, exploring all actions of that seat.

For the other seats and chance one outcome is sampled. The records of a walk form a stack with one record for each of
the seat's own decisions; actions of others are applied in place.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bolicho.agents.cfr.compiled.hashing import fold_event
from bolicho.agents.cfr.compiled.table import (
    CLASHED,
    NODES,
    TOO_DEEP,
    TOO_LARGE,
    claim,
    is_narrow,
    match_regrets,
    shape_of,
)
from bolicho.agents.cfr.kernel import choices, key
from bolicho.agents.compiled.mixtures import draw
from bolicho.games import kernel
from bolicho.games.compiled.chance import stream, uniform
from bolicho.games.jit import njit, rule

UNIFORM, LINEAR, DISCOUNTED = range(3)
"""Weighting of iterations: uniform; linear; regrets uniform and averages by the square of the number."""

DEALS, CHANCE = range(2)  # streams of a training's seed
NEAR = 0.9  # fraction of the cut below which actions are pruned; the cut grows with iterations, so they are tried again


class Workspace(NamedTuple):
    """Work arrays; the first index is the depth."""

    pool: NDArray[np.void]
    seen: NDArray[np.void]  # one record: the view of a seat
    past: NDArray[np.uint64]  # (depth, seat): a hash of the events that the seat saw
    actions: NDArray[np.int16]  # (depth, choice)
    labels: NDArray[np.int16]
    strategy: NDArray[np.float32]  # (depth, choice)
    values: NDArray[np.float64]  # (depth, choice): NaN for pruned choices
    first: NDArray[np.int64]  # arm of the first choice; -1 where the table had no space
    prunes: NDArray[np.bool_]  # True if pruning is active
    count: NDArray[np.int64]  # number of choices
    tried: NDArray[np.int64]  # current choice
    payoffs: NDArray[np.float64]


class Learning(NamedTuple):
    """Weighting and pruning of regrets."""

    weighting: int
    cut: float  # negative regrets are cut at this many payoffs of 1 in the current iteration
    prune: float  # share of walks that skip actions with regrets near the cut


@rule
def note(abstraction, room, depth):
    """Let every seat observe the last deal or action."""
    if abstraction.recalls:
        for seat in range(room.past.shape[1]):
            room.seen[0] = room.pool[depth]
            kernel.hide(room.seen[0], seat)
            for row in range(room.seen[0].num_events):
                room.past[depth, seat] = fold_event(room.past[depth, seat], room.seen[0].events[row])


@rule
def begin(abstraction, room):
    """Start with the deal of `pool[0]`."""
    for seat in range(room.past.shape[1]):
        room.past[0, seat] = 0
    note(abstraction, room, 0)


@rule
def descend(abstraction, room, depth, action):
    """Play an action in a copy of the record one level deeper."""
    room.pool[depth + 1] = room.pool[depth]
    for seat in range(room.past.shape[1]):
        room.past[depth + 1, seat] = room.past[depth, seat]
    kernel.apply(room.pool[depth + 1], action)
    note(abstraction, room, depth + 1)


@rule
def key_here(abstraction, room, depth, seat):
    """Return the key of the seat to act."""
    if not abstraction.recalls:
        return key(abstraction, room.pool[depth], seat, np.uint64(0))
    room.seen[0] = room.pool[depth]
    kernel.hide(room.seen[0], seat)
    return key(abstraction, room.seen[0], seat, room.past[depth, seat])


@rule
def weights(weighting, t):
    """Return the weights of regrets and averages in iteration `t`, counted from 1."""
    if weighting == LINEAR:
        return t, t
    if weighting == DISCOUNTED:
        return 1.0, t * t
    return 1.0, 1.0


@rule
def next_choice(room, arms, depth, floor):
    """Move to the next choice to explore at a depth; return whether there is one."""
    i = room.tried[depth] + 1
    while room.prunes[depth] and i < room.count[depth] and arms[room.first[depth] + i].regret <= NEAR * floor:
        room.values[depth, i] = np.nan
        i += 1
    room.tried[depth] = i
    return i < room.count[depth]


@rule
def learn(room, arms, depth, weight, floor):
    """Update the regrets of a depth; return the value of the situation."""
    value = 0.0
    for i in range(room.count[depth]):
        if room.strategy[depth, i] > 0:  # pruned choices have probability 0
            value += room.strategy[depth, i] * room.values[depth, i]
    first = room.first[depth]
    if first >= 0:
        for i in range(room.count[depth]):
            if not np.isnan(room.values[depth, i]):
                regret = arms[first + i].regret + weight * (room.values[depth, i] - value)
                arms[first + i].regret = max(regret, floor)
    return value


@rule
def walk_on(abstraction, room, slots, arms, status, depth, me, average_weight, prunes, luck, drawn):
    """Play forced actions and sample those of others until a decision of `me` or the end; return the draw count."""
    s = room.pool[depth]
    while s.turn >= 0:
        seat = np.int64(s.turn)
        n = choices(abstraction, s, seat, room.actions[depth], room.labels)
        chosen = 0
        if n > 1:
            status[NODES] += 1
            slot = claim(slots, arms, status, key_here(abstraction, room, depth, seat), shape_of(room.labels, n), n)
            first = -1 if slot < 0 else np.int64(slots[slot].first)
            total = match_regrets(arms, first, n, room.strategy[depth])
            if seat == me:
                if slot >= 0:
                    slots[slot].visits += 1
                room.first[depth] = first
                room.prunes[depth] = prunes and total > 0
                room.count[depth] = n
                room.tried[depth] = -1
                break
            if first >= 0:
                for i in range(n):
                    arms[first + i].average += average_weight * room.strategy[depth, i]
            chosen = draw(room.strategy[depth], n, uniform(luck, drawn))
            drawn += 1
        kernel.apply(s, room.actions[depth, chosen])
        note(abstraction, room, depth)
    return drawn


@rule
def walk(abstraction, room, slots, arms, status, me, regret_weight, average_weight, floor, prune, luck, most):
    """Walk through the game dealt in `pool[0]` for a seat, and update its regrets."""
    depth, drawn = 0, 1
    most += status[NODES]
    prunes = uniform(luck, 0) < prune
    while True:
        drawn = walk_on(abstraction, room, slots, arms, status, depth, me, average_weight, prunes, luck, drawn)
        rises = room.pool[depth].turn < 0
        value = 0.0
        if rises:
            kernel.payoff(room.pool[depth], room.payoffs)
            value = room.payoffs[me]
        elif depth + 1 == len(room.pool):
            status[TOO_DEEP] = 1
            return
        if status[NODES] > most:
            status[TOO_LARGE] = 1
            return
        while True:
            if rises:
                depth -= 1
                if depth < 0:
                    return
                room.values[depth, room.tried[depth]] = value
            if next_choice(room, arms, depth, floor):
                descend(abstraction, room, depth, room.actions[depth, room.tried[depth]])
                depth += 1
                break
            value = learn(room, arms, depth, regret_weight, floor)
            rises = True


@njit
def iterate(abstraction, learning, room, slots, arms, status, seed, first, count, most):
    """Run iterations `first` .. `first + count - 1`, each a deal and one walk per seat; return the number completed.

    Stops early when the table should grow, or at an error in `status`.
    """
    for done in range(count):
        if is_narrow(slots, arms, status) or status[CLASHED] or status[TOO_DEEP] or status[TOO_LARGE]:
            return done
        t = float(first + done + 1)
        regret_weight, average_weight = weights(learning.weighting, t)
        floor = -learning.cut * regret_weight
        luck = stream(stream(seed, CHANCE), first + done)
        for me in range(room.past.shape[1]):
            kernel.deal(room.pool[0], stream(stream(seed, DEALS), first + done))
            begin(abstraction, room)
            walk(
                abstraction, room, slots, arms, status, me, regret_weight, average_weight, floor,
                learning.prune, stream(luck, me), most,
            )  # fmt: skip
    return count
