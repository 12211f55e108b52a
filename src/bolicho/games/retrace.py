"""A game played again by the numbers of its actions, in one compiled call."""

from collections.abc import Sequence

import numpy as np

from bolicho.games import kernel
from bolicho.games.game import Game, Pool
from bolicho.games.jit import njit


def retrace(game: Game, seed: int, actions: Sequence[int]) -> Pool:
    """The positions of the game of that seed: before each action, and after the last that is legal.

    An action that is not legal ends it, so there are fewer than `len(actions) + 1` of them then.
    """
    room = bytearray((len(actions) + 1) * game.record_size)
    room[: game.record_size] = game._blank.tobytes()  # an assignment would go field by field
    states = np.frombuffer(room, game.dtype)
    numbers, legal = np.array(actions, np.int64), np.zeros(game.num_actions, np.int16)
    played: int = _walk(states, np.uint64(seed), numbers, legal)
    return states[: played + 1]


@njit
def _walk(states, seed, actions, legal):  # type: ignore[no-untyped-def]  # compiled
    kernel.deal(states[0], seed)
    for i in range(actions.shape[0]):
        count = kernel.legal(states[i], legal)
        known = False
        for j in range(count):
            known = known or legal[j] == actions[i]
        if not known:
            return i
        states[i + 1] = states[i]
        kernel.apply(states[i + 1], actions[i])
    return actions.shape[0]
