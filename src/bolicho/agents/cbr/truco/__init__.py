"""What is Truco's in the case-based cycle: cases, questions, encodings, suicide moves."""

from bolicho.agents.cbr.truco.scenarios import TRUCO

__all__ = ["TRUCO"]
