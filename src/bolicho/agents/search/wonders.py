"""Binding of search to 7 Wonders: its player models."""

from bolicho.agents.search.binding import END, Binding, SearchSettings

BINDING = Binding(
    SearchSettings("dqn-plus", "rules", "dqn-plus", 200, 50), otherwise=SearchSettings("rules", "rules", END, 200, 50)
)
