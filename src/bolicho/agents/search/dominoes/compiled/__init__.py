"""Compiled part of the solver."""
