"""Compiled part: possible states, decisions, learning, and whole matches."""
