"""Scripted Truco players: one way of reasoning, many temperaments."""

from bolicho.agents.rules.truco.styles import STYLES, Scripted, Style

__all__ = ["STYLES", "Scripted", "Style"]
