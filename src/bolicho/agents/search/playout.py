"""Random playouts: the value of a position by random play."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bolicho.agents.search.compiled import playout as compiled
from bolicho.games.game import Game
from bolicho.games.kind import Pool


@dataclass(frozen=True)
class PlayoutResult:
    """Result of random play: games, choices made, and the mean payoff of each seat."""

    games: int
    steps: int
    payoffs: NDArray[np.float64]


def play_out(game: Game, pool: Pool, n: int, seed: int) -> PlayoutResult:
    """Play the fully known position `pool[0]` to its end `n` times at random."""
    work = np.concatenate([pool[:1], pool[:1]])
    legal, payoffs, totals = np.zeros(game.num_actions, np.int16), np.zeros(game.seats), np.zeros(game.seats)
    steps = compiled.playouts(work, n, legal, np.uint64(seed), payoffs, totals)
    return PlayoutResult(n, steps, totals / n)
