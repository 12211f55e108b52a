"""How a position meets a net, and what a learner is paid: the defaults for every game.

A *coding* says which numbers a net reads and which of its outputs stands for which action; a
*scheme* what a learner is rewarded for.  Number 0 of each is there for every game: the game's own
features, one output an action, and the payoff at the end.  A game may have others, compiled for its
record in a module of its own (`wonders.py`), as `games.kernel` has it with the rules.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import types
from numba.extending import overload

from bolicho.games import kernel
from bolicho.games.chance import below
from bolicho.games.jit import njit, registered
from bolicho.games.wonders.state import RECORD as WONDERS

FEATURES = 0
"""The coding every game has."""

PAYOFF = 0
"""The scheme every game has."""

MAX_SEATS = 8

OWN = (WONDERS,)
"""Records whose codings stand in a module of their own."""


def encode(s: Any, seat: Any, coding: Any, out: Any) -> Any:
    """Write what `seat` knows into `out`, as the coding has it.  Reads only what the seat may know."""


def unit(s: Any, coding: Any, action: Any) -> Any:
    """The output that stands for an action, or -1 when none does."""


def network(s: Any, coding: Any) -> Any:
    """Which of a coding's nets decides in this position."""


def bonus(s: Any, seat: Any, scheme: Any, action: Any) -> Any:
    """What a learner is given for an action as such, before it is played."""


def worth(s: Any, seat: Any, scheme: Any) -> Any:
    """What a position is worth to a learner as it stands: rewards are its differences, and bonuses."""


def scripted(s: Any, seat: Any, seed: Any, legal: Any, n: Any) -> Any:
    """What the game's scripted player does with the legal actions `legal[:n]`; any, where there is none."""


def compiled_for(stub: Callable[..., Any], matches: Callable[[Any], bool]) -> Callable[[Any], Any]:
    """Register a compiled function as what `stub` does for the record types that match."""
    arity = stub.__code__.co_argcount

    def register(function: Any) -> Any:
        def two(s, a):
            if matches(s):
                return lambda s, a: function(s, a)
            return None

        def three(s, a, b):
            if matches(s):
                return lambda s, a, b: function(s, a, b)
            return None

        def four(s, a, b, c):
            if matches(s):
                return lambda s, a, b, c: function(s, a, b, c)
            return None

        def five(s, a, b, c, d):
            if matches(s):
                return lambda s, a, b, c, d: function(s, a, b, c, d)
            return None

        overload(stub)((two, three, four, five)[arity - 2])
        registered.setdefault(None, set()).add((stub.__module__, function.__module__))
        return function

    return register


# --- For games that have nothing of their own ---------------------------------------------------


def _plain(s: Any) -> bool:
    return isinstance(s, types.Record) and s not in OWN


@compiled_for(encode, _plain)
@njit
def _encode(s, seat, coding, out):
    return kernel.features(s, seat, out)


@compiled_for(unit, _plain)
@njit
def _unit(s, coding, action):
    return action


@compiled_for(network, _plain)
@njit
def _network(s, coding):
    return 0


@compiled_for(bonus, _plain)
@njit
def _bonus(s, seat, scheme, action):
    return 0.0


@compiled_for(worth, _plain)
@njit
def _worth(s, seat, scheme):
    if not kernel.over(s):
        return 0.0
    out = np.zeros(MAX_SEATS)
    kernel.payoff(s, out)
    return out[seat]


@compiled_for(scripted, _plain)
@njit
def _scripted(s, seat, seed, legal, n):
    return legal[below(seed, 0, n)]
