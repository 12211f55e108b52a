"""Worlds of dominoes drawn from a part of the seat's information, to measure the value of inference for PIMC."""

import numpy as np

from bolicho.agents.search.dominoes.compiled import worlds
from bolicho.games.game import Table, View

INFERENCES = {"none": worlds.NOTHING, "answered": worlds.ANSWERED, "draws": worlds.STUCK}


def draw_world(view: View, inference: str, seed: int) -> Table:
    """Draw a world for the seat to move that fits its visible tiles and the given `inference` only."""
    pool = np.concatenate([view.pool[:1], view.pool[:1]])
    worlds.deal_world(pool, view.seat, INFERENCES[inference], np.uint64(seed))
    return Table(view.game, pool[:1], {"seed": seed})
