"""Contract of abstractions, which define the situations of a strategy.

An *abstraction* is a named tuple of its own class, like a player. `key` gives every situation of a seat a number:
situations with one number share a strategy. `choices` lists the actions there. `Recall` distinguishes everything that a
seat can: its view and all events it has seen.

Every abstraction has a field `recalls`: whether its keys depend on past events. If so, `key` gets the view, and in
`past` a hash of all events that the seat saw; if not, it gets the state itself, for speed, and must not read hidden
information (`abstractions.check` tests this in random games).
"""

from typing import NamedTuple

from numba import types

from bolicho.agents.cfr.compiled.hashing import fold, hashed
from bolicho.games import kernel
from bolicho.games.compiled.chance import mix
from bolicho.games.jit import rule
from bolicho.games.kernel import implements


def key(abstraction, view, seat, past):
    """Return the number of the situation of `seat`, whose turn it is."""


def choices(abstraction, view, seat, out, labels):
    """Write the actions to choose from into `out`, in the abstraction's own order; return their number.

    `labels` gets names of the actions that do not depend on the situation ("my lowest card"). Situations with one key
    have the same labels in the same order. By default the choices are the legal actions, labelled by their numbers.
    """


@rule
def _legal(abstraction, view, seat, out, labels):
    n = kernel.legal(view, out)
    for i in range(n):
        labels[i] = out[i]
    return n


for _tuples in (types.NamedTuple, types.NamedUniTuple):  # defaults for every abstraction without its own `choices`
    implements(choices, _tuples)(_legal)


class Recall(NamedTuple):
    """Perfect recall, for any game."""

    recalls: bool = True


@implements(key, Recall)
@rule
def recall(abstraction, view, seat, past):
    return mix(fold(hashed(view) ^ past, seat))
