"""Compiled after-states."""
