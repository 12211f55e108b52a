"""Agents that follow written rules."""

from bolicho.agents.technique import Preset, Technique

TRUCO_STYLES = {
    #              truco        envido      flor         cards
    #             call  acc   call acc rai  rai  bluff  give  thrift lead
    "novice":     (0.80, 0.30, 24, 20, 31, 34, 0.03, 0.00, 0.40, 0.50),
    "cautious":   (0.85, 0.62, 29, 28, 32, 35, 0.00, 0.15, 1.00, 0.30),
    "aggressive": (0.50, 0.34, 24, 23, 28, 29, 0.08, 0.00, 1.00, 0.70),
    "bluffer":    (0.62, 0.42, 26, 25, 30, 31, 0.30, 0.03, 1.00, 0.50),
    "balanced":   (0.64, 0.45, 26, 26, 30, 32, 0.06, 0.06, 1.00, 0.45),
}  # fmt: skip
"""Thresholds of the scripted Truco players, in the order of the fields of `truco.Style`."""

TECHNIQUE = Technique(
    "rules",
    agents={
        **{style: Preset("bolicho.agents.rules.truco:Scripted", {"style": style}) for style in TRUCO_STYLES},
        "rule": "bolicho.agents.rules.dominoes:Rule",
        "rules": "bolicho.agents.rules.wonders:Weighing",
    },
    matrix={"rules": {"truco": "balanced", "dominoes": "rule", "fives": "rule", "wonders": "rules"}},
)
