"""Abstractions of dominoes, by name."""

import numpy as np

from bolicho.agents.cfr.dominoes.kernel import Plays
from bolicho.agents.compiled.dominoes import ABOUT
from bolicho.games.game import Game

NAME = "plays"

MOST = 4  # classes of plays to choose among
LEFT = (1, 2, 4)  # the numbers of tiles from which on there is a new step
MOST_TILES = 100  # more than any set has


def plays(game: Game) -> Plays:
    """The abstraction, for a game."""
    steps = np.searchsorted(LEFT, np.arange(MOST_TILES), "right").astype(np.int64)
    about = np.zeros(len(ABOUT) + game.rules.highest + 1, np.float32)
    return Plays(False, MOST, steps, about, *(np.zeros(game.num_actions, np.int16) for _ in range(3)))


ABSTRACTIONS = {NAME: plays}
