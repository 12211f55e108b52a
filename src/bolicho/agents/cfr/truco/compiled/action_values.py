"""What each action of a hand of Truco is worth to a seat that does not know the other's cards; compiled.

The worlds are those of `respond`.  They are brought from the deal to a decision along what was played (`reach`), each
weighed by how likely the other did that with its cards there; then every action is tried in all of them (`worth`).
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
    """Beside the weight of each world, for actions that no cards explain."""

    dealt: NDArray[np.float64]  # how likely it was dealt
    was: NDArray[np.float64]  # its weight if the last action told nothing


@njit
def lay(pool, real, other, hands):
    """Write a record for each set of cards that a seat may hold in a hand just opened, its scores those before it."""
    for w in range(len(hands)):
        s = pool[w]
        pool[w] = real[0]
        set_dealt(s, other, hands[w])
        s.scores[0], s.scores[1] = s.start[0], s.start[1]
        s.num_events = 0
        k.open_hand(s)


@rule
def same_card(class_of, one, other):
    """Whether two actions are as good as one: the same call, or cards of one class played alike."""
    if one >= k.TRUCO or other >= k.TRUCO:
        return one == other
    alike = one // k.FACE_DOWN == other // k.FACE_DOWN
    return alike and class_of[one % k.FACE_DOWN + 2] == class_of[other % k.FACE_DOWN + 2]


@rule
def looks_alike(s, real):
    """Whether the last action did the same in two worlds, as far as anybody saw."""
    if s.turn != real.turn or s.num_events != real.num_events:
        return False
    for row in range(s.num_events):
        for i in range(4):
            if s.events[row, i] != real.events[row, i]:
                return False
    return True


@njit
def keep(room, trail, real, first, top):
    """Bring the worlds from `first` on that look like the real one to the front; how many."""
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
    """Whether two actions look alike, cards of one class included: a seat could as well have done the other."""
    return (is_covered(one) and is_covered(other)) or same_card(class_of, one, other)


@njit
def branch(sight, player, room, trail, count, action, me):
    """Let the other do in each world what looks like `action`; where the worlds after it end.

    Of its cards of one class it is taken to play any as likely as the others.
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
            if as_good(sight.class_of, room.legal[a], action):
                share += room.chances[a]
                fitting += 1
        for a in range(n):
            played = room.legal[a]
            if is_covered(action):
                fits, chance, told_nothing = is_covered(played), room.chances[a], 1 / max(1, fitting)
            else:
                fits, chance, told_nothing = played == action, share / max(1, fitting), 1.0
            if fits:
                after = push(sight, player, room, w, played, room.weight[w] * chance, me, top)
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
    """Weigh worlds where no cards explain what was done as if it told nothing; whether that was so."""
    if total(room.weight, count) > 0:
        return False
    known = total(trail.was, count) > 0
    for w in range(count):
        room.weight[w] = trail.was[w] if known else trail.dealt[w]
    return True


@njit
def reach(sight, player, room, trail, count, real, me, path):
    """Bring the first `count` worlds from a hand just opened to where it stands after `path`, seen from seat `me`.

    `real` is the hand itself, and is played on too.  Returns how many worlds are left, which together weigh 1, and how
    many actions of the other its strategy never takes, whatever it holds: these tell nothing.
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
                after = push(sight, player, room, w, action, room.weight[w], me, top)
                if after > top:
                    trail.dealt[top], trail.was[top] = trail.dealt[w], room.weight[w]
                top = after
        else:
            top = branch(sight, player, room, trail, count, action, me)
        kernel.apply(real[0], action)
        if player.remembers:
            players.note(player.asked, room.own[0:1], real, me, room.seen)
        count = keep(room, trail, real, count, top)
        unexplained += settle(room, trail, count)
    return likely(room, count), unexplained


@njit
def likely(room, count):
    """Leave out the worlds that cannot be, and make the others weigh 1 together; how many."""
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
def worth(sight, player, room, count, me, least, shares, values):
    """Write the strategy's mixture over the legal actions of `me`, and what each of them wins; how many (0: not told).

    After it both go on by the strategy.
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
            if same_card(sight.class_of, room.actions[0, b], action):
                known = b
        values[a] = values[known] if known >= 0 else value_of(sight, player, room, count, me, action, least)
    return n


@njit
def value_of(sight, player, room, count, me, action, least):
    """What an action wins if both go on by the strategy."""
    found = 0.0
    top = count
    for w in range(count):
        after = push(sight, player, room, w, action, room.weight[w], me, top)
        if after == top:
            kernel.payoff(room.pool[top], room.payoffs)
            found += room.weight[w] * room.payoffs[me]
        top = after
    found_low, found_high = respond(sight, player, room, count, top, 0, me, 0, least)[2:]
    return found + (found_low + found_high) / 2
