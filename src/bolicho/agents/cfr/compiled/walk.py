"""External-sampling Monte Carlo CFR: one walk for each seat through a game, all that the seat may do being tried.

Of the others and of chance one thing is drawn.  The records of a walk are a stack, one for each of the seat's own
decisions on the way; what the others do is played where it stands.
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
"""How iterations weigh: alike; each by its number; regrets nearly alike and averages by the square of the number."""

DEALS, CHANCE = range(2)  # the streams of a training's seed
NEAR = 0.9  # of the cut: as the cut falls from iteration to iteration, what was pruned is tried again


class Room(NamedTuple):
    """Room to work in; the first index is the depth."""

    pool: NDArray[np.void]
    seen: NDArray[np.void]  # one record: what a seat sees
    past: NDArray[np.uint64]  # (depth, seat): a hash of what the seat saw happen
    actions: NDArray[np.int16]  # (depth, choice)
    labels: NDArray[np.int16]
    strategy: NDArray[np.float32]  # (depth, choice)
    values: NDArray[np.float64]  # (depth, choice): NaN where it was not looked at
    first: NDArray[np.int64]  # the arm of the first choice; -1 where there was no room for it
    prunes: NDArray[np.bool_]  # whether what is at the cut is not tried
    count: NDArray[np.int64]  # of choices
    tried: NDArray[np.int64]  # the choice under way
    payoffs: NDArray[np.float64]


class Learning(NamedTuple):
    """How regrets are weighed and cut."""

    weighting: int
    cut: float  # negative regrets are cut at so many payoffs of 1 of the present iteration
    prune: float  # the share of walks in which actions whose regret is near the cut are not tried


@rule
def note(abstraction, room, depth):
    """Let every seat take note of what the last deal or action did."""
    if abstraction.recalls:
        for seat in range(room.past.shape[1]):
            room.seen[0] = room.pool[depth]
            kernel.hide(room.seen[0], seat)
            for row in range(room.seen[0].num_events):
                room.past[depth, seat] = fold_event(room.past[depth, seat], room.seen[0].events[row])


@rule
def begin(abstraction, room):
    """Nothing has been seen but the deal of `pool[0]`."""
    for seat in range(room.past.shape[1]):
        room.past[0, seat] = 0
    note(abstraction, room, 0)


@rule
def descend(abstraction, room, depth, action):
    """Play an action one record deeper."""
    room.pool[depth + 1] = room.pool[depth]
    for seat in range(room.past.shape[1]):
        room.past[depth + 1, seat] = room.past[depth, seat]
    kernel.apply(room.pool[depth + 1], action)
    note(abstraction, room, depth + 1)


@rule
def key_here(abstraction, room, depth, seat):
    """The key of what the seat to act goes by."""
    if not abstraction.recalls:
        return key(abstraction, room.pool[depth], seat, np.uint64(0))
    room.seen[0] = room.pool[depth]
    kernel.hide(room.seen[0], seat)
    return key(abstraction, room.seen[0], seat, room.past[depth, seat])


@rule
def weights(weighting, t):
    """What the regrets and the averages of iteration `t`, from 1 on, count."""
    if weighting == LINEAR:
        return t, t
    if weighting == DISCOUNTED:
        return 1.0, t * t
    return 1.0, 1.0


@rule
def next_choice(room, arms, depth, floor):
    """Go to the next choice that is to be tried at a depth; whether there is one."""
    i = room.tried[depth] + 1
    while room.prunes[depth] and i < room.count[depth] and arms[room.first[depth] + i].regret <= NEAR * floor:
        room.values[depth, i] = np.nan
        i += 1
    room.tried[depth] = i
    return i < room.count[depth]


@rule
def learn(room, arms, depth, weight, floor):
    """Take regrets down for what was tried at a depth; what the situation is worth."""
    value = 0.0
    for i in range(room.count[depth]):
        if room.strategy[depth, i] > 0:  # nothing that is played is left out
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
    """Play at a depth what is forced and what others do, down to a decision of `me` or the end; what was drawn."""
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
    """Walk through the game dealt in `pool[0]` for a seat, and take its regrets down."""
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
    """Iterations `first` .. `first + count - 1`, each a deal and a walk a seat; how many were made.

    They stop early where the table has become narrow, or something is wrong that `status` tells of.
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
