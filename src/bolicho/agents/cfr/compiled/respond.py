"""The best response to a player, from one deal of the responder's own; compiled.

The responder's position is a list of *worlds*: records that it cannot tell apart, each with its weight, which is how
likely the deal and the player's mixtures bring it there.  Worlds that look different to it part ways.  So all that the
player may hold is gone through, and nothing is sampled.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bolicho.agents import kernel as players
from bolicho.agents.cfr.compiled.hashing import fold_event
from bolicho.agents.cfr.kernel import choices
from bolicho.games import kernel
from bolicho.games.jit import njit, rule
from bolicho.games.kernel import implements

BEST, SAME, NODES, WORLDS, FULL = range(5)
"""What `totals` holds: what the response wins, what the player's own way wins in its place, how many positions and
worlds were gone through, and whether there was too little room."""

TOTALS = 5


def glance(sight, s, seat, past, seen):
    """A hash of all that `seat` has seen happen, after what the last action did; `seen` is room for a view."""


def kind_of(sight, view, seat):
    """Which kind of decision this is, from 0 on: a responder may be held to some kinds."""


class Everything(NamedTuple):
    """A responder that tells apart all that a seat can, of any game."""

    recalls: bool = True


@implements(glance, Everything)
@rule
def see_everything(sight, s, seat, past, seen):
    seen[0] = s
    kernel.hide(seen[0], seat)
    for row in range(seen[0].num_events):
        past = fold_event(past, seen[0].events[row])
    return past


@implements(kind_of, Everything)
@rule
def any_kind(sight, view, seat):
    return 0


class Worlds(NamedTuple):
    """Room for a responder: a stack of worlds."""

    pool: NDArray[Any]
    memory: NDArray[Any]  # the player's, in each world
    own: NDArray[Any]  # (depth): what the player would remember in the responder's place
    weight: NDArray[np.float64]
    past: NDArray[np.uint64]
    order: NDArray[np.int64]  # worlds by position
    seen: NDArray[Any]
    actions: NDArray[np.int16]  # (depth, action)
    labels: NDArray[np.int16]
    legal: NDArray[np.int16]
    chances: NDArray[np.float64]
    shares: NDArray[np.float64]  # (depth, action)
    payoffs: NDArray[np.float64]
    totals: NDArray[np.float64]


@njit
def push(sight, player, room, source, action, weight, me, top):
    """Play an action in a copy of a world; the next free place.  A world that is over is counted at once."""
    s = room.pool[top]
    room.pool[top] = room.pool[source]
    kernel.apply(s, action)
    if s.turn < 0:
        return top
    room.memory[top] = room.memory[source]
    if player.remembers:
        players.note(player.asked, room.memory[top : top + 1], room.pool[top : top + 1], 1 - me, room.seen)
    room.weight[top] = weight
    room.past[top] = glance(sight, s, me, room.past[source], room.seen)
    room.order[top] = top
    return top + 1


class Asked(NamedTuple):
    """The player that is responded to, and whether it remembers."""

    asked: Any
    remembers: bool


@rule
def gather(room, first, top):
    """Bring the worlds that look like the first one to the front; where the others begin."""
    past = room.past[room.order[first]]
    end = first + 1
    for i in range(first + 1, top):
        if room.past[room.order[i]] == past:
            room.order[end], room.order[i] = room.order[i], room.order[end]
            end += 1
    return end


@njit
def respond(sight, player, room, first, end, free_from, depth, me, kinds, least):
    """What a best response wins from the worlds `order[first:end]`, which look alike, and what the player would.

    Both by weight.  The stack is free from `free_from` on.  Where the weight of all is below `least`, the last legal
    action is taken.  In kinds of decision that are not among the bits of `kinds` the response does as the player would.
    """
    room.totals[NODES] += 1
    room.totals[WORLDS] += end - first
    lead = room.order[first]
    seat = np.int64(room.pool[lead].turn)
    top = free_from
    total_best, total_same = 0.0, 0.0
    if top + 12 * (end - first) + 4 > len(room.pool) or depth + 2 >= len(room.shares):
        room.totals[FULL] = 1
        return 0.0, 0.0
    if seat != me:
        for i in range(first, end):
            w = room.order[i]
            room.seen[0] = room.pool[w]
            kernel.hide(room.seen[0], seat)
            n = players.mixture(player.asked, room.memory[w], room.seen[0], seat, room.chances)
            kernel.legal(room.pool[w], room.legal)
            for a in range(n):
                room.shares[depth, a] = room.chances[a]
                room.actions[depth, a] = room.legal[a]
            for a in range(n):
                if room.shares[depth, a] > 0:
                    weight = room.weight[w] * room.shares[depth, a]
                    after = push(sight, player, room, w, room.actions[depth, a], weight, me, top)
                    if after == top:
                        kernel.payoff(room.pool[top], room.payoffs)
                        total_best += weight * room.payoffs[me]
                        total_same += weight * room.payoffs[me]
                    top = after
        at = free_from
        while at < top:
            stop = gather(room, at, top)
            room.own[depth + 1] = room.own[depth]
            recall(player, room, room.order[at], depth + 1, me)
            best, same = respond(sight, player, room, at, stop, top, depth + 1, me, kinds, least)
            total_best += best
            total_same += same
            at = stop
        return total_best, total_same
    mass = 0.0
    for i in range(first, end):
        mass += room.weight[room.order[i]]
    room.seen[0] = room.pool[lead]
    kernel.hide(room.seen[0], me)
    n = kernel.legal(room.pool[lead], room.legal)
    known = players.mixture(player.asked, room.own[depth], room.seen[0], me, room.chances)
    free = (kinds >> kind_of(sight, room.seen[0], me)) & 1
    m = choices(sight, room.pool[lead], me, room.actions[depth], room.labels)
    for a in range(m):
        room.shares[depth, a] = 0
        for j in range(known):
            if room.legal[j] == room.actions[depth, a]:
                room.shares[depth, a] = room.chances[j]
    for j in range(n):  # what the player would do and the responder does not consider
        if known > 0 and room.chances[j] > 0:
            listed = False
            for a in range(m):
                listed |= room.legal[j] == room.actions[depth, a]
            if not listed:
                room.actions[depth, m] = room.legal[j]
                room.shares[depth, m] = room.chances[j]
                m += 1
    if mass < least:
        m = 1
        room.actions[depth, 0] = room.legal[n - 1]
        room.shares[depth, 0] = 1
    found = -np.inf
    for a in range(m):
        if not free and room.shares[depth, a] == 0:
            continue
        best_here, same_here = 0.0, 0.0
        top = free_from
        for i in range(first, end):
            w = room.order[i]
            after = push(sight, player, room, w, room.actions[depth, a], room.weight[w], me, top)
            if after == top:
                kernel.payoff(room.pool[top], room.payoffs)
                best_here += room.weight[w] * room.payoffs[me]
                same_here += room.weight[w] * room.payoffs[me]
            top = after
        at = free_from
        while at < top:
            stop = gather(room, at, top)
            room.own[depth + 1] = room.own[depth]
            recall(player, room, room.order[at], depth + 1, me)
            best, same = respond(sight, player, room, at, stop, top, depth + 1, me, kinds, least)
            best_here += best
            same_here += same
            at = stop
        total_same += room.shares[depth, a] * same_here
        if free:
            found = max(found, best_here)
        else:
            total_best += room.shares[depth, a] * best_here
    return (found if free else total_best), total_same


@njit
def recall(player, room, world, depth, me):
    """Let the player in the responder's place take note of what happened last."""
    if player.remembers:
        players.note(player.asked, room.own[depth : depth + 1], room.pool[world : world + 1], me, room.seen)


@njit
def from_deal(sight, player, room, count, me, kinds, least):
    """The best response from the first `count` worlds, which look alike to seat `me`."""
    room.totals[:] = 0
    players.forget(player.asked, room.own[0], me)
    for w in range(count):
        players.forget(player.asked, room.memory[w], 1 - me)
        if player.remembers:
            players.note(player.asked, room.memory[w : w + 1], room.pool[w : w + 1], 1 - me, room.seen)
        room.past[w] = glance(sight, room.pool[w], me, np.uint64(0), room.seen)
        room.order[w] = w
    at = 0
    while at < count:
        stop = gather(room, at, count)
        room.own[1] = room.own[0]
        recall(player, room, room.order[at], 1, me)
        best, same = respond(sight, player, room, at, stop, count, 1, me, kinds, least)
        room.totals[BEST] += best
        room.totals[SAME] += same
        at = stop
