"""Random agent: the baseline of every comparison."""

import numpy as np

from bolicho.agents.basic.kernel import Anything
from bolicho.agents.player import Compiled
from bolicho.games.game import Game


class Random(Compiled):
    """Uniformly random legal action."""

    def player(self, game: Game) -> Anything:
        return Anything(np.zeros(game.num_actions, np.int16))
