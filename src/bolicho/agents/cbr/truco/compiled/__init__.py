"""The compiled half: importing it tells the cycle what Truco's records mean (see `cbr.domain`)."""

from bolicho.agents.cbr.truco.compiled import calls, features, instances, predicates, turn, watch

__all__ = ["calls", "features", "instances", "predicates", "turn", "watch"]
