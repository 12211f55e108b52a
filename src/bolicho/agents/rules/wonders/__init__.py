"""Rule-based agent for 7 Wonders: a weight for every card."""

from bolicho.agents.rules.wonders.agent import Weighing, every_weight, weights

__all__ = ["Weighing", "every_weight", "weights"]
