"""The agents of the house: a name, where it stands, the games it plays."""

from bolicho.agents.agent import Entry

CATALOGUE = (Entry("random", "bolicho.agents.basic.random:Random", None),)
