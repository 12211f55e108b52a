"""What the inputs of a net mean, in words."""

from functools import lru_cache

from bolicho.agents.inputs import Shape, numbers, say_input
from bolicho.agents.neural.bindings import binding
from bolicho.games.game import Game
from bolicho.games.wonders.cards import BOARDS, CARDS, RESOURCES
from bolicho.games.wonders.text import name_card
from bolicho.words import Said


@lru_cache
def input_names(game: Game, coding: str, which: int) -> tuple[str, ...]:
    """A name for each input of a net."""
    if coding == "features":
        return game.feature_names
    return tuple(binding(game.name).input_names(coding, which))


_CARD = "|".join(sorted(set(CARDS), key=len, reverse=True))
SHAPES: tuple[Shape, ...] = (
    (r"(?P<what>age|turn) (?P<n>\d)", "{what}_n", lambda what, n: numbers(n=n)),
    (r"(?P<whose>own|left|right) (?P<what>.+)", "of.{whose}", lambda whose, what: {"what": say(what)}),
    (rf"(?P<card>{_CARD}) (?P<block>[a-z ]+)", "card.{block}", lambda card, block: {"card": name_card(card)}),
)
"""The names of `agents.neural.compiled.wonders`."""


def say(name: str) -> Said:
    """An input by its name, for people of whatever language."""
    if name in CARDS:
        return name_card(name)
    if name in BOARDS:
        return Said(f"wonders.board.{name}")
    if name in RESOURCES:
        return Said(f"wonders.resource.{name}")
    return say_input(name, SHAPES)
