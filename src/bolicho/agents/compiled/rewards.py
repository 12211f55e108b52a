"""Reward schemes for learners in each game, by number; compiled.

Every game has scheme 0, the payoff at the end. A game may have others, registered for its record in the module of this
package that has its name.
"""

from typing import Any

import numpy as np

from bolicho.games import kernel
from bolicho.games.jit import njit
from bolicho.games.kernel import ANY, implements

PAYOFF = 0
"""Scheme that every game has."""

MAX_SEATS = 8


def bonus(s: Any, seat: Any, scheme: Any, action: Any) -> Any:
    """Return the reward of an action as such, before it is played."""


def scheme_value(s: Any, seat: Any, scheme: Any) -> Any:
    """Return the value of a position in a scheme; rewards are its differences, plus bonuses."""


def game_part(s: Any) -> Any:
    """Return the number of the part of the game, where the effects of a turn end with its part (such as a hand)."""


# --- Defaults -----------------------------------------------------------------------------------


@implements(bonus, ANY)
@njit
def _bonus(s, seat, scheme, action):
    return 0.0


@implements(game_part, ANY)
@njit
def _chapter(s):
    return np.int64(0)


@implements(scheme_value, ANY)
@njit
def _worth(s, seat, scheme):
    if not kernel.over(s):
        return 0.0
    out = np.zeros(MAX_SEATS)
    kernel.payoff(s, out)
    return out[seat]
