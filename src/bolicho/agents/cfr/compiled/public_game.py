"""Leaves of the public trees of small games: payoffs of all pairs of holdings; compiled."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bolicho.agents.cfr.compiled.vector import NOBODY, Learned, Room, Step, Tree, evaluate, vectors, walk, walks
from bolicho.games.jit import njit, rule
from bolicho.games.kernel import implements

END = 1  # kind of the leaves
PAIR = np.dtype([("rows", "i8", (2,)), ("payoff", "f8")])
"""Holdings of both seats at an end of the game, and the payoff of seat 0 times the probability of the deal."""


@walks
class Public(NamedTuple):
    """Trees of a small game."""

    tree: Tree
    room: Room
    learned: Learned
    floor: np.float32
    seldom: np.float32
    pairs: NDArray[Any]


@implements(evaluate, Public)
@rule
def end(level, number, step):
    node = level.tree.nodes[number]
    mine, value = vectors(level.room, node, 0)
    theirs, opposite = vectors(level.room, node, 1)
    for i in range(len(value)):
        value[i] = 0
    for i in range(len(opposite)):
        opposite[i] = 0
    for k in range(node.facts[0], node.facts[1]):
        pair = level.pairs[k]
        value[pair.rows[0]] += pair.payoff * theirs[pair.rows[1]]
        opposite[pair.rows[1]] -= pair.payoff * mine[pair.rows[0]]


@rule
def walk_all(level, step):
    """Walk all trees; return the value of the game to each seat."""
    mine, theirs = 0.0, 0.0
    for number in range(len(level.tree.begin) - 1):
        top = level.tree.nodes[level.tree.begin[number]]
        for seat in range(2):
            reach, _ = vectors(level.room, top, seat)
            for i in range(len(reach)):
                reach[i] = 1
        walk(level, number, 0, step)
        _, value = vectors(level.room, top, 0)
        for i in range(len(value)):
            mine += value[i]
        _, value = vectors(level.room, top, 1)
        for i in range(len(value)):
            theirs += value[i]
    return mine, theirs


@njit
def iterate(level, weights, learners):
    """Run an iteration for each row of weights; in each, every learner has a walk."""
    for row in range(len(weights)):
        for learner in learners:
            walk_all(
                level, Step(np.float32(weights[row, 0]), np.float32(weights[row, 1]), learner, NOBODY, np.uint64(0))
            )


@njit
def respond(level, responder):
    """Return the values to both seats of the strategy in `learned.regret`, with a best responder or without one."""
    return walk_all(level, Step(np.float32(0), np.float32(0), NOBODY, responder, np.uint64(0)))
