"""Player that draws from a learned mixture, compiled."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bolicho.agents import kernel as players
from bolicho.agents.cfr.compiled.hashing import fold_event
from bolicho.agents.cfr.compiled.table import shape_of
from bolicho.agents.cfr.kernel import choices, key
from bolicho.agents.compiled.mixtures import draw, spread_mixture
from bolicho.games.compiled.chance import uniform
from bolicho.games.jit import njit, rule
from bolicho.games.kernel import implements

PAST = np.dtype([("past", "u8")])
"""Memory: a hash of all events that the seat saw."""

FULL = 255  # total of a mixture's shares
NOT_SEEN = -1  # situation that training did not meet


class Mixing(NamedTuple):
    """Learned mixtures by key, and work arrays."""

    abstraction: Any
    keys: NDArray[np.uint64]  # ascending
    shapes: NDArray[np.uint8]  # low bits of a hash of the choices
    first: NDArray[np.int64]
    mixtures: NDArray[np.uint8]  # shares in units of 1 / FULL
    actions: NDArray[np.int16]
    labels: NDArray[np.int16]
    legal: NDArray[np.int16]
    chances: NDArray[np.float64]


@rule
def look_up(player, own, n):
    """Return the number of the situation with this key and `n` choices, or NOT_SEEN."""
    low, high = 0, len(player.keys)
    while low < high:
        middle = (low + high) >> 1
        if player.keys[middle] < own:
            low = middle + 1
        else:
            high = middle
    if low == len(player.keys) or player.keys[low] != own:
        return NOT_SEEN
    same = player.first[low + 1] - player.first[low] == n and player.shapes[low] == shape_of(player.labels, n) & 255
    return low if same else NOT_SEEN


@rule
def mix_here(player, memory, view, seat):
    """Write the choices and their probabilities; return their number and the number of the situation.

    Situations not met in training are played at random.
    """
    n = choices(player.abstraction, view, seat, player.actions, player.labels)
    number = look_up(player, key(player.abstraction, view, seat, memory.past), n)
    for i in range(n):
        player.chances[i] = 1 / n
        if number != NOT_SEEN:
            player.chances[i] = player.mixtures[player.first[number] + i] / FULL
    return n, number


@implements(players.forget, Mixing)
@njit
def forget(player, memory, seat):
    memory.past = 0


@implements(players.observe, Mixing)
@njit
def observe(player, memory, event, seat):
    memory.past = fold_event(memory.past, event)


@implements(players.decide, Mixing)
@njit
def decide(player, memory, view, seat, luck):
    n, _ = mix_here(player, memory, view, seat)
    return player.actions[draw(player.chances, n, uniform(luck, 0))]


@implements(players.mixture, Mixing)
@njit
def mixture(player, memory, view, seat, out):
    n, _ = mix_here(player, memory, view, seat)
    return spread_mixture(view, player.actions, player.chances, n, player.legal, out)


@njit
def situation(player, memory, pool, seat):
    """Return the number of the situation of a view, for explanations."""
    return mix_here(player, memory[0], pool[0], seat)[1]
