"""Random play: the value of a position by playouts, and random games in bulk."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bolicho.agents.search.compiled import playout as compiled
from bolicho.games.game import Game, Pool

SLICE = 4096  # games between chances for Ctrl-C


@dataclass(frozen=True)
class Played:
    """What came of random play: games, choices made, and the mean payoff of each seat."""

    games: int
    steps: int
    payoffs: NDArray[np.float64]


def play_out(game: Game, pool: Pool, n: int, seed: int) -> Played:
    """Play the position `pool[0]`, all of it known, to its end `n` times at random."""
    work = np.concatenate([pool[:1], pool[:1]])
    legal, payoffs, totals = _buffers(game)
    steps = compiled.playouts(work, n, legal, np.uint64(seed), payoffs, totals)
    return Played(n, steps, totals / n)


def play_random_games(game: Game, n: int, seed: int) -> Played:
    """Deal `n` games and play them at random: what `bolicho bench` times."""
    pool = game.deal(0).pool
    legal, payoffs, totals = _buffers(game)
    steps = 0
    for first in range(0, n, SLICE):
        count = min(SLICE, n - first)
        steps += compiled.random_games(pool, first, count, legal, np.uint64(seed), payoffs, totals)
    return Played(n, steps, totals / n)


def _buffers(game: Game) -> tuple[NDArray[np.int16], NDArray[np.float64], NDArray[np.float64]]:
    return np.zeros(game.num_actions, np.int16), np.zeros(game.seats), np.zeros(game.seats)
