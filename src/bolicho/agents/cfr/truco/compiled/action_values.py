"""Value of each action of a hand of Truco for a seat that does not know the other's cards; compiled.

The worlds are those of `respond`. They are advanced from the deal to a decision along the played actions (`reach`),
each weighted by the probability of the other seat's actions with its cards; then every action is evaluated in all of
them (`worth`).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bolicho.agents import kernel as players
from bolicho.agents.cfr.compiled.respond import MOST, push, respond
from bolicho.games import kernel
from bolicho.games.jit import njit, rule
from bolicho.games.truco import kernel as k
from bolicho.games.truco.compiled.unseen import set_dealt


class Trail(NamedTuple):
    """Further weights of each world, for actions that no cards explain."""

    dealt: NDArray[np.float64]  # probability of its deal
    was: NDArray[np.float64]  # its weight without the last action


@njit
def lay(pool, real, other, hands):
    """Write a record, just opened, for each possible hand of a seat, with the scores before the hand."""
    for w in range(len(hands)):
        s = pool[w]
        pool[w] = real[0]
        set_dealt(s, other, hands[w])
        s.scores[0], s.scores[1] = s.start[0], s.start[1]
        s.num_events = 0
        k.open_hand(s)


@rule
def same_card(class_of, one, other):
    """Return whether two actions are equivalent: the same call, or cards of one class played alike."""
    if one >= k.TRUCO or other >= k.TRUCO:
        return one == other
    alike = one // k.FACE_DOWN == other // k.FACE_DOWN
    return alike and class_of[one % k.FACE_DOWN + 2] == class_of[other % k.FACE_DOWN + 2]


@rule
def looks_alike(s, real):
    """Return whether the last action had the same visible effect in two worlds."""
    if s.turn != real.turn or s.num_events != real.num_events:
        return False
    for row in range(s.num_events):
        for i in range(4):
            if s.events[row, i] != real.events[row, i]:
                return False
    return True


@njit
def keep(room, trail, real, first, top):
    """Move the worlds from `first` on that look like the real one to the front; return their number."""
    count = 0
    for w in range(first, top):
        if looks_alike(room.pool[w], real[0]):
            room.pool[count] = room.pool[w]
            room.memory[count] = room.memory[w]
            room.weight[count], trail.dealt[count], trail.was[count] = room.weight[w], trail.dealt[w], trail.was[w]
            count += 1
    return count


@rule
def is_covered(action):
    return k.FACE_DOWN <= action < k.TRUCO


@rule
def as_good(class_of, one, other):
    """Return whether two actions look alike, cards of one class included."""
    return (is_covered(one) and is_covered(other)) or same_card(class_of, one, other)


@njit
def branch(abstraction, player, room, trail, count, action, me):
    """Push, for each world, the other's actions that look like `action`; return the end of the stack.

    Its cards of one class are assumed to be equally likely.
    """
    top = count
    for w in range(count):
        seat = np.int64(room.pool[w].turn)
        room.seen[0] = room.pool[w]
        kernel.hide(room.seen[0], seat)
        n = players.mixture(player.asked, room.memory[w], room.seen[0], seat, room.chances)
        kernel.legal(room.pool[w], room.legal)
        share, fitting = 0.0, 0
        for a in range(n):
            if as_good(abstraction.class_of, room.legal[a], action):
                share += room.chances[a]
                fitting += 1
        for a in range(n):
            played = room.legal[a]
            if is_covered(action):
                fits, chance, told_nothing = is_covered(played), room.chances[a], 1 / max(1, fitting)
            else:
                fits, chance, told_nothing = played == action, share / max(1, fitting), 1.0
            if fits:
                after = push(abstraction, player, room, w, played, room.weight[w] * chance, me, top)
                if after > top:
                    trail.dealt[top] = trail.dealt[w] * told_nothing
                    trail.was[top] = room.weight[w] * told_nothing
                top = after
    return top


@rule
def total(weights, count):
    mass = 0.0
    for w in range(count):
        mass += weights[w]
    return mass


@rule
def settle(room, trail, count):
    """Reweight the worlds if no cards explain an action, as if it gave no information; return whether so."""
    if total(room.weight, count) > 0:
        return False
    known = total(trail.was, count) > 0
    for w in range(count):
        room.weight[w] = trail.was[w] if known else trail.dealt[w]
    return True


@njit
def reach(abstraction, player, room, trail, count, real, me, path):
    """Advance the first `count` worlds from a hand just opened along `path`, as seen from seat `me`.

    `real` is the hand itself, which is played on too. Return the number of remaining worlds, of total weight 1, and the
    number of the other's actions that its strategy never takes with any cards; these give no information.
    """
    players.forget(player.asked, room.own[0], me)
    if player.remembers:
        players.note(player.asked, room.own[0:1], real, me, room.seen)
    for w in range(count):
        players.forget(player.asked, room.memory[w], 1 - me)
        if player.remembers:
            players.note(player.asked, room.memory[w : w + 1], room.pool[w : w + 1], 1 - me, room.seen)
        room.past[w] = 0
        trail.dealt[w] = trail.was[w] = room.weight[w]
    count = keep(room, trail, real, 0, count)
    unexplained = 0
    for action in path:
        if real[0].turn == me:
            top = count
            for w in range(count):
                after = push(abstraction, player, room, w, action, room.weight[w], me, top)
                if after > top:
                    trail.dealt[top], trail.was[top] = trail.dealt[w], room.weight[w]
                top = after
        else:
            top = branch(abstraction, player, room, trail, count, action, me)
        kernel.apply(real[0], action)
        if player.remembers:
            players.note(player.asked, room.own[0:1], real, me, room.seen)
        count = keep(room, trail, real, count, top)
        unexplained += settle(room, trail, count)
    return likely(room, count), unexplained


@njit
def likely(room, count):
    """Remove the impossible worlds and normalise the others; return their number."""
    mass = total(room.weight, count)
    left = 0
    for w in range(count):
        if room.weight[w] > 0:
            room.pool[left] = room.pool[w]
            room.memory[left] = room.memory[w]
            room.weight[left] = room.weight[w] / mass
            room.past[left] = 0
            left += 1
    return left


@njit
def worth(abstraction, player, room, count, me, least, shares, values):
    """Write the strategy's mixture over the legal actions of `me`, and their values; return their number.

    Both seats continue by the strategy. The number is 0 if the player does not report its mixture.
    """
    room.totals[:] = 0
    room.totals[MOST] = np.inf
    room.seen[0] = room.pool[0]
    kernel.hide(room.seen[0], me)
    n = players.mixture(player.asked, room.own[0], room.seen[0], me, shares)
    kernel.legal(room.pool[0], room.actions[0])
    for a in range(n):
        action = room.actions[0, a]
        known = -1
        for b in range(a):
            if same_card(abstraction.class_of, room.actions[0, b], action):
                known = b
        values[a] = values[known] if known >= 0 else value_of(abstraction, player, room, count, me, action, least)
    return n


@njit
def value_of(abstraction, player, room, count, me, action, least):
    """Return the value of an action if both seats continue by the strategy."""
    found = 0.0
    top = count
    for w in range(count):
        after = push(abstraction, player, room, w, action, room.weight[w], me, top)
        if after == top:
            kernel.payoff(room.pool[top], room.payoffs)
            found += room.weight[w] * room.payoffs[me]
        top = after
    found_low, found_high = respond(abstraction, player, room, count, top, 0, me, 0, least)[2:]
    return found + (found_low + found_high) / 2
