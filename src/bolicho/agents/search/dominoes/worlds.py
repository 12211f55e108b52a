"""Worlds of dominoes drawn from less than all that a seat knows, to measure what inference is worth to PIMC."""

import numpy as np

from bolicho.agents.search.dominoes.compiled import worlds
from bolicho.games.game import Table, View

INFERENCES = {"none": worlds.NOTHING, "answered": worlds.ANSWERED, "draws": worlds.STUCK}


def draw_world(view: View, inference: str, seed: int) -> Table:
    """Draw a world that fits the tiles the seat to move sees and, of what the other seat showed, `inference` alone."""
    pool = np.concatenate([view.pool[:1], view.pool[:1]])
    worlds.deal_world(pool, view.seat, INFERENCES[inference], np.uint64(seed))
    return Table(view.game, pool[:1], {"seed": seed})
