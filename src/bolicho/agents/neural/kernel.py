"""Compiled nets: a player, and a variant that records its turns for training.

All weights are in one array, for each layer the matrix of (inputs, outputs) followed by its biases; `sizes[k]` are the
widths of the layers of net k and `starts[k]` its offset. So a trainer can share this array.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bolicho.agents import kernel as players
from bolicho.agents.compiled.rewards import bonus, game_part, scheme_value
from bolicho.agents.neural.compiled.codings import encode, network, unit
from bolicho.games import kernel
from bolicho.games.compiled.chance import below, uniform
from bolicho.games.jit import njit
from bolicho.games.kernel import implements

NOWHERE = -np.inf


class Net(NamedTuple):
    """Net player: its nets, and work arrays for a batch of views."""

    coding: int
    weights: NDArray[np.float32]
    sizes: NDArray[np.int64]
    starts: NDArray[np.int64]
    rows: NDArray[np.float32]  # (2, batch, widest layer): a layer reads one half and writes the other
    order: NDArray[np.int64]  # indices of the views in a batch that one net decides
    legal: NDArray[np.int16]
    values: NDArray[np.float64]  # last outputs for the legal actions


@njit
def forward(net, which, views):
    """Feed the rows of some views through a net of ReLU layers; return the index of the half with the outputs.

    A weight is read once for all views. The sums of a view run over its inputs in a fixed order, so they do not depend
    on the rest of the batch.
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
                if x != 0:  # most inputs are flags, and half of the ReLU outputs are zero
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
    """Return the index of the best legal action by a net's outputs; write the output of each (-inf: none).

    Of several actions with one output the first represents all; the last action if none has an output.
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
def net_outputs(net, view, seat):
    """Return the outputs of a net for a view."""
    encode(view, seat, net.coding, net.rows[0, 0])
    net.order[0] = 0
    half = forward(net, network(view, net.coding), net.order[:1])
    return net.rows[half, 0]


@njit
def judge(net, view, seat):
    """Return the index of the net's preferred action among the legal ones."""
    return prefer(net, view, net_outputs(net, view, seat))


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
    """Return the index of the net's preferred action in a view; its outputs are in `values`."""
    return judge(net, pool[0], seat)


@njit
def read(pool, seat, coding, out):
    """Write the inputs of a net; return the number of the coding's net."""
    encode(pool[0], seat, coding, out)
    return network(pool[0], coding)


@njit
def output_of(pool, coding, action):
    """Return the output of an action, or -1."""
    return unit(pool[0], coding, action)


# --- Plays to imitate ---------------------------------------------------------------------------


@njit
def record_plays(pool, actions, who, coding, legal, inputs, chosen, masks, nets):
    """Play on in `pool[0]` and write the plays of the seats in `who`; return their number.

    Forced plays and those without an output are skipped.
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


# --- Recorded turns -----------------------------------------------------------------------------

ENDED, WAITING = -1, -2
"""Values of `following`: no next turn, and next turn not yet known."""

TURN = np.dtype([("last", "i8"), ("stood", "f8"), ("part", "i8")], align=True)
"""Memory of a seat: its last turn (-1: none), the value of the position then, and its part of the game."""


class Explorer(NamedTuple):
    """Net with random exploration that records its turns in a ring buffer."""

    net: Net
    explore: NDArray[np.float64]  # exploration rate: initial, decrease per turn, minimum
    scheme: int
    gamma: float
    count: NDArray[np.int64]  # number of turns recorded so far
    inputs: NDArray[np.float32]
    chosen: NDArray[np.int64]  # outputs of the actions
    rewards: NDArray[np.float32]
    returns: NDArray[np.float32]  # return of a turn within its part of the game; known when the game is over
    following: NDArray[np.int64]  # index of the seat's next turn
    before: NDArray[np.int64]  # number of the seat's previous turn, -1: none
    masks: NDArray[np.uint8]  # legal outputs


@implements(players.forget, Explorer)
@njit
def forget(player, memory, seat):
    memory.last = -1


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
    now = game_part(view)
    reward(player, memory, view, seat, here if memory.part == now else ENDED)
    memory.last = turn
    memory.part = now
    return action


@njit
def reward(player, memory, view, seat, following):
    """Add the reward since a seat's last turn to that turn."""
    value = scheme_value(view, seat, player.scheme)
    if memory.last >= max(0, player.count[0] - len(player.inputs)):  # otherwise there is none, or it was overwritten
        last = memory.last % len(player.inputs)
        player.rewards[last] += value - memory.stood
        player.following[last] = following
    memory.stood = value


@implements(players.finish, Explorer)
@njit
def finish(player, memory, view, seat):
    """Add the last reward, and compute the returns of the seat's turns, each to the end of its part of the game."""
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
