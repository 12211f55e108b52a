"""Rule-based players of dominoes (Pinto 2018, section 5.1)."""

from bolicho.agents.rules.dominoes.agent import Rule

__all__ = ["Rule"]
