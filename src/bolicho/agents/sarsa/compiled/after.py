"""Features of an after-state: the information of a seat after its action, before any other action.

`after_features` is a documented stub, like those of `games.kernel`: a game may describe its after-states itself
(`@implements(after_features, RECORD)`); all others use the default.
"""

from bolicho.games import kernel
from bolicho.games.jit import njit
from bolicho.games.kernel import ANY, implements

BY_POINTS = -1
"""Scheme of games whose payoff is earned point by point, in place of one of `agents.compiled.rewards`."""

OVER = -1
"""Returned instead of features when the action ends the game in this world, whose final state is in `pool[1]`."""


def after_features(s, pool, seat, action, perfect, index, value):
    """Write the features that are not zero, as indices and values, and return their number.

    `s`, which is `pool[0]`, is the position before the action: with `perfect` the full state, otherwise the view of the
    seat, or a world drawn from it where the game does not describe its after-states. `pool[1]` is a work record.
    """


@implements(after_features, ANY)
@njit
def default_features(s, pool, seat, action, perfect, index, value):
    """Write the game's own features for the seat after its action."""
    pool[1] = s
    kernel.apply(pool[1], action)
    if kernel.over(pool[1]):
        return OVER
    kernel.hide(pool[1], seat)
    return pack(value, index, kernel.features(pool[1], seat, value))


@njit
def pack(value, index, n):
    """Move the values that are not zero to the front, with their indices."""
    kept = 0
    for i in range(n):
        if value[i] != 0:
            value[kept] = value[i]
            index[kept] = i
            kept += 1
    return kept
