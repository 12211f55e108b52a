"""Compiled code for all games: entry points, random numbers, events and bit sets."""
