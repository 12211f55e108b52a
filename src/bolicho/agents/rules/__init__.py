"""Agents that follow written rules."""

from bolicho.agents.technique import Preset, Technique

STYLES = ("novice", "cautious", "aggressive", "bluffer", "balanced")

TECHNIQUE = Technique(
    "rules",
    agents={
        **{style: Preset("bolicho.agents.rules.truco:Scripted", {"style": style}) for style in STYLES},
        "rule": "bolicho.agents.rules.dominoes:Rule",
        "rules": "bolicho.agents.rules.wonders:Weighing",
    },
    matrix={"rules": {"truco": "balanced", "dominoes": "rule", "fives": "rule", "wonders": "rules"}},
)
