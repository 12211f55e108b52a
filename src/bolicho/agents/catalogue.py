"""The agents of the house: a name, where it stands, the games it plays."""

from bolicho.agents.agent import Entry

TRUCO = ("truco",)
DOMINOES = ("dominoes", "fives")
TWO_PLAYERS = (*TRUCO, *DOMINOES)

CATALOGUE = (
    Entry("random", "bolicho.agents.basic.random:Random", None),
    Entry("human", "bolicho.agents.basic.human:Human", None),
    *(
        Entry(style, "bolicho.agents.rules.truco:Scripted", TRUCO, (("style", style),), words)
        for style, words in {
            "novice": "Scripted: accepts too much, plays any card, seldom bets.",
            "cautious": "Scripted: bets and accepts only with a good hand.",
            "aggressive": "Scripted: bets early, accepts nearly everything.",
            "bluffer": "Scripted: three bets in ten have nothing behind them.",
            "balanced": "Scripted: the strongest of the five, a little of everything.",
        }.items()
    ),
    Entry("markov", "bolicho.agents.markov.agent:Markov", TRUCO),
    Entry("markov-plus", "bolicho.agents.markov.agent:markov_plus", TRUCO),
    Entry("rules", "bolicho.agents.rules.wonders:Weighing", ("wonders",)),
    Entry("alphabeta", "bolicho.agents.search.agents:AlphaBeta", TWO_PLAYERS),
    Entry("mcts", "bolicho.agents.search.agents:MCTS", None),
    Entry("open-mcts", "bolicho.agents.search.agents:OpenMCTS", None),
    Entry("pimc-search", "bolicho.agents.search.agents:PIMC", None),
    Entry("sarsa", "bolicho.agents.sarsa.agent:Sarsa", DOMINOES),
    Entry("sarsa-open", "bolicho.agents.sarsa.agent:OpenSarsa", DOMINOES),
)
