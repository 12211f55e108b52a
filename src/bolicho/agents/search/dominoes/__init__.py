"""Dominoes with everything known, solved exactly, and what follows from it: an oracle, and sampled worlds."""

from bolicho.agents.search.binding import Binding, Plan
from bolicho.agents.search.dominoes import solve, worlds

BINDING = Binding(Plan("rule", "rule"), exact=solve, worlds=worlds)
