"""The best response in a hand of Truco once points are settled: only cards and truco are left; compiled.

What each seat does is then public, but for which card lies face down.  So there is one record for all worlds of a
position, its *board*, and a world is only what the other was dealt, which of it lies where, and a weight.  Hands of the
same classes are one world: whoever goes by classes of cards (`Asked.by_class`) plays them alike.
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

IN_HAND = 3  # of `plays`, two bits a round: which of the cards dealt lies there, or none does
NOTHING_PLAYED = 0b111111
CALLED = COVERED + 1  # what a call looks like: this, and which; a card looks like its class, face down like COVERED
LOOKS = CALLED + k.NUM_ACTIONS - k.TRUCO
ONE = np.int64(1)

FRAME = np.dtype(
    [
        ("low", "i8"),  # the worlds, on the stack
        ("top", "i8"),
        ("mass", "f8"),  # what they weigh
        ("choices", "i8"),  # the responder's: how many; the other's: what they look like, as bits
        ("next", "i8"),
        ("legal", "i8"),  # how many actions the other has
        ("free", "i8"),  # whether the responder may choose
        ("share", "f8"),  # of the last choice, where that is not so and in the player's own way
        ("best", "f8", (2,)),  # so far, at least and at most
        ("same", "f8", (2,)),
    ],
    align=True,
)
"""A position that is being gone through."""


class Boards(NamedTuple):
    """Room to work in."""

    boards: NDArray[Any]  # by depth
    frames: NDArray[Any]  # by depth: FRAME
    views: NDArray[Any]
    first: NDArray[np.int32]  # by set of classes: the world of that set, or -1
    cards: NDArray[np.int8]  # (world, 3): what the other was dealt
    world: NDArray[np.int32]  # a stack: which of these,
    plays: NDArray[np.int8]  # what of it lies where,
    weight: NDArray[np.float64]  # how likely,
    shares: NDArray[np.float64]  # and what it does, by legal action,
    looks: NDArray[np.int8]  # what that looks like,
    places: NDArray[np.int8]  # and which of its cards that is
    considered: NDArray[np.int16]
    actions: NDArray[np.int16]  # (depth, action)
    own: NDArray[np.float64]  # (depth, action): what the player would do in the responder's place


@rule
def are_points_settled(s):
    """Whether all that depends on suits is over."""
    return not bets_are_open(s) and s.has_flor[0] != k.NONE and s.has_flor[1] != k.NONE


@rule
def class_at(sight, world, place):
    return np.int64(sight.class_of[sight.boards.cards[world, place] + 2])


@rule
def play_in(plays, r):
    return (plays >> (2 * r)) & 3


@rule
def is_in_hand(plays, place):
    return play_in(plays, 0) != place and play_in(plays, 1) != place and play_in(plays, 2) != place


@rule
def set_cards(sight, s, seat, world, plays):
    """Let a seat hold and have played the cards of a world, face up or down as they lie there."""
    cards = sight.boards.cards
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
def looks(sight, action):
    """What an action looks like to the other seat."""
    if action >= k.TRUCO:
        return CALLED + np.int64(action) - k.TRUCO
    return COVERED if action >= k.FACE_DOWN else np.int64(sight.class_of[action + 2])


@rule
def place_of(sight, world, plays, card):
    """Where a card stands in a world: of those in hand of the same class the first."""
    for i in range(3):
        if is_in_hand(plays, i) and class_at(sight, world, i) == sight.class_of[card + 2]:
            return i
    return IN_HAND


@rule
def lay(plays, r, place):
    """The card of that place lies there in a round."""
    return plays & ~((IN_HAND ^ place) << (2 * r))


@rule
def add(b, low, top, world, plays, weight):
    """Add a world to the stack, or its weight to the same one where that is there from `low` on; the stack's end."""
    for e in range(low, top):
        if b.world[e] == world and b.plays[e] == plays:
            b.weight[e] += weight
            return top
    b.world[top], b.plays[top], b.weight[top] = world, plays, weight
    return top + 1


@rule
def take_up(sight, room, first, end, me):
    """Make worlds by classes of those in `order[first:end]`; how many, and their weight."""
    b, other = sight.boards, 1 - me
    b.boards[0] = room.pool[room.order[first]]
    b.first[:] = -1
    top, known, mass = 0, 0, 0.0
    for i in range(first, end):
        s = room.pool[room.order[i]]
        x, y, z = s.dealt[other, 0], s.dealt[other, 1], s.dealt[other, 2]
        number = sight.set_of[sight.class_of[x + 2], sight.class_of[y + 2], sight.class_of[z + 2]]
        if b.first[number] < 0:
            b.first[number] = known
            b.cards[known, 0], b.cards[known, 1], b.cards[known, 2] = x, y, z
            known += 1
        world, plays = np.int64(b.first[number]), NOTHING_PLAYED
        for r in range(3):
            if s.played[other, r] != k.NONE:
                plays = lay(plays, r, place_of(sight, world, plays, s.played[other, r] % k.FACE_DOWN))
        weight = room.weight[room.order[i]]
        top = add(b, world, top, world, plays, weight)  # no world is lower in the stack than its number
        mass += weight
    return top, mass


@rule
def settle(sight, player, room, first, end, me, kinds, least):
    """As `respond`, from worlds `order[first:end]` in which points are settled.

    Without recursion: to hand on so many arrays takes longer than most positions do.
    """
    b, depth = sight.boards, 0
    b.frames[0].low = 0
    b.frames[0].top, b.frames[0].mass = take_up(sight, room, first, end, me)
    begin(sight, player, room, 0, me, kinds, least)
    while True:
        if go_on(sight, depth, me):
            s = b.boards[depth + 1]
            if s.turn >= 0:
                depth += 1
                begin(sight, player, room, depth, me, kinds, least)
            else:  # the same in all worlds
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
def begin(sight, player, room, depth, me, kinds, least):
    """Look at a position whose board and worlds are there: what may be done in it."""
    b = sight.boards
    f = b.frames[depth]
    room.totals[NODES] += 1
    room.totals[WORLDS] += f.top - f.low
    f.next, f.choices, f.free, f.share = 0, 0, 0, 1.0
    f.best[0], f.best[1], f.same[0], f.same[1] = 0.0, 0.0, 0.0, 0.0
    if room.totals[NODES] > room.totals[MOST] or 4 * f.top - 3 * f.low > len(b.world) or depth + 2 > len(b.boards):
        room.totals[FULL] = 1
    elif b.boards[depth].turn != me:
        ask_other(sight, player, room, depth, 1 - me)
    else:
        fewest, sure, most = bounds(sight, b.boards[depth], me)
        if f.mass * (most - fewest) < least:
            f.best[0], f.best[1], f.same[0], f.same[1] = f.mass * sure, f.mass * most, f.mass * fewest, f.mass * most
        else:
            weigh_own(sight, player, room, depth, me, kinds)


@rule
def go_on(sight, depth, me):
    """Make the board and the worlds that follow the next choice; whether there was one."""
    b = sight.boards
    f, after = b.frames[depth], b.frames[depth + 1]
    if b.boards[depth].turn != me:
        while f.choices >> f.next:
            f.next += 1
            if (f.choices >> (f.next - 1)) & 1:
                after.low = f.top
                after.top, after.mass = split(sight, depth, 1 - me, f.next - 1)
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
    """Bring what a choice is worth to the position in which it was made."""
    f.same[0] += f.share * same_low
    f.same[1] += f.share * same_high
    if f.free:
        f.best[0], f.best[1] = max(f.best[0], best_low), max(f.best[1], best_high)
    else:
        f.best[0] += f.share * best_low
        f.best[1] += f.share * best_high


@rule
def weigh_own(sight, player, room, depth, me, kinds):
    """Write what the responder considers, and what the player would do in its place.

    Of cards of one class one will do.
    """
    b = sight.boards
    f, s, view = b.frames[depth], b.boards[depth], b.views[0]
    b.views[0] = b.boards[depth]
    kernel.hide(view, me)
    known = players.mixture(player.asked, room.own[0], view, me, room.chances)
    kernel.legal(s, room.legal)
    m = 0
    for i in range(choices(sight, s, me, b.considered, room.labels)):
        m = consider(sight, b.actions, b.own, depth, m, b.considered[i], 0.0)
    for j in range(known):
        if room.chances[j] > 0:
            m = consider(sight, b.actions, b.own, depth, m, room.legal[j], room.chances[j])
    f.choices, f.free = m, (kinds >> kind_of(sight, view, me)) & 1
    if f.free:
        f.best[0], f.best[1] = -np.inf, -np.inf


@rule
def consider(sight, actions, shares, depth, m, action, share):
    """Add an action to those considered, or its share to one that is as good; how many there are."""
    for a in range(m):
        known = actions[depth, a]
        alike = action < k.TRUCO and known < k.TRUCO and action // k.FACE_DOWN == known // k.FACE_DOWN
        alike = alike and sight.class_of[action % k.FACE_DOWN + 2] == sight.class_of[known % k.FACE_DOWN + 2]
        if alike or action == known:
            shares[depth, a] += share
            return m
    actions[depth, m], shares[depth, m] = action, share
    return m + 1


@rule
def ask_other(sight, player, room, depth, other):
    """Ask the player in every world what it does, and what that looks like."""
    b = sight.boards
    f, view = b.frames[depth], b.views[0]
    b.views[0] = b.boards[depth]
    kernel.hide(view, other)
    for e in range(f.low, f.top):
        world, plays = np.int64(b.world[e]), np.int64(b.plays[e])
        set_cards(sight, view, other, world, plays)
        f.legal = players.mixture(player.asked, room.memory[0], view, other, b.shares[e])
        kernel.legal(view, room.legal)
        for a in range(f.legal):
            if b.shares[e, a] > 0:
                look = looks(sight, room.legal[a])
                b.looks[e, a] = look
                f.choices |= ONE << look
                if look < CALLED:
                    b.places[e, a] = place_of(sight, world, plays, room.legal[a] % k.FACE_DOWN)


@rule
def split(sight, depth, other, look):
    """Push the worlds in which the other does what looks so, and the board after it; the stack's end, their weight."""
    b = sight.boards
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
                    take(sight, depth, other, b.world[e], plays, b.places[e, a], look)
                if look < CALLED:
                    plays = lay(plays, r, np.int64(b.places[e, a]))
                end = add(b, begin, end, b.world[e], plays, weight)
                total += weight
    return end, total


@rule
def take(sight, depth, other, world, plays, place, look):
    """Make the board of what follows, by what happens in one world."""
    b = sight.boards
    s = b.boards[depth + 1]
    b.boards[depth + 1] = b.boards[depth]
    if look >= CALLED:
        kernel.apply(s, look - CALLED + k.TRUCO)
        return
    set_cards(sight, s, other, world, plays)
    kernel.apply(s, b.cards[world, place] + (k.FACE_DOWN if look == COVERED else 0))


@njit
def mix_if_settled(sight, player, memory, pool, seat, out):
    """Write what a player does in a view by what that looks like, where points are settled; whether they are."""
    if not are_points_settled(pool[0]):
        return False
    legal, chances = np.zeros(k.NUM_ACTIONS, np.int16), np.zeros(k.NUM_ACTIONS)
    n = players.mixture(player, memory[0], pool[0], seat, chances)
    kernel.legal(pool[0], legal)
    out[:] = 0
    for a in range(n):
        out[looks(sight, legal[a])] += chances[a]
    return True
