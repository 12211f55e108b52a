"""Compiled keys, regret table, walks and game tree."""
