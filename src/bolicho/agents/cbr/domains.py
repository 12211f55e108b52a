"""Which games have cases, and where what binds them to the cycle is: loaded when the game is asked for."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from bolicho.errors import unknown

if TYPE_CHECKING:
    from bolicho.agents.cbr.domain import Domain


def _truco() -> "Domain":
    from bolicho.agents.cbr.truco import TRUCO  # an import that can be read: a run is known by the code it rests on

    return TRUCO


DOMAINS: "dict[str, Callable[[], Domain]]" = {"truco": _truco}


def domain_of(game: str) -> "Domain":
    """The cases of a game; from then on compiled code knows them."""
    if game not in DOMAINS:
        raise unknown("game with cases", game, DOMAINS)
    return DOMAINS[game]()
