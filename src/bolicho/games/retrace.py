"""Replay of a game by action numbers in one compiled call, and counts of its players' behaviours."""

import numpy as np
from numpy.typing import NDArray

from bolicho.games import kernel
from bolicho.games.game import Game
from bolicho.games.jit import njit
from bolicho.games.kind import Pool
from bolicho.games.tables import Moves


def retrace(game: Game, seed: int, actions: Moves) -> Pool:
    """Return the positions of the game of a seed: before each action, and after the last legal one.

    An illegal action ends the replay, which then has fewer than `len(actions) + 1` positions.
    """
    room = bytearray((len(actions) + 1) * game.record_size)
    room[: game.record_size] = game._blank.tobytes()  # an assignment would copy field by field
    states = np.frombuffer(room, game.dtype)
    numbers, legal = np.array(actions, np.int64), np.zeros(game.num_actions, np.int16)
    played: int = _walk(states, np.uint64(seed), numbers, legal)
    return states[: played + 1]


def behaviours(game: Game, states: Pool, actions: Moves) -> NDArray[np.int64]:
    """Return the behaviours in a retraced game: (seat, behaviour, times and opportunities), see `kernel.behave`."""
    out = np.zeros((game.seats, len(game.kind.behaviours), 2), np.int64)
    if out.size:
        _count(states, np.array(actions[: len(states) - 1], np.int64), np.zeros(game.num_actions, np.int16), out)
    return out


@njit
def _count(states, actions, legal, out):  # type: ignore[no-untyped-def]  # compiled
    for i in range(actions.shape[0]):
        count = kernel.legal(states[i], legal)
        kernel.behave(states[i], legal[:count], actions[i], states[i + 1], out)


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
