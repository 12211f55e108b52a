"""Random play, compiled."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bolicho.agents import kernel as players
from bolicho.games import kernel
from bolicho.games.compiled.chance import below
from bolicho.games.jit import njit
from bolicho.games.kernel import implements


class RandomPlayer(NamedTuple):
    """Player of any game; `legal` is a work array."""

    legal: NDArray[np.int16]


@implements(players.decide, RandomPlayer)
@njit
def decide(player, memory, view, seat, luck):
    return player.legal[below(luck, 0, kernel.legal(view, player.legal))]


@implements(players.mixture, RandomPlayer)
@njit
def mixture(player, memory, view, seat, out):
    n = kernel.legal(view, player.legal)
    out[:n] = 1 / n
    return n
