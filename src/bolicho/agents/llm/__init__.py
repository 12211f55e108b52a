"""Agents that ask a language model through a chat-completions endpoint."""

from bolicho.agents.technique import Preset, Technique

TECHNIQUE = Technique(
    "llm",
    agents={"llm": Preset("bolicho.agents.llm.agent:Llm", elsewhere=True)},
    bindings={
        "truco": "bolicho.agents.llm.truco:WORDS",
        "dominoes": "bolicho.agents.llm.dominoes:WORDS",
        "fives": "bolicho.agents.llm.dominoes:WORDS",
        "wonders": "bolicho.agents.llm.wonders:WORDS",
    },
)
"""Bindings: the words of a game that `obfuscate=true` replaces."""
