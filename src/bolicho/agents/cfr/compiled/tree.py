"""Full tree of a small game: every deal, every line of play, and the information sets; compiled.

Nodes have higher numbers than their parents. So a pass in ascending or descending order visits parents before children
or children before parents, without recursion.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bolicho.agents import kernel as players
from bolicho.agents.cfr.compiled.table import CLASHED, TOO_DEEP, shape_of, slot_of
from bolicho.agents.cfr.compiled.walk import begin, descend, key_here, note
from bolicho.agents.cfr.kernel import choices
from bolicho.games import kernel
from bolicho.games.jit import njit, rule

NODES, CHILDREN, SETS, ARMS = range(4)
"""Fields of `sizes`: the numbers of nodes, children, information sets and arms."""


class Tree(NamedTuple):
    """Nodes, the children of decisions, and the information sets."""

    seat: NDArray[np.int8]  # seat to act; -1 at the end
    parent: NDArray[np.int32]  # parent node; of a root: ~ number of its deal
    action: NDArray[np.int16]  # action that led here
    first: NDArray[np.int32]  # index of the first child
    info: NDArray[np.int32]  # information set of the node
    payoff: NDArray[np.float64]  # (node, seat), at the end
    child: NDArray[np.int32]
    set_node: NDArray[np.int32]  # one node of each set
    set_first: NDArray[np.int32]  # its first arm
    set_count: NDArray[np.int32]
    set_level: NDArray[np.int32]  # number of earlier decisions of its seat
    deals: int


@rule
def play_forced_actions(abstraction, room, depth):
    """Play forced actions at a depth; return the number of choices after them (0: the game is over)."""
    s = room.pool[depth]
    while s.turn >= 0:
        n = choices(abstraction, s, np.int64(s.turn), room.actions[depth], room.labels)
        if n > 1:
            return n
        kernel.apply(s, room.actions[depth, 0])
        note(abstraction, room, depth)
    return 0


@rule
def add_node(abstraction, room, tree, slots, sizes, status, depth, n, parent, action):
    """Add the node reached at a depth, and assign its information set."""
    node = sizes[NODES]
    sizes[NODES] += 1
    if node >= len(tree.seat):  # counting pass
        sizes[CHILDREN] += n
        return node
    s = room.pool[depth]
    tree.seat[node] = s.turn
    tree.parent[node] = parent
    tree.action[node] = action
    tree.info[node] = -1
    if n == 0:
        kernel.payoff(s, tree.payoff[node])
        return node
    tree.first[node] = sizes[CHILDREN]
    sizes[CHILDREN] += n
    tree.info[node] = join(abstraction, room, tree, slots, sizes, status, depth, n, node)
    return node


@rule
def join(abstraction, room, tree, slots, sizes, status, depth, n, node):
    """Return the information set of a new node, created for its first node, with the number of earlier decisions."""
    seat = np.int64(tree.seat[node])
    shape = shape_of(room.labels, n)
    own = key_here(abstraction, room, depth, seat)
    slot = slot_of(slots, own)
    if slots[slot].count == 0:
        slots[slot].key = own
        slots[slot].shape = shape
        slots[slot].count = n
        slots[slot].first = info = sizes[SETS]
        sizes[SETS] += 1
        tree.set_node[info] = node
        tree.set_count[info] = n
        tree.set_first[info] = sizes[ARMS]
        sizes[ARMS] += n
        tree.set_level[info] = 0
        above = tree.parent[node]
        while above >= 0:
            if tree.seat[above] == seat:
                tree.set_level[info] = tree.set_level[tree.info[above]] + 1
                break
            above = tree.parent[above]
    elif slots[slot].shape != shape:
        status[CLASHED] = 1
    return slots[slot].first


@njit
def unfold(abstraction, room, tree, slots, sizes, status, most):
    """Enumerate every deal and every line of play; with empty arrays only count them, up to `most`."""
    sizes[:] = 0
    for number in range(tree.deals):
        kernel.deal_number(room.pool[0], number)
        begin(abstraction, room)
        depth = 0
        parent, action = ~number, 0
        while depth >= 0:
            n = play_forced_actions(abstraction, room, depth)
            node = add_node(abstraction, room, tree, slots, sizes, status, depth, n, parent, action)
            if sizes[NODES] > most or status[CLASHED]:
                return
            if n > 0 and depth + 1 == len(room.pool):
                status[TOO_DEEP] = 1
                return
            room.first[depth] = node
            room.count[depth] = n
            room.tried[depth] = -1
            while depth >= 0 and room.tried[depth] + 1 >= room.count[depth]:
                depth -= 1
            if depth < 0:
                break
            room.tried[depth] += 1
            parent, action = room.first[depth], room.actions[depth, room.tried[depth]]
            if parent < len(tree.seat):
                tree.child[tree.first[parent] + room.tried[depth]] = sizes[NODES]
            descend(abstraction, room, depth, action)
            depth += 1


# --- Passes -------------------------------------------------------------------------------------


@rule
def match(tree, regrets, strategy):
    """Write the current strategy of all sets: proportional to positive regrets, or uniform."""
    for info in range(len(tree.set_node)):
        first, n = tree.set_first[info], tree.set_count[info]
        total = 0.0
        for i in range(n):
            total += max(regrets[first + i], 0.0)
        for i in range(n):
            strategy[first + i] = max(regrets[first + i], 0.0) / total if total > 0 else 1.0 / n


@rule
def reach_all(tree, strategy, reach):
    """Write each seat's contribution to the probability of reaching each node; that of chance in the last column."""
    seats = reach.shape[1] - 1
    for node in range(len(tree.seat)):
        if tree.parent[node] < 0:
            for seat in range(seats):
                reach[node, seat] = 1.0
            reach[node, seats] = 1.0 / tree.deals
        if tree.seat[node] >= 0:
            arm = tree.set_first[tree.info[node]]
            for i in range(tree.set_count[tree.info[node]]):
                child = tree.child[tree.first[node] + i]
                for seat in range(seats + 1):
                    reach[child, seat] = reach[node, seat]
                reach[child, tree.seat[node]] *= strategy[arm + i]


@rule
def others(reach, node, seat):
    """Return the probability that chance and the other seats contribute to reaching a node."""
    found = 1.0
    for other in range(reach.shape[1]):
        if other != seat:
            found *= reach[node, other]
    return found


@rule
def value_all(tree, strategy, values, seat):
    """Write the value of each node for a seat; return the value of the game."""
    total = 0.0
    for node in range(len(tree.seat) - 1, -1, -1):
        if tree.seat[node] < 0:
            values[node] = tree.payoff[node, seat]
        else:
            arm = tree.set_first[tree.info[node]]
            value = 0.0
            for i in range(tree.set_count[tree.info[node]]):
                value += strategy[arm + i] * values[tree.child[tree.first[node] + i]]
            values[node] = value
        if tree.parent[node] < 0:
            total += values[node]
    return total / tree.deals


@njit
def improve(tree, regrets, average, strategy, reach, values, first, count):
    """Run iterations of CFR+: alternating seats, regrets cut at zero, averages weighted by the iteration number."""
    for t in range(first + 1, first + count + 1):
        for seat in range(reach.shape[1] - 1):
            match(tree, regrets, strategy)
            reach_all(tree, strategy, reach)
            value_all(tree, strategy, values, seat)
            for node in range(len(tree.seat)):
                if tree.seat[node] == seat:
                    arm = tree.set_first[tree.info[node]]
                    weight = others(reach, node, seat)
                    for i in range(tree.set_count[tree.info[node]]):
                        gain = values[tree.child[tree.first[node] + i]] - values[node]
                        regrets[arm + i] += weight * gain
            for info in range(len(tree.set_node)):
                node = tree.set_node[info]
                if tree.seat[node] == seat:
                    for arm in range(tree.set_first[info], tree.set_first[info] + tree.set_count[info]):
                        regrets[arm] = max(regrets[arm], 0.0)
                        average[arm] += t * reach[node, seat] * strategy[arm]


@njit
def expected(tree, strategy, values, seat):
    """Return the value of the game for a seat when all play a strategy."""
    return value_all(tree, strategy, values, seat)


@njit
def respond(tree, strategy, reach, values, worth, seat):
    """Return the value of a seat's best response to a strategy; `strategy` becomes that response for the seat.

    A seat knows its number of earlier decisions, so its last decisions are solved first, over all nodes of a set at
    once.
    """
    reach_all(tree, strategy, reach)
    deepest = -1
    for info in range(len(tree.set_node)):
        if tree.seat[tree.set_node[info]] == seat:
            deepest = max(deepest, tree.set_level[info])
    for level in range(deepest, -1, -1):
        value_all(tree, strategy, values, seat)
        worth[:] = 0
        for node in range(len(tree.seat)):
            info = tree.info[node]
            if tree.seat[node] == seat and tree.set_level[info] == level:
                weight = others(reach, node, seat)
                for i in range(tree.set_count[info]):
                    worth[tree.set_first[info] + i] += weight * values[tree.child[tree.first[node] + i]]
        for info in range(len(tree.set_node)):
            if tree.seat[tree.set_node[info]] == seat and tree.set_level[info] == level:
                first, n = tree.set_first[info], tree.set_count[info]
                best = np.argmax(worth[first : first + n])
                for i in range(n):
                    strategy[first + i] = i == best
    return value_all(tree, strategy, values, seat)


# --- Player's strategy --------------------------------------------------------------------------


@rule
def replay(abstraction, room, tree, node, path, player, memory, seat):
    """Play from the deal to a node in `pool[0]`, and let the player of a seat observe its events."""
    steps = 0
    while tree.parent[node] >= 0:
        path[steps] = tree.action[node]
        steps += 1
        node = tree.parent[node]
    kernel.deal_number(room.pool[0], ~np.int64(tree.parent[node]))
    players.forget(player, memory[0], seat)
    players.note(player, memory, room.pool[:1], seat, room.seen)
    while True:
        while (
            room.pool[0].turn >= 0
            and choices(abstraction, room.pool[0], np.int64(room.pool[0].turn), room.actions[0], room.labels) == 1
        ):
            kernel.apply(room.pool[0], room.actions[0, 0])
            players.note(player, memory, room.pool[:1], seat, room.seen)
        if steps == 0:
            return
        steps -= 1
        kernel.apply(room.pool[0], path[steps])
        players.note(player, memory, room.pool[:1], seat, room.seen)


@njit
def ask(abstraction, room, tree, path, player, memory, strategy, seat, out):
    """Write a player's mixtures into a strategy, for all sets of a seat; return the first set without one, or -1."""
    for info in range(len(tree.set_node)):
        node = np.int64(tree.set_node[info])
        if tree.seat[node] == seat:
            replay(abstraction, room, tree, node, path, player, memory, seat)
            room.seen[0] = room.pool[0]
            kernel.hide(room.seen[0], seat)
            if players.mixture(player, memory[0], room.seen[0], seat, out) == 0:
                return info
            for i in range(tree.set_count[info]):
                strategy[tree.set_first[info] + i] = out[i]
    return -1
