"""Agents without a technique: random play and the human player."""

from bolicho.agents.technique import Technique

TECHNIQUE = Technique(
    "basic",
    agents={"random": "bolicho.agents.basic.random:Random", "human": "bolicho.agents.basic.human:Human"},
)
