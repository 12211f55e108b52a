"""The player that draws from a learned mixture, compiled."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bolicho.agents import kernel as players
from bolicho.agents.cfr.compiled.hashing import fold_event
from bolicho.agents.cfr.compiled.table import shape_of
from bolicho.agents.cfr.kernel import choices, key
from bolicho.agents.compiled.mixtures import draw, tell
from bolicho.games.compiled.chance import uniform
from bolicho.games.jit import njit, rule
from bolicho.games.kernel import implements

PAST = np.dtype([("past", "u8")])
"""What it remembers: a hash of all it saw happen."""

FULL = 255  # of a mixture
NOT_SEEN = -1  # a situation that training did not meet


class Mixing(NamedTuple):
    """What was learned, by key, and room to work in."""

    abstraction: Any
    keys: NDArray[np.uint64]  # ascending
    shapes: NDArray[np.uint8]  # the last bits of a hash of the choices
    first: NDArray[np.int64]
    mixtures: NDArray[np.uint8]  # shares of FULL
    actions: NDArray[np.int16]
    labels: NDArray[np.int16]
    legal: NDArray[np.int16]
    chances: NDArray[np.float64]


@rule
def look_up(player, own, n):
    """The number of the situation of a key with `n` choices, or NOT_SEEN."""
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
    """Write the choices and the chance of each; how many, and the number of the situation.

    What was not seen in training is played at random.
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
    return tell(view, player.actions, player.chances, n, player.legal, out)


@njit
def situation(player, memory, pool, seat):
    """The number of the situation of a view, for explanations."""
    return mix_here(player, memory[0], pool[0], seat)[1]
