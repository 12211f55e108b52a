"""Compiled search loops, specialised for every game's record."""
