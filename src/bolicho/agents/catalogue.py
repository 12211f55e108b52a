"""The agents of the house: a name, and where it stands; which games they play they say themselves (`Agent.plays`)."""

from bolicho.agents.agent import Entry
from bolicho.words import Said

REUSE_POLICIES = (
    ("mjs", None, "MJ"), ("pls", None, "PL"), ("pvs", None, "PV"), ("nps", None, "NP"),
    ("mjcs", "MJ", "MJ"), ("plcs", "PL", "PL"), ("pvcs", "PV", "PV"), ("npcs", "NP", "NP"),
    ("npcmjs", "NP", "MJ"), ("npcpvs", "NP", "PV"), ("npcpls", "NP", "PL"),
    ("mjcnps", "MJ", "NP"), ("mjcpvs", "MJ", "PV"), ("mjcpls", "MJ", "PL"),
    ("plcnps", "PL", "NP"), ("plcmjs", "PL", "MJ"), ("plcpvs", "PL", "PV"),
    ("pvcnps", "PV", "NP"), ("pvcmjs", "PV", "MJ"), ("pvcpls", "PV", "PL"),
)  # fmt: skip
"""Of Paulus 2020 and Paulus et al.: the name, what picks the cluster of like hands, and what picks the action."""


def _entry(name: str, home: str, *preset: tuple[str, str]) -> Entry:
    return Entry(name, f"bolicho.agents.{home}", preset, Said(f"agents.portrait.{name}"))


def _case_based(policy: str, cluster: str | None, action: str) -> Entry:
    """One of the twenty: they share two portraits."""
    facts = {"action": Said(f"agents.portrait.action.{action}")}
    if cluster:
        facts["cluster"] = Said(f"agents.portrait.cluster.{cluster}")
    portrait = Said("agents.portrait.reuse_of_cluster" if cluster else "agents.portrait.reuse", **facts)
    return Entry(policy, "bolicho.agents.cbr.agent:CaseBased", (("policy", policy),), portrait)


CATALOGUE = (
    _entry("random", "basic.random:Random"),
    _entry("human", "basic.human:Human"),
    _entry("remote", "remote.agent:Remote"),
    *(
        _entry(style, "rules.truco:Scripted", ("style", style))
        for style in ("novice", "cautious", "aggressive", "bluffer", "balanced")
    ),
    *(_case_based(*row) for row in REUSE_POLICIES),
    _entry("cbr", "cbr.agent:cbr"),
    _entry("rule", "rules.dominoes:Rule"),
    _entry("rules", "rules.wonders:Weighing"),
    _entry("markov", "markov.agent:Markov"),
    _entry("markov-plus", "markov.agent:markov_plus"),
    _entry("alphabeta", "search.agents:AlphaBeta"),
    _entry("mcts", "search.agents:MCTS"),
    _entry("infer", "search.infer:Infer"),
    _entry("open-mcts", "search.agents:OpenMCTS"),
    _entry("pimc-search", "search.agents:PIMC"),
    _entry("pi", "search.dominoes.agents:PerfectInformation"),
    _entry("pimc", "search.agents:pimc_with_solver"),
    _entry("sarsa", "sarsa.agent:Sarsa"),
    _entry("sarsa-open", "sarsa.agent:OpenSarsa"),
    _entry("cfr", "cfr.agent:CFR"),
    _entry("leaning", "cfr.truco.leaning:Leaning"),
    _entry("policy", "policy.agent:PolicyAgent"),
    _entry("neural", "neural.agents:neural"),
    _entry("neural-plus", "neural.agents:neural_plus"),
    _entry("dqn", "neural.agents:dqn"),
    _entry("dqn-plus", "neural.agents:dqn_plus"),
)
