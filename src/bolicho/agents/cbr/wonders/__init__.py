"""Binding of the case-based cycle to 7 Wonders: turns and their descriptions."""

from bolicho.agents.cbr.turns import turn_domain
from bolicho.agents.cbr.wonders import compiled
from bolicho.agents.cbr.wonders.schema import ATTRIBUTES, ITEMS
from bolicho.games.wonders.rules import NUM_AGES

TOGETHER = 2  # matches with one base
OBSERVED = ("rules", "dqn-plus")

WONDERS = turn_domain("wonders", ATTRIBUTES, (("age", NUM_AGES - 1),), ITEMS, TOGETHER, "wonders", OBSERVED)

__all__ = ["WONDERS", "compiled"]
