"""Scripted Truco players: one decision procedure with several styles."""

from bolicho.agents.rules.truco.styles import STYLES, Scripted, Style

__all__ = ["STYLES", "Scripted", "Style"]
