"""Compiled part of the binding; importing it registers the turns of dominoes (see `cbr.domain`)."""

from bolicho.agents.cbr.dominoes.compiled import turn

__all__ = ["turn"]
