"""What learners are paid in each game: schemes by number; compiled.

Number 0 is there for every game, the payoff at the end.  A game may have others, registered for its record in the
module of this package that has its name.
"""

from typing import Any

import numpy as np

from bolicho.games import kernel
from bolicho.games.jit import njit
from bolicho.games.kernel import ANY, implements

PAYOFF = 0
"""The scheme every game has."""

MAX_SEATS = 8


def bonus(s: Any, seat: Any, scheme: Any, action: Any) -> Any:
    """What a learner is given for an action as such, before it is played."""


def worth(s: Any, seat: Any, scheme: Any) -> Any:
    """What a position is worth to a learner as it stands: rewards are its differences, and bonuses."""


def chapter(s: Any) -> Any:
    """The number of the part of a game that a position is in, where what comes of a turn ends with its part."""


# --- For games that have nothing of their own ---------------------------------------------------


@implements(bonus, ANY)
@njit
def _bonus(s, seat, scheme, action):
    return 0.0


@implements(chapter, ANY)
@njit
def _chapter(s):
    return np.int64(0)


@implements(worth, ANY)
@njit
def _worth(s, seat, scheme):
    if not kernel.over(s):
        return 0.0
    out = np.zeros(MAX_SEATS)
    kernel.payoff(s, out)
    return out[seat]
