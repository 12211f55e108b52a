"""The agents of the house: a name, where it stands, the games it plays."""

from bolicho.agents.agent import Entry

TRUCO = ("truco",)

CATALOGUE = (
    Entry("random", "bolicho.agents.basic.random:Random", None),
    Entry("human", "bolicho.agents.basic.human:Human", None),
    *(
        Entry(style, "bolicho.agents.rules.truco:Scripted", TRUCO, (("style", style),))
        for style in ("novice", "cautious", "aggressive", "bluffer", "balanced")
    ),
)
