"""Names of a net's inputs, and their translations."""

from functools import lru_cache

from bolicho.agents.neural.net import binding
from bolicho.games.game import Game
from bolicho.i18n import Message


@lru_cache
def input_names(game: Game, coding: str, which: int) -> tuple[str, ...]:
    """Return a name for each input of a net."""
    if coding == "features":
        return game.feature_names
    return tuple(binding(game.name).input_names(game, coding, which))


def say(game: Game, name: str) -> Message:
    """Return the translation of an input's name."""
    return binding(game.name).say_input(name)
