"""Player whose mixture is estimated from many answers of another one; compiled."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bolicho.agents import kernel as players
from bolicho.games import kernel
from bolicho.games.compiled.chance import stream
from bolicho.games.jit import njit
from bolicho.games.kernel import implements


class Answers(NamedTuple):
    """A player, and the luck of its answers: the same numbers in every situation."""

    asked: Any
    memory: NDArray[Any]  # work record, since a decision may take notes
    legal: NDArray[np.int16]
    times: int
    seed: np.uint64


@implements(players.decide, Answers)
@njit
def decide(player, memory, view, seat, luck):
    return players.decide(player.asked, memory, view, seat, luck)


@implements(players.observe, Answers)
@njit
def observe(player, memory, event, seat):
    players.observe(player.asked, memory, event, seat)


@implements(players.forget, Answers)
@njit
def forget(player, memory, seat):
    players.forget(player.asked, memory, seat)


@implements(players.mixture, Answers)
@njit
def mixture(player, memory, view, seat, out):
    n = kernel.legal(view, player.legal)
    for a in range(n):
        out[a] = 0.0
    for i in range(player.times):
        player.memory[0] = memory
        chosen = players.decide(player.asked, player.memory[0], view, seat, stream(player.seed, i))
        for a in range(n):
            if player.legal[a] == chosen:
                out[a] += 1.0 / player.times
    return n
