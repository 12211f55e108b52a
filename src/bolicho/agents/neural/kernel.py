"""Compiled: a net's answer, an agent's choice, and games played to learn from.

A net is (coding, weights, sizes, starts): all its numbers in one array, a layer as the matrix of
(inputs, outputs) and then its biases; `sizes[k]` are the widths of the layers of the k-th net and
`starts[k]` where it begins.  So one array can be shared with whoever trains it.
"""

import numpy as np

from bolicho.agents.neural.codings import bonus, encode, network, scripted, unit, worth
from bolicho.games import kernel
from bolicho.games.chance import below, stream
from bolicho.games.jit import njit

RANDOM, SCRIPTED, LEARNER, OTHER = range(4)
"""Who sits at a learner's table: anybody, the scripted player, the learner, another net."""

NOWHERE = -np.inf
_FINE = 1 << 30


@njit
def forward(weights, sizes, start, rows):
    """Feed `rows[0]` through a net of ReLU layers; the row that holds what comes out."""
    here = 0
    at = start
    for layer in range(len(sizes) - 1):
        n, m = sizes[layer], sizes[layer + 1]
        out = rows[1 - here]
        biases = weights[at + n * m : at + n * m + m]
        for j in range(m):
            out[j] = biases[j]
        for i in range(n):
            x = rows[here, i]
            if x != 0:  # most inputs are flags, and half of what ReLU lets through is nothing
                row = weights[at + i * m : at + i * m + m]
                for j in range(m):
                    out[j] += x * row[j]
        if layer < len(sizes) - 2:
            for j in range(m):
                out[j] = max(out[j], np.float32(0))
        at += n * m + m
        here = 1 - here
    return here


@njit
def judge(s, seat, net, rows, legal, n, values):
    """What a net says of the legal actions (-inf where it has no output), and the best of them.

    Of several actions with one output the first stands for all; the last action where the net knows none.
    """
    coding, weights, sizes, starts = net
    which = network(s, coding)
    encode(s, seat, coding, rows[0])
    out = rows[forward(weights, sizes[which], starts[which], rows)]
    best = n - 1
    highest = NOWHERE
    for i in range(n):
        place = unit(s, coding, legal[i])
        values[i] = out[place] if place >= 0 else NOWHERE
        if values[i] > highest:
            highest = values[i]
            best = i
    return best


@njit
def choose(pool, seat, net, rows, legal, values):
    """The action a net prefers in a view; its place among the legal ones, which stand in `legal`."""
    n = kernel.legal(pool[0], legal)
    return judge(pool[0], seat, net, rows, legal, n, values)


@njit
def read(pool, seat, coding, out):
    """The inputs of a net, and which of the coding's nets they are for."""
    encode(pool[0], seat, coding, out)
    return network(pool[0], coding)


@njit
def output_of(pool, coding, action):
    """The output that stands for an action, or -1."""
    return unit(pool[0], coding, action)


# --- Games to learn from ------------------------------------------------------------------------


@njit
def epsilon(explore, turns):
    """How often a learner plays anything at all, after so many turns: first, step, least."""
    return max(explore[2], explore[0] - explore[1] * turns)


@njit
def answer(s, seat, kind, chance, draws, net, rows, legal, n, values):
    """What a player of some kind does with the legal actions `legal[:n]`; `net` is what it plays by, if by any."""
    if kind == RANDOM:
        return legal[below(chance, draws, n)]
    if kind == SCRIPTED:
        return scripted(s, seat, stream(chance, 2 + draws), legal, n)
    return legal[judge(s, seat, net, rows, legal, n, values)]


@njit
def begin(pool, seed, game, seats):
    """Deal a game and forget the one before; the number all its chance comes from."""
    chance = stream(seed, game)
    kernel.deal(pool[0], stream(chance, 1))
    seats[0][:] = -1
    return chance


@njit
def play_on(pool, chance, draws, who, nets, explore, scheme, memory, count, seats, room, limit):
    """Play on until the learners have had `limit` turns more, or the game is over, and remember these turns.

    `who` are the kinds of players by seat, `nets` the learner's and the other's.  `memory` is a ring: inputs,
    outputs of the actions chosen, rewards, returns, the place of the same seat's next turn (-1: it was the
    last), flags of the legal outputs.  `seats` are the turn each seat had last, whose reward and next turn are
    still to come, and what it was worth.  `count` turns were remembered before, `draws` numbers drawn in
    this game; returns both as they are now.
    """
    inputs, chosen, rewards, _, following, masks = memory
    learner, other = nets
    last, stood = seats
    rows, legal, values = room
    places = len(inputs)
    s = pool[0]
    limit += count
    while not kernel.over(s) and count < limit:
        seat = s.turn
        kind = who[seat]
        n = kernel.legal(s, legal)
        if kind != LEARNER:
            action = answer(s, seat, kind, chance, draws, other, rows, legal, n, values)
        else:
            here = count % places
            best = judge(s, seat, learner, rows, legal, n, values)
            encode(s, seat, learner[0], inputs[here])
            if below(chance, draws, _FINE) < epsilon(explore, count) * _FINE:
                best = below(chance, draws + 1, n)
                draws += 1
            action = legal[best]
            masks[here] = 0
            for i in range(n):
                place = unit(s, learner[0], legal[i])
                if place >= 0:
                    masks[here, place] = 1
            chosen[here] = unit(s, learner[0], action)
            following[here] = -1
            value = worth(s, seat, scheme)
            rewards[here] = bonus(s, seat, scheme, action)
            if last[seat] >= 0:
                following[last[seat] % places] = here
                rewards[last[seat] % places] += value - stood[seat]
            last[seat] = count
            stood[seat] = value
            count += 1
        draws += 1
        kernel.apply(s, action)
    return count, draws


@njit
def settle(pool, scheme, gamma, memory, began, count, seats):
    """When a game is over: the last rewards of the turns since `began`, and what came of each in all."""
    _, _, rewards, returns, following, _ = memory
    last, stood = seats
    places = len(rewards)
    for seat in range(len(last)):
        if last[seat] >= 0:
            rewards[last[seat] % places] += worth(pool[0], seat, scheme) - stood[seat]
            last[seat] = -1
    for turn in range(count - 1, began - 1, -1):
        here = turn % places
        returns[here] = rewards[here]
        if following[here] >= 0:
            returns[here] += gamma * returns[following[here]]


@njit
def is_over(pool):
    """Whether the game on a table is."""
    return kernel.over(pool[0])


@njit
def measure(pool, seed, who, learner, other, totals, rows, legal, values):
    """Play whole games, without exploring; adds scores and payoffs of every game to `totals`."""
    seats = who.shape[1]
    score = np.zeros(seats, np.int64)
    gain = np.zeros(seats)
    s = pool[0]
    for game in range(len(who)):
        chance = stream(seed, game)
        kernel.deal(s, stream(chance, 1))
        draws = 0
        while not kernel.over(s):
            seat = s.turn
            kind = who[game, seat]
            n = kernel.legal(s, legal)
            net = learner if kind == LEARNER else other
            action = answer(s, seat, kind, chance, draws, net, rows, legal, n, values)
            draws += 1
            kernel.apply(s, action)
        kernel.scores(s, score)
        kernel.payoff(s, gain)
        for seat in range(seats):
            totals[game, seat, 0] = score[seat]
            totals[game, seat, 1] = gain[seat]
