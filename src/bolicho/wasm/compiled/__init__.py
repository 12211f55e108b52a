"""Compiled functions of modules."""
