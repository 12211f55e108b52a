"""The compiled half: importing it tells the cycle what Truco's records mean (see `cbr.domain`)."""

from bolicho.agents.cbr.truco.compiled import features, instances, predicates, turn, watch

__all__ = ["features", "instances", "predicates", "turn", "watch"]
