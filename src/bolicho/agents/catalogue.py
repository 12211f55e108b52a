"""The agents of the house: a name, where it stands, the games it plays."""

from bolicho.agents.agent import Entry
from bolicho.agents.cbr.domains import DOMAINS

TRUCO = ("truco",)
DOMINOES = ("dominoes", "fives")
TWO_PLAYERS = (*TRUCO, *DOMINOES)
WONDERS = ("wonders",)

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
        Entry(
            policy,
            "bolicho.agents.cbr.agent:CaseBased",
            tuple(DOMAINS),
            (("policy", policy),),
            f"Case-based: the {CRITERIA[action]} action"
            + (f" of the {CRITERIA[cluster]} cluster of like hands." if cluster else " of like hands."),
        )
        for policy, cluster, action in REUSE_POLICIES
    ),
    Entry("rule", "bolicho.agents.rules.dominoes:Rule", DOMINOES),
    Entry("rules", "bolicho.agents.rules.wonders:Weighing", WONDERS),
    Entry("markov", "bolicho.agents.markov.agent:Markov", TRUCO),
    Entry("markov-plus", "bolicho.agents.markov.agent:markov_plus", TRUCO),
    Entry("alphabeta", "bolicho.agents.search.agents:AlphaBeta", TWO_PLAYERS),
    Entry("mcts", "bolicho.agents.search.agents:MCTS", None),
    Entry("open-mcts", "bolicho.agents.search.agents:OpenMCTS", None),
    Entry("pimc-search", "bolicho.agents.search.agents:PIMC", None),
    Entry("pi", "bolicho.agents.search.dominoes.agents:PerfectInformation", DOMINOES),
    Entry("pimc", "bolicho.agents.search.dominoes.agents:ExactPIMC", DOMINOES),
    Entry("sarsa", "bolicho.agents.sarsa.agent:Sarsa", DOMINOES, others="artifact", training="sarsa game="),
    Entry(
        "sarsa-open",
        "bolicho.agents.sarsa.agent:OpenSarsa",
        DOMINOES,
        others="artifact",
        training="sarsa perfect=true game=",
    ),
    *(
        Entry(name, f"bolicho.agents.neural.agents:{factory}", WONDERS, (), words)
        for name, factory, words in (
            ("neural", "neural", "Imitates the winners of scripted games, one net an age, as in Pereira 2021."),
            ("neural-plus", "neural_plus", "Imitates them with our inputs: prices, gains, the neighbours' cities."),
            ("dqn", "dqn", "Deep Q-learning against random players, as in Pereira 2021."),
            ("dqn-plus", "dqn_plus", "Our deep Q-learning: against itself and the scripted player, for the margin."),
        )
    ),
)
