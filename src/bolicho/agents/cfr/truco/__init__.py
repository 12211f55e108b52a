"""Abstractions of Truco, by name."""

from functools import partial

import numpy as np

from bolicho.agents.cfr.truco.kernel import NO_CARD, NOT_SEEN, Steps
from bolicho.games.game import Game
from bolicho.games.truco.kernel import FACE_DOWN, STRENGTH

CARDS = {
    "small": (0, 1, 1, 1, 2, 2, 3, 3, 4, 5, 6, 7, 7, 8, 9),
    "fine": (0, 1, 1, 1, 2, 2, 3, 4, 5, 6, 7, 8, 8, 9, 10),
}
"""Step of each strength, 0 to 14."""

GONE = {"small": 3, "fine": 1}
"""Width of a step for cards of finished rounds."""

ENVIDO = (0, 4, 6, 20, 23, 25, 26, 27, 28, 29, 30, 31, 32, 33)
FLOR = (0, 27, 30, 33, 35, 37)
"""Lower bounds of the steps of points."""


def steps(name: str, game: Game | None = None) -> Steps:
    """Return the abstraction of that name, of `CARDS`."""
    cards = np.full(2 + 2 * FACE_DOWN, NOT_SEEN, np.int8)
    cards[1] = NO_CARD
    cards[2 : 2 + FACE_DOWN] = np.array(CARDS[name], np.int8)[STRENGTH[:FACE_DOWN]]
    points = np.arange(40)
    gone = np.arange(NOT_SEEN + 1)
    gone[:NOT_SEEN] = (gone[:NOT_SEEN] + GONE[name] - 1) // GONE[name]
    envido, flor = (np.searchsorted(edges, points, "right").astype(np.int8) for edges in (ENVIDO, FLOR))
    return Steps(False, cards, envido, flor, gone.astype(np.int8))


ABSTRACTIONS = {name: partial(steps, name) for name in CARDS}
