"""What a player has learned: the matrices as the document fills them at first, and as files."""

import numpy as np

from bolicho.agents.markov.layout import (
    BLOCK_SIZE,
    DIAGONALS,
    MODES,
    UNIT,
    BlockArray,
    level_counts,
    matrix,
)
from bolicho.agents.markov.states import ENVIDO_STATES, FLOR_STATES, NUM_ORDERS, TRUCO_STATES

INITIAL_LEVELS = (
    (9, 7, 6, 5, 4, 2, 2, 1, 1, 0, 0, 0, 0, 0),
    (1, 2, 4, 4, 5, 5, 5, 4, 4, 2, 1, 1, 1, 0),
    (0, 0, 1, 1, 2, 2, 4, 5, 6, 7, 9, 9, 9, 10),
)
"""How often in ten a card of each class is the low, middle, high one of a hand dealt at random.

The document draws these counts (figure 5.6 b) but does not print them: largest at both ends, the
middle level shared by most cards.  The exact shares of the 9,880 hands have that shape.
"""


def steps(mode: str) -> list[int]:
    """How far up each state of a mode stands: the sum of its members, or the number of the order."""
    states = {"truco": TRUCO_STATES, "envido": ENVIDO_STATES, "flor": FLOR_STATES}
    return [sum(state) for state in states[mode]] if mode in states else list(range(NUM_ORDERS))


def initial_victories(mode: str) -> np.ndarray:
    """The victories of a mode before any match, in whole counts: one less for each step down.

    Document 001, tables 4.1 to 4.3.  The weakest pair and the weakest flor win nothing.
    """
    up = np.array(steps(mode))
    counts = DIAGONALS[MODES.index(mode)] + up[:, None] - up[None, :]
    if mode in ("envido", "flor"):
        counts[0] = 0
    return counts


def initial_block() -> BlockArray:
    """All matrices before any match."""
    block = np.zeros(BLOCK_SIZE, np.uint32)
    for mode in MODES:
        counts = initial_victories(mode) * UNIT
        matrix(block, mode)[:] = counts
        matrix(block, mode, lost=True)[:] = counts.T
    level_counts(block)[:] = np.array(INITIAL_LEVELS) * UNIT
    return block
