"""Abstractions of dominoes, by name."""

import numpy as np

from bolicho.agents.cfr.dominoes.kernel import Plays
from bolicho.agents.compiled.dominoes import ABOUT
from bolicho.games.game import Game

NAME = "plays"

MOST = 4  # number of classes of plays to choose from
LEFT = (1, 2, 4)  # lower bounds of the steps of tile counts
MOST_TILES = 100  # above the size of any set


def plays(game: Game) -> Plays:
    """Return the abstraction for a game."""
    steps = np.searchsorted(LEFT, np.arange(MOST_TILES), "right").astype(np.int64)
    about = np.zeros(len(ABOUT) + game.rules.highest + 1, np.float32)
    return Plays(False, MOST, steps, about, *(np.zeros(game.num_actions, np.int16) for _ in range(3)))


ABSTRACTIONS = {NAME: plays}
