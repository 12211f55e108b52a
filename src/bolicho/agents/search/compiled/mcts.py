"""Monte Carlo tree search for any number of seats, with or without hidden information.

A node is what its seat knows when it must act.  With everything open that is the position itself;
with hidden information it is the view of the seat to move (an information set), so nobody in the
tree acts on what he cannot know: a hidden card, a commitment not yet revealed.  Where the hands of
others are too many to meet one twice, their nodes can be made of what the searching seat knows of
their views, the same for all worlds.  Or the others have no nodes, and do what a model of them does.  Lines that meet
share a node.
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
"""A slot of the hash table of nodes: its key, its first arm (-1: none), whether it is taken."""

ARM = np.dtype(
    [("total", "f8"), ("action", "i4"), ("next", "i4"), ("visits", "i4"), ("available", "i4")],
    align=True,
)
"""An action tried at a node: what it brought its seat, how often it was chosen and could have been."""

NODES, ARMS = range(2)  # what `status` holds: how many of each are taken
JITTER = 1 << 20  # steps of the shaken bonus
OPEN, OWN, SHARED = range(3)  # what a node is made of: all, its seat's view, what is common with the searcher


class Tree(NamedTuple):
    """Nodes and arms, and room to find a way through them."""

    nodes: NDArray[Any]
    arms: NDArray[Any]
    arm_of: NDArray[np.int64]
    path: NDArray[np.int64]
    movers: NDArray[np.int8]
    status: NDArray[np.int64]


class Task(NamedTuple):
    """What is searched for, and how."""

    seat: int
    mode: int
    modelled: bool  # whether the others do what a model does
    patient: bool  # whether a new node is left to the playout, instead of trying something there at once
    worlds: int  # to be used in turn; 0: a new one every time
    most: int  # nodes
    bonus: float  # of exploration
    seed: np.uint64


class Ways(NamedTuple):
    """How the others are taken to play, who plays out, and where that ends."""

    model: Any
    cheap: Any
    leaf: Any


@njit
def slot_of(nodes, key):
    """The slot of `key` in the table, or the free one where it belongs."""
    mask = len(nodes) - 1
    slot = np.int64(key) & mask
    while nodes[slot].used and nodes[slot].key != key:
        slot = (slot + 1) & mask
    return slot


@njit
def node_key(room, task):
    """The key of what the seat to move knows of `pool[HERE]`."""
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
    """The arm to follow among `n` legal actions: an untried one at random, otherwise the best by UCB1.

    The exploration bonus is shaken, 0 to 2 times itself: seats that choose at the same time would
    otherwise fall into step, one always meeting the other's choice as if he saw it.
    -1 when an untried one should be added and there is no room.
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
    """A first try of `action` at a node; -1 when there is no room."""
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
    """What counts as 1: two standard deviations of the payoffs of `n` playouts from the root.

    Of games won or lost that is the difference between the two; unlike the range of payoffs it is
    not ruled by rare great stakes, and unlike what the tree sees it does not shrink with success.
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
    """Iterations `first` .. `first + count - 1`: choose a way down, add one node, play out, note."""
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
    """Write the visits and totals of the root's actions, by action number; how many are legal."""
    room.pool[HERE] = room.pool[ROOT]
    arm = tree.nodes[slot_of(tree.nodes, node_key(room, task))].first
    while arm >= 0:
        visits[tree.arms[arm].action] = tree.arms[arm].visits
        totals[tree.arms[arm].action] = tree.arms[arm].total
        arm = tree.arms[arm].next
    return kernel.legal(room.pool[ROOT], room.legal)
