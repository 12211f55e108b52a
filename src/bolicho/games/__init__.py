"""The games: rules, notation, drawings.  Imports only `i18n` and modules of the package's top level."""

import re
from dataclasses import replace
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any

from bolicho.errors import BadInput, unknown
from bolicho.games.game import Game
from bolicho.games.kind import Kind

BUILT_IN = {
    "truco": "bolicho.games.truco:TRUCO",
    "dominoes": "bolicho.games.dominoes:DOMINOES",
    "fives": "bolicho.games.dominoes:FIVES",
    "wonders": "bolicho.games.wonders:WONDERS",
}
"""Names of the built-in games, and the modules of their `Kind`."""


def game_names() -> list[str]:
    """Return the names of all games, installed plug-ins included."""
    return [*BUILT_IN, *sorted(point.name for point in entry_points(group="bolicho.games"))]


def home(name: str) -> str:
    """Return the module of the `Kind` with this name."""
    if ":" in name:
        return name.partition(":")[0]
    if name in BUILT_IN:
        return BUILT_IN[name].partition(":")[0]
    for point in entry_points(group="bolicho.games", name=name):
        return point.module
    raise unknown("game", name, game_names())


def kind(name: str) -> Kind:
    """Return the kind of game with this name, or at `module:KIND`."""
    if ":" in name:
        return _at(name)
    if name in BUILT_IN:
        module, attribute = BUILT_IN[name].split(":")
        found: Kind = getattr(import_module(module), attribute)
        return found
    for point in entry_points(group="bolicho.games", name=name):
        plugged: Kind = point.load()
        return plugged
    raise unknown("game", name, game_names())


@cache
def _at(address: str) -> Kind:
    """Return the kind at `module:KIND`.  Its address becomes its name, so that records and other processes find it."""
    if not re.fullmatch(r"[\w.]+:\w+", address):
        raise BadInput(f"cannot read the game {address!r}; write a name, or module:KIND")
    module, attribute = address.split(":")
    try:
        found = getattr(import_module(module), attribute)
    except Exception as problem:  # an external module may raise anything
        raise BadInput(f"cannot load the game {address!r}: {problem}") from problem
    if not isinstance(found, Kind):
        raise BadInput(f"{address} is not a game but a {type(found).__name__}; name a bolicho.kit.Kind")
    return replace(found, name=address)


def game(name: str, /, **rules: Any) -> Game:
    """Return a game by name, with its rules: `game("truco", target=12)`, `game("my_module:KIND")`."""
    return Game(kind(name), **rules)
