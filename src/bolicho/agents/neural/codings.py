"""How a position meets a net, and what a learner is paid: the defaults for every game.

A *coding* says which numbers a net reads and which of its outputs stands for which action; a
*scheme* what a learner is rewarded for.  Number 0 of each is there for every game: the game's own
features, one output an action, and the payoff at the end.  A game may have others, compiled for its
record in a module of its own (`wonders.py`), as `games.kernel` has it with the rules.
"""

from typing import Any

import numpy as np
from numba import types
from numba.extending import overload

from bolicho.games import kernel
from bolicho.games.chance import below
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


def _plain(s: Any) -> bool:
    """Whether a record has no codings of its own."""
    return isinstance(s, types.Record) and s not in OWN


@overload(encode)
def _encode(s, seat, coding, out):
    if _plain(s):
        return lambda s, seat, coding, out: kernel.features(s, seat, out)


@overload(unit)
def _unit(s, coding, action):
    if _plain(s):
        return lambda s, coding, action: action


@overload(network)
def _network(s, coding):
    if _plain(s):
        return lambda s, coding: 0


@overload(bonus)
def _bonus(s, seat, scheme, action):
    if _plain(s):
        return lambda s, seat, scheme, action: 0.0


@overload(worth)
def _worth(s, seat, scheme):
    if _plain(s):
        return _payoff_worth


def _payoff_worth(s, seat, scheme):
    if not kernel.over(s):
        return 0.0
    out = np.zeros(MAX_SEATS)
    kernel.payoff(s, out)
    return out[seat]


@overload(scripted)
def _scripted(s, seat, seed, legal, n):
    if _plain(s):
        return lambda s, seat, seed, legal, n: legal[below(seed, 0, n)]
