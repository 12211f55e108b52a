"""Compiled part of the binding; importing it registers Truco's records (see `cbr.domain`)."""

from bolicho.agents.cbr.truco.compiled import calls, features, instances, observe, predicates, turn

__all__ = ["calls", "features", "instances", "observe", "predicates", "turn"]
