"""Which games have cases, and where what binds them to the cycle is: loaded when the game is asked for."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from bolicho.errors import unknown

if TYPE_CHECKING:
    from bolicho.agents.cbr.domain import Domain

# Imports that can be read: a run is known by the code it rests on.


def _truco() -> "Domain":
    from bolicho.agents.cbr.truco import TRUCO

    return TRUCO


def _dominoes() -> "Domain":
    from bolicho.agents.cbr.dominoes import DRAW

    return DRAW


def _fives() -> "Domain":
    from bolicho.agents.cbr.dominoes import FIVES

    return FIVES


def _wonders() -> "Domain":
    from bolicho.agents.cbr.wonders import WONDERS

    return WONDERS


DOMAINS: "dict[str, Callable[[], Domain]]" = {
    "truco": _truco,
    "dominoes": _dominoes,
    "fives": _fives,
    "wonders": _wonders,
}


def domain_of(game: str) -> "Domain":
    """The cases of a game; from then on compiled code knows them."""
    if game not in DOMAINS:
        raise unknown("game with cases", game, DOMAINS)
    return DOMAINS[game]()
