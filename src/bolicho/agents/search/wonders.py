"""Binding of search to 7 Wonders: its player models."""

from bolicho.agents.search.binding import END, Binding, Plan

BINDING = Binding(Plan("dqn-plus", "rules", "dqn-plus", 200, 50), otherwise=Plan("rules", "rules", END, 200, 50))
