"""Binding of the case-based cycle to dominoes, draw and all fives: turns and their descriptions."""

from bolicho.agents.cbr.dominoes import compiled
from bolicho.agents.cbr.dominoes.schema import DRAW_ATTRIBUTES, FIVES_ATTRIBUTES, ITEMS
from bolicho.agents.cbr.turns import turn_domain

TOGETHER = 10  # matches with one base: a game has few turns, so the base changes little

DRAW = turn_domain("dominoes", DRAW_ATTRIBUTES, (), ITEMS, TOGETHER, "dominoes")
FIVES = turn_domain("fives", FIVES_ATTRIBUTES, (), ITEMS, TOGETHER, "dominoes")

__all__ = ["DRAW", "FIVES", "compiled"]
