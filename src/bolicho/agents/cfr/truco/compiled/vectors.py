"""Counterfactual regret for a hand of Truco by vectors: a walk for all hands of a seat at once; compiled.

What is public is walked through as records of the game.  Beside each stands a vector for either seat: how likely the
other's strategy and the deal bring each of its holdings here (`reach`), and how likely each of the walker's own is
dealt (`dealt`).  Everything that the walker may do is tried; of what the other may do in public one thing is drawn, and
of what an accepted envido shows one outcome.  Cards of one hand make those of the other less likely by `removal`, where
suits are taken to be independent; the rules are those of the game.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bolicho.agents.cfr.compiled.table import claim, is_narrow
from bolicho.agents.cfr.kernel import choices
from bolicho.agents.cfr.truco.compiled.public import (
    BY_CLASS,
    BY_PAIR,
    BY_SET,
    BY_TYPE,
    card_at,
    class_in,
    known_set,
    public_key,
    row_of,
    rows_of,
    size_of,
    space_of,
)
from bolicho.agents.cfr.truco.hands import CLASSES, COVERED, PAIRS, SETS
from bolicho.agents.cfr.truco.kernel import COVERED as PLAY_COVERED
from bolicho.games import kernel
from bolicho.games.compiled.chance import stream, uniform
from bolicho.games.jit import njit, rule
from bolicho.games.truco import kernel as k
from bolicho.games.truco.compiled.hand import hand_winner

POINTS = 28  # kinds of points there are, of envido or flor: see `step_of`
HIGHEST = 2  # label of a card: the last place

RARE, RARELY, WARM = 0.005, 0.1, 300
"""What fewer than this share of the hands would do is tried in this share of the walks, from this iteration on."""


class Space(NamedTuple):
    """Room for a walk: rows by depth."""

    pool: NDArray[Any]
    actions: NDArray[np.int16]
    labels: NDArray[np.int16]
    shows: NDArray[np.bool_]  # whether a bet was just accepted, and points are to be shown
    reach: NDArray[np.float32]
    dealt: NDArray[np.float32]
    strategy: NDArray[np.float32]  # (depth, choice, holding)
    worth: NDArray[np.float32]  # (depth, choice, holding)
    value: NDArray[np.float32]  # (depth, holding): what the walker's holdings are worth here
    chosen: NDArray[np.float32]  # a vector in the making
    sums: NDArray[np.float32]  # by set
    numbers: NDArray[np.int64]  # of sets
    meeting: NDArray[np.float32]  # (depth, own class, the other's class): reach of the other, when the own card is seen
    against: NDArray[np.float32]  # (points, set): how likely a set meets so many points or fewer
    met: NDArray[np.float32]
    mine: NDArray[np.float64]  # by points
    theirs: NDArray[np.float64]
    below_me: NDArray[np.float64]
    below_them: NDArray[np.float64]
    ended: NDArray[np.float32]  # (depth, holding): what is counted already of what the other may do
    stops: NDArray[np.bool_]  # by class of the other's card: whether it ends the hand
    ends: NDArray[np.float64]  # what that is worth
    tries: NDArray[np.float32]  # (depth, choice): 0 where it is not tried, else how much that counts
    shares: NDArray[np.float32]
    masses: NDArray[np.float32]
    drawn: NDArray[np.int64]


# --- From one space to the next -----------------------------------------------------------------


@rule
def to_sets(h, source, target):
    target[:SETS] = 0
    for t in range(len(h.type_set)):
        target[h.type_set[t]] += source[t]


@rule
def carry(h, s, seat, before, source, target, sums):
    """Write a vector of a seat in the space that it has in `s`, where it had another before the last action."""
    after = space_of(s, seat)
    if before == after:
        for i in range(size_of(h, after)):
            target[i] = source[i]
    elif before == BY_TYPE and after == BY_SET:
        to_sets(h, source, target)
    elif after == BY_PAIR:
        if before == BY_TYPE:
            to_sets(h, source, sums)
        first = class_in(h, s, seat, 0)
        for p in range(PAIRS):
            number = h.set_of[first, h.pairs[p, 0], h.pairs[p, 1]]
            target[p] = sums[number] if before == BY_TYPE else source[number]
    elif after == BY_CLASS:
        second = class_in(h, s, seat, 1)
        for c in range(CLASSES):
            if second == COVERED:
                target[c] = 0
                for low in range(c + 1):
                    target[c] += source[h.pair_of[low, c]]
            else:
                target[c] = source[h.pair_of[second, c]]
    else:
        target[0] = source[class_in(h, s, seat, 2)]


@rule
def back(h, s, seat, before, values, target):
    """Write what holdings are worth in the space a seat had before the action that led to `s`."""
    after = space_of(s, seat)
    n = size_of(h, before)
    if before == after:
        for i in range(n):
            target[i] = values[i]
    elif after == BY_SET:
        for t in range(n):
            target[t] = values[h.type_set[t]]
    elif after == BY_PAIR:
        first = class_in(h, s, seat, 0)
        for i in range(n):
            p = h.rest_of[h.type_set[i] if before == BY_TYPE else i, first]
            target[i] = values[p] if p >= 0 else 0
    elif after == BY_CLASS:
        second = class_in(h, s, seat, 1)
        for p in range(n):
            low, high = np.int64(h.pairs[p, 0]), np.int64(h.pairs[p, 1])
            if second == COVERED or second == low:
                target[p] = values[high]
            else:
                target[p] = values[low] if second == high else 0
    else:
        target[:n] = 0
        target[class_in(h, s, seat, 2)] = values[0]


# --- What is learned ----------------------------------------------------------------------------


@rule
def match(h, s, seat, space, arms, first, n, weights, out):
    """Write the strategy of all holdings that count: in proportion to positive regrets, or all alike."""
    for i in range(size_of(h, space)):
        if weights[i] <= 0:
            continue
        total = np.float32(0)
        if first >= 0:
            at = first + n * row_of(h, s, seat, space, i)
            for a in range(n):
                out[a, i] = max(arms[at + a].regret, np.float32(0))
                total += out[a, i]
        for a in range(n):
            out[a, i] = out[a, i] / total if total > 0 else np.float32(1) / np.float32(n)


@rule
def average(h, s, seat, space, arms, first, n, reach, strategy, weight):
    """Take the strategy down where the other's play came to."""
    if first >= 0:
        for i in range(size_of(h, space)):
            if reach[i] > 0:
                at = first + n * row_of(h, s, seat, space, i)
                for a in range(n):
                    arms[at + a].average += weight * weight * reach[i] * strategy[a, i]


@rule
def regret(h, s, seat, space, arms, first, n, dealt, strategy, worth, value, weight, tries):
    """Write what holdings are worth, and take down what was missed by not doing each thing that was tried."""
    for i in range(size_of(h, space)):
        value[i] = 0
        if dealt[i] <= 0:
            continue
        played = np.float32(0)
        for a in range(n):
            if tries[a] > 0:
                value[i] += strategy[a, i] * worth[a, i]
                played += strategy[a, i]
        if played > 0:
            value[i] /= played
        if first >= 0:
            at = first + n * row_of(h, s, seat, space, i)
            for a in range(n):
                if tries[a] > 0:
                    arms[at + a].regret += tries[a] * weight * dealt[i] * (worth[a, i] - value[i])


@rule
def is_rare(h, room, d, space, a):
    """Whether a choice is taken by next to none of the walker's holdings."""
    total, taken = np.float32(0), np.float32(0)
    for i in range(size_of(h, space)):
        if room.dealt[d, i] > 0:
            total += room.dealt[d, i]
            taken += room.dealt[d, i] * room.strategy[d, a, i]
    return taken < RARE * total


# --- What hands are worth -----------------------------------------------------------------------


@rule
def utility(s, utilities, x):
    """What the scores are worth to a seat; seat 0 is mão."""
    u = utilities[s.scores[0], s.scores[1]]
    return u if x == 0 else -u


@rule
def weigh(h, s, x, reach, room, out):
    """Write how likely each holding of `x` meets what the other has left of its holdings."""
    own, others = space_of(s, x), space_of(s, 1 - x)
    if own == BY_TYPE:
        to_sets(h, reach, room.sums)
        meet_sets(h.core, room.sums, room.met)
        for t in range(len(h.type_set)):
            out[t] = room.met[h.type_set[t]]
    elif own == BY_SET:
        meet_sets(h.core, reach, out)
    elif own == BY_PAIR and others == BY_PAIR:
        meet_pairs(h.meeting[class_in(h, s, 1 - x, 0), class_in(h, s, x, 0)], reach, out)
    else:
        meet_few(h, s, x, own, others, reach, room.numbers, out)


@rule
def meet_sets(core, reach, out):
    for i in range(SETS):
        out[i] = 0
    for j in range(SETS):
        if reach[j] > 0:
            add_row(core[j], reach[j], out)


@rule
def meet_pairs(meeting, reach, out):
    for i in range(PAIRS):
        out[i] = 0
    for j in range(PAIRS):
        r = reach[j]
        if r > 0:
            for i in range(PAIRS):
                out[i] += meeting[j, i] * r


@rule
def meet_few(h, s, x, own, others, reach, numbers, out):
    n = size_of(h, own)
    for i in range(n):
        out[i] = 0
        numbers[i] = known_set(h, s, x, own, i)
    for j in range(size_of(h, others)):
        if reach[j] > 0:
            row = h.removal[known_set(h, s, 1 - x, others, j)]
            r = reach[j]
            for i in range(n):
                out[i] += row[numbers[i]] * r


@rule
def hold_class(s, seat, card):
    """Let a seat hold a card that it is to play, in a record that knows of nobody's cards."""
    s.hands[seat, 0] = card % k.FACE_DOWN
    s.hands[seat, 1] = k.NONE
    s.hands[seat, 2] = k.NONE


@rule
def end_value(h, room, d, seat, c, utilities, x):
    """What it is worth to `x` when a seat plays the last card of a hand, of a class."""
    s = room.pool[d + 1]
    room.pool[d + 1] = room.pool[d]
    hold_class(s, seat, h.card_of[c])
    kernel.apply(s, h.card_of[c])
    return utility(s, utilities, x)


@rule
def is_last_card(s, seat):
    return s.round == 2 and s.played[1 - seat, 2] != k.NONE


@rule
def is_shown(s, action):
    """Whether an action accepts a bet on points, which are shown then."""
    if s.pending == k.ENVIDO_BET:
        return action == k.QUERO
    return s.pending == k.FLOR_BET and (action == k.QUERO or action == k.FLOR)


@rule
def step_of(points):
    """Points as a number without gaps: 0 to 7, and from 20 on."""
    return points if points < 8 else points - 12


@rule
def points_of(step):
    return step if step < 8 else step + 12


@rule
def add_row(row, share, out):
    for i in range(SETS):
        out[i] += share * row[i]


@rule
def wins_ties(s, x):
    return s.mao == x


# --- The walk -----------------------------------------------------------------------------------


@rule
def go(h, room, d, action, seat, x, chosen):
    """Make the next record of a walk, and its vectors; `chosen` is what is left of the vector of whoever acted."""
    s = room.pool[d]
    room.pool[d + 1] = s
    room.shows[d + 1] = is_shown(s, action)
    child = room.pool[d + 1]
    if not room.shows[d + 1]:
        if action < k.TRUCO:
            hold_class(child, seat, action)
        kernel.apply(child, action)
    own = chosen if seat == x else room.dealt[d]
    others = room.reach[d] if seat == x else chosen
    carry(h, child, x, space_of(s, x), own, room.dealt[d + 1], room.sums)
    carry(h, child, 1 - x, space_of(s, 1 - x), others, room.reach[d + 1], room.sums)


@rule
def baseline(room, d, winner, points, utilities, x):
    """About what it is worth to `x` that a seat wins what was bet on points, and whether the match ends by it."""
    s = room.pool[d + 1]
    room.pool[d + 1] = room.pool[d]
    show(s, winner, points)
    if s.turn < 0:
        return utility(s, utilities, x), True
    u = 0.5 * (utilities[s.scores[0] + 1, s.scores[1]] + utilities[s.scores[0], s.scores[1] + 1])
    return (u if x == 0 else -u), False


@rule
def show(s, winner, points):
    if s.pending == k.ENVIDO_BET:
        k.show_envido(s, winner, points)
    else:
        k.show_flor(s, winner, points)


@rule
def compare(h, room, d, x, utilities, luck):
    """Let an accepted bet on points be settled: what that is worth, and one outcome drawn to go on from.

    Returns how likely the outcome was drawn (0: there is nothing to go on with), who won and the points shown.
    """
    s = room.pool[d]
    reach, dealt, value = room.reach[d], room.dealt[d], room.value[d]
    least = 0 if wins_ties(s, x) else 1  # by how much the walker has to be better
    mine, theirs = room.mine, room.theirs
    for p in range(POINTS):
        mine[p] = 0
        theirs[p] = 0
    for p in range(POINTS):
        for i in range(SETS):
            room.against[p, i] = 0
    for t in range(len(h.type_set)):
        p = step_of(np.int64(h.type_points[t]))
        mine[p] += dealt[t]
        if reach[t] > 0:
            theirs[p] += reach[t]
            add_row(h.core[h.type_set[t]], reach[t], room.against[p])
    for p in range(1, POINTS):
        add_row(room.against[p - 1], np.float32(1), room.against[p])
    won, ends_won = baseline(room, d, x, 0, utilities, x)
    lost, ends_lost = baseline(room, d, 1 - x, 0, utilities, x)
    for t in range(len(h.type_set)):
        value[t] = 0
        if dealt[t] > 0:
            i, p = h.type_set[t], step_of(np.int64(h.type_points[t]))
            less = room.against[p - least, i] if p >= least else np.float32(0)
            value[t] = won * less + lost * (room.against[POINTS - 1, i] - less)
    total = 0.0
    below_me, below_them = room.below_me, room.below_them
    for p in range(POINTS):
        below_me[p] = mine[p] + (below_me[p - 1] if p > 0 else 0.0)
        below_them[p] = theirs[p] + (below_them[p - 1] if p > 0 else 0.0)
    for p in range(POINTS):
        if not ends_won and p >= least:
            total += mine[p] * below_them[p - least]
        if not ends_lost and p >= 1 - least:
            total += theirs[p] * below_me[p - 1 + least]
    if total <= 0:
        return 0.0, 0, 0
    left = uniform(luck, room.drawn[0]) * total
    room.drawn[0] += 1
    for p in range(POINTS):
        if not ends_won and p >= least:
            left -= mine[p] * below_them[p - least]
            if left < 0:
                return mine[p] * below_them[p - least] / total, x, points_of(p)
        if not ends_lost and p >= 1 - least:
            left -= theirs[p] * below_me[p - 1 + least]
            if left < 0:
                return theirs[p] * below_me[p - 1 + least] / total, 1 - x, points_of(p)
    return 0.0, 0, 0


@rule
def agrees(s, seat, winner, shown, points):
    """Whether a seat may have so many points where the winner has shown his."""
    if seat == winner:
        return points == shown
    return points < shown or (points == shown and winner == s.mao)


@rule
def settle(h, room, d, winner, points, x):
    """Go on after an outcome of a bet on points."""
    s = room.pool[d]
    room.pool[d + 1] = s
    child = room.pool[d + 1]
    show(child, winner, points)
    room.shows[d + 1] = False
    for seat in range(2):
        source = room.dealt[d] if seat == x else room.reach[d]
        for t in range(len(h.type_set)):
            fits = agrees(s, seat, winner, points, h.type_points[t])
            room.chosen[d, t] = source[t] if fits else np.float32(0)
        target = room.dealt[d + 1] if seat == x else room.reach[d + 1]
        carry(h, child, seat, BY_TYPE, room.chosen[d], target, room.sums)


# --- The last card of the walker lies on the table ----------------------------------------------


@rule
def lay_last(h, room, d, x, dealt):
    """Go on where the walker has led its last card: all classes at once, since the other goes by each."""
    s = room.pool[d]
    room.pool[d + 1] = s
    child = room.pool[d + 1]
    hold_class(child, x, h.card_of[0])
    kernel.apply(child, h.card_of[0])
    for c in range(CLASSES):
        room.dealt[d + 1, c] = dealt[c]
        row = h.removal[h.set_of[class_in(h, s, x, 0), class_in(h, s, x, 1), c]]
        for o in range(CLASSES):
            known = h.set_of[class_in(h, s, 1 - x, 0), class_in(h, s, 1 - x, 1), o]
            room.meeting[d + 1, c, o] = room.reach[d, o] * row[known]


@rule
def follower_wins(s, x, c, o):
    """Whether the other wins the hand with a last card of class `o` against the walker's of class `c`."""
    third = 2 if c == o else (x if c > o else 1 - x)
    return hand_winner(s.winners[0], s.winners[1], third, s.mao) != x


@rule
def match_row(arms, first, row, n, out):
    """Write the strategy of one row; it is in proportion to positive regrets, or all alike."""
    total = np.float32(0)
    if first >= 0:
        for a in range(n):
            out[a] = max(arms[first + n * row + a].regret, np.float32(0))
            total += out[a]
    for a in range(n):
        out[a] = out[a] / total if total > 0 else np.float32(1) / np.float32(n)


@rule
def visit_last(h, abstraction, slots, arms, status, room, d, x, utilities, weight, luck):
    """As `visit`, where the walker has led its last card: its holdings are the classes it may have led."""
    s = room.pool[d]
    value, meeting = room.value[d], room.meeting[d]
    if s.turn < 0:
        u = utility(s, utilities, x)
        for c in range(CLASSES):
            total = np.float32(0)
            for o in range(CLASSES):
                total += meeting[c, o]
            value[c] = u * total
        return
    seat = np.int64(s.turn)
    n = choices(abstraction, s, seat, room.actions[d], room.labels[d])
    rows = rows_of(h, s, seat, space_of(s, seat))
    slot = -1
    if n > 1:
        slot = claim(slots, arms, status, public_key(h, s, seat), np.uint32(n), n * rows)
    first = -1 if slot < 0 else np.int64(slots[slot].first)
    if slot >= 0 and seat == x:
        slots[slot].visits += 1
    strategy, worth = room.strategy[d], room.worth[d]
    if seat == x:
        for a in range(n):
            room.pool[d + 1] = s
            kernel.apply(room.pool[d + 1], room.actions[d, a])
            for c in range(CLASSES):
                room.dealt[d + 1, c] = room.dealt[d, c]
                for o in range(CLASSES):
                    room.meeting[d + 1, c, o] = meeting[c, o]
            visit_last(h, abstraction, slots, arms, status, room, d + 1, x, utilities, weight, luck)
            for c in range(CLASSES):
                worth[a, c] = room.value[d + 1, c]
        for c in range(CLASSES):
            value[c] = 0
            if room.dealt[d, c] > 0:
                match_row(arms, first, c, n, room.shares)
                for a in range(n):
                    value[c] += room.shares[a] * worth[a, c]
                if first >= 0:
                    for a in range(n):
                        arms[first + n * c + a].regret += weight * room.dealt[d, c] * (worth[a, c] - value[c])
        return
    # The other's answer: one is drawn for all classes.  It goes by the class led and by whether it will win.
    total = np.float32(0)
    for a in range(n):
        room.masses[a] = 0
    for c in range(CLASSES):
        if room.dealt[d, c] > 0:
            for w in range(2):
                mass = np.float32(0)
                for o in range(CLASSES):
                    if follower_wins(s, x, c, o) == w:
                        mass += meeting[c, o]
                if mass > 0:
                    row = 2 * c + w
                    match_row(arms, first, row, n, room.shares)
                    total += room.dealt[d, c] * mass
                    for a in range(n):
                        strategy[a, row] = room.shares[a]
                        if first >= 0:
                            arms[first + n * row + a].average += weight * weight * mass * room.shares[a]
                        room.masses[a] += room.dealt[d, c] * mass * room.shares[a]
    left = uniform(luck, room.drawn[0]) * total
    room.drawn[0] += 1
    picked = -1
    for a in range(n):
        if room.masses[a] > 0 and left >= 0:
            left -= room.masses[a]
            picked = a
    for c in range(CLASSES):
        value[c] = 0
    if picked < 0:
        return
    scale = total / room.masses[picked]
    is_card = room.labels[d, picked] <= HIGHEST
    u_won, u_lost = 0.0, 0.0
    if is_card:
        u_won = end_value(h, room, d, seat, CLASSES - 1, utilities, x)
        u_lost = end_value(h, room, d, seat, COVERED, utilities, x)
    for c in range(CLASSES):
        for o in range(CLASSES):
            share = np.float32(0)
            wins = follower_wins(s, x, c, o)
            if room.dealt[d, c] > 0 and meeting[c, o] > 0:
                share = scale * meeting[c, o] * strategy[picked, 2 * c + wins]
            if is_card:
                value[c] += share * (u_won if wins else u_lost)
            else:
                room.meeting[d + 1, c, o] = share
        room.dealt[d + 1, c] = room.dealt[d, c]
    if not is_card:
        room.pool[d + 1] = s
        kernel.apply(room.pool[d + 1], room.actions[d, picked])
        visit_last(h, abstraction, slots, arms, status, room, d + 1, x, utilities, weight, luck)
        for c in range(CLASSES):
            value[c] = room.value[d + 1, c]


@rule
def count_ends(h, room, d, seat, x, cards, utilities):
    """The other may end the hand by its second card: what that is worth to the walker, over all such cards."""
    s, reach, strategy = room.pool[d], room.reach[d], room.strategy[d]
    for c in range(CLASSES):
        u = end_value(h, room, d, seat, c, utilities, x)
        room.stops[c] = room.pool[d + 1].turn < 0
        room.ends[c] = u
    for j in range(CLASSES):
        room.numbers[j] = known_set(h, s, x, BY_CLASS, j)
    for p in range(PAIRS):
        if reach[p] > 0:
            share = np.float32(0)
            for a in range(cards):
                c = h.pairs[p, a]
                if room.stops[c]:
                    share += strategy[a, p] * room.ends[c]
            if share != 0:
                share *= reach[p]
                row = h.removal[known_set(h, s, seat, BY_PAIR, p)]
                for j in range(CLASSES):
                    room.ended[d, j] += share * row[room.numbers[j]]


@rule
def draw_public(h, room, d, space, n, cards, ends, luck):
    """Draw one thing that everybody sees of what the other may do: a choice that is no card, or the class of a card.

    With `ends`, classes of cards that end the hand were counted already.

    Returns the choice (-1: the other cannot be here), the class or -1, and one over how likely it was drawn.
    """
    reach, strategy, masses = room.reach[d], room.strategy[d], room.masses
    for a in range(CLASSES + n):
        masses[a] = 0
    total = np.float32(0)
    for i in range(size_of(h, space)):
        if reach[i] > 0:
            for a in range(cards):
                masses[card_at(h, space, i, a)] += reach[i] * strategy[a, i]
            for a in range(cards, n):
                masses[CLASSES + a] += reach[i] * strategy[a, i]
    for a in range(CLASSES + n):
        if ends and a < CLASSES and room.stops[a]:
            masses[a] = 0
        total += masses[a]
    left = uniform(luck, room.drawn[0]) * total
    room.drawn[0] += 1
    picked = -1
    for a in range(CLASSES + n):
        if masses[a] > 0 and left >= 0:
            left -= masses[a]
            picked = a
    if picked < 0:
        return -1, -1, np.float32(0)
    scale = total / masses[picked]
    return (0, picked, scale) if picked < CLASSES else (picked - CLASSES, -1, scale)


@rule
def count_last(h, room, d, seat, x, own, strategy, scale, utilities):
    """The other plays the last card of the hand: what that is worth to the walker, over all it may be."""
    s, reach, value = room.pool[d], room.reach[d], room.value[d]
    for j in range(size_of(h, own)):
        value[j] = 0
    for i in range(CLASSES):
        if reach[i] > 0:
            u = scale * end_value(h, room, d, seat, i, utilities, x) * reach[i] * strategy[i]
            row = h.removal[known_set(h, s, seat, BY_CLASS, i)]
            for j in range(size_of(h, own)):
                value[j] += u * row[known_set(h, s, x, own, j)]


@rule
def spread(h, before, after, c, values, worth):
    """Write what playing a card of a class is worth, from what is worth what is left then."""
    if before == BY_PAIR:
        for other in range(CLASSES):
            p = h.pair_of[c, other]
            if c <= other:
                worth[0, p] = values[other]
            if c >= other:
                worth[1, p] = values[other]
        return
    for i in range(SETS):
        rest = np.int64(h.rest_of[i, c])
        if rest >= 0:
            of_set = rest if after == BY_PAIR else i
            for a in range(3):
                if h.sets[i, a] == c:
                    if before == BY_SET:
                        worth[a, i] = values[of_set]
                    else:
                        for t in range(h.first_type[i], h.first_type[i + 1]):
                            worth[a, t] = values[t if after == BY_TYPE else of_set]


@rule
def holds(h, space, i, c):
    if space == BY_PAIR:
        return h.pairs[i, 0] == c or h.pairs[i, 1] == c
    return h.rest_of[h.type_set[i] if space == BY_TYPE else i, c] >= 0


@rule
def visit(h, abstraction, slots, arms, status, room, d, x, utilities, weight, luck):
    """Write what all holdings of seat `x` are worth at a depth into `room.value`, and learn on the way."""
    s = room.pool[d]
    own, others = space_of(s, x), space_of(s, 1 - x)
    value = room.value[d]
    if room.shows[d]:
        chance, winner, points = compare(h, room, d, x, utilities, luck)
        if chance > 0:
            settle(h, room, d, winner, points, x)
            usual, _ = baseline_after(room, d, utilities, x)
            visit(h, abstraction, slots, arms, status, room, d + 1, x, utilities, weight, luck)
            weigh(h, room.pool[d + 1], x, room.reach[d + 1], room, room.chosen[d])
            for t in range(len(h.type_set)):
                if room.dealt[d][t] > 0 and agrees(s, x, winner, points, h.type_points[t]):
                    i = h.type_set[t]
                    value[t] += (room.value[d + 1][i] - usual * room.chosen[d, i]) / chance
        return
    if s.turn < 0:
        weigh(h, s, x, room.reach[d], room, value)
        u = utility(s, utilities, x)
        for i in range(size_of(h, own)):
            value[i] *= u
        return
    seat = np.int64(s.turn)
    n = choices(abstraction, s, seat, room.actions[d], room.labels[d])
    rows = rows_of(h, s, seat, space_of(s, seat))
    slot = -1
    if n > 1:
        slot = claim(slots, arms, status, public_key(h, s, seat), np.uint32(n), n * rows)
    first = -1 if slot < 0 else np.int64(slots[slot].first)
    if slot >= 0 and seat == x:
        slots[slot].visits += 1
    strategy = room.strategy[d]
    cards = 0  # how many of the choices are cards
    while cards < n and room.labels[d, cards] <= HIGHEST:
        cards += 1
    if seat != x:
        reach, chosen = room.reach[d], room.chosen[d]
        count = size_of(h, others)
        match(h, s, seat, others, arms, first, n, reach, strategy)
        average(h, s, seat, others, arms, first, n, reach, strategy, weight)
        last_card = is_last_card(s, seat)
        nx = size_of(h, own)
        for j in range(nx):
            room.ended[d, j] = 0
        ends = s.round == 1 and cards > 0 and s.played[x, 1] != k.NONE
        if ends:
            count_ends(h, room, d, seat, x, cards, utilities)
        picked, picked_class, scale = draw_public(h, room, d, others, n, 0 if last_card else cards, ends, luck)
        if picked < 0:
            for j in range(nx):
                value[j] = room.ended[d, j]
            return
        if last_card and picked < cards:  # the cards decide: every class is counted
            count_last(h, room, d, seat, x, own, strategy[picked], scale, utilities)
            return
        action = room.actions[d, picked]
        for i in range(count):
            chosen[i] = 0
            if reach[i] > 0:
                if picked_class >= 0:
                    for a in range(cards):
                        if card_at(h, others, i, a) == picked_class:
                            chosen[i] += scale * reach[i] * strategy[a, i]
                else:
                    chosen[i] = scale * reach[i] * strategy[picked, i]
        if picked_class >= 0:
            action = h.card_of[picked_class]
        elif room.labels[d, picked] == PLAY_COVERED:
            action = h.card_of[COVERED]
        go(h, room, d, action, seat, x, chosen)
        visit(h, abstraction, slots, arms, status, room, d + 1, x, utilities, weight, luck)
        if room.shows[d + 1]:
            for j in range(nx):
                value[j] = room.value[d + 1, j]
        else:
            back(h, room.pool[d + 1], x, own, room.value[d + 1], value)
        for j in range(nx):
            value[j] += room.ended[d, j]
        return
    # The walker's own decision: everything is tried.
    dealt, chosen, worth = room.dealt[d], room.chosen[d], room.worth[d]
    count = size_of(h, own)
    match(h, s, seat, own, arms, first, n, dealt, strategy)
    for a in range(n):
        room.tries[d, a] = 1
    for a in range(cards, n):
        if is_rare(h, room, d, own, a) and weight > WARM:
            room.drawn[0] += 1
            if uniform(luck, room.drawn[0] - 1) < RARELY:
                room.tries[d, a] = np.float32(1 / RARELY)
            else:
                room.tries[d, a] = 0
                continue
        action = room.actions[d, a]
        if room.labels[d, a] == PLAY_COVERED:
            action = h.card_of[COVERED]
        go(h, room, d, action, seat, x, dealt)
        visit(h, abstraction, slots, arms, status, room, d + 1, x, utilities, weight, luck)
        if room.shows[d + 1]:
            for i in range(count):
                worth[a, i] = room.value[d + 1, i]
        else:
            back(h, room.pool[d + 1], x, own, room.value[d + 1], worth[a])
    if cards > 0 and is_last_card(s, seat):
        weigh(h, s, x, room.reach[d], room, chosen)
        for c in range(CLASSES):
            worth[0, c] = end_value(h, room, d, seat, c, utilities, x) * chosen[c] if dealt[c] > 0 else np.float32(0)
    elif cards > 0 and s.round == 2:
        lay_last(h, room, d, x, dealt)
        visit_last(h, abstraction, slots, arms, status, room, d + 1, x, utilities, weight, luck)
        for c in range(CLASSES):
            worth[0, c] = room.value[d + 1, c]
    elif cards > 0:
        for c in range(CLASSES):
            held = False
            for i in range(count):
                chosen[i] = dealt[i] if dealt[i] > 0 and holds(h, own, i, c) else np.float32(0)
                held |= chosen[i] > 0
            if held:
                go(h, room, d, np.int64(h.card_of[c]), seat, x, chosen)
                visit(h, abstraction, slots, arms, status, room, d + 1, x, utilities, weight, luck)
                spread(h, own, space_of(room.pool[d + 1], x), c, room.value[d + 1], worth)
    regret(h, s, seat, own, arms, first, n, dealt, strategy, worth, value, weight, room.tries[d])


@rule
def baseline_after(room, d, utilities, x):
    """What `baseline` said of the outcome that the walk goes on from."""
    s = room.pool[d + 1]
    u = 0.5 * (utilities[s.scores[0] + 1, s.scores[1]] + utilities[s.scores[0], s.scores[1] + 1])
    return (u if x == 0 else -u), False


@rule
def begin(h, room, blank, scores, x, luck):
    """Open a hand: whether either seat has a flor is drawn, the cards are all those that agree; how likely it was."""
    has = room.shows[1:3]
    s = room.pool[0]
    room.pool[0] = blank[0]
    for seat in range(2):
        has[seat] = s.flor != 0 and uniform(luck, room.drawn[0]) < FLOR_DRAWN
        room.drawn[0] += 1
        for i in range(3):
            s.dealt[seat, i] = i if has[seat] else 11 * i
        s.scores[seat] = scores[seat]
        s.start[seat] = scores[seat]
    s.mao = 0
    s.num_events = 0
    k.open_hand(s)
    scale = np.float32(1)
    if s.flor:
        for seat in range(2):
            scale *= np.float32(1 / FLOR_DRAWN if has[seat] else 1 / (1 - FLOR_DRAWN))
    for t in range(len(h.type_set)):
        fits = s.flor == 0 or h.type_flor[t] == has[x]
        room.dealt[0, t] = h.prior[t] if fits else 0
        fits = s.flor == 0 or h.type_flor[t] == has[1 - x]
        room.reach[0, t] = scale * h.prior[t] if fits else 0
    room.shows[0] = False
    before = space_of(s, x)
    if before == BY_SET:  # nothing to bet on is left
        for seat in range(2):
            vector = room.dealt if seat == x else room.reach
            to_sets(h, vector[0], room.sums)
            for i in range(SETS):
                vector[0, i] = room.sums[i]


FLOR_DRAWN = 0.12  # how often either seat has a flor in a walk: more often than in play


@njit
def iterate(h, abstraction, slots, arms, status, room, blank, scores, utilities, seed, first, count):
    """So many iterations, each a walk for either seat; how many were made before the table became narrow."""
    for done in range(count):
        if is_narrow(slots, arms, status):
            return done
        luck = stream(seed, first + done)
        for x in range(2):
            room.drawn[0] = 0
            own = stream(luck, x)
            begin(h, room, blank, scores, x, own)
            visit(h, abstraction, slots, arms, status, room, 0, x, utilities, np.float32(first + done + 1), own)
    return count
