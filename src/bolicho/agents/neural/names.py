"""What the inputs of a net mean, in words."""

from functools import lru_cache

from bolicho.agents.neural.bindings import binding
from bolicho.games.game import Game


@lru_cache
def input_names(game: Game, coding: str, which: int) -> tuple[str, ...]:
    """A name for each input of a net."""
    if coding == "features":
        return game.feature_names
    return tuple(binding(game.name).input_names(coding, which))
