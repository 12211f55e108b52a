"""Leaves of the opening of a hand of Truco: bets on points end, and the first round follows; compiled.

While bets on points are open a holding is a type, afterwards a set. The round that follows points which were shown,
refused or announced is walked in some iterations only; in the others its stored values are used, as for second rounds
(see `rounds`).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bolicho.agents.cfr.compiled.vector import (
    NOBODY,
    Learned,
    Room,
    Step,
    Tree,
    add_rows,
    evaluate,
    vectors,
    walk,
    walks,
)
from bolicho.agents.cfr.truco.compiled.estimates import (
    Estimates,
    copy_rows,
    correct,
    deviation,
    expect,
    remember,
    scaled,
    sum_of,
)
from bolicho.agents.cfr.truco.compiled.rounds import (
    COMPARE,
    FOLD,
    NEXT_ROUND,
    SHOW,
    First,
    leaf_vectors,
    second_rounds,
)
from bolicho.agents.cfr.truco.hands import BOTH_FLOR, CLASSES, PAIRS, SETS, SHOWN, SHOWN_STEPS, SILENT, Hands
from bolicho.games.compiled.chance import stream, uniform
from bolicho.games.jit import njit, rule
from bolicho.games.kernel import implements

SETTLED, COMPARED, MOVED = 10, 11, 12
"""Kinds of leaves: bets on points are settled, points are compared, the first round is over without bets."""

assert not {SETTLED, COMPARED, MOVED} & {FOLD, NEXT_ROUND, SHOW, COMPARE}

POINTS = 39  # values of envido or flor: 0 to 38
STEPS = len(SHOWN_STEPS)
PLAIN_TREE, FLOR_TREE, MAO_FLOR_TREE = range(3)
"""Trees: the mão has no flor; both seats have one; the mão alone."""

PE = 3  # entries of the first round from here on are at the pé's turn, see `trees`

OFTEN, FOR_ONE, AT_LEAST = np.float32(8), np.float32(0.3), np.float32(0.002)
"""Probability of walking the round after settled points.

The sum of AT_LEAST, OFTEN times its reach, and FOR_ONE times the larger reach of the two seats times the error of the
stored values.
"""

WITHIN = np.float32(0.25)  # reach of such a round for the sampling of second rounds; 1 without revealed points


@walks
class Opening(NamedTuple):
    """Opening of a hand: each seat holds a type."""

    tree: Tree
    room: Room
    learned: Learned
    floor: np.float32
    seldom: np.float32
    hands: Hands
    scores: NDArray[np.int64]  # before the hand, of the mão and the pé
    utilities: NDArray[np.float64]  # payoff of the mão by scores
    sets: NDArray[np.float32]  # (seat, set): reach where the first round begins
    upto: NDArray[np.float32]  # (seat, points, set): reach of the other seat's sets with at most these points
    mass: NDArray[np.float64]  # (seat, points): reach by points
    stored: Estimates  # of first rounds after settled points
    first: First


@implements(evaluate, Opening)
@rule
def end_of_opening(level, number, step):
    node = level.tree.nodes[number]
    h, scores = level.hands, level.scores
    if node.kind == COMPARED:
        compare(level, node, step)
    elif node.kind == MOVED:
        set_pays(level, scores[0], scores[1])
        level.first.told[0] = SILENT
        for seat in range(2):
            reach, _ = vectors(level.room, node, seat)
            into, _ = leaf_vectors(level.first, seat)
            for q in range(PAIRS):
                into[q] = reach[q]
        second_rounds(level.first, node.facts[2], node.facts[3], node.facts[4], step)
        for seat in range(2):
            _, value = vectors(level.room, node, seat)
            _, found = leaf_vectors(level.first, seat)
            for q in range(PAIRS):
                value[q] = found[q]
    elif node.kind == SETTLED:
        for seat in range(2):
            reach, _ = vectors(level.room, node, seat)
            for i in range(SETS):
                level.sets[seat, i] = reach[i]
        follow(level, node, step)
        for seat in range(2):
            _, value = vectors(level.room, node, seat)
            for i in range(SETS):
                value[i] = level.stored.value[seat, i]
    else:  # the mão goes to the deck
        for seat in range(2):
            reach, _ = vectors(level.room, node, seat)
            to_sets(h, reach, level.sets[seat])
        end_here(level, np.float32(level.utilities[scores[0], scores[1] + node.facts[1]]))
        for seat in range(2):
            _, value = vectors(level.room, node, seat)
            for t in range(len(value)):
                value[t] = level.stored.value[seat, h.type_set[t]]


@rule
def to_sets(h, types, sets):
    for i in range(SETS):
        sets[i] = 0
    for t in range(len(types)):
        sets[h.type_set[t]] += types[t]


@rule
def meet(level):
    """Write the reach of the other seat beside each set."""
    for seat in range(2):
        for i in range(SETS):
            level.stored.met[seat, i] = 0
        add_rows(level.hands.core, level.sets[1 - seat], np.float32(1), level.stored.met[seat])


@rule
def end_here(level, payoff):
    """Write the values of sets where the hand ends with one payoff to the mão."""
    meet(level)
    for i in range(SETS):
        level.stored.value[0, i] = payoff * level.stored.met[0, i]
        level.stored.value[1, i] = -payoff * level.stored.met[1, i]


@rule
def set_pays(level, mao, pe):
    """Write the payoffs of the mão from scores, by winner of the hand and points; return the value of the scores."""
    for points in range(4):
        level.first.pays[0, points] = level.utilities[mao + 1 + points, pe]
        level.first.pays[1, points] = level.utilities[mao, pe + 1 + points]
    return np.float32(level.utilities[mao, pe])


@rule
def target_of(level):
    return (len(level.utilities) - 8) // 3


# --- First round after settled points ---------------------------------------------------------------


@rule
def follow(level, node, step):
    """Write the values of sets after a refusal or an announcement, or where no points were bet."""
    told, entry = node.facts[0], node.facts[1]
    mao, pe = level.scores[0] + node.facts[3], level.scores[1] + node.facts[4]
    u = set_pays(level, mao, pe)
    if max(mao, pe) >= target_of(level):
        end_here(level, u)
        return
    if told == SILENT:
        walk_first(level, told, entry, step)
        copy_rows(level.stored.found, level.stored.value)
        return
    stored, result = level.stored, node.facts[2]
    meet(level)
    expect(stored, result, u)
    some = sum_of(level.sets[0]), sum_of(level.sets[1])
    chance = np.float32(1) if step.learner == NOBODY else chance_of(level, some[0], some[1], result)
    level.learned.drawn[0] += 1
    if some[0] + some[1] > 0 and uniform(step.luck, level.learned.drawn[0]) < chance:
        walk_first(level, told, entry, scaled(step, chance))
        correct(stored, chance)
        remember(stored, result, u, most_of(level))


@rule
def chance_of(level, some_mao, some_pe, result):
    """Return the probability of walking the round after settled points."""
    chance = AT_LEAST + OFTEN * some_mao * some_pe
    chance += FOR_ONE * deviation(level.stored, result) * max(some_mao, some_pe)
    return min(np.float32(1), level.first.rate[0] * np.float32(chance))


@rule
def most_of(level):
    """Return the largest payoff of the hand."""
    return max(abs(level.first.pays[0, 3]), abs(level.first.pays[1, 3]))


@rule
def walk_first(level, told, entry, step):
    """Walk the first round from an entry: `level.sets` into `stored.found`."""
    h, first = level.hands, level.first
    first.told[0] = told
    for seat in range(2):
        some = sum_of(level.sets[seat])
        first.scale[seat] = np.float32(1) if told == SILENT else (WITHIN / some if some > 0 else np.float32(0))
    c = -1 if entry < PE else (entry - PE) % CLASSES
    top = first.tree.nodes[first.tree.begin[entry]]
    for seat in range(2):
        into, _ = vectors(first.room, top, seat)
        for i in range(len(into)):
            into[i] = level.sets[seat, i if len(into) == SETS else h.set_of[c, h.pairs[i, 0], h.pairs[i, 1]]]
    walk(first, entry, first.begin[0] + told * first.tree.size[entry], step)
    for seat in range(2):
        _, value = vectors(first.room, top, seat)
        for i in range(SETS):
            level.stored.found[seat, i] = 0
        for i in range(len(value)):
            level.stored.found[seat, i if len(value) == SETS else h.set_of[c, h.pairs[i, 0], h.pairs[i, 1]]] = value[i]
    first.scale[0] = first.scale[1] = 1


# --- Points that are shown ---------------------------------------------------------------------------


@rule
def told_of(h, flor, winner, points):
    """Return the remembered information on points that were shown."""
    return BOTH_FLOR if flor else SHOWN + 2 * np.int64(h.step_of[points]) + winner


@rule
def result_of(h, node, winner, points):
    """Return the number of the stored values of points that were shown."""
    return node.facts[2] + (0 if node.facts[0] else told_of(h, 0, winner, points) - SHOWN)


@rule
def compare(level, node, step):
    """Compute a leaf where points are compared.

    The rest of the hand depends on the winner and the points shown; one outcome is sampled, and the stored values serve
    for the others.
    """
    stake = node.facts[3]
    target = target_of(level)
    if stake == 0:
        stake = target - max(level.scores[0], level.scores[1])
    over = level.scores[0] + stake >= target, level.scores[1] + stake >= target
    u = (
        np.float32(level.utilities[level.scores[0] + stake, level.scores[1]]),
        np.float32(level.utilities[level.scores[0], level.scores[1] + stake]),
    )
    count_points(level, node)
    for seat in range(2):
        _, value = vectors(level.room, node, seat)
        for t in range(len(value)):
            value[t] = stored_value(level, node, seat, t, u, over)
    draw_outcome(level, node, over, u, stake, step)


@rule
def count_points(level, node):
    """Write the reach of each seat by points, and beside each set that of the other seat with at most these points."""
    h = level.hands
    for seat in range(2):
        for p in range(POINTS):
            level.mass[seat, p] = 0
            for i in range(SETS):
                level.upto[seat, p, i] = 0
    for seat in range(2):
        reach, _ = vectors(level.room, node, seat)
        for t in range(len(reach)):
            if reach[t] > 0:
                row, share, p = h.core[h.type_set[t]], reach[t], np.int64(h.type_points[t])
                level.mass[seat, p] += share
                beside = level.upto[1 - seat, p]
                for i in range(SETS):
                    beside[i] += share * row[i]
    for seat in range(2):
        for p in range(1, POINTS):
            for i in range(SETS):
                level.upto[seat, p, i] += level.upto[seat, p - 1, i]


@rule
def stored_value(level, node, seat, t, u, over):
    """Return the value of a type by stored values: it wins with more points, the mão also with as many."""
    h, sign = level.hands, np.float32(1 - 2 * seat)
    i, p = np.int64(h.type_set[t]), np.int64(h.type_points[t])
    other, upto = 1 - seat, level.upto[seat]
    below = upto[p, i] if seat == 0 else (upto[p - 1, i] if p > 0 else np.float32(0))
    won = np.float32(0) if over[seat] else level.stored.usual[result_of(h, node, seat, p), seat, i]
    value = (sign * u[seat] + won) * below
    for k in range(STEPS):
        top = SHOWN_STEPS[k + 1] - 1 if k + 1 < STEPS else POINTS - 1
        if top >= p + 1 - seat:
            lost = np.float32(0) if over[other] else level.stored.usual[result_of(h, node, other, top), seat, i]
            value += (sign * u[other] + lost) * (upto[top, i] - below)
            below = upto[top, i]
    return value


@rule
def draw_outcome(level, node, over, u, stake, step):
    """Sample one outcome and correct the values of the types that it concerns."""
    total, some = 0.0, (0.0, 0.0)
    for p in range(POINTS):
        total += mass_of(level, p, 1, some, over)
        some = some[0] + level.mass[0, p], some[1] + level.mass[1, p]
        total += mass_of(level, p, 0, some, over)
    often = chance_of(level, some[0], some[1], result_of(level.hands, node, 0, SHOWN_STEPS[1]))
    level.learned.drawn[0] += 2
    luck, drawn = step.luck, level.learned.drawn[0]
    if total <= 0 or step.learner == NOBODY or uniform(luck, drawn - 1) >= often:
        return
    left = uniform(luck, drawn) * total
    some = (0.0, 0.0)
    for p in range(POINTS):
        for winner in (1, 0):
            part = mass_of(level, p, winner, some, over)
            left -= part
            if left < 0:
                settle_points(
                    level, node, winner, p, stake, scaled(step, np.float32(often * part / total)), often * part / total
                )
                return
            if winner == 1:
                some = some[0] + level.mass[0, p], some[1] + level.mass[1, p]


@rule
def mass_of(level, p, winner, some, over):
    """Return the reach of an outcome, `some` being the reach of both seats with points counted so far."""
    return 0.0 if over[winner] else level.mass[winner, p] * some[1 - winner]


@rule
def wins_or_loses(winner, seat, own, points):
    """Return whether a type's points fit an outcome: those of the winner are shown."""
    if seat == winner:
        return own == points
    return own <= points if winner == 0 else own < points


@rule
def settle_points(level, node, winner, points, stake, step, chance):
    """Walk the first round after one outcome, and correct the values that used stored ones."""
    h, flor = level.hands, node.facts[0]
    for seat in range(2):
        reach, _ = vectors(level.room, node, seat)
        for i in range(SETS):
            level.sets[seat, i] = 0
        for t in range(len(reach)):
            if wins_or_loses(winner, seat, np.int64(h.type_points[t]), points):
                level.sets[seat, h.type_set[t]] += reach[t]
    mao, pe = level.scores[0] + (stake if winner == 0 else 0), level.scores[1] + (stake if winner == 1 else 0)
    u = set_pays(level, mao, pe)
    result = result_of(h, node, winner, points)
    meet(level)
    expect(level.stored, result, u)
    before = level.upto[:, 0]  # no longer needed
    copy_rows(level.stored.value, before)
    walk_first(level, told_of(h, flor, winner, points), node.facts[1], step)
    correct(level.stored, chance)
    remember(level.stored, result, u, most_of(level))
    for seat in range(2):
        _, value = vectors(level.room, node, seat)
        for t in range(len(value)):
            if wins_or_loses(winner, seat, np.int64(h.type_points[t]), points):
                i = np.int64(h.type_set[t])
                value[t] += level.stored.value[seat, i] - before[seat, i]


# --- Iterations ------------------------------------------------------------------------------------


@rule
def deal(level, number):
    """Write the reach of the types at the root of a tree."""
    h, top = level.hands, level.tree.nodes[level.tree.begin[number]]
    for seat in range(2):
        reach, _ = vectors(level.room, top, seat)
        if len(reach) == SETS:
            for i in range(SETS):
                reach[i] = 0
        for t in range(len(h.prior)):
            flor = (seat == 0 and number != PLAIN_TREE) or (seat == 1 and number == FLOR_TREE)
            any_type = seat == 1 and number == PLAIN_TREE
            share = h.prior[t] if any_type or h.type_flor[t] == flor else np.float32(0)
            if len(reach) == SETS:
                reach[h.type_set[t]] += share
            else:
                reach[t] = share


@njit
def iterate(level, weights, first, seed, learners):
    """Run an iteration for each row of weights (see `rules`), from number `first` on; each learner has a walk."""
    for done in range(len(weights)):
        regret, average = np.float32(weights[done, 0]), np.float32(weights[done, 1])
        for turn in range(len(learners)):
            level.learned.drawn[0] = 0
            luck = stream(stream(seed, first + done), turn)
            for tree in range(3):
                deal(level, tree)
                walk(level, tree, 0, Step(regret, average, learners[turn], NOBODY, luck))
