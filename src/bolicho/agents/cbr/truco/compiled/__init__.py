"""Compiled part of the binding; importing it registers Truco's records (see `cbr.domain`)."""

from bolicho.agents.cbr.truco.compiled import calls, features, instances, predicates, turn, watch

__all__ = ["calls", "features", "instances", "predicates", "turn", "watch"]
