"""Exact solution of dominoes with full information, and its uses: an oracle, and sampled worlds."""

from bolicho.agents.search.binding import Binding, SearchSettings
from bolicho.agents.search.dominoes import solve, worlds

BINDING = Binding(SearchSettings("rule", "rule"), exact=solve, worlds=worlds)
