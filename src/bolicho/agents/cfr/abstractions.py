"""Abstractions of each game, by name."""

from typing import Any

import numpy as np

from bolicho.agents.cfr import TECHNIQUE
from bolicho.agents.cfr.compiled.information_check import is_honest
from bolicho.agents.cfr.kernel import Recall
from bolicho.agents.cfr.learner import room
from bolicho.errors import BadInput, unknown
from bolicho.games.game import Game

RECALL = "recall"


GAMES_LOOKED_AT = 200


def names(game: Game) -> list[str]:
    """Return the abstractions of a game: perfect recall, and those written for it."""
    return [RECALL, *(TECHNIQUE.binding(game.name) or ())]


def find(name: str, game: Game) -> Any:
    """Return the abstraction of that name."""
    if name not in names(game):
        raise unknown(f"abstraction of {game.name}", name, names(game))
    return Recall() if name == RECALL else TECHNIQUE.binding(game.name)[name](game)


def check(abstraction: Any, game: Game) -> None:
    """Raise `BadInput` for an abstraction that reads hidden information."""
    if not abstraction.recalls and not is_honest(abstraction, room(game, 2), GAMES_LOOKED_AT, np.uint64(1)):
        raise BadInput(
            f"the abstraction {type(abstraction).__name__} reads hidden information: in {game!r} "
            "its keys or choices differ between the state and the view"
        )
