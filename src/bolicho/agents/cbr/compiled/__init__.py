"""Compiled part of the cycle, independent of games."""
