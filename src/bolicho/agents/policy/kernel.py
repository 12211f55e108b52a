"""Compiled policies: a net as a mixture, and a variant that records its turns for training.

The outputs of the net are a preference for each action, and the value of the position for its seat.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bolicho.agents import kernel as players
from bolicho.agents.compiled.mixtures import draw
from bolicho.agents.compiled.rewards import scheme_value
from bolicho.agents.neural.compiled.codings import encode, unit
from bolicho.agents.neural.kernel import NOWHERE, Net, forward, net_outputs
from bolicho.games import kernel
from bolicho.games.compiled.chance import uniform
from bolicho.games.jit import njit
from bolicho.games.kernel import implements


class Policy(NamedTuple):
    """Policy player: a net, and work arrays."""

    net: Net
    greedy: bool  # True if it takes the most probable action instead of drawing
    places: NDArray[np.int64]  # output index of each legal action
    chances: NDArray[np.float64]  # probability of each legal action


@njit
def lay_out(player, view):
    """Write the legal actions and the output index of each (-1: none); return their number.

    Of several actions with one output the first represents all.
    """
    net, places = player.net, player.places
    n = kernel.legal(view, net.legal)
    for i in range(n):
        places[i] = unit(view, net.coding, net.legal[i])
        for j in range(i):
            if places[j] == places[i]:
                places[i] = -1
    return n


@njit
def write_mixture(player, view, out):
    """Write the probability of every legal action from a net's outputs; uniform where the net covers none of them."""
    places, chances = player.places, player.chances
    n = lay_out(player, view)
    highest = NOWHERE
    for i in range(n):
        if places[i] >= 0:
            highest = max(highest, np.float64(out[places[i]]))
    total = 0.0
    best = 0
    for i in range(n):
        chances[i] = 1.0
        if highest > NOWHERE:
            chances[i] = np.exp(out[places[i]] - highest) if places[i] >= 0 else 0.0
        total += chances[i]
        if chances[i] > chances[best]:
            best = i
    for i in range(n):
        chances[i] = (i == best) * 1.0 if player.greedy else chances[i] / total
    return n


@implements(players.decide, Policy)
@njit
def decide(player, memory, view, seat, luck):
    n = write_mixture(player, view, net_outputs(player.net, view, seat))
    return player.net.legal[draw(player.chances, n, uniform(luck, 0))]


@implements(players.mixture, Policy)
@njit
def mixture(player, memory, view, seat, out):
    n = write_mixture(player, view, net_outputs(player.net, view, seat))
    out[:n] = player.chances[:n]
    return n


@njit
def batch_outputs(net, views):
    """Return the outputs of a net for a batch of views, one row each."""
    for k in range(len(views)):
        encode(views[k], np.int64(views[k].turn), net.coding, net.rows[0, k])
        net.order[k] = k
    return net.rows[forward(net, 0, net.order[: len(views)])]


@implements(players.decide_many, Policy)
@njit
def decide_many(player, memory, views, which, luck, out):
    net = player.net
    for first in range(0, len(views), len(net.order)):
        batch = views[first : first + len(net.order)]
        rows = batch_outputs(net, batch)
        for k in range(len(batch)):
            n = write_mixture(player, batch[k], rows[k])
            out[first + k] = net.legal[draw(player.chances, n, uniform(luck[first + k], 0))]


@njit
def value(pool, seat, net):
    """Return a net's value of a view for its seat, for explanations."""
    return np.float64(net_outputs(net, pool[0], seat)[net.sizes[0, -1] - 1])


# --- Recorded turns -----------------------------------------------------------------------------

TURN = np.dtype([("last", "i8"), ("stood", "f8")], align=True)
"""Memory of a seat: the number of its last turn from 1 (0: none), and the value of the position then."""


class RecordingPlayer(NamedTuple):
    """Policy that records its turns.

    It receives the full state: it decides by its own seat's inputs, and records the others' inputs for the critic.
    """

    policy: Policy
    seats: int
    scheme: int
    count: NDArray[np.int64]  # number of recorded turns
    inputs: NDArray[np.float32]  # inputs of the acting seat
    others: NDArray[np.float32]  # mean over all other seats
    chosen: NDArray[np.int64]  # output index of the chosen action
    masks: NDArray[np.bool_]  # which outputs were legal
    rewards: NDArray[np.float64]  # reward until the seat's next turn
    before: NDArray[np.int64]  # index of the seat's previous turn, -1: none
    scratch: NDArray[np.float32]


@njit
def note(player, memory, view, seat, n, place):
    """Record a turn whose inputs are already in their row; forced turns are skipped."""
    here = player.count[0]
    if n < 2 or place < 0 or here == len(player.inputs):
        return
    net, places = player.policy.net, player.policy.places
    player.others[here] = 0
    for other in range(player.seats):
        if other != seat:
            encode(view, other, net.coding, player.scratch)
            for i in range(len(player.scratch)):
                player.others[here, i] += player.scratch[i] / (player.seats - 1)
    player.masks[here] = False
    for i in range(n):
        if places[i] >= 0:
            player.masks[here, places[i]] = True
    player.chosen[here] = place
    player.rewards[here] = 0
    player.before[here] = memory.last - 1
    pay(player, memory, view, seat)
    player.count[0] += 1
    memory.last = here + 1


@njit
def pay(player, memory, view, seat):
    """Add the reward since a seat's last turn to that turn."""
    now = scheme_value(view, seat, player.scheme)
    if memory.last > 0:
        player.rewards[memory.last - 1] += now - memory.stood
    memory.stood = now


@njit
def inputs_of(player, view, seat, row):
    """Write the inputs of a seat into `row`, and into the row of the next turn if there is space."""
    encode(view, seat, player.policy.net.coding, row)
    here = min(player.count[0], len(player.inputs) - 1)
    if player.count[0] == here:
        player.inputs[here] = row[: player.inputs.shape[1]]


@implements(players.decide, RecordingPlayer)
@njit
def explore(player, memory, view, seat, luck):
    policy = player.policy
    inputs_of(player, view, seat, policy.net.rows[0, 0])
    n = write_mixture(policy, view, net_outputs(policy.net, view, seat))
    i = draw(policy.chances, n, uniform(luck, 0))
    note(player, memory, view, seat, n, policy.places[i])
    return policy.net.legal[i]


@implements(players.decide_many, RecordingPlayer)
@njit
def explore_many(player, memory, views, which, luck, out):
    policy, net = player.policy, player.policy.net
    for first in range(0, len(views), len(net.order)):
        batch = views[first : first + len(net.order)]
        rows = batch_outputs(net, batch)
        for k in range(len(batch)):
            view, seat = batch[k], np.int64(batch[k].turn)
            n = write_mixture(policy, view, rows[k])
            i = draw(policy.chances, n, uniform(luck[first + k], 0))
            inputs_of(player, view, seat, player.scratch)
            note(player, memory[which[first + k], seat], view, seat, n, policy.places[i])
            out[first + k] = net.legal[i]


@implements(players.finish, RecordingPlayer)
@njit
def finish(player, memory, view, seat):
    pay(player, memory, view, seat)
    memory.last = 0


@njit
def follow(player, memory, pool, seed, actions, who):
    """Replay a game and record the turns of the seats in `who`, as if the policy had chosen the actions."""
    kernel.deal(pool[0], seed)
    for action in actions:
        seat = np.int64(pool[0].turn)
        if who[seat]:
            inputs_of(player, pool[0], seat, player.scratch)
            n = lay_out(player.policy, pool[0])
            place = np.int64(unit(pool[0], player.policy.net.coding, action))
            note(player, memory[seat], pool[0], seat, n, place)
        kernel.apply(pool[0], action)
    for seat in range(player.seats):
        finish(player, memory[seat], pool[0], seat)


@njit
def credit(before, rewards, values, decay, out):
    """Write the generalised advantage of each turn, seat by seat from the end."""
    ahead, following = np.zeros(len(out)), np.zeros(len(out))
    for i in range(len(out) - 1, -1, -1):
        out[i] = rewards[i] + following[i] - values[i] + decay * ahead[i]
        if before[i] >= 0:
            ahead[before[i]] = out[i]
            following[before[i]] = values[i]
