"""The compiled loops of Sarsa: self-play, and matches against random play.

`pool` has four records: the position the features are asked of, two to work in, and the game.
Every game of a training has its own stream of chance, so a training can stop and go on.
"""

import numpy as np

from bolicho.agents.sarsa.after import OVER, after_features
from bolicho.games import kernel
from bolicho.games.chance import below, mix, stream
from bolicho.games.jit import njit

ASKED, WORK, GAME = 0, 1, 2
POOL = 3

# The streams of a game: its deal, its worlds, its choices.
DEAL, WORLDS, CHOICES = range(3)
CHANCES = 1 << 24  # steps of a probability


@njit
def value_of(weights, index, value, n):
    """The linear value of features."""
    total = 0.0
    for i in range(n):
        total += weights[index[i]] * value[i]
    return total


@njit
def action_value(pool, weights, seat, action, perfect, index, value, payoffs):
    """What an action is worth in the position `pool[ASKED]`, and its number of features (OVER: none)."""
    n = after_features(pool, seat, action, perfect, index, value)
    if n == OVER:
        kernel.payoff(pool[WORK], payoffs)
        return payoffs[seat], n
    return value_of(weights, index, value, n), n


@njit
def ask(pool, seat, perfect, drawn, seed):
    """Put what the seat knows of the game into `pool[ASKED]`; `drawn` completes it to a world."""
    pool[ASKED] = pool[GAME]
    if not perfect:
        kernel.hide(pool[ASKED], seat)
        if drawn:
            kernel.redeal(pool[ASKED], seat, seed)


@njit
def best_action(pool, weights, seat, legal, count, perfect, index, value, payoffs):
    """The first of the legal actions that are worth most."""
    best, chosen = -np.inf, legal[0]
    for i in range(count):
        worth, _ = action_value(pool, weights, seat, legal[i], perfect, index, value, payoffs)
        if worth > best:
            best, chosen = worth, legal[i]
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
def self_play(
    pool, weights, mean, first, count, half, seed, perfect, drawn, by_points,
    epsilon, gamma, alpha, fade, legal, index, value, before, kept, held, payoffs, points,
):  # fmt: skip
    """Play games `first` .. `first + count - 1` against oneself, learning after every choice.

    `before`, `kept` and `held` are what each seat's last after-state was: its features, and how many.
    From game `half` on the weights are summed into `mean`.
    """
    seats = len(payoffs)
    leads = np.zeros(seats)
    for game in range(first, first + count):
        own = stream(seed, game)
        step = alpha / (1 + game / fade)
        kernel.deal(pool[GAME], stream(own, DEAL))
        held[:] = 0
        ply = 0
        while not kernel.over(pool[GAME]):
            seat = pool[GAME].turn
            n = kernel.legal(pool[GAME], legal)
            ask(pool, seat, perfect, drawn, stream(stream(own, WORLDS), ply))
            chance = stream(own, CHOICES)
            if below(chance, 2 * ply, CHANCES) < epsilon * CHANCES:
                action = legal[below(chance, 2 * ply + 1, n)]
            else:
                action = best_action(pool, weights, seat, legal, n, perfect, index, value, payoffs)
            worth, size = action_value(pool, weights, seat, action, perfect, index, value, payoffs)
            ahead = lead(pool[GAME], seat, points) if by_points else 0.0
            if held[seat] > 0:
                old = value_of(weights, before[seat], kept[seat], held[seat])
                change = ahead - leads[seat] + gamma * worth - old
                update(weights, before[seat], kept[seat], held[seat], step * change)
            leads[seat] = ahead
            held[seat] = max(0, size)
            for i in range(held[seat]):
                before[seat, i] = index[i]
                kept[seat, i] = value[i]
            kernel.apply(pool[GAME], action)
            ply += 1
        kernel.payoff(pool[GAME], payoffs)
        for seat in range(seats):
            if held[seat] > 0:
                old = value_of(weights, before[seat], kept[seat], held[seat])
                update(weights, before[seat], kept[seat], held[seat], step * (payoffs[seat] - leads[seat] - old))
        if game >= half:
            for i in range(len(weights)):
                mean[i] += weights[i]


@njit
def against_random(pool, weights, count, seed, perfect, drawn, legal, index, value, payoffs, points, won):
    """Play `count` deals, each from every seat, against random play; add the points won and lost to `won`."""
    seats = len(payoffs)
    for deal in range(count):
        own = stream(seed, deal)
        for me in range(seats):
            kernel.deal(pool[GAME], stream(own, DEAL))
            ply = 0
            while not kernel.over(pool[GAME]):
                n = kernel.legal(pool[GAME], legal)
                if pool[GAME].turn == me:
                    ask(pool, me, perfect, drawn, stream(stream(own, WORLDS), ply))
                    action = best_action(pool, weights, me, legal, n, perfect, index, value, payoffs)
                else:
                    action = legal[below(mix(stream(own, CHOICES) + np.uint64(me)), ply, n)]
                kernel.apply(pool[GAME], action)
                ply += 1
            kernel.scores(pool[GAME], points)
            for seat in range(seats):
                won[deal, 0 if seat == me else 1] += points[seat]


@njit
def ask_value(pool, weights, seat, action, perfect, index, value, payoffs):
    """`action_value` for Python."""
    return action_value(pool, weights, seat, action, perfect, index, value, payoffs)
