"""Vector CFR: one walk through a public tree, with a vector over the holdings of each seat; compiled.

A *holding* is what a seat alone knows. A node of the tree is a public state; its vectors have a number for each holding
of either seat. A walk computes the reach of all nodes downwards and their counterfactual values upwards, and updates
regrets. Nodes have higher numbers than their parents, so both passes are loops.

A *level* is a named tuple with the fields of `Level`, and whatever `evaluate` needs at the leaves of its trees: there a
game computes terminal values, or walks a tree of the next level.
"""

from types import FunctionType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bolicho.games.compiled.chance import uniform
from bolicho.games.jit import njit, rule
from bolicho.games.kernel import implements

DECISION = 0  # kind of a node; other kinds are leaves, defined by each game
NOBODY, BOTH = -1, 2  # instead of a seat
FACTS = 6  # numbers that describe a leaf

NODE = np.dtype(
    [
        ("kind", "i8"),
        ("actor", "i8"),
        ("choices", "i8"),
        ("offset", "i8"),  # of its information sets in the block of its tree
        ("work", "i8"),  # of its strategy and the values of its choices in work arrays
        ("at", "i8", (2,)),  # by seat: of its vectors in work arrays
        ("rows", "i8", (2,)),  # by seat: number of holdings
        ("edges", "i8", (2,)),  # first edge, and end
        ("facts", "i8", (FACTS,)),
    ],
    align=True,
)
EDGE = np.dtype(
    [
        ("child", "i8"),
        ("choice", "i8"),  # where the holding of the actor stays the same
        ("links", "i8", (2, 2)),  # by seat: first link, and end; none: the holding stays the same
    ],
    align=True,
)
LINK = np.dtype([("row", "i4"), ("choice", "i4"), ("next", "i4")], align=True)
"""A holding, what its seat chooses, if it acts, and its holding afterwards."""

NO_FLOOR = np.float32(-3e38)


class Tree(NamedTuple):
    """Public trees of one level, one after the other."""

    begin: NDArray[np.int64]  # (tree): first node; at last the end
    size: NDArray[np.int64]  # (tree): number of shares of its block
    nodes: NDArray[Any]
    edges: NDArray[Any]
    links: NDArray[Any]


class Room(NamedTuple):
    """Work arrays of a level."""

    reach: NDArray[np.float32]
    value: NDArray[np.float32]
    share: NDArray[np.float32]
    worth: NDArray[np.float32]  # counterfactual values of choices
    live: NDArray[np.int8]  # (node): whether this walk reaches it
    weight: NDArray[np.float32]  # (edge): weight of its regrets; 0 if not walked
    held: NDArray[np.float32]  # (seat, holding of the root): 0 for holdings that cannot be dealt


class Learned(NamedTuple):
    """Regrets and average strategy of all blocks; in a block by information set, choice, holding."""

    regret: NDArray[np.float32]
    average: NDArray[np.float32]
    predicted: NDArray[np.float32]  # last increments of regrets, for predictive rules; otherwise empty
    drawn: NDArray[np.int64]  # (1): number of draws in this iteration


class Step(NamedTuple):
    """Update of one walk, as data."""

    regret: np.float32  # weight of increments of regrets
    average: np.float32  # weight of increments of the average strategy
    learner: int  # seat that learns, BOTH, or NOBODY: then nothing is sampled
    responder: int  # seat that plays its best choices instead of the strategy, or NOBODY
    luck: np.uint64


class Level(NamedTuple):
    """Fields that every level has."""

    tree: Tree
    room: Room
    learned: Learned
    floor: np.float32  # least regret: 0 as in CFR+, or NO_FLOOR where values are sampled
    seldom: np.float32  # probability of walking to a child that no holding of the actor chooses


def evaluate(level, node, step):
    """Write the values of a leaf for both seats, from the reach of both."""


def walk(level, number, base, step):
    """Walk tree `number`, whose block begins at `base`.

    The reach of the root is read from `room.reach`, its values are written to `room.value`.
    """


def descend(level, root, number, base, step):
    """Compute the strategy at a node, the reach of its children, and the values of those that are leaves."""


def walks(kind: type) -> type:
    """Give a class of levels its walk; a class decorator.

    Each class has its own copy, since a walk contains that of the next level, and Numba cannot compile a function
    inside itself.
    """
    for stub, function in ((walk, _walk), (descend, _descend)):
        name = f"{stub.__name__}_{kind.__name__.lower()}"
        copy = FunctionType(function.__code__, function.__globals__, name)
        copy.__qualname__ = f"{name}_of_{kind.__module__}"
        implements(stub, kind)(rule(copy))
    return kind


def _walk(level, number, base, step):
    tree, live = level.tree, level.room.live
    first, end = tree.begin[number], tree.begin[number + 1]
    for node in range(first + 1, end):
        live[node] = 0
    if tree.nodes[first].kind != DECISION:
        evaluate(level, first, step)
        return
    live[first] = 1
    for node in range(first, end):
        if live[node] == 1:
            descend(level, first, node, base, step)
    for node in range(end - 1, first - 1, -1):
        if live[node] == 1:
            ascend(level, node, base, step)


@rule
def match(level, at, node):
    """Write the strategy of all rows of a node: proportional to positive regrets, or uniform."""
    rows, n, work = node.rows[node.actor], node.choices, node.work
    share, learned = level.room.share, level.learned
    if n == 1:
        only = share[work : work + rows]
        for i in range(rows):
            only[i] = 1
        return
    total = level.room.worth[work : work + rows]
    for i in range(rows):
        total[i] = 0
    for a in range(n):
        one, regret = (
            share[work + a * rows : work + (a + 1) * rows],
            learned.regret[at + a * rows : at + (a + 1) * rows],
        )
        for i in range(rows):
            one[i] = max(np.float32(0), regret[i])
        if len(learned.predicted) > 0:
            more = learned.predicted[at + a * rows : at + (a + 1) * rows]
            for i in range(rows):
                one[i] = max(np.float32(0), regret[i] + more[i])
        for i in range(rows):
            total[i] += one[i]
    uniform_share = np.float32(1) / np.float32(n)
    for i in range(rows):
        total[i] = np.float32(1) / total[i] if total[i] > 0 else np.float32(-1)
    for a in range(n):
        one = share[work + a * rows : work + (a + 1) * rows]
        for i in range(rows):
            one[i] = one[i] * total[i] if total[i] > 0 else uniform_share


def _descend(level, root, number, base, step):
    tree, room = level.tree, level.room
    node = tree.nodes[number]
    other, rows = 1 - node.actor, node.rows[node.actor]
    match(level, base + node.offset, node)
    worth = room.worth[node.work : node.work + node.choices * rows]
    for i in range(len(worth)):
        worth[i] = 0
    value = room.value[node.at[other] : node.at[other] + node.rows[other]]
    for i in range(len(value)):
        value[i] = 0
    for number_of_edge in range(node.edges[0], node.edges[1]):
        edge = tree.edges[number_of_edge]
        weight, is_reached = enter(level, root, node, edge, step)
        room.weight[number_of_edge] = weight
        if weight > 0 and is_reached:
            if tree.nodes[edge.child].kind == DECISION:
                room.live[edge.child] = 1
            else:
                evaluate(level, edge.child, step)
                leave(level, node, edge)


@rule
def enter(level, root, node, edge, step):
    """Write the reach of both seats at a child; return the weight of its regrets, and whether any reach is left.

    The weight is 0 where a child is not walked, and its values are not known; without reach they are zero.
    """
    tree, room = level.tree, level.room
    child, top = tree.nodes[edge.child], tree.nodes[root]
    me, other = node.actor, 1 - node.actor
    rows, work = node.rows[me], node.work
    before, after = (
        room.reach[node.at[me] : node.at[me] + rows],
        room.reach[child.at[me] : child.at[me] + child.rows[me]],
    )
    held = room.held[me]
    at_root = rows == top.rows[me]
    mine, chosen = np.float32(0), np.float32(0)  # reach of the actor, and its shares without it
    if edge.links[me, 1] == 0:
        share = room.share[work + edge.choice * rows : work + (edge.choice + 1) * rows]
        for i in range(rows):
            after[i] = before[i] * share[i]
            mine = max(mine, after[i])
            chosen = max(chosen, share[i] * held[i] if at_root else share[i])
    else:
        for i in range(len(after)):
            after[i] = 0
        for k in range(edge.links[me, 0], edge.links[me, 1]):
            row = tree.links[k].row
            share = room.share[work + tree.links[k].choice * rows + row]
            added = before[row] * share
            after[tree.links[k].next] += added
            mine = max(mine, added)
            chosen = max(chosen, share * held[row] if at_root else share)
    theirs = pass_on(tree, room, node, child, edge, other)
    is_reached = mine > 0 or theirs > 0
    if not is_reached or chosen > 0 or level.seldom == 1 or step.learner == NOBODY:
        return np.float32(1), is_reached
    level.learned.drawn[0] += 1
    walked = uniform(step.luck, level.learned.drawn[0]) < level.seldom
    return (np.float32(1) / level.seldom if walked else np.float32(0)), is_reached


@rule
def pass_on(tree, room, node, child, edge, seat):
    """Write the reach of a seat that does not act at a child; return the largest."""
    before = room.reach[node.at[seat] : node.at[seat] + node.rows[seat]]
    after = room.reach[child.at[seat] : child.at[seat] + child.rows[seat]]
    most = np.float32(0)
    if edge.links[seat, 1] == 0:
        for i in range(len(after)):
            after[i] = before[i]
            most = max(most, after[i])
        return most
    for i in range(len(after)):
        after[i] = 0
    for k in range(edge.links[seat, 0], edge.links[seat, 1]):
        after[tree.links[k].next] += before[tree.links[k].row]
        most = max(most, after[tree.links[k].next])
    return most


@rule
def leave(level, node, edge):
    """Add the values of a child to those of its parent's choices, and of the other seat."""
    tree, room = level.tree, level.room
    child = tree.nodes[edge.child]
    me, other = node.actor, 1 - node.actor
    rows, work = node.rows[me], node.work
    found = room.value[child.at[me] : child.at[me] + child.rows[me]]
    if edge.links[me, 1] == 0:
        worth = room.worth[work + edge.choice * rows : work + (edge.choice + 1) * rows]
        for i in range(rows):
            worth[i] += found[i]
    else:
        for k in range(edge.links[me, 0], edge.links[me, 1]):
            room.worth[work + tree.links[k].choice * rows + tree.links[k].row] += found[tree.links[k].next]
    found = room.value[child.at[other] : child.at[other] + child.rows[other]]
    value = room.value[node.at[other] : node.at[other] + node.rows[other]]
    if edge.links[other, 1] == 0:
        for i in range(len(value)):
            value[i] += found[i]
    else:
        for k in range(edge.links[other, 0], edge.links[other, 1]):
            value[tree.links[k].row] += found[tree.links[k].next]


@rule
def ascend(level, number, base, step):
    """Compute the values of a node from those of its children, and learn."""
    tree, room = level.tree, level.room
    node = tree.nodes[number]
    me, n, work = node.actor, node.choices, node.work
    rows = node.rows[me]
    for k in range(node.edges[0], node.edges[1]):
        child = tree.edges[k].child
        if room.weight[k] > 0 and room.live[child] == 1:
            leave(level, node, tree.edges[k])
    value = room.value[node.at[me] : node.at[me] + rows]
    if me == step.responder:
        best = room.worth[work : work + rows]
        for i in range(rows):
            value[i] = best[i]
        for a in range(1, n):
            worth = room.worth[work + a * rows : work + (a + 1) * rows]
            for i in range(rows):
                value[i] = max(value[i], worth[i])
        return
    for i in range(rows):
        value[i] = 0
    for a in range(n):
        here, end = work + a * rows, work + (a + 1) * rows
        share, worth = room.share[here:end], room.worth[here:end]
        for i in range(rows):
            value[i] += share[i] * worth[i]
    if n > 1 and (step.learner == me or step.learner == BOTH):
        weigh(level, node)
        learn(level, node, base + node.offset, step)


@rule
def weigh(level, node):
    """Weight the regrets of choices by those of their edges: a choice that is not walked has none."""
    tree, room = level.tree, level.room
    me, work = node.actor, node.work
    rows = node.rows[me]
    value = room.value[node.at[me] : node.at[me] + rows]
    for number in range(node.edges[0], node.edges[1]):
        weight, edge = room.weight[number], tree.edges[number]
        if weight != 1:
            if edge.links[me, 1] == 0:
                worth = room.worth[work + edge.choice * rows : work + (edge.choice + 1) * rows]
                for i in range(rows):
                    worth[i] = value[i] + weight * (worth[i] - value[i])
            for k in range(edge.links[me, 0], edge.links[me, 1]):
                row = tree.links[k].row
                place = work + tree.links[k].choice * rows + row
                room.worth[place] = value[row] + weight * (room.worth[place] - value[row])


@rule
def learn(level, node, at, step):
    """Update the regrets and the average strategy of a node."""
    room, learned, floor = level.room, level.learned, level.floor
    me, work = node.actor, node.work
    rows = node.rows[me]
    value, reach = room.value[node.at[me] : node.at[me] + rows], room.reach[node.at[me] : node.at[me] + rows]
    for a in range(node.choices):
        here, there = work + a * rows, at + a * rows
        share, worth = room.share[here : here + rows], room.worth[here : here + rows]
        regret, average = learned.regret[there : there + rows], learned.average[there : there + rows]
        for i in range(rows):
            regret[i] = max(floor, regret[i] + step.regret * (worth[i] - value[i]))
            average[i] += step.average * reach[i] * share[i]
        if len(learned.predicted) > 0:
            predicted = learned.predicted[there : there + rows]
            for i in range(rows):
                predicted[i] = step.regret * (worth[i] - value[i])


@rule
def add_rows(matrix, by, scale, out):
    """Add the rows of a matrix to `out`, each times its share."""
    for j in range(len(by)):
        share = scale * by[j]
        if share != 0:
            row = matrix[j]
            for i in range(len(out)):
                out[i] += share * row[i]


@rule
def vectors(room, node, seat):
    """Return the reach and the values of a seat at a node."""
    first, end = node.at[seat], node.at[seat] + node.rows[seat]
    return room.reach[first:end], room.value[first:end]


@rule
def settle(room, node, matrix, turned, payoff):
    """Write the values of a leaf with one payoff to seat 0; `matrix` weights pairs of holdings, `turned` too."""
    mine, value = vectors(room, node, 0)
    theirs, opposite = vectors(room, node, 1)
    for i in range(len(value)):
        value[i] = 0
    for i in range(len(opposite)):
        opposite[i] = 0
    add_rows(turned, theirs, payoff, value)
    add_rows(matrix, mine, -payoff, opposite)


@njit
def run(level, number, base, step):
    """Walk one tree."""
    level.learned.drawn[0] = 0
    walk(level, number, base, step)
