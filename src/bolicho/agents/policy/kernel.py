"""Compiled: a net as a mixture, and one that notes its turns to learn from them.

The outputs of the net are a preference for each action, and the last is what the position is worth to its seat.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bolicho.agents import kernel as players
from bolicho.agents.compiled.mixtures import draw
from bolicho.agents.compiled.rewards import worth
from bolicho.agents.neural.compiled.codings import encode, unit
from bolicho.agents.neural.kernel import NOWHERE, Net, forward, look
from bolicho.games import kernel
from bolicho.games.compiled.chance import uniform
from bolicho.games.jit import njit
from bolicho.games.kernel import implements


class Policy(NamedTuple):
    """The player: a net, and room to work in."""

    net: Net
    greedy: bool  # whether it takes what it likes best, instead of drawing
    places: NDArray[np.int64]  # the output of each legal action
    chances: NDArray[np.float64]  # of each legal action


@njit
def lay_out(player, view):
    """Write the legal actions and the output of each (-1: none), and return how many there are.

    Of several actions with one output the first stands for all.
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
def weigh(player, view, out):
    """Write the chance of every legal action by a net's outputs; where it knows none of them, all are alike."""
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
    n = weigh(player, view, look(player.net, view, seat))
    return player.net.legal[draw(player.chances, n, uniform(luck, 0))]


@implements(players.mixture, Policy)
@njit
def mixture(player, memory, view, seat, out):
    n = weigh(player, view, look(player.net, view, seat))
    out[:n] = player.chances[:n]
    return n


@njit
def look_at_all(net, views):
    """What a net says of a batch of views: a row of outputs for each."""
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
        rows = look_at_all(net, batch)
        for k in range(len(batch)):
            n = weigh(player, batch[k], rows[k])
            out[first + k] = net.legal[draw(player.chances, n, uniform(luck[first + k], 0))]


@njit
def value(pool, seat, net):
    """What a net says a view is worth to its seat, for explanations."""
    return np.float64(look(net, pool[0], seat)[net.sizes[0, -1] - 1])


# --- Turns to learn from ------------------------------------------------------------------------

TURN = np.dtype([("last", "i8"), ("stood", "f8")], align=True)
"""What a seat remembers: the number of its last turn from 1 on (0: none), and what the position was worth then."""


class Recorder(NamedTuple):
    """A policy that notes its turns.  It is shown everything: it decides by its own seat's inputs, and notes the
    others' for the critic."""

    policy: Policy
    seats: int
    scheme: int
    count: NDArray[np.int64]  # turns noted so far
    inputs: NDArray[np.float32]  # of the seat that acts
    others: NDArray[np.float32]  # the mean of those of all other seats
    chosen: NDArray[np.int64]  # the output of the action
    masks: NDArray[np.bool_]  # the outputs that were legal
    rewards: NDArray[np.float64]  # what came of it until the seat's next turn
    before: NDArray[np.int64]  # the seat's turn before, -1: none
    scratch: NDArray[np.float32]


@njit
def note(player, memory, view, seat, n, place):
    """Take down a turn whose inputs stand in their row already; a forced one teaches nothing."""
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
    """The seat's last turn gets what has come of it since."""
    now = worth(view, seat, player.scheme)
    if memory.last > 0:
        player.rewards[memory.last - 1] += now - memory.stood
    memory.stood = now


@njit
def inputs_of(player, view, seat, row):
    """The inputs of a seat, into `row` and into the next turn's, if there is room for one."""
    encode(view, seat, player.policy.net.coding, row)
    here = min(player.count[0], len(player.inputs) - 1)
    if player.count[0] == here:
        player.inputs[here] = row[: player.inputs.shape[1]]


@implements(players.decide, Recorder)
@njit
def explore(player, memory, view, seat, luck):
    policy = player.policy
    inputs_of(player, view, seat, policy.net.rows[0, 0])
    n = weigh(policy, view, look(policy.net, view, seat))
    i = draw(policy.chances, n, uniform(luck, 0))
    note(player, memory, view, seat, n, policy.places[i])
    return policy.net.legal[i]


@implements(players.decide_many, Recorder)
@njit
def explore_many(player, memory, views, which, luck, out):
    policy, net = player.policy, player.policy.net
    for first in range(0, len(views), len(net.order)):
        batch = views[first : first + len(net.order)]
        rows = look_at_all(net, batch)
        for k in range(len(batch)):
            view, seat = batch[k], np.int64(batch[k].turn)
            n = weigh(policy, view, rows[k])
            i = draw(policy.chances, n, uniform(luck[first + k], 0))
            inputs_of(player, view, seat, player.scratch)
            note(player, memory[which[first + k], seat], view, seat, n, policy.places[i])
            out[first + k] = net.legal[i]


@implements(players.finish, Recorder)
@njit
def finish(player, memory, view, seat):
    pay(player, memory, view, seat)
    memory.last = 0


@njit
def follow(player, memory, pool, seed, actions, who):
    """Play a game again and note the turns of the seats in `who`, as if the policy had chosen what was chosen."""
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
    """How much better each turn went than was expected (generalised advantages), seat by seat from the end."""
    ahead, following = np.zeros(len(out)), np.zeros(len(out))
    for i in range(len(out) - 1, -1, -1):
        out[i] = rewards[i] + following[i] - values[i] + decay * ahead[i]
        if before[i] >= 0:
            ahead[before[i]] = out[i]
            following[before[i]] = values[i]
