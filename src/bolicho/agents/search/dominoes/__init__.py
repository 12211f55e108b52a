"""Dominoes with everything known, solved exactly, and what follows from it: an oracle, and sampled worlds."""
