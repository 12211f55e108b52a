"""The agents of the house: a name, and where it stands; which games they play they say themselves (`Agent.plays`)."""

from bolicho.agents.agent import Entry

REUSE_POLICIES = (
    ("mjs", None, "MJ"), ("pls", None, "PL"), ("pvs", None, "PV"), ("nps", None, "NP"),
    ("mjcs", "MJ", "MJ"), ("plcs", "PL", "PL"), ("pvcs", "PV", "PV"), ("npcs", "NP", "NP"),
    ("npcmjs", "NP", "MJ"), ("npcpvs", "NP", "PV"), ("npcpls", "NP", "PL"),
    ("mjcnps", "MJ", "NP"), ("mjcpvs", "MJ", "PV"), ("mjcpls", "MJ", "PL"),
    ("plcnps", "PL", "NP"), ("plcmjs", "PL", "MJ"), ("plcpvs", "PL", "PV"),
    ("pvcnps", "PV", "NP"), ("pvcmjs", "PV", "MJ"), ("pvcpls", "PV", "PL"),
)  # fmt: skip
"""Of Paulus 2020 and Paulus et al.: the name, what picks the cluster of like hands, and what picks the action."""

CRITERIA = {"MJ": "most frequent", "PL": "drawn by lot", "PV": "most victorious", "NP": "most profitable"}

CATALOGUE = (
    Entry("random", "bolicho.agents.basic.random:Random"),
    Entry("human", "bolicho.agents.basic.human:Human"),
    *(
        Entry(style, "bolicho.agents.rules.truco:Scripted", (("style", style),), words)
        for style, words in {
            "novice": "Scripted: accepts too much, plays any card, seldom bets.",
            "cautious": "Scripted: bets and accepts only with a good hand.",
            "aggressive": "Scripted: bets early and often.",
            "bluffer": "Scripted: three bets in ten have nothing behind them.",
            "balanced": "Scripted: the strongest of the five, a little of everything.",
        }.items()
    ),
    *(
        Entry(
            policy,
            "bolicho.agents.cbr.agent:CaseBased",
            (("policy", policy),),
            f"Case-based: the {CRITERIA[action]} action"
            + (f" of the {CRITERIA[cluster]} cluster of like hands." if cluster else " of like hands."),
        )
        for policy, cluster, action in REUSE_POLICIES
    ),
    Entry("rule", "bolicho.agents.rules.dominoes:Rule"),
    Entry("rules", "bolicho.agents.rules.wonders:Weighing"),
    Entry("markov", "bolicho.agents.markov.agent:Markov"),
    Entry("markov-plus", "bolicho.agents.markov.agent:markov_plus"),
    Entry("alphabeta", "bolicho.agents.search.agents:AlphaBeta"),
    Entry("mcts", "bolicho.agents.search.agents:MCTS"),
    Entry("open-mcts", "bolicho.agents.search.agents:OpenMCTS"),
    Entry("pimc-search", "bolicho.agents.search.agents:PIMC"),
    Entry("pi", "bolicho.agents.search.dominoes.agents:PerfectInformation"),
    Entry("pimc", "bolicho.agents.search.agents:pimc_with_solver"),
    Entry("sarsa", "bolicho.agents.sarsa.agent:Sarsa"),
    Entry("sarsa-open", "bolicho.agents.sarsa.agent:OpenSarsa"),
    *(
        Entry(name, f"bolicho.agents.neural.agents:{factory}", (), words)
        for name, factory, words in (
            ("neural", "neural", "Imitates the winners of scripted games, one net an age, as in Pereira 2021."),
            ("neural-plus", "neural_plus", "Imitates them with our inputs: prices, gains, the neighbours' cities."),
            ("dqn", "dqn", "Deep Q-learning against random players, as in Pereira 2021."),
            ("dqn-plus", "dqn_plus", "Our deep Q-learning: against itself and the scripted player, for the margin."),
        )
    ),
)
