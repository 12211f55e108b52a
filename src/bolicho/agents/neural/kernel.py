"""Compiled: a net as a player, and a net that notes its turns to learn from them.

All numbers of a net are in one array, a layer as the matrix of (inputs, outputs) and then its biases;
`sizes[k]` are the widths of the layers of the k-th net and `starts[k]` where it begins.  So one array
can be shared with whoever trains it.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bolicho.agents import kernel as players
from bolicho.agents.compiled.rewards import bonus, chapter, worth
from bolicho.agents.neural.compiled.codings import encode, network, unit
from bolicho.games import kernel
from bolicho.games.compiled.chance import below, uniform
from bolicho.games.jit import njit
from bolicho.games.kernel import implements

NOWHERE = -np.inf


class Net(NamedTuple):
    """The player: its nets, and room to work in for a batch of views."""

    coding: int
    weights: NDArray[np.float32]
    sizes: NDArray[np.int64]
    starts: NDArray[np.int64]
    rows: NDArray[np.float32]  # (2, batch, the widest layer): a layer reads one half and writes the other
    order: NDArray[np.int64]  # of a batch, the views that one net decides
    legal: NDArray[np.int16]
    values: NDArray[np.float64]  # what the net said last of the legal actions


@njit
def forward(net, which, views):
    """Feed the rows of some views through a net of ReLU layers; the half that holds what comes out.

    A weight is read once for all views.  Each view's sums are added up by its inputs, in their order, so that
    they do not depend on who else is in the batch.
    """
    sizes, at = net.sizes[which], net.starts[which]
    here = 0
    for layer in range(len(sizes) - 1):
        n, m = sizes[layer], sizes[layer + 1]
        biases = net.weights[at + n * m : at + n * m + m]
        for k in views:
            out = net.rows[1 - here, k]
            for j in range(m):
                out[j] = biases[j]
        for i in range(n):
            row = net.weights[at + i * m : at + i * m + m]
            for k in views:
                x = net.rows[here, k, i]
                if x != 0:  # most inputs are flags, and half of what ReLU lets through is nothing
                    out = net.rows[1 - here, k]
                    for j in range(m):
                        out[j] += x * row[j]
        if layer < len(sizes) - 2:
            for k in views:
                out = net.rows[1 - here, k]
                for j in range(m):
                    out[j] = max(out[j], np.float32(0))
        at += n * m + m
        here = 1 - here
    return here


@njit
def prefer(net, view, out):
    """The place of the best among the legal actions by a net's outputs; writes what it says of each (-inf: no output).

    Of several actions with one output the first stands for all; the last action where the net knows none.
    """
    n = kernel.legal(view, net.legal)
    best = n - 1
    highest = NOWHERE
    for i in range(n):
        place = unit(view, net.coding, net.legal[i])
        net.values[i] = out[place] if place >= 0 else NOWHERE
        if net.values[i] > highest:
            highest = net.values[i]
            best = i
    return best


@njit
def look(net, view, seat):
    """What a net says of a view: its outputs."""
    encode(view, seat, net.coding, net.rows[0, 0])
    net.order[0] = 0
    half = forward(net, network(view, net.coding), net.order[:1])
    return net.rows[half, 0]


@njit
def judge(net, view, seat):
    """The place of the action a net prefers in a view, among the legal ones."""
    return prefer(net, view, look(net, view, seat))


@implements(players.decide, Net)
@njit
def decide(player, memory, view, seat, luck):
    return player.legal[judge(player, view, seat)]


@implements(players.decide_many, Net)
@njit
def decide_many(player, memory, views, which, luck, out):
    for first in range(0, len(views), len(player.order)):
        count = min(len(player.order), len(views) - first)
        for k in range(count):
            view = views[first + k]
            encode(view, np.int64(view.turn), player.coding, player.rows[0, k])
        for net in range(len(player.sizes)):
            n = 0
            for k in range(count):
                if network(views[first + k], player.coding) == net:
                    player.order[n] = k
                    n += 1
            half = forward(player, net, player.order[:n])
            for k in player.order[:n]:
                view = views[first + k]
                out[first + k] = player.legal[prefer(player, view, player.rows[half, k])]


# --- For explanations ---------------------------------------------------------------------------


@njit
def choose(pool, seat, net):
    """The place of the action a net prefers in a view; what it says of each stands in `values`."""
    return judge(net, pool[0], seat)


@njit
def read(pool, seat, coding, out):
    """The inputs of a net, and which of the coding's nets they are for."""
    encode(pool[0], seat, coding, out)
    return network(pool[0], coding)


@njit
def output_of(pool, coding, action):
    """The output that stands for an action, or -1."""
    return unit(pool[0], coding, action)


# --- Plays to imitate ---------------------------------------------------------------------------


@njit
def watch(pool, actions, who, coding, legal, inputs, chosen, masks, nets):
    """Play on in `pool[0]` and write down the plays of the seats in `who`; how many.

    What is forced, and what no output stands for, teaches nothing.
    """
    noted = 0
    for action in actions:
        s = pool[0]
        seat = np.int64(s.turn)
        place = np.int64(unit(s, coding, action))
        n = kernel.legal(s, legal)
        if who[seat] and n > 1 and place >= 0:
            encode(s, seat, coding, inputs[noted])
            chosen[noted] = place
            nets[noted] = network(s, coding)
            for i in range(n):
                other = np.int64(unit(s, coding, legal[i]))
                if other >= 0:
                    masks[noted, other] = 1
            noted += 1
        kernel.apply(s, action)
    return noted


# --- Turns to learn from ------------------------------------------------------------------------

ENDED, WAITING = -1, -2
"""Instead of the next turn: there was none, or it has not come yet."""

TURN = np.dtype([("last", "i8"), ("stood", "f8"), ("chapter", "i8")], align=True)
"""What a seat remembers: the turn it had last (-1: none), what the position was worth to it then, and its chapter."""


class Explorer(NamedTuple):
    """A net that plays anything now and then, and notes its turns in a ring."""

    net: Net
    explore: NDArray[np.float64]  # how often it plays anything at all: first, less a turn, least
    scheme: int
    gamma: float
    count: NDArray[np.int64]  # turns noted so far
    inputs: NDArray[np.float32]
    chosen: NDArray[np.int64]  # the outputs of the actions
    rewards: NDArray[np.float32]
    returns: NDArray[np.float32]  # what came of a turn in its chapter; known when the game is over
    following: NDArray[np.int64]  # the place of the seat's next turn
    before: NDArray[np.int64]  # the number of its turn before, -1: none
    masks: NDArray[np.uint8]  # the legal outputs


@implements(players.forget, Explorer)
@njit
def forget(player, memory, seat):
    memory.last = -1


@implements(players.observe, Explorer)
@njit
def observe(player, memory, event, seat):
    pass


@implements(players.decide, Explorer)
@njit
def explore(player, memory, view, seat, luck):
    net, turn = player.net, player.count[0]
    here = turn % len(player.inputs)
    encode(view, seat, net.coding, player.inputs[here])
    best = judge(net, view, seat)
    n = kernel.legal(view, net.legal)
    if uniform(luck, 0) < max(player.explore[2], player.explore[0] - player.explore[1] * turn):
        anything = below(luck, 1, n)
        if unit(view, net.coding, net.legal[anything]) >= 0:
            best = anything
    action = net.legal[best]
    player.masks[here] = 0
    for i in range(n):
        place = unit(view, net.coding, net.legal[i])
        if place >= 0:
            player.masks[here, place] = 1
    player.chosen[here] = unit(view, net.coding, action)
    player.rewards[here] = bonus(view, seat, player.scheme, action)
    player.following[here] = WAITING
    player.before[here] = memory.last
    player.count[0] += 1
    now = chapter(view)
    reward(player, memory, view, seat, here if memory.chapter == now else ENDED)
    memory.last = turn
    memory.chapter = now
    return action


@njit
def reward(player, memory, view, seat, following):
    """The turn a seat had last gets what has come of it since."""
    value = worth(view, seat, player.scheme)
    if memory.last >= max(0, player.count[0] - len(player.inputs)):  # otherwise there is none, or it is forgotten
        last = memory.last % len(player.inputs)
        player.rewards[last] += value - memory.stood
        player.following[last] = following
    memory.stood = value


@implements(players.finish, Explorer)
@njit
def finish(player, memory, view, seat):
    """The last reward, and what came of each of the seat's turns, to the end of its chapter."""
    reward(player, memory, view, seat, ENDED)
    total = 0.0
    turn = memory.last
    while turn >= max(0, player.count[0] - len(player.inputs)):
        here = turn % len(player.inputs)
        if player.following[here] == ENDED:
            total = 0.0
        total = player.rewards[here] + player.gamma * total
        player.returns[here] = total
        turn = player.before[here]
