"""Sarsa as compiled players: one that plays by the value of after-states, and one that learns it while playing."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bolicho.agents import kernel as players
from bolicho.agents.compiled.rewards import game_part, scheme_value
from bolicho.agents.sarsa.compiled.after import BY_POINTS, OVER, after_features
from bolicho.games import kernel
from bolicho.games.compiled.chance import below, stream, uniform
from bolicho.games.jit import njit
from bolicho.games.kernel import implements

ASKED, TRIED = range(2)  # records of `pool`: the evaluated position, and a work record
CHOICE, WORLDS = range(2)  # streams of a decision's luck


class Valuing(NamedTuple):
    """Sarsa player: a linear value of after-states, and work arrays."""

    weights: NDArray[np.float64]
    perfect: bool  # True if it sees the full state
    worlds: int  # number of worlds drawn from the view, where after-states are not described; 0: none
    pool: NDArray[np.void]
    legal: NDArray[np.int16]
    index: NDArray[np.int32]  # nonzero features of an after-state: indices ...
    value: NDArray[np.float32]  # ... and values
    payoffs: NDArray[np.float64]
    points: NDArray[np.int64]
    action_values: NDArray[np.float64]  # value of each legal action


@njit
def value_of(weights, index, value, n):
    """Return the linear value of features."""
    total = 0.0
    for i in range(n):
        total += weights[index[i]] * value[i]
    return total


@njit
def action_value(player, seat, action):
    """Return the value of an action in the position `pool[ASKED]`, and its number of features (OVER: none)."""
    pool = player.pool
    n = after_features(pool[ASKED], pool, seat, action, player.perfect, player.index, player.value)
    if n == OVER:
        kernel.payoff(pool[TRIED], player.payoffs)
        return player.payoffs[seat], n
    return value_of(player.weights, player.index, player.value, n), n


@njit
def value_all(player, view, seat, luck, worlds):
    """Write the average value of each legal action over `worlds`; return the number of actions.

    The last world, or the view, stays in `pool[ASKED]`.
    """
    n = kernel.legal(view, player.legal)
    player.action_values[:n] = 0
    for world in range(max(1, worlds)):
        player.pool[ASKED] = view
        if worlds:
            kernel.redeal(player.pool[ASKED], seat, stream(luck, world))
        for i in range(n):
            player.action_values[i] += action_value(player, seat, player.legal[i])[0] / max(1, worlds)
    return n


@implements(players.decide, Valuing)
@njit
def decide(player, memory, view, seat, luck):
    n = value_all(player, view, seat, stream(luck, WORLDS), player.worlds)
    return player.legal[np.argmax(player.action_values[:n])]


# --- For explanations ---------------------------------------------------------------------------


@njit
def ask_all(player, pool, seat, luck):
    """Call `value_all` like `decide`, from Python."""
    return value_all(player, pool[0], seat, stream(luck, WORLDS), player.worlds)


@njit
def ask_value(player, seat, action):
    """Call `action_value` from Python."""
    return action_value(player, seat, action)


# --- Learning -----------------------------------------------------------------------------------


class Learner(NamedTuple):
    """Learner in self-play, updated after every choice; from game `half` on its weights are summed up in `mean`."""

    own: Valuing
    epsilon: float
    gamma: float
    alpha: float
    fade: int
    half: int
    scheme: int  # reward scheme, or BY_POINTS
    mean: NDArray[np.float64]
    games: NDArray[np.int64]  # number of finished games


def last_after_state(size):
    """Return the memory of a seat: features, the reward so far, and the part of the game of its last after-state."""
    fields = [("stood", "f8"), ("part", "i8"), ("held", "i8"), ("index", "i4", (size,)), ("value", "f4", (size,))]
    return np.dtype(fields, align=True)


@implements(players.forget, Learner)
@njit
def forget(player, memory, seat):
    memory.held = 0


@implements(players.decide, Learner)
@njit
def decide_and_learn(player, memory, view, seat, luck):
    own = player.own
    n = value_all(own, view, seat, stream(luck, WORLDS), min(1, own.worlds))
    chance = stream(luck, CHOICE)
    best = below(chance, 1, n) if uniform(chance, 0) < player.epsilon else np.argmax(own.action_values[:n])
    action = own.legal[best]
    value, size = action_value(own, seat, action)
    stands, now = standing(player, view, seat), game_part(view)
    learn(player, memory, stands + (player.gamma * value if memory.part == now else 0.0))
    memory.stood = stands
    memory.part = now
    memory.held = max(0, size)
    for i in range(memory.held):
        memory.index[i] = own.index[i]
        memory.value[i] = own.value[i]
    return action


@implements(players.finish, Learner)
@njit
def finish(player, memory, view, seat):
    own = player.own
    learn(player, memory, standing(player, view, seat))
    if seat == len(own.payoffs) - 1:  # the learner has all seats, and they end in order
        if player.games[0] >= player.half:
            for i in range(len(own.weights)):
                player.mean[i] += own.weights[i]
        player.games[0] += 1


@njit
def learn(player, memory, target):
    """Move the value of the seat's last after-state towards its target."""
    if memory.held > 0:
        weights, index, value, n = player.own.weights, memory.index, memory.value, memory.held
        step = player.alpha / (1 + player.games[0] / player.fade)
        update(weights, index, value, n, step * (target - memory.stood - value_of(weights, index, value, n)))


@njit
def standing(player, s, seat):
    """Return the reward of a seat so far."""
    own = player.own
    if player.scheme != BY_POINTS:
        return scheme_value(s, seat, player.scheme)
    if kernel.over(s):
        kernel.payoff(s, own.payoffs)
        return own.payoffs[seat]
    return lead(s, seat, own.points)


@njit
def lead(s, seat, points):
    """Return the lead of a seat over the mean of the others."""
    kernel.scores(s, points)
    total = 0
    for i in range(len(points)):
        total += points[i]
    return points[seat] - (total - points[seat]) / (len(points) - 1)


@njit
def update(weights, index, value, n, change):
    """Move the value of some features by `change`, shared among the active ones."""
    norm = 0.0
    for i in range(n):
        norm += value[i] * value[i]
    for i in range(n):
        weights[index[i]] += change * value[i] / norm
