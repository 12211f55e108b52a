"""The features of an after-state: what a seat has before it once it has acted, before anybody else does.

`after_features` is a documented stub, like those of `games.kernel`: a game may describe its
after-states itself (`@describes(RECORD)`), and every other gets the default.
"""

from numba import types
from numba.extending import overload

from bolicho.games import kernel
from bolicho.games.jit import njit, registered

OVER = -1
"""Said instead of features when the action ends the game in this world, which then stands in `pool[1]`."""

_described = []


def after_features(pool, seat, action, perfect, index, value):
    """Write the features that are not zero, as places and values, and return how many.

    `pool[0]` is the position before the action: with `perfect` the whole state, otherwise the view
    of the seat, or a world drawn from it where the game does not describe its after-states.
    `pool[1]` is free to use.
    """


def describes(record):
    """Register a compiled function as the `after_features` of a record type."""

    def register(function):
        _described.append(record)
        registered.setdefault(kernel.ANY, set()).add((after_features.__module__, function.__module__))

        @overload(after_features)
        def own(pool, seat, action, perfect, index, value):
            if isinstance(pool, types.Array) and pool.dtype == record:
                return lambda pool, seat, action, perfect, index, value: function(
                    pool, seat, action, perfect, index, value
                )
            return None

        return function

    return register


@overload(after_features)
def _default(pool, seat, action, perfect, index, value):
    if isinstance(pool, types.Array) and pool.dtype not in _described:
        return lambda pool, seat, action, perfect, index, value: default_features(
            pool, seat, action, perfect, index, value
        )
    return None


@njit
def default_features(pool, seat, action, perfect, index, value):
    """What the seat knows after its action, as the game's own features tell it."""
    pool[1] = pool[0]
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
