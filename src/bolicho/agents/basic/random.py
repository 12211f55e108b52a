"""Random agent: the baseline of every comparison."""

import numpy as np

from bolicho.agents.basic.kernel import RandomPlayer
from bolicho.agents.player import Compiled
from bolicho.games.game import Game


class Random(Compiled):
    """Uniformly random legal action."""

    def player(self, game: Game) -> RandomPlayer:
        return RandomPlayer(np.zeros(game.num_actions, np.int16))
