"""Replay of a game by action numbers in one compiled call."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bolicho.games import kernel
from bolicho.games.game import Game
from bolicho.games.jit import njit
from bolicho.games.kind import Pool
from bolicho.games.tables import Moves


class Retraced(NamedTuple):
    """A game that was played again; an illegal action ends it, so that there are fewer positions."""

    states: Pool  # before each action, and after the last legal one
    scores: NDArray[np.int64]  # by seat, in the last position
    payoffs: NDArray[np.float64]  # by seat; not a number in a game that is not over
    did: NDArray[np.int64]  # (seat, behaviour, times and opportunities), see `kernel.behave`


def retrace(game: Game, seed: int, actions: Moves) -> Retraced:
    """Play the game of a seed again."""
    states: Pool = np.frombuffer(bytearray(game.blank_bytes * (len(actions) + 1)), game.dtype)
    numbers, legal = np.array(actions, np.int16), np.zeros(game.num_actions, np.int16)
    scores, payoffs = np.zeros(game.seats, np.int64), np.full(game.seats, np.nan)
    did = np.zeros((game.seats, len(game.kind.behaviours), 2), np.int64)
    played: int = _walk(states, np.uint64(seed), numbers, legal, scores, payoffs, did)
    return Retraced(states[: played + 1], scores, payoffs, did)


@njit
def _walk(states, seed, actions, legal, scores, payoffs, did):  # type: ignore[no-untyped-def]  # compiled
    kernel.deal(states[0], seed)
    last = 0
    for i in range(actions.shape[0]):
        count = kernel.legal(states[i], legal)
        known = False
        for j in range(count):
            known = known or legal[j] == actions[i]
        if not known:
            break
        states[i + 1] = states[i]
        kernel.apply(states[i + 1], actions[i])
        if did.shape[1] > 0:
            kernel.behave(states[i], legal[:count], actions[i], states[i + 1], did)
        last = i + 1
    kernel.scores(states[last], scores)
    if kernel.over(states[last]):
        kernel.payoff(states[last], payoffs)
    return last
