"""Deterministic simulation of the server: seeded time, order and faults (docs/simulation.md)."""
