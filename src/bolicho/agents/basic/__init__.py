"""Players that need no technique."""

from bolicho.agents.technique import Technique

TECHNIQUE = Technique(
    "basic",
    agents={"random": "bolicho.agents.basic.random:Random", "human": "bolicho.agents.basic.human:Human"},
)
