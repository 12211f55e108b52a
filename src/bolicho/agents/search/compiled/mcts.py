"""Monte Carlo tree search for any number of seats, with or without hidden information.

A node is what its seat knows when it must act.  With everything open that is the position itself;
with hidden information it is the view of the seat to move (an information set), so nobody in the
tree acts on what he cannot know: a hidden card, a commitment not yet revealed.  Where the hands of
others are too many to meet one twice, their nodes can be made of what the searching seat knows of
their views, the same for all worlds.  Lines that meet share a node.
"""

import math

import numpy as np

from bolicho.agents.search.compiled.keys import key_of
from bolicho.agents.search.compiled.playout import playout
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
ROOT, HERE, SEEN = range(3)  # the records of `pool`: the root, the position reached, what its seat knows


@njit
def slot_of(nodes, key):
    """The slot of `key` in the table, or the free one where it belongs."""
    mask = len(nodes) - 1
    slot = np.int64(key) & mask
    while nodes[slot].used and nodes[slot].key != key:
        slot = (slot + 1) & mask
    return slot


@njit
def node_key(pool, words, used, masks, seat, mode):
    """The key of what the seat to move knows of `pool[HERE]`."""
    if mode == OPEN:
        return key_of(words, HERE, used, masks)
    pool[SEEN] = pool[HERE]
    turn = pool[HERE].turn
    kernel.hide(pool[SEEN], turn)
    if mode == SHARED and turn != seat:
        kernel.hide(pool[SEEN], seat)
    return key_of(words, SEEN, used, masks)


@njit
def select(nodes, slot, arms, arm_of, status, legal, n, bonus, seed):
    """The arm to follow among `n` legal actions: an untried one at random, otherwise the best by UCB1.

    The exploration bonus is shaken, 0 to 2 times itself: seats that choose at the same time would
    otherwise fall into step, one always meeting the other's choice as if he saw it.
    -1 when an untried one should be added and there is no room.
    """
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
        return add_arm(nodes, slot, arms, status, chosen)
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
def add_arm(nodes, slot, arms, status, action):
    """A first try of `action` at a node; -1 when there is no room."""
    arm = status[ARMS]
    if arm == len(arms):
        return -1
    status[ARMS] += 1
    a = arms[arm]
    a.total = 0
    a.action = action
    a.next = nodes[slot].first
    a.visits = 0
    a.available = 1
    nodes[slot].first = arm
    return arm


@njit
def unit(pool, n, seat, mode, seed, legal, payoffs):
    """What counts as 1: two standard deviations of the payoffs of `n` random games from the root.

    Of games won or lost that is the difference between the two; unlike the range of payoffs it is
    not ruled by rare great stakes, and unlike what the tree sees it does not shrink with success.
    """
    total, squares = 0.0, 0.0
    for i in range(n):
        pool[HERE] = pool[ROOT]
        if mode != OPEN:
            kernel.redeal(pool[HERE], seat, stream(seed, 2 * i))
        playout(pool, HERE, legal, stream(seed, 2 * i + 1))
        kernel.payoff(pool[HERE], payoffs)
        for j in range(len(payoffs)):
            total += payoffs[j]
            squares += payoffs[j] * payoffs[j]
    count = n * len(payoffs)
    return 2 * math.sqrt(max(0.0, squares / count - (total / count) ** 2))


@njit
def iterate(
    pool, words, used, masks, nodes, arms, arm_of, path, movers, status, legal, payoffs,
    seat, mode, worlds, room, bonus, seed, first, count,
):  # fmt: skip
    """Iterations `first` .. `first + count - 1`: choose a way down, add one node, play out, note."""
    for iteration in range(first, first + count):
        own = stream(seed, iteration)
        pool[HERE] = pool[ROOT]
        if mode != OPEN:
            kernel.redeal(pool[HERE], seat, stream(own, 0) if worlds == 0 else stream(~seed, iteration % worlds))
        depth, step = 0, 1
        growing = True
        while growing and depth < len(path) and not kernel.over(pool[HERE]):
            n = kernel.legal(pool[HERE], legal)
            if n == 1:
                kernel.apply(pool[HERE], legal[0])
                continue
            key = node_key(pool, words, used, masks, seat, mode)
            slot = slot_of(nodes, key)
            if not nodes[slot].used:
                growing = False
                if status[NODES] >= room:
                    break
                status[NODES] += 1
                nodes[slot].used = 1
                nodes[slot].key = key
                nodes[slot].first = -1
            arm = select(nodes, slot, arms, arm_of, status, legal, n, bonus, stream(own, step))
            step += 1
            if arm < 0:
                break
            path[depth] = arm
            movers[depth] = pool[HERE].turn
            depth += 1
            kernel.apply(pool[HERE], arms[arm].action)
        playout(pool, HERE, legal, stream(own, step))
        kernel.payoff(pool[HERE], payoffs)
        for i in range(depth):
            a = arms[path[i]]
            a.visits += 1
            a.total += payoffs[movers[i]]


@njit
def root_arms(pool, words, used, masks, nodes, arms, seat, mode, visits, totals):
    """Write the visits and totals of the root's actions, by action number."""
    pool[HERE] = pool[ROOT]
    arm = nodes[slot_of(nodes, node_key(pool, words, used, masks, seat, mode))].first
    while arm >= 0:
        visits[arms[arm].action] = arms[arm].visits
        totals[arms[arm].action] = arms[arm].total
        arm = arms[arm].next


@njit
def root_legal(pool, legal):
    """The legal actions at the root."""
    return kernel.legal(pool[ROOT], legal)
