"""Binding of the case-based cycle to dominoes, draw and all fives: turns and their descriptions."""

from bolicho.agents.cbr.dominoes import compiled
from bolicho.agents.cbr.dominoes.schema import DRAW_ATTRIBUTES, FIVES_ATTRIBUTES, ITEMS
from bolicho.agents.cbr.turns import turn_domain

TOGETHER = 10  # matches with one base: a game has few turns, and the base hardly changes by them
OBSERVED = ("rule", "random")

DRAW = turn_domain("dominoes", DRAW_ATTRIBUTES, (), ITEMS, TOGETHER, "dominoes", OBSERVED)
FIVES = turn_domain("fives", FIVES_ATTRIBUTES, (), ITEMS, TOGETHER, "dominoes", OBSERVED)

__all__ = ["DRAW", "FIVES", "compiled"]
