"""Compiled entry points for views, with the state given as a pool."""

from bolicho.games.jit import njit
from bolicho.games.truco import kernel


@njit
def standing_bet(pool):
    """Return the pending bet's points if accepted and if refused."""
    return kernel.standing_bet(pool[0])
