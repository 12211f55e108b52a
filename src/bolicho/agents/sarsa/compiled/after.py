"""The features of an after-state: what a seat has before it once it has acted, before anybody else does.

`after_features` is a documented stub, like those of `games.kernel`: a game may describe its
after-states itself (`@implements(after_features, RECORD)`), and every other gets the default.
"""

from bolicho.games import kernel
from bolicho.games.jit import njit
from bolicho.games.kernel import ANY, implements

BY_POINTS = -1
"""The scheme of games whose payoff is earned point by point, in the place of one of `neural.compiled.codings`."""

OVER = -1
"""Said instead of features when the action ends the game in this world, which then stands in `pool[1]`."""


def after_features(s, pool, seat, action, perfect, index, value):
    """Write the features that are not zero, as places and values, and return how many.

    `s`, which is `pool[0]`, is the position before the action: with `perfect` the whole state, otherwise the
    view of the seat, or a world drawn from it where the game does not describe its after-states.
    `pool[1]` is free to use.
    """


@implements(after_features, ANY)
@njit
def default_features(s, pool, seat, action, perfect, index, value):
    """What the seat knows after its action, as the game's own features tell it."""
    pool[1] = s
    kernel.apply(pool[1], action)
    if kernel.over(pool[1]):
        return OVER
    kernel.hide(pool[1], seat)
    return pack(value, index, kernel.features(pool[1], seat, value))


@njit
def pack(value, index, n):
    """Move the values that are not zero to the front, and note where they stood."""
    kept = 0
    for i in range(n):
        if value[i] != 0:
            value[kept] = value[i]
            index[kept] = i
            kept += 1
    return kept
