"""Compiled entry points: what views ask of a state, given as a pool."""

from bolicho.games.jit import njit
from bolicho.games.truco import kernel


@njit
def standing_bet(pool):
    """The points of the bet that awaits an answer, accepted and refused."""
    return kernel.standing_bet(pool[0])
