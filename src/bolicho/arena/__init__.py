"""Tournaments and matches: pairings, runs, statistics, reports.  Imports games and agents."""
