"""Best response to a player, from one deal of the responder's own cards; compiled.

The responder's information set is a list of *worlds*: records that it cannot distinguish, each weighted by the
probability of the deal and of the player's actions. Worlds that the responder can distinguish are separated. So all
possible hands of the player are enumerated, and nothing is sampled.
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
"""Fields of `totals`.

Value of the response, lower and upper bound; value of the player's own strategy in its place, lower and upper bound;
numbers of visited positions and worlds, limit of positions, and whether capacity or limit was exceeded.
"""

TOTALS = 8


def information(abstraction, s, seat, past, seen):
    """Return a hash of the information of `seat` after the last action; `seen` is a work record for a view."""


def kind_of(abstraction, view, seat):
    """Return the kind of the decision, from 0: a responder may be restricted to some kinds."""


def bounds(abstraction, s, seat):
    """Return bounds for `seat`, to act: the least result, the result it can guarantee, and the most."""


def is_simple(abstraction, player, s):
    """Return whether `shortcut` applies to a position."""


def shortcut(abstraction, player, room, first, end, me, kinds, least):
    """Compute `respond` faster, for worlds that are simple."""


class PerfectRecall(NamedTuple):
    """Abstraction of a responder with perfect recall, for any game."""

    recalls: bool = True


@implements(information, PerfectRecall)
@rule
def full_information(abstraction, s, seat, past, seen):
    seen[0] = s
    kernel.hide(seen[0], seat)
    past ^= hashed(seen[0])
    for row in range(seen[0].num_events):
        past = fold_event(past, seen[0].events[row])
    return fold(past, 0)


@implements(kind_of, PerfectRecall)
@rule
def any_kind(abstraction, view, seat):
    return 0


@implements(bounds, PerfectRecall)
@rule
def any_bounds(abstraction, s, seat):
    return -np.inf, -np.inf, np.inf


@implements(is_simple, PerfectRecall)
@rule
def never_simple(abstraction, player, s):
    return False


@implements(shortcut, PerfectRecall)
@rule
def no_shortcut(abstraction, player, room, first, end, me, kinds, least):
    return 0.0, 0.0, 0.0, 0.0


class Worlds(NamedTuple):
    """Work arrays of a responder: a stack of worlds."""

    pool: NDArray[Any]
    memory: NDArray[Any]  # (world): memory of the player
    own: NDArray[Any]  # (depth): memory of the player in the responder's place
    weight: NDArray[np.float64]
    past: NDArray[np.uint64]
    order: NDArray[np.int64]  # permutation of worlds, grouped by position
    seen: NDArray[Any]
    actions: NDArray[np.int16]  # (depth, action)
    labels: NDArray[np.int16]
    legal: NDArray[np.int16]
    chances: NDArray[np.float64]
    shares: NDArray[np.float64]  # (depth, action)
    payoffs: NDArray[np.float64]
    totals: NDArray[np.float64]


@njit
def push(abstraction, player, room, source, action, weight, me, top):
    """Play an action in a copy of a world at `top`; return the next free index. A finished world is not pushed."""
    s = room.pool[top]
    room.pool[top] = room.pool[source]
    kernel.apply(s, action)
    if s.turn < 0:
        return top
    room.memory[top] = room.memory[source]
    if player.remembers:
        players.note(player.asked, room.memory[top : top + 1], room.pool[top : top + 1], 1 - me, room.seen)
    room.weight[top] = weight
    room.past[top] = information(abstraction, s, me, room.past[source], room.seen)
    room.order[top] = top
    return top + 1


class TargetPlayer(NamedTuple):
    """Player to respond to, whether it remembers events, and whether it acts by classes of cards (`is_simple`)."""

    asked: Any
    remembers: bool
    by_class: bool = False


@rule
def gather(room, first, top):
    """Move the worlds that look like the first one to the front; return the end of this group."""
    past = room.past[room.order[first]]
    end = first + 1
    for i in range(first + 1, top):
        if room.past[room.order[i]] == past:
            room.order[end], room.order[i] = room.order[i], room.order[end]
            end += 1
    return end


@njit
def recall(player, room, world, depth, me):
    """Let the player in the responder's place observe the last events."""
    if player.remembers:
        players.note(player.asked, room.own[depth : depth + 1], room.pool[world : world + 1], me, room.seen)


@njit
def ask_other(abstraction, player, room, first, end, free_from, depth, me):
    """Push all actions of the player in worlds that look alike; return the end of the stack and the finished payoff."""
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
                after = push(abstraction, player, room, w, room.actions[depth, a], weight, me, top)
                if after == top:
                    kernel.payoff(room.pool[top], room.payoffs)
                    ended += weight * room.payoffs[me]
                top = after
    return top, ended


@njit
def act(abstraction, player, room, first, end, free_from, action, me):
    """Push the results of an action of the responder; return the end of the stack, and the finished payoff."""
    top, ended = free_from, 0.0
    for i in range(first, end):
        w = room.order[i]
        after = push(abstraction, player, room, w, action, room.weight[w], me, top)
        if after == top:
            kernel.payoff(room.pool[top], room.payoffs)
            ended += room.weight[w] * room.payoffs[me]
        top = after
    return top, ended


@njit
def list_own_actions(abstraction, player, room, lead, depth, me):
    """Write the responder's considered actions with the player's probabilities in its place; return their number."""
    room.seen[0] = room.pool[lead]
    kernel.hide(room.seen[0], me)
    n = kernel.legal(room.pool[lead], room.legal)
    known = players.mixture(player.asked, room.own[depth], room.seen[0], me, room.chances)
    m = choices(abstraction, room.pool[lead], me, room.actions[depth], room.labels)
    for a in range(m):
        room.shares[depth, a] = 0
        for j in range(known):
            if room.legal[j] == room.actions[depth, a]:
                room.shares[depth, a] = room.chances[j]
    for j in range(n):  # actions of the player that the responder does not consider
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
    """Return whether capacity is too small for the next step, or the limit of positions is exceeded."""
    crowded = top + 12 * worlds + 4 > len(room.pool) or depth + 2 >= len(room.shares)
    return crowded or room.totals[NODES] > room.totals[MOST]


@njit
def respond(abstraction, player, room, first, top, depth, me, kinds, least):
    """Return the value of a best response from the worlds `order[first:top]`, and of the player in its place.

    Both are weighted sums with a lower and an upper bound: four numbers. Worlds that look alike stay together, others
    are separated. Subtrees with less than `least` at stake, by weight, are skipped and only bounded. In kinds of
    decision outside the bits of `kinds` the response acts like the player. The stack is free from `top` on.
    """
    best_low, best_high, same_low, same_high = 0.0, 0.0, 0.0, 0.0
    at, end = first, first
    while end < top:
        at = end
        end = gather(room, at, top)
        lead = room.order[at]
        if is_simple(abstraction, player, room.pool[lead]):
            low, high, own_low, own_high = shortcut(abstraction, player, room, at, end, me, kinds, least)
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
            after, ended = ask_other(abstraction, player, room, at, end, top, depth + 1, me)
            low, high, own_low, own_high = respond(abstraction, player, room, top, after, depth + 1, me, kinds, least)
            best_low, best_high = best_low + ended + low, best_high + ended + high
            same_low, same_high = same_low + ended + own_low, same_high + ended + own_high
            continue
        mass = mass_of(room, at, end)
        fewest, sure, most = bounds(abstraction, room.pool[lead], me)
        if mass * (most - fewest) < least:
            best_low, best_high = best_low + mass * sure, best_high + mass * most
            same_low, same_high = same_low + mass * fewest, same_high + mass * most
            continue
        n = list_own_actions(abstraction, player, room, lead, depth + 1, me)
        free = (kinds >> kind_of(abstraction, room.seen[0], me)) & 1
        found_low, found_high = (-np.inf, -np.inf) if free else (0.0, 0.0)
        for a in range(n):
            share = room.shares[depth + 1, a]
            if not free and share == 0:
                continue
            after, ended = act(abstraction, player, room, at, end, top, room.actions[depth + 1, a], me)
            low, high, own_low, own_high = respond(abstraction, player, room, top, after, depth + 1, me, kinds, least)
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
def from_deal(abstraction, player, room, count, me, kinds, least, most):
    """Compute the best response from the first `count` worlds, visiting at most `most` positions, into `totals`."""
    totals = room.totals
    totals[:] = 0
    totals[MOST] = most
    players.forget(player.asked, room.own[0], me)
    for w in range(count):
        players.forget(player.asked, room.memory[w], 1 - me)
        if player.remembers:
            players.note(player.asked, room.memory[w : w + 1], room.pool[w : w + 1], 1 - me, room.seen)
        room.past[w] = information(abstraction, room.pool[w], me, np.uint64(0), room.seen)
        room.order[w] = w
    found = respond(abstraction, player, room, 0, count, 0, me, kinds, least)
    totals[BEST], totals[BEST_HIGH], totals[SAME], totals[SAME_HIGH] = found
