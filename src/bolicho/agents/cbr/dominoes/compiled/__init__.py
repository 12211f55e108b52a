"""The compiled half: importing it tells the cycle what turns of dominoes are (see `cbr.domain`)."""

from bolicho.agents.cbr.dominoes.compiled import turn

__all__ = ["turn"]
