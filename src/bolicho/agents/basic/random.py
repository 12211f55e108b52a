"""The agent that every comparison starts from."""

import numpy as np

from bolicho.agents.basic.kernel import Anything
from bolicho.agents.player import Compiled
from bolicho.games.game import Game


class Random(Compiled):
    """A uniformly random legal action."""

    def player(self, game: Game) -> Anything:
        return Anything(np.zeros(game.num_actions, np.int16))
