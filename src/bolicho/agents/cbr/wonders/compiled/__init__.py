"""The compiled half: importing it tells the cycle what turns of 7 Wonders are (see `cbr.domain`)."""

from bolicho.agents.cbr.wonders.compiled import turn

__all__ = ["turn"]
