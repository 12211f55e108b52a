"""Who meets whom, and what came of it: the loop, pairings, runs, statistics.  Imports games and agents."""
