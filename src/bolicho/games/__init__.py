"""The games: rules, notation, drawings.  Imports nothing else of the house."""

from importlib import import_module
from importlib.metadata import entry_points
from typing import Any

from bolicho.errors import unknown
from bolicho.games.game import Game, Kind

BUILT_IN = {
    "truco": "bolicho.games.truco:TRUCO",
    "dominoes": "bolicho.games.dominoes:DOMINOES",
    "fives": "bolicho.games.dominoes:FIVES",
    "wonders": "bolicho.games.wonders:WONDERS",
}
"""Names of the games of the house, and where their `Kind` stands."""


def game_names() -> list[str]:
    """The games there are, those of installed plug-ins included."""
    return [*BUILT_IN, *sorted(point.name for point in entry_points(group="bolicho.games"))]


def home(name: str) -> str:
    """The module in which the `Kind` of that name stands."""
    if name in BUILT_IN:
        return BUILT_IN[name].partition(":")[0]
    for point in entry_points(group="bolicho.games", name=name):
        return point.module
    raise unknown("game", name, game_names())


def kind(name: str) -> Kind:
    """The kind of game of that name."""
    if name in BUILT_IN:
        module, attribute = BUILT_IN[name].split(":")
        found: Kind = getattr(import_module(module), attribute)
        return found
    for point in entry_points(group="bolicho.games", name=name):
        plugged: Kind = point.load()
        return plugged
    raise unknown("game", name, game_names())


def game(name: str, /, **rules: Any) -> Game:
    """A game by name, with its rules: `game("truco", target=12)`."""
    return Game(kind(name), **rules)
