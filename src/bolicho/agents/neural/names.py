"""What the inputs of a net mean, in words."""

from functools import lru_cache

from bolicho.agents.neural.net import binding
from bolicho.games.game import Game
from bolicho.words import Said


@lru_cache
def input_names(game: Game, coding: str, which: int) -> tuple[str, ...]:
    """A name for each input of a net."""
    if coding == "features":
        return game.feature_names
    return tuple(binding(game.name).input_names(game, coding, which))


def say(game: Game, name: str) -> Said:
    """An input by its name, for people of whatever language."""
    return binding(game.name).say_input(name)
