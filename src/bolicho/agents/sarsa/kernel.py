"""The compiled loops of Sarsa: self-play, and matches against random play.

Every game of a training has its own stream of chance, so a training can stop and go on.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bolicho.agents.sarsa.after import OVER, after_features
from bolicho.games import kernel
from bolicho.games.chance import below, mix, stream
from bolicho.games.jit import njit

ASKED, TRIED, GAME = 0, 1, 2
POOL = 3

# The streams of a game: its deal, its worlds, its choices.
DEAL, WORLDS, CHOICES = range(3)
CHANCES = 1 << 24  # steps of a probability


class Work(NamedTuple):
    """What the loops work in.  Three records: the position features are asked of, one to try in, and the game."""

    pool: NDArray[np.void]
    legal: NDArray[np.int16]
    index: NDArray[np.int32]  # the features of an after-state that are not zero: which they are, ...
    value: NDArray[np.float32]  # ... and how much
    payoffs: NDArray[np.float64]
    points: NDArray[np.int64]
    before: NDArray[np.int32]  # by seat, the same of its last after-state ...
    kept: NDArray[np.float32]
    held: NDArray[np.int64]  # ... and how many


class How(NamedTuple):
    """How positions are looked at: with everything open, or in worlds drawn from the view."""

    perfect: bool
    drawn: bool


class Learning(NamedTuple):
    """How values are learned; from game `half` on the weights are summed up."""

    epsilon: float
    gamma: float
    alpha: float
    fade: int
    half: int
    by_points: bool


@njit
def value_of(weights, index, value, n):
    """The linear value of features."""
    total = 0.0
    for i in range(n):
        total += weights[index[i]] * value[i]
    return total


@njit
def action_value(work, how, weights, seat, action):
    """What an action is worth in the position `pool[ASKED]`, and its number of features (OVER: none)."""
    n = after_features(work.pool, seat, action, how.perfect, work.index, work.value)
    if n == OVER:
        kernel.payoff(work.pool[TRIED], work.payoffs)
        return work.payoffs[seat], n
    return value_of(weights, work.index, work.value, n), n


@njit
def ask(pool, how, seat, seed):
    """Put what the seat knows of the game into `pool[ASKED]`."""
    pool[ASKED] = pool[GAME]
    if not how.perfect:
        kernel.hide(pool[ASKED], seat)
        if how.drawn:
            kernel.redeal(pool[ASKED], seat, seed)


@njit
def best_action(work, how, weights, seat, count):
    """The first of the legal actions that are worth most."""
    best, chosen = -np.inf, work.legal[0]
    for i in range(count):
        worth, _ = action_value(work, how, weights, seat, work.legal[i])
        if worth > best:
            best, chosen = worth, work.legal[i]
    return chosen


@njit
def lead(s, seat, points):
    """How far a seat is ahead of the mean of the others."""
    kernel.scores(s, points)
    total = 0
    for i in range(len(points)):
        total += points[i]
    return points[seat] - (total - points[seat]) / (len(points) - 1)


@njit
def update(weights, index, value, n, change):
    """Move the value of some features by `change`, shared among those that are on."""
    norm = 0.0
    for i in range(n):
        norm += value[i] * value[i]
    for i in range(n):
        weights[index[i]] += change * value[i] / norm


@njit
def self_play(work, how, weights, mean, learning, seed, first, count):
    """Play games `first` .. `first + count - 1` against oneself, learning after every choice."""
    pool, before, kept, held = work.pool, work.before, work.kept, work.held
    seats = len(work.payoffs)
    leads = np.zeros(seats)
    for game in range(first, first + count):
        own = stream(seed, game)
        step = learning.alpha / (1 + game / learning.fade)
        kernel.deal(pool[GAME], stream(own, DEAL))
        held[:] = 0
        ply = 0
        while not kernel.over(pool[GAME]):
            seat = pool[GAME].turn
            n = kernel.legal(pool[GAME], work.legal)
            ask(pool, how, seat, stream(stream(own, WORLDS), ply))
            chance = stream(own, CHOICES)
            if below(chance, 2 * ply, CHANCES) < learning.epsilon * CHANCES:
                action = work.legal[below(chance, 2 * ply + 1, n)]
            else:
                action = best_action(work, how, weights, seat, n)
            worth, size = action_value(work, how, weights, seat, action)
            ahead = lead(pool[GAME], seat, work.points) if learning.by_points else 0.0
            if held[seat] > 0:
                old = value_of(weights, before[seat], kept[seat], held[seat])
                change = ahead - leads[seat] + learning.gamma * worth - old
                update(weights, before[seat], kept[seat], held[seat], step * change)
            leads[seat] = ahead
            held[seat] = max(0, size)
            for i in range(held[seat]):
                before[seat, i] = work.index[i]
                kept[seat, i] = work.value[i]
            kernel.apply(pool[GAME], action)
            ply += 1
        kernel.payoff(pool[GAME], work.payoffs)
        for seat in range(seats):
            if held[seat] > 0:
                old = value_of(weights, before[seat], kept[seat], held[seat])
                change = work.payoffs[seat] - leads[seat] - old
                update(weights, before[seat], kept[seat], held[seat], step * change)
        if game >= learning.half:
            for i in range(len(weights)):
                mean[i] += weights[i]


@njit
def against_random(work, how, weights, count, seed, won):
    """Play `count` deals, each from every seat, against random play; add the points won and lost to `won`."""
    pool, legal = work.pool, work.legal
    seats = len(work.payoffs)
    for deal in range(count):
        own = stream(seed, deal)
        for me in range(seats):
            kernel.deal(pool[GAME], stream(own, DEAL))
            ply = 0
            while not kernel.over(pool[GAME]):
                n = kernel.legal(pool[GAME], legal)
                if pool[GAME].turn == me:
                    ask(pool, how, me, stream(stream(own, WORLDS), ply))
                    action = best_action(work, how, weights, me, n)
                else:
                    action = legal[below(mix(stream(own, CHOICES) + np.uint64(me)), ply, n)]
                kernel.apply(pool[GAME], action)
                ply += 1
            kernel.scores(pool[GAME], work.points)
            for seat in range(seats):
                won[deal, 0 if seat == me else 1] += work.points[seat]


@njit
def ask_value(work, how, weights, seat, action):
    """`action_value` for Python."""
    return action_value(work, how, weights, seat, action)
