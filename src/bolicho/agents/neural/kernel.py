"""Compiled: a net's answer, an agent's choice, and games played to learn from.

A net is (coding, weights, sizes, starts): all its numbers in one array, a layer as the matrix of
(inputs, outputs) and then its biases; `sizes[k]` are the widths of the layers of the k-th net and
`starts[k]` where it begins.  So one array can be shared with whoever trains it.
"""

import numpy as np

from bolicho.agents.neural import wonders  # registers the codings of 7 Wonders
from bolicho.agents.neural.codings import bonus, encode, network, scripted, unit, worth
from bolicho.games import kernel
from bolicho.games.chance import below, stream
from bolicho.games.jit import njit

__all__ = ["wonders"]

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
def play_games(pool, seed, who, learner, other, explore, turns, scheme, gamma, memory, count, rows, legal, values):
    """Play a game for each row of `who` (kinds of players by seat) and remember the learners' turns.

    `memory` is a ring: inputs, outputs of the actions chosen, rewards, returns, the place of the
    same seat's next turn (-1: it was the last), flags of the legal outputs.  `count` turns were
    remembered before; returns how many are now.  All chance comes from `seed`.
    """
    inputs, chosen, rewards, returns, following, masks = memory
    room = len(inputs)
    seats = who.shape[1]
    last = np.empty(seats, np.int64)
    stood = np.empty(seats)
    s = pool[0]
    for game in range(len(who)):
        chance = stream(seed, game)
        kernel.deal(s, stream(chance, 1))
        draws = 0
        began = count
        last[:] = -1
        while not kernel.over(s):
            seat = s.turn
            kind = who[game, seat]
            n = kernel.legal(s, legal)
            if kind == RANDOM:
                action = legal[below(chance, draws, n)]
            elif kind == SCRIPTED:
                action = scripted(s, seat, stream(chance, 2 + draws), legal, n)
            elif kind == OTHER:
                action = legal[judge(s, seat, other, rows, legal, n, values)]
            else:
                here = count % room
                count += 1
                best = judge(s, seat, learner, rows, legal, n, values)
                encode(s, seat, learner[0], inputs[here])
                if below(chance, draws, _FINE) < epsilon(explore, turns) * _FINE:
                    best = below(chance, draws + 1, n)
                    draws += 1
                turns += 1
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
                    following[last[seat]] = here
                    rewards[last[seat]] += value - stood[seat]
                last[seat] = here
                stood[seat] = value
            draws += 1
            kernel.apply(s, action)
        for seat in range(seats):
            if last[seat] >= 0:
                rewards[last[seat]] += worth(s, seat, scheme) - stood[seat]
        for turn in range(count - 1, began - 1, -1):
            here = turn % room
            returns[here] = rewards[here]
            if following[here] >= 0:
                returns[here] += gamma * returns[following[here]]
    return count


@njit
def measure(pool, seed, who, learner, other, totals, rows, legal, values):
    """Play as in `play_games`, without exploring; adds scores and payoffs of every game to `totals`."""
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
            if kind == RANDOM:
                action = legal[below(chance, draws, n)]
            elif kind == SCRIPTED:
                action = scripted(s, seat, stream(chance, 2 + draws), legal, n)
            elif kind == OTHER:
                action = legal[judge(s, seat, other, rows, legal, n, values)]
            else:
                action = legal[judge(s, seat, learner, rows, legal, n, values)]
            draws += 1
            kernel.apply(s, action)
        kernel.scores(s, score)
        kernel.payoff(s, gain)
        for seat in range(seats):
            totals[game, seat, 0] = score[seat]
            totals[game, seat, 1] = gain[seat]
