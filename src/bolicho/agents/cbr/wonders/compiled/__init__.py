"""Compiled part of the binding; importing it registers the turns of 7 Wonders (see `cbr.domain`)."""

from bolicho.agents.cbr.wonders.compiled import turn

__all__ = ["turn"]
