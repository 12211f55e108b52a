"""Leaves of the public trees of a hand of Truco once points are settled; compiled.

Levels, from the last: the third round after its lead is shown (`Last`), the third round, the second, the first. Seat 0
of a tree is the leader of its round. The blocks of a level have the strategy of one situation each; second and third
rounds are numbered by what the seats remember.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bolicho.agents.cfr.compiled.vector import (
    BOTH,
    NOBODY,
    Learned,
    Room,
    Step,
    Tree,
    add_rows,
    evaluate,
    settle,
    vectors,
    walk,
    walks,
)
from bolicho.agents.cfr.truco.compiled.estimates import (
    Estimates,
    correct,
    deviation,
    expect,
    remember,
    scaled,
    sum_of,
)
from bolicho.agents.cfr.truco.compiled.numbers import (
    FOLLOW,
    LEAD,
    MAO_LEADS,
    STATES,
    TOLD_ROOT,
    Blocks,
    block_of,
    second_number,
    third_number,
)
from bolicho.agents.cfr.truco.hands import CLASSES, PAIRS, SETS, Hands
from bolicho.games.compiled.chance import uniform
from bolicho.games.jit import rule
from bolicho.games.kernel import implements

SEEN = CLASSES + 1  # looks of a card: its class, or COVERED
SWAPPED = (0, 2, 1, 4, 3, 5)
"""State of the bets from the side of the other seat."""

FOLD, NEXT_ROUND, SHOW, COMPARE = range(1, 5)
"""Kinds of leaves: the hand ends with one result; the next round begins; a card or points are shown."""


@walks
class Last(NamedTuple):
    """Third round after its lead: the leader holds a known class, the follower knows whether it wins.

    A holding of the follower is the class of the lead, plus CLASSES if it wins.
    """

    tree: Tree
    room: Room
    learned: Learned
    floor: np.float32
    seldom: np.float32
    pays: NDArray[np.float32]  # (winner of the hand, points - 1): payoff of the leader


@walks
class Third(NamedTuple):
    """Third round: each seat holds one class."""

    tree: Tree
    room: Room
    learned: Learned
    floor: np.float32
    seldom: np.float32
    pays: NDArray[np.float32]
    base: NDArray[np.int64]  # (1): begin of the block
    meeting: NDArray[np.float32]  # (class, class): probability of both, relative to independence
    turned: NDArray[np.float32]
    last: Last


@walks
class Second(NamedTuple):
    """Second round: each seat holds a pair; after the lead the leader holds one class."""

    tree: Tree
    room: Room
    learned: Learned
    floor: np.float32
    seldom: np.float32
    pays: NDArray[np.float32]
    hands: Hands
    blocks: Blocks
    root: NDArray[np.int64]  # see LEAD
    prepared: NDArray[np.int64]  # (1): cards of the last `prepare`
    removal: NDArray[np.float32]  # (look, class, pair): by the leader's card played and left, and the follower's pair
    turned: NDArray[np.float32]  # (look, pair, class)
    left: NDArray[np.float32]  # (look, look, class, class): by the cards that both have left
    left_turned: NDArray[np.float32]
    third: Third


@walks
class First(NamedTuple):
    """First round: each seat holds a set; after its lead the mão holds a pair."""

    tree: Tree
    room: Room
    learned: Learned
    floor: np.float32
    seldom: np.float32
    pays: NDArray[np.float32]
    hands: Hands
    told: NDArray[np.int64]  # (1): information that envido and flor have revealed
    scale: NDArray[np.float32]  # (seat): factor that makes reach relative to the walked tree
    beside: NDArray[np.float32]  # (class, pair, set): by the mão's card and its pair
    turned: NDArray[np.float32]  # (class, set, pair)
    stored: Estimates  # of second rounds: by what was revealed, the mão's card, the pé's, state
    rate: NDArray[np.float32]  # (1): factor of the probabilities of walks
    begin: NDArray[np.int64]  # (1): begin of the blocks, which are in the order of `told`
    second: Second


# --- Third round --------------------------------------------------------------------------------


@implements(evaluate, Last)
@rule
def end_of_last(level, number, step):
    """Compute a leaf by the result where the follower's card loses, and where it wins."""
    node = level.tree.nodes[number]
    reach, value = vectors(level.room, node, 0)
    theirs, opposite = vectors(level.room, node, 1)
    loses, wins = level.pays[node.facts[0], node.facts[1] - 1], level.pays[node.facts[2], node.facts[3] - 1]
    for c in range(CLASSES):
        value[c] = loses * theirs[c] + wins * theirs[CLASSES + c]
        opposite[c] = -loses * reach[c]
        opposite[CLASSES + c] = -wins * reach[c]


@implements(evaluate, Third)
@rule
def end_of_third(level, number, step):
    node = level.tree.nodes[number]
    if node.kind == FOLD:
        settle(level.room, node, level.meeting, level.turned, level.pays[node.facts[0], node.facts[1] - 1])
    else:
        show_lead(level, node, node.facts[0], node.facts[1], step)


@rule
def show_lead(level, node, tree, tie_wins, step):
    """Walk the rest of the third round after its lead."""
    last = level.last
    top = last.tree.nodes[last.tree.begin[tree]]
    mine, value = vectors(level.room, node, 0)
    theirs, opposite = vectors(level.room, node, 1)
    reach, found = vectors(last.room, top, 0)
    outcomes, found_by_outcome = vectors(last.room, top, 1)
    for c in range(CLASSES):
        row, loses, wins = level.meeting[c], np.float32(0), np.float32(0)
        for f in range(c):
            loses += row[f] * theirs[f]
        for f in range(c + 1, CLASSES):
            wins += row[f] * theirs[f]
        even = row[c] * theirs[c]
        reach[c], outcomes[c], outcomes[CLASSES + c] = mine[c], loses, wins
        outcomes[CLASSES + c if tie_wins else c] += even
    walk(last, tree, level.base[0], step)
    for c in range(CLASSES):
        value[c], opposite[c] = found[c], 0
    for c in range(CLASSES):
        for f in range(CLASSES):
            wins = f > c or (f == c and tie_wins == 1)
            opposite[f] += level.meeting[c, f] * found_by_outcome[CLASSES + c if wins else c]


# --- Second round -------------------------------------------------------------------------------


@rule
def from_side(step, swaps):
    """Return an update with the seats exchanged, if they swap."""
    learner, responder = np.int64(step.learner), np.int64(step.responder)
    if swaps and 0 <= learner < BOTH:
        learner = 1 - learner
    if swaps and responder >= 0:
        responder = 1 - responder
    return Step(step.regret, step.average, learner, responder, step.luck)


@rule
def prepare(level):
    """Write the removal factors of both seats' cards, once the cards of the first round were played."""
    h, lead, follow = level.hands, level.root[LEAD], level.root[FOLLOW]
    if level.prepared[0] == lead * CLASSES + follow:
        return
    level.prepared[0] = lead * CLASSES + follow
    meeting = h.meeting[lead, follow]
    for q in range(PAIRS):
        level.room.held[0, q], level.room.held[1, q] = h.held[lead, q], h.held[follow, q]
    for d in range(SEEN):
        for i in range(CLASSES):
            row = meeting[h.pair_of[d, i]] if d < CLASSES else meeting[0]
            own = h.set_of[lead, d, i]
            for q in range(PAIRS):
                w = row[q] if d < CLASSES else h.removal[own, h.set_of[follow, h.pairs[q, 0], h.pairs[q, 1]]]
                level.removal[d, i, q] = w
                level.turned[d, q, i] = w
            for e in range(SEEN):
                for j in range(CLASSES):
                    w = level.removal[d, i, h.pair_of[e, j]] if e < CLASSES else h.removal[own, h.set_of[follow, e, j]]
                    level.left[d, e, i, j] = w
                    level.left_turned[d, e, j, i] = w


@implements(evaluate, Second)
@rule
def end_of_second(level, number, step):
    node = level.tree.nodes[number]
    d = node.facts[2]
    if node.kind == NEXT_ROUND:
        third_round(level, node, step)
        return
    pays = level.pays[node.facts[0], node.facts[1] - 1]
    if d < 0:
        lead, follow = level.root[LEAD], level.root[FOLLOW]
        settle(level.room, node, level.hands.meeting[lead, follow], level.hands.meeting[follow, lead], pays)
    else:
        settle(level.room, node, level.removal[d], level.turned[d], pays)


@rule
def third_round(level, node, step):
    """Walk the third round after the cards `d` and `e` of the second."""
    third, root = level.third, level.root
    tree, swaps, d, e, state = node.facts[0], node.facts[1], node.facts[2], node.facts[3], node.facts[4]
    top = third.tree.nodes[third.tree.begin[tree]]
    for winner in range(2):
        for points in range(4):
            third.pays[winner, points] = -level.pays[1 - winner, points] if swaps else level.pays[winner, points]
            third.last.pays[winner, points] = third.pays[winner, points]
    straight, turned = level.left[d, e], level.left_turned[d, e]
    for i in range(CLASSES):
        for j in range(CLASSES):
            third.meeting[i, j] = turned[i, j] if swaps else straight[i, j]
            third.turned[i, j] = straight[i, j] if swaps else turned[i, j]
    for seat in range(2):
        reach, _ = vectors(level.room, node, seat)
        into, _ = vectors(third.room, top, seat ^ swaps)
        for i in range(CLASSES):
            into[i] = reach[i]
    a, b = (root[FOLLOW], e), (root[LEAD], d)
    if not swaps:
        a, b = b, a
    number = third_number(
        level.blocks, root[TOLD_ROOT], root[MAO_LEADS] ^ swaps, tree % 2, (a[0], a[1], b[0], b[1]), state
    )
    third.base[0] = block_of(
        level.blocks.thirds, level.blocks.third_visits, number, third.tree.size[tree], level.blocks.end
    )
    walk(third, tree, third.base[0], from_side(step, swaps))
    for seat in range(2):
        _, value = vectors(level.room, node, seat)
        _, found = vectors(third.room, top, seat ^ swaps)
        for i in range(CLASSES):
            value[i] = found[i]


# --- First round --------------------------------------------------------------------------------

OFTEN, FOR_ONE, AT_LEAST = np.float32(0.5), np.float32(0.4), np.float32(0.002)
"""Probability of walking a second round.

The sum of AT_LEAST, OFTEN times the root of its reach, and FOR_ONE times the larger reach of the two seats times the
error of the stored values.
"""


@implements(evaluate, First)
@rule
def end_of_first(level, number, step):
    node = level.tree.nodes[number]
    c = node.facts[2]
    if node.kind == NEXT_ROUND:
        second_rounds(level, c, node.facts[3], node.facts[4], step)
        return
    pays = level.pays[node.facts[0], node.facts[1] - 1]
    if c < 0:
        settle(level.room, node, level.hands.core, level.hands.core, pays)
    else:
        settle(level.room, node, level.beside[c], level.turned[c], pays)


@rule
def second_rounds(level, c, e, turn, step):
    """Write the values of pairs once the mão has played `c` and the pé `e`, at the state `turn` of the bets.

    The values are the stored ones, corrected by a walk that is sampled. Reach and values are at the leaf vectors.
    """
    second, told, leads = level.second, level.told[0], np.int64(c >= e)
    start, stored = SWAPPED[turn] if leads else turn, level.stored
    leaf, accepted = ((told * CLASSES + c) * CLASSES + e) * STATES + turn, (turn + 1) // 2
    even = np.float32(0.5) * (level.pays[0, accepted] + level.pays[1, accepted])
    is_reached, chance = meet_pairs(level, leaf, c, e)
    expect(stored, leaf, even)
    level.learned.drawn[0] += 1
    if step.learner == NOBODY:
        chance = np.float32(1)
    if is_reached and uniform(step.luck, level.learned.drawn[0]) < chance:
        second.root[LEAD], second.root[FOLLOW] = (c, e) if leads else (e, c)
        second.root[MAO_LEADS], second.root[TOLD_ROOT] = leads, told
        walk_second(level, start, scaled(step, chance))
        correct(stored, chance)
        remember(stored, leaf, even, max(abs(level.pays[0, 3]), abs(level.pays[1, 3])))
    for seat in range(2):
        _, value = leaf_vectors(level, seat)
        for q in range(PAIRS):
            value[q] = stored.value[seat, q]


@rule
def leaf_vectors(level, seat):
    """Return the reach and the values of pairs at the vectors that all leaves share."""
    at = SETS * seat
    return level.room.reach[at : at + PAIRS], level.room.value[at : at + PAIRS]


@rule
def meet_pairs(level, leaf, c, e):
    """Write the reach of the other seat beside each pair.

    Return whether any pair has a reach, and the probability of a walk.
    """
    h, met = level.hands, level.stored.met
    mao, _ = leaf_vectors(level, 0)
    pe, _ = leaf_vectors(level, 1)
    for seat in range(2):
        for q in range(PAIRS):
            met[seat, q] = 0
    add_rows(h.meeting[e, c], pe, np.float32(1), met[0])
    add_rows(h.meeting[c, e], mao, np.float32(1), met[1])
    some_mao, some_pe = sum_of(mao) * level.scale[0], sum_of(pe) * level.scale[1]
    chance = AT_LEAST + OFTEN * np.sqrt(some_mao * some_pe)
    chance += FOR_ONE * deviation(level.stored, leaf) * max(some_mao, some_pe)
    return some_mao > 0 or some_pe > 0, min(np.float32(1), level.rate[0] * np.float32(chance))


@rule
def walk_second(level, start, step):
    """Walk the second round whose root is prepared."""
    second = level.second
    prepare(second)
    leads = second.root[MAO_LEADS]
    tree = start * 2 + np.int64(second.root[LEAD] != second.root[FOLLOW])
    top = second.tree.nodes[second.tree.begin[tree]]
    for winner in range(2):
        for points in range(4):
            pays = level.pays[winner, points] if leads else -level.pays[1 - winner, points]
            second.pays[winner, points] = pays
    for seat in range(2):
        reach, _ = leaf_vectors(level, seat)
        into, _ = vectors(second.room, top, seat if leads else 1 - seat)
        for q in range(PAIRS):
            into[q] = reach[q]
    number = second_number(second.blocks, second.root, start)
    base = block_of(
        second.blocks.seconds, second.blocks.second_visits, number, second.tree.size[tree], second.blocks.end
    )
    walk(second, tree, base, from_side(step, 1 - leads))
    for seat in range(2):
        _, value = vectors(second.room, top, seat if leads else 1 - seat)
        for q in range(PAIRS):
            level.stored.found[seat, q] = value[q]


@rule
def walk_from_deal(level, prior, step):
    """Walk the hand from its deal without bets on points; return its value to the mão and the pé."""
    top = level.tree.nodes[level.tree.begin[0]]
    for seat in range(2):
        reach, _ = vectors(level.room, top, seat)
        for i in range(SETS):
            reach[i] = prior[i]
    level.learned.drawn[0] = 0
    walk(level, 0, level.begin[0], step)
    mao, pe = 0.0, 0.0
    _, value = vectors(level.room, top, 0)
    _, opposite = vectors(level.room, top, 1)
    for i in range(SETS):
        mao += prior[i] * value[i]
        pe += prior[i] * opposite[i]
    return mao, pe
