"""Case-based reasoning agents with clusters; the modules follow the CBR cycle."""

from bolicho.agents.technique import Preset, Technique, Training
from bolicho.i18n import Message

REUSE_POLICIES = (
    # Paulus 2020, table 13: the conventional model.
    ("mjs", None, "MJ"), ("pls", None, "PL"), ("pvs", None, "PV"), ("nps", None, "NP"),
    # Table 14: two steps, one criterion.
    ("mjcs", "MJ", "MJ"), ("plcs", "PL", "PL"), ("pvcs", "PV", "PV"), ("npcs", "NP", "NP"),
    # Table 15: two steps, two criteria.
    ("npcmjs", "NP", "MJ"), ("npcpvs", "NP", "PV"), ("npcpls", "NP", "PL"),
    ("mjcnps", "MJ", "NP"), ("mjcpvs", "MJ", "PV"), ("mjcpls", "MJ", "PL"),
    ("plcnps", "PL", "NP"), ("plcmjs", "PL", "MJ"), ("plcpvs", "PL", "PV"),
    ("pvcnps", "PV", "NP"), ("pvcmjs", "PV", "MJ"), ("pvcpls", "PV", "PL"),
)  # fmt: skip
"""Reuse policies of Paulus 2020 and Paulus et al.: the name, the criterion for the cluster, and the one for the action.
"""


def _preset(policy: str, cluster: str | None, action: str) -> Preset:
    """Return the preset of one of the twenty policies; they share two portraits."""
    facts = {"action": Message(f"agents.portrait.action.{action}")}
    if cluster:
        facts["cluster"] = Message(f"agents.portrait.cluster.{cluster}")
    portrait = Message("agents.portrait.reuse_of_cluster" if cluster else "agents.portrait.reuse", **facts)
    return Preset("bolicho.agents.cbr.agent:CaseBased", {"policy": policy}, portrait)


TECHNIQUE = Technique(
    "cbr",
    agents={**{row[0]: _preset(*row) for row in REUSE_POLICIES}, "cbr": "bolicho.agents.cbr.agent:cbr"},
    trainings=(
        Training(
            "cbr-baseline",
            "bolicho.agents.cbr.truco.train:baseline",
            "cases observed in hands between the scripted Truco styles",
            {"truco": {}},
            played="npcpvs(base=FILE)",
            ending=".parquet",
            offered="bolicho.agents.cbr.train:BASELINE",
        ),
        Training(
            "cbr-learned",
            "bolicho.agents.cbr.truco.train:learned",
            "cases of Truco hands, extended by self-play",
            {"truco": {}},
            played="npcpvs(base=FILE)",
            ending=".parquet",
            offered="bolicho.agents.cbr.train:LEARNED",
        ),
        Training(
            "cbr-published",
            "bolicho.agents.cbr.truco.train:learned",
            "cases of Truco hands by self-play, as in Paulus 2020",
            # equal to AS_PUBLISHED of lab/cbr/published.py; a test compares them
            {
                "truco": {
                    "keep": "hand",
                    "rivals": 0.0,
                    "membership": "every-round",
                    "cleaning": "decision",
                    "threshold": 0.98,
                    "retrieval": "clusters",
                    "revise": "published",
                    "victory": "bar",
                    "points": "balance",
                    "small_clusters": "no-answer",
                    "minimum": 5,
                    "clustering": "k-means",
                    "weights": "equal",
                    "bluff": 1.0,
                }
            },
            played="npcpvs(base=FILE)",
            ending=".parquet",
        ),
        Training(
            "cbr",
            "bolicho.agents.cbr.train:turns",
            "cases of turns, observed and evaluated in self-play",
            {"dominoes": {}, "fives": {}, "wonders": {}},
            played="cbr(base=FILE)",
            ending=".parquet",
            offered="bolicho.agents.cbr.train:TURNS",
        ),
    ),
    bindings={
        "truco": "bolicho.agents.cbr.truco:TRUCO",
        "dominoes": "bolicho.agents.cbr.dominoes:DRAW",
        "fives": "bolicho.agents.cbr.dominoes:FIVES",
        "wonders": "bolicho.agents.cbr.wonders:WONDERS",
    },
    matrix={"case-based": {"truco": "npcpvs", "dominoes": "cbr", "fives": "cbr", "wonders": "cbr"}},
)
