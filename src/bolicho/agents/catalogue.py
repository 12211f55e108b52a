"""The agents of the house: a name, where it stands, the games it plays."""

from bolicho.agents.agent import Entry

TRUCO = ("truco",)

REUSE_POLICIES = (
    "mjs", "pls", "pvs", "nps",
    "mjcs", "plcs", "pvcs", "npcs",
    "npcmjs", "npcpvs", "npcpls", "mjcnps", "mjcpvs", "mjcpls",
    "plcnps", "plcmjs", "plcpvs", "pvcnps", "pvcmjs", "pvcpls",
)  # fmt: skip

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
    *(Entry(policy, "bolicho.agents.cbr.agent:CaseBased", TRUCO, (("policy", policy),)) for policy in REUSE_POLICIES),
)
