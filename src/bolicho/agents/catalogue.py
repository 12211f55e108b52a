"""The agents of the house: a name, where it stands, the games it plays."""

from bolicho.agents.agent import Entry

TRUCO = ("truco",)
WONDERS = ("wonders",)

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
    *(
        Entry(name, f"bolicho.agents.neural.agents:{factory}", WONDERS, (), words)
        for name, factory, words in (
            ("neural", "neural", "Imitates the winners of scripted games, one net an age, as in document 004."),
            ("neural-plus", "neural_plus", "Imitates them with our inputs: prices, gains, the neighbours' cities."),
            ("dqn", "dqn", "Deep Q-learning against random players, as in document 004."),
            ("dqn-plus", "dqn_plus", "Our deep Q-learning: against itself and the scripted player, for the margin."),
        )
    ),
)
