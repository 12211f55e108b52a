"""The contract of an abstraction: what a strategy goes by.

An *abstraction* is a named tuple of a class of its own, as a player is.  `key` gives every situation of a seat a
number: situations of one number are played alike.  `choices` says what may be chosen there.  `Recall` tells apart
all that a seat can: what it sees and everything it has seen happen.

Every abstraction has a field `recalls`: whether its keys are made of what happened.  If they are, `key` gets the view,
and in `past` a hash of all events that the seat saw; if not, it gets the state itself, for speed, and promises to read
nothing that the seat may not know (`abstraction.check` plays games to see whether that is so).
"""

from typing import NamedTuple

from numba import types

from bolicho.agents.cfr.compiled.hashing import fold, hashed
from bolicho.games import kernel
from bolicho.games.compiled.chance import mix
from bolicho.games.jit import rule
from bolicho.games.kernel import implements


def key(abstraction, view, seat, past):
    """The number of the situation of `seat`, whose turn it is."""


def choices(abstraction, view, seat, out, labels):
    """Write the actions to choose among into `out`, in an order of the abstraction's own; return how many.

    `labels` gets what each of them is called, whatever its number is here ("my lowest card").  Situations of one key
    have the same labels in the same order.  By default these are the legal actions, and their numbers.
    """


@rule
def _legal(abstraction, view, seat, out, labels):
    n = kernel.legal(view, out)
    for i in range(n):
        labels[i] = out[i]
    return n


for _tuples in (types.NamedTuple, types.NamedUniTuple):  # every abstraction with nothing of its own
    implements(choices, _tuples)(_legal)


class Recall(NamedTuple):
    """Tells apart all that a seat can: perfect recall, of any game."""

    recalls: bool = True


@implements(key, Recall)
@rule
def recall(abstraction, view, seat, past):
    return mix(fold(hashed(view) ^ past, seat))
