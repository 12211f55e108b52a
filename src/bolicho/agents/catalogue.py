"""The agents of the house: a name, where it stands, the games it plays."""

from bolicho.agents.agent import Entry

_TWO_PLAYERS = ("truco", "dominoes", "fives")

CATALOGUE = (
    Entry("random", "bolicho.agents.basic.random:Random", None),
    Entry("alphabeta", "bolicho.agents.search.agents:AlphaBeta", _TWO_PLAYERS),
    Entry("mcts", "bolicho.agents.search.agents:MCTS", None),
    Entry("open-mcts", "bolicho.agents.search.agents:OpenMCTS", None),
    Entry("pimc-search", "bolicho.agents.search.agents:PIMC", None),
)
