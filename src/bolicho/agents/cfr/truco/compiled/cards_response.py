"""Best response in a hand of Truco once points are settled, with only cards and truco left; compiled.

From there on all actions are public, except which card lies face down. So the worlds of a position share one record,
its *board*, and a world is only the hand dealt to the other seat, the round in which each of its cards lies, and a
weight. Hands of the same classes are one world, because the player acts by classes of cards (`Asked.by_class`).
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bolicho.agents import kernel as players
from bolicho.agents.cfr.compiled.respond import FULL, MOST, NODES, WORLDS, bounds, kind_of
from bolicho.agents.cfr.kernel import choices
from bolicho.agents.cfr.truco.compiled.public import bets_are_open
from bolicho.agents.cfr.truco.hands import COVERED
from bolicho.games import kernel
from bolicho.games.jit import njit, rule
from bolicho.games.truco import kernel as k

IN_HAND = 3  # field of `plays`, two bits a round: index of the dealt card that lies there, or this
NOTHING_PLAYED = 0b111111
CALLED = COVERED + 1  # looks of calls, from here on; a card looks like its class, face down like COVERED
LOOKS = CALLED + k.NUM_ACTIONS - k.TRUCO
ONE = np.int64(1)

FRAME = np.dtype(
    [
        ("low", "i8"),  # range of its worlds on the stack
        ("top", "i8"),
        ("mass", "f8"),  # their total weight
        ("choices", "i8"),  # number of the responder's; looks of the other's, as bits
        ("next", "i8"),
        ("legal", "i8"),  # number of the other's actions
        ("free", "i8"),  # 1 if the responder may deviate
        ("share", "f8"),  # probability of the last choice, where it may not and in the player's own play
        ("best", "f8", (2,)),  # so far: lower and upper bound
        ("same", "f8", (2,)),
    ],
    align=True,
)
"""Position under evaluation."""


class Boards(NamedTuple):
    """Work arrays."""

    boards: NDArray[Any]  # by depth
    frames: NDArray[Any]  # by depth: FRAME
    views: NDArray[Any]
    first: NDArray[np.int32]  # by set of classes: its world, or -1
    cards: NDArray[np.int8]  # (world, 3): cards dealt to the other
    world: NDArray[np.int32]  # stack: the world,
    plays: NDArray[np.int8]  # its cards by round,
    weight: NDArray[np.float64]  # its weight,
    shares: NDArray[np.float64]  # the probabilities of the other's legal actions,,
    looks: NDArray[np.int8]  # their looks,
    places: NDArray[np.int8]  # and the indices of their cards
    considered: NDArray[np.int16]
    actions: NDArray[np.int16]  # (depth, action)
    own: NDArray[np.float64]  # (depth, action): probabilities of the player in the responder's place


@rule
def are_points_settled(s):
    """Return whether everything that depends on suits is settled."""
    return not bets_are_open(s) and s.has_flor[0] != k.NONE and s.has_flor[1] != k.NONE


@rule
def class_at(abstraction, world, place):
    return np.int64(abstraction.class_of[abstraction.boards.cards[world, place] + 2])


@rule
def play_in(plays, r):
    return (plays >> (2 * r)) & 3


@rule
def is_in_hand(plays, place):
    return play_in(plays, 0) != place and play_in(plays, 1) != place and play_in(plays, 2) != place


@rule
def set_cards(abstraction, s, seat, world, plays):
    """Give a seat the cards of a world, in hand and played, face up or down as on the board."""
    cards = abstraction.boards.cards
    n = 0
    for i in range(3):
        s.dealt[seat, i] = cards[world, i]
        s.hands[seat, i] = k.NONE
    for i in range(3):
        if is_in_hand(plays, i):
            s.hands[seat, n] = cards[world, i]
            n += 1
    for r in range(3):
        if s.played[seat, r] != k.NONE:
            covered = s.played[seat, r] == k.UNSEEN or s.played[seat, r] >= k.FACE_DOWN
            s.played[seat, r] = cards[world, play_in(plays, r)] + (k.FACE_DOWN if covered else 0)


@rule
def looks(abstraction, action):
    """Return the looks of an action to the other seat."""
    if action >= k.TRUCO:
        return CALLED + np.int64(action) - k.TRUCO
    return COVERED if action >= k.FACE_DOWN else np.int64(abstraction.class_of[action + 2])


@rule
def place_of(abstraction, world, plays, card):
    """Return the index of a card in a world: the first one of its class in hand."""
    for i in range(3):
        if is_in_hand(plays, i) and class_at(abstraction, world, i) == abstraction.class_of[card + 2]:
            return i
    return IN_HAND


@rule
def lay(plays, r, place):
    """Return `plays` with the card of an index played in a round."""
    return plays & ~((IN_HAND ^ place) << (2 * r))


@rule
def add(b, low, top, world, plays, weight):
    """Add a world to the stack, or its weight to the same world from `low` on; return the end of the stack."""
    for e in range(low, top):
        if b.world[e] == world and b.plays[e] == plays:
            b.weight[e] += weight
            return top
    b.world[top], b.plays[top], b.weight[top] = world, plays, weight
    return top + 1


@rule
def take_up(abstraction, room, first, end, me):
    """Make worlds by classes from those in `order[first:end]`; return their number and their weight."""
    b, other = abstraction.boards, 1 - me
    b.boards[0] = room.pool[room.order[first]]
    b.first[:] = -1
    top, known, mass = 0, 0, 0.0
    for i in range(first, end):
        s = room.pool[room.order[i]]
        x, y, z = s.dealt[other, 0], s.dealt[other, 1], s.dealt[other, 2]
        number = abstraction.set_of[
            abstraction.class_of[x + 2], abstraction.class_of[y + 2], abstraction.class_of[z + 2]
        ]
        if b.first[number] < 0:
            b.first[number] = known
            b.cards[known, 0], b.cards[known, 1], b.cards[known, 2] = x, y, z
            known += 1
        world, plays = np.int64(b.first[number]), NOTHING_PLAYED
        for r in range(3):
            if s.played[other, r] != k.NONE:
                plays = lay(plays, r, place_of(abstraction, world, plays, s.played[other, r] % k.FACE_DOWN))
        weight = room.weight[room.order[i]]
        top = add(b, world, top, world, plays, weight)  # no world is lower in the stack than its number
        mass += weight
    return top, mass


@rule
def settle(abstraction, player, room, first, end, me, kinds, least):
    """Compute `respond` from worlds `order[first:end]` in which points are settled.

    There is no recursion, because passing so many arrays takes longer than most positions do.
    """
    b, depth = abstraction.boards, 0
    b.frames[0].low = 0
    b.frames[0].top, b.frames[0].mass = take_up(abstraction, room, first, end, me)
    begin(abstraction, player, room, 0, me, kinds, least)
    while True:
        if go_on(abstraction, depth, me):
            s = b.boards[depth + 1]
            if s.turn >= 0:
                depth += 1
                begin(abstraction, player, room, depth, me, kinds, least)
            else:  # payoffs are the same in all worlds
                kernel.payoff(s, room.payoffs)
                worth = b.frames[depth + 1].mass * room.payoffs[me]
                bring(b.frames[depth], worth, worth, worth, worth)
        elif depth > 0:
            done = b.frames[depth]
            depth -= 1
            bring(b.frames[depth], done.best[0], done.best[1], done.same[0], done.same[1])
        else:
            return b.frames[0].best[0], b.frames[0].best[1], b.frames[0].same[0], b.frames[0].same[1]


@rule
def begin(abstraction, player, room, depth, me, kinds, least):
    """Begin a position whose board and worlds are set: list its choices."""
    b = abstraction.boards
    f = b.frames[depth]
    room.totals[NODES] += 1
    room.totals[WORLDS] += f.top - f.low
    f.next, f.choices, f.free, f.share = 0, 0, 0, 1.0
    f.best[0], f.best[1], f.same[0], f.same[1] = 0.0, 0.0, 0.0, 0.0
    if room.totals[NODES] > room.totals[MOST] or 4 * f.top - 3 * f.low > len(b.world) or depth + 2 > len(b.boards):
        room.totals[FULL] = 1
    elif b.boards[depth].turn != me:
        ask_other(abstraction, player, room, depth, 1 - me)
    else:
        fewest, sure, most = bounds(abstraction, b.boards[depth], me)
        if f.mass * (most - fewest) < least:
            f.best[0], f.best[1], f.same[0], f.same[1] = f.mass * sure, f.mass * most, f.mass * fewest, f.mass * most
        else:
            list_own_actions(abstraction, player, room, depth, me, kinds)


@rule
def go_on(abstraction, depth, me):
    """Make the board and the worlds after the next choice; return whether there is one."""
    b = abstraction.boards
    f, after = b.frames[depth], b.frames[depth + 1]
    if b.boards[depth].turn != me:
        while f.choices >> f.next:
            f.next += 1
            if (f.choices >> (f.next - 1)) & 1:
                after.low = f.top
                after.top, after.mass = split(abstraction, depth, 1 - me, f.next - 1)
                return True
        return False
    while f.next < f.choices:
        f.next += 1
        f.share = b.own[depth, f.next - 1]
        if f.free or f.share > 0:
            b.boards[depth + 1] = b.boards[depth]
            kernel.apply(b.boards[depth + 1], b.actions[depth, f.next - 1])
            after.low, after.top, after.mass = f.low, f.top, f.mass
            return True
    return False


@rule
def bring(f, best_low, best_high, same_low, same_high):
    """Add the values of a choice to the position in which it was made."""
    f.same[0] += f.share * same_low
    f.same[1] += f.share * same_high
    if f.free:
        f.best[0], f.best[1] = max(f.best[0], best_low), max(f.best[1], best_high)
    else:
        f.best[0] += f.share * best_low
        f.best[1] += f.share * best_high


@rule
def list_own_actions(abstraction, player, room, depth, me, kinds):
    """Write the actions that the responder considers, and the player's probabilities in its place.

    Cards of one class count as one action.
    """
    b = abstraction.boards
    f, s, view = b.frames[depth], b.boards[depth], b.views[0]
    b.views[0] = b.boards[depth]
    kernel.hide(view, me)
    known = players.mixture(player.asked, room.own[0], view, me, room.chances)
    kernel.legal(s, room.legal)
    m = 0
    for i in range(choices(abstraction, s, me, b.considered, room.labels)):
        m = consider(abstraction, b.actions, b.own, depth, m, b.considered[i], 0.0)
    for j in range(known):
        if room.chances[j] > 0:
            m = consider(abstraction, b.actions, b.own, depth, m, room.legal[j], room.chances[j])
    f.choices, f.free = m, (kinds >> kind_of(abstraction, view, me)) & 1
    if f.free:
        f.best[0], f.best[1] = -np.inf, -np.inf


@rule
def consider(abstraction, actions, shares, depth, m, action, share):
    """Add an action to those considered, or its share to an equivalent one; return their number."""
    for a in range(m):
        known = actions[depth, a]
        alike = action < k.TRUCO and known < k.TRUCO and action // k.FACE_DOWN == known // k.FACE_DOWN
        alike = (
            alike and abstraction.class_of[action % k.FACE_DOWN + 2] == abstraction.class_of[known % k.FACE_DOWN + 2]
        )
        if alike or action == known:
            shares[depth, a] += share
            return m
    actions[depth, m], shares[depth, m] = action, share
    return m + 1


@rule
def ask_other(abstraction, player, room, depth, other):
    """Write the player's probabilities in every world, and the looks of its actions."""
    b = abstraction.boards
    f, view = b.frames[depth], b.views[0]
    b.views[0] = b.boards[depth]
    kernel.hide(view, other)
    for e in range(f.low, f.top):
        world, plays = np.int64(b.world[e]), np.int64(b.plays[e])
        set_cards(abstraction, view, other, world, plays)
        f.legal = players.mixture(player.asked, room.memory[0], view, other, b.shares[e])
        kernel.legal(view, room.legal)
        for a in range(f.legal):
            if b.shares[e, a] > 0:
                look = looks(abstraction, room.legal[a])
                b.looks[e, a] = look
                f.choices |= ONE << look
                if look < CALLED:
                    b.places[e, a] = place_of(abstraction, world, plays, room.legal[a] % k.FACE_DOWN)


@rule
def split(abstraction, depth, other, look):
    """Push the worlds after actions with these looks, and their board; return the end and their weight."""
    b = abstraction.boards
    f, r = b.frames[depth], np.int64(b.boards[depth].round)
    top = end = np.int64(f.top)
    total = 0.0
    for e in range(f.low, f.top):
        begin = end
        for a in range(f.legal):
            weight = b.weight[e] * b.shares[e, a]
            if weight > 0 and b.looks[e, a] == look:
                plays = np.int64(b.plays[e])
                if end == top:
                    take(abstraction, depth, other, b.world[e], plays, b.places[e, a], look)
                if look < CALLED:
                    plays = lay(plays, r, np.int64(b.places[e, a]))
                end = add(b, begin, end, b.world[e], plays, weight)
                total += weight
    return end, total


@rule
def take(abstraction, depth, other, world, plays, place, look):
    """Make the board after an action, from one world."""
    b = abstraction.boards
    s = b.boards[depth + 1]
    b.boards[depth + 1] = b.boards[depth]
    if look >= CALLED:
        kernel.apply(s, look - CALLED + k.TRUCO)
        return
    set_cards(abstraction, s, other, world, plays)
    kernel.apply(s, b.cards[world, place] + (k.FACE_DOWN if look == COVERED else 0))


@njit
def mix_if_settled(abstraction, player, memory, pool, seat, out):
    """Write a player's probabilities in a view by looks, if points are settled; return whether they are."""
    if not are_points_settled(pool[0]):
        return False
    legal, chances = np.zeros(k.NUM_ACTIONS, np.int16), np.zeros(k.NUM_ACTIONS)
    n = players.mixture(player, memory[0], pool[0], seat, chances)
    kernel.legal(pool[0], legal)
    out[:] = 0
    for a in range(n):
        out[looks(abstraction, legal[a])] += chances[a]
    return True
