"""The best response to a player, from one deal of the responder's own; compiled.

The responder's position is a list of *worlds*: records that it cannot tell apart, each with its weight, which is how
likely the deal and the player's mixtures bring it there.  Worlds that look different to it part ways.  So all that the
player may hold is gone through, and nothing is sampled.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bolicho.agents import kernel as players
from bolicho.agents.cfr.compiled.hashing import fold, fold_event, hashed
from bolicho.agents.cfr.kernel import choices
from bolicho.games import kernel
from bolicho.games.jit import njit, rule
from bolicho.games.kernel import implements

BEST, BEST_HIGH, SAME, SAME_HIGH, NODES, WORLDS, MOST, FULL = range(8)
"""What `totals` holds: what the response wins at least, and at most; what the player's own way wins in its place, at
least and at most; how many positions and worlds were gone through, how many positions may be, and whether there was too
little room for that."""

TOTALS = 8


def glance(sight, s, seat, past, seen):
    """A hash of what `seat` knows and has seen happen, after what the last action did; `seen` is room for a view."""


def kind_of(sight, view, seat):
    """Which kind of decision this is, from 0 on: a responder may be held to some kinds."""


def bounds(sight, s, seat):
    """The least that `seat`, to act, may end with, what it can make sure of whatever is hidden, and the most."""


def is_simple(sight, player, s):
    """Whether there is a shorter way from here on: `shortcut`."""


def shortcut(sight, player, room, first, end, me, kinds, least):
    """As `respond`, for worlds that are simple."""


class Everything(NamedTuple):
    """A responder that tells apart all that a seat can, of any game."""

    recalls: bool = True


@implements(glance, Everything)
@rule
def see_everything(sight, s, seat, past, seen):
    seen[0] = s
    kernel.hide(seen[0], seat)
    past ^= hashed(seen[0])
    for row in range(seen[0].num_events):
        past = fold_event(past, seen[0].events[row])
    return fold(past, 0)


@implements(kind_of, Everything)
@rule
def any_kind(sight, view, seat):
    return 0


@implements(bounds, Everything)
@rule
def any_bounds(sight, s, seat):
    return -np.inf, -np.inf, np.inf


@implements(is_simple, Everything)
@rule
def never(sight, player, s):
    return False


@implements(shortcut, Everything)
@rule
def no_way(sight, player, room, first, end, me, kinds, least):
    return 0.0, 0.0, 0.0, 0.0


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
    """The player that is responded to, whether it remembers, and whether it goes by less than it sees (`is_simple`)."""

    asked: Any
    remembers: bool
    by_class: bool = False


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
def recall(player, room, world, depth, me):
    """Let the player in the responder's place take note of what happened last."""
    if player.remembers:
        players.note(player.asked, room.own[depth : depth + 1], room.pool[world : world + 1], me, room.seen)


@njit
def ask_other(sight, player, room, first, end, free_from, depth, me):
    """Push all that the player may do in worlds that look alike; where the stack ends, and what was won at once."""
    top, ended = free_from, 0.0
    for i in range(first, end):
        w = room.order[i]
        seat = np.int64(room.pool[w].turn)
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
                    ended += weight * room.payoffs[me]
                top = after
    return top, ended


@njit
def act(sight, player, room, first, end, free_from, action, me):
    """Push what an action of the responder leads to; where the stack ends, and what was won at once."""
    top, ended = free_from, 0.0
    for i in range(first, end):
        w = room.order[i]
        after = push(sight, player, room, w, action, room.weight[w], me, top)
        if after == top:
            kernel.payoff(room.pool[top], room.payoffs)
            ended += room.weight[w] * room.payoffs[me]
        top = after
    return top, ended


@njit
def weigh_own(sight, player, room, lead, depth, me):
    """Write what the responder considers, and what the player would do in its place; how many actions these are."""
    room.seen[0] = room.pool[lead]
    kernel.hide(room.seen[0], me)
    n = kernel.legal(room.pool[lead], room.legal)
    known = players.mixture(player.asked, room.own[depth], room.seen[0], me, room.chances)
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
    return m


@rule
def mass_of(room, first, end):
    mass = 0.0
    for i in range(first, end):
        mass += room.weight[room.order[i]]
    return mass


@rule
def is_full(room, worlds, top, depth):
    """Whether there is no room for what follows, or too much was gone through."""
    crowded = top + 12 * worlds + 4 > len(room.pool) or depth + 2 >= len(room.shares)
    return crowded or room.totals[NODES] > room.totals[MOST]


@njit
def respond(sight, player, room, first, top, depth, me, kinds, least):
    """What a best response wins from the worlds `order[first:top]`, and what the player would.

    Both by weight, at least and at most: four numbers.  Worlds that look alike stay together, the others part ways.
    Where less than `least` is at stake, by weight, nothing is gone through, and the two ends part.  In kinds of
    decision that are not among the bits of `kinds` the response does as the player would.  The stack is free from
    `top` on.
    """
    best_low, best_high, same_low, same_high = 0.0, 0.0, 0.0, 0.0
    at, end = first, first
    while end < top:
        at = end
        end = gather(room, at, top)
        lead = room.order[at]
        if is_simple(sight, player, room.pool[lead]):
            low, high, own_low, own_high = shortcut(sight, player, room, at, end, me, kinds, least)
            best_low, best_high = best_low + low, best_high + high
            same_low, same_high = same_low + own_low, same_high + own_high
            continue
        room.totals[NODES] += 1
        room.totals[WORLDS] += end - at
        if is_full(room, end - at, top, depth):
            room.totals[FULL] = 1
            return 0.0, 0.0, 0.0, 0.0
        room.own[depth + 1] = room.own[depth]
        recall(player, room, lead, depth + 1, me)
        if room.pool[lead].turn != me:
            after, ended = ask_other(sight, player, room, at, end, top, depth + 1, me)
            low, high, own_low, own_high = respond(sight, player, room, top, after, depth + 1, me, kinds, least)
            best_low, best_high = best_low + ended + low, best_high + ended + high
            same_low, same_high = same_low + ended + own_low, same_high + ended + own_high
            continue
        mass = mass_of(room, at, end)
        fewest, sure, most = bounds(sight, room.pool[lead], me)
        if mass * (most - fewest) < least:
            best_low, best_high = best_low + mass * sure, best_high + mass * most
            same_low, same_high = same_low + mass * fewest, same_high + mass * most
            continue
        n = weigh_own(sight, player, room, lead, depth + 1, me)
        free = (kinds >> kind_of(sight, room.seen[0], me)) & 1
        found_low, found_high = (-np.inf, -np.inf) if free else (0.0, 0.0)
        for a in range(n):
            share = room.shares[depth + 1, a]
            if not free and share == 0:
                continue
            after, ended = act(sight, player, room, at, end, top, room.actions[depth + 1, a], me)
            low, high, own_low, own_high = respond(sight, player, room, top, after, depth + 1, me, kinds, least)
            same_low += share * (ended + own_low)
            same_high += share * (ended + own_high)
            if free:
                found_low, found_high = max(found_low, ended + low), max(found_high, ended + high)
            else:
                found_low += share * (ended + low)
                found_high += share * (ended + high)
        best_low, best_high = best_low + found_low, best_high + found_high
    return best_low, best_high, same_low, same_high


@njit
def from_deal(sight, player, room, count, me, kinds, least, most):
    """The best response from the first `count` worlds, through at most so many positions; leaves it in `totals`."""
    totals = room.totals
    totals[:] = 0
    totals[MOST] = most
    players.forget(player.asked, room.own[0], me)
    for w in range(count):
        players.forget(player.asked, room.memory[w], 1 - me)
        if player.remembers:
            players.note(player.asked, room.memory[w : w + 1], room.pool[w : w + 1], 1 - me, room.seen)
        room.past[w] = glance(sight, room.pool[w], me, np.uint64(0), room.seen)
        room.order[w] = w
    found = respond(sight, player, room, 0, count, 0, me, kinds, least)
    totals[BEST], totals[BEST_HIGH], totals[SAME], totals[SAME_HIGH] = found
