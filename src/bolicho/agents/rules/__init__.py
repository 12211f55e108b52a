"""Agents that follow written rules."""
