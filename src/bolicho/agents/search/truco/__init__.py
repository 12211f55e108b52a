"""Binding of search to Truco: a match is searched hand by hand."""

from bolicho.agents.search.binding import HAND, Binding, SearchSettings
from bolicho.agents.search.truco import hands

BINDING = Binding(SearchSettings("balanced", "balanced", HAND, 2_000), opponents="informed", horizon=hands.leaf)
