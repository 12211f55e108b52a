"""Binding of the case-based cycle to Truco: cases, questions, encodings, suicide moves."""

from bolicho.agents.cbr.truco.scenarios import TRUCO

__all__ = ["TRUCO"]
