"""The compiled half of the cycle.  Nothing here knows a game."""
