"""Binding of search to Truco: a match is searched hand by hand."""

from bolicho.agents.search.binding import HAND, Binding, Plan
from bolicho.agents.search.truco import hands

BINDING = Binding(Plan("balanced", "balanced", HAND, 2_000), opponents="informed", horizon=hands.leaf)
