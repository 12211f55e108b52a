"""Monte Carlo tree search for any number of seats, with or without hidden information.

A node is an information set: the view of the seat to move, or the position itself with full information. So no seat in
the tree uses hidden information, such as a hidden card or an unrevealed commitment. Where opponents have too many
possible hands for a node to repeat, their nodes can use the part of their views that the searching seat knows, the same
in all worlds. Alternatively, opponents have no nodes, and a model decides for them. Transpositions share a node.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bolicho.agents.search.compiled.keys import key_of
from bolicho.agents.search.compiled.leaf import HERE, ROOT, SEEN, ended, judge
from bolicho.agents.search.compiled.playout import decide_here, play_on
from bolicho.agents.search.compiled.worlds import draw
from bolicho.games import kernel
from bolicho.games.compiled.chance import below, stream
from bolicho.games.jit import njit

NODE = np.dtype([("key", "u8"), ("first", "i4"), ("used", "i4")], align=True)
"""Slot of the hash table of nodes: its key, its first arm (-1: none), whether it is used."""

ARM = np.dtype(
    [("total", "f8"), ("action", "i4"), ("next", "i4"), ("visits", "i4"), ("available", "i4")],
    align=True,
)
"""Action tried at a node: its seat's total payoff, and the numbers of visits and of times it was available."""

NODES, ARMS = range(2)  # fields of `status`: numbers of used nodes and arms
JITTER = 1 << 20  # resolution of the random factor of the bonus
OPEN, OWN, SHARED = range(3)  # basis of a node: full state, its seat's view, information shared with the searching seat


class SearchTree(NamedTuple):
    """Nodes and arms, and work arrays for a descent."""

    nodes: NDArray[Any]
    arms: NDArray[Any]
    arm_of: NDArray[np.int64]
    path: NDArray[np.int64]
    movers: NDArray[np.int8]
    status: NDArray[np.int64]


class SearchParameters(NamedTuple):
    """Parameters of a search."""

    seat: int
    mode: int
    modelled: bool  # True if a model decides for the opponents
    patient: bool  # True if a new node starts the playout, instead of trying an action there at once
    worlds: int  # number used in turn; 0: a new one for every iteration
    most: int  # maximum number of nodes
    bonus: float  # weight of exploration
    seed: np.uint64


class Ways(NamedTuple):
    """Opponent model, playout player, and leaf."""

    model: Any
    cheap: Any
    leaf: Any


@njit
def slot_of(nodes, key):
    """Return the slot of `key` in the table, or the free slot for it."""
    mask = len(nodes) - 1
    slot = np.int64(key) & mask
    while nodes[slot].used and nodes[slot].key != key:
        slot = (slot + 1) & mask
    return slot


@njit
def node_key(room, task):
    """Return the key of the information of the seat to move in `pool[HERE]`."""
    if task.mode == OPEN:
        return key_of(room.words, HERE, room.used, room.masks)
    room.pool[SEEN] = room.pool[HERE]
    turn = room.pool[HERE].turn
    kernel.hide(room.pool[SEEN], turn)
    if task.mode == SHARED and turn != task.seat:
        kernel.hide(room.pool[SEEN], task.seat)
    return key_of(room.words, SEEN, room.used, room.masks)


@njit
def select(tree, slot, legal, n, bonus, seed):
    """Return the arm to follow among `n` legal actions: an untried one at random, otherwise the best by UCB1.

    The exploration bonus is multiplied by a random factor from 0 to 2: otherwise seats that choose simultaneously would
    synchronise, each always meeting the other's choice as if it were visible. Returns -1 when an untried action needs
    an arm and none is free.
    """
    nodes, arms, arm_of = tree.nodes, tree.arms, tree.arm_of
    for i in range(n):
        arm_of[legal[i]] = -1
    arm = nodes[slot].first
    while arm >= 0:
        a = arms[arm]
        arm_of[a.action] = arm
        arm = a.next
    untried, chosen = 0, -1
    for i in range(n):
        if arm_of[legal[i]] < 0:
            untried += 1
            if below(seed, i, untried) == 0:
                chosen = legal[i]
    for i in range(n):
        if arm_of[legal[i]] >= 0:
            arms[arm_of[legal[i]]].available += 1
    if untried > 0:
        return add_arm(tree, slot, chosen)
    best, best_bound = -1, -np.inf
    for i in range(n):
        arm = arm_of[legal[i]]
        a = arms[arm]
        share = below(seed, n + i, 2 * JITTER) / JITTER
        bound = a.total / a.visits + share * bonus * math.sqrt(math.log(a.available) / a.visits)
        if bound > best_bound:
            best, best_bound = arm, bound
    return best


@njit
def add_arm(tree, slot, action):
    """Add an arm for `action` at a node; return -1 when none is free."""
    arm = tree.status[ARMS]
    if arm == len(tree.arms):
        return -1
    tree.status[ARMS] += 1
    a = tree.arms[arm]
    a.total = 0
    a.action = action
    a.next = tree.nodes[slot].first
    a.visits = 0
    a.available = 1
    tree.nodes[slot].first = arm
    return arm


@njit
def enter(room, task, worlds, seed):
    """Put a world into `pool[HERE]`."""
    if len(worlds.sums) > 0:
        room.pool[HERE] = worlds.pool[draw(worlds, seed)]
        return
    room.pool[HERE] = room.pool[ROOT]
    if task.mode != OPEN:
        kernel.redeal(room.pool[HERE], task.seat, seed)


@njit
def unit(ways, room, task, worlds, n, seed):
    """Return the scale of payoffs: two standard deviations over `n` playouts from the root.

    For games won or lost this is the difference between the two. Unlike the range of payoffs it is not dominated by
    rare high stakes, and unlike the values in the tree it does not shrink with success.
    """
    payoffs = room.payoffs
    total, squares = 0.0, 0.0
    for i in range(n):
        enter(room, task, worlds, stream(seed, 2 * i))
        play_on(ways.cheap, ways.leaf, room, task.seat, stream(seed, 2 * i + 1))
        judge(ways.leaf, room, task.seat)
        for j in range(len(payoffs)):
            total += payoffs[j]
            squares += payoffs[j] * payoffs[j]
    count = n * len(payoffs)
    return 2 * math.sqrt(max(0.0, squares / count - (total / count) ** 2))


@njit
def iterate(tree, ways, room, task, worlds, first, count):
    """Run iterations `first` .. `first + count - 1`: select a path, add one node, play out, update."""
    nodes, arms, path, status, legal = tree.nodes, tree.arms, tree.path, tree.status, room.legal
    s = room.pool[HERE]
    for iteration in range(first, first + count):
        own = stream(task.seed, iteration)
        enter(room, task, worlds, stream(own, 0) if task.worlds == 0 else stream(~task.seed, iteration % task.worlds))
        depth, step = 0, 1
        growing = True
        while growing and depth < len(path) and not ended(ways.leaf, s):
            n = kernel.legal(s, legal)
            if n == 1:
                kernel.apply(s, legal[0])
                continue
            if task.modelled and s.turn != task.seat:
                kernel.apply(s, decide_here(ways.model, room, stream(own, step)))
                step += 1
                continue
            key = node_key(room, task)
            slot = slot_of(nodes, key)
            if not nodes[slot].used:
                growing = False
                if status[NODES] >= task.most:
                    break
                status[NODES] += 1
                nodes[slot].used = 1
                nodes[slot].key = key
                nodes[slot].first = -1
                if task.patient and depth > 0:
                    break
            arm = select(tree, slot, legal, n, task.bonus, stream(own, step))
            step += 1
            if arm < 0:
                break
            path[depth] = arm
            tree.movers[depth] = s.turn
            depth += 1
            kernel.apply(s, arms[arm].action)
        play_on(ways.cheap, ways.leaf, room, task.seat, stream(own, step))
        judge(ways.leaf, room, task.seat)
        for i in range(depth):
            a = arms[path[i]]
            a.visits += 1
            a.total += room.payoffs[tree.movers[i]]


@njit
def root_arms(tree, room, task, visits, totals):
    """Write the visits and totals of the root's actions, by action number; return the number of legal actions."""
    room.pool[HERE] = room.pool[ROOT]
    arm = tree.nodes[slot_of(tree.nodes, node_key(room, task))].first
    while arm >= 0:
        visits[tree.arms[arm].action] = tree.arms[arm].visits
        totals[tree.arms[arm].action] = tree.arms[arm].total
        arm = tree.arms[arm].next
    return kernel.legal(room.pool[ROOT], room.legal)
