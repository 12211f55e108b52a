"""Descriptions of the inputs of 7 Wonders nets in every language."""

from bolicho.agents.inputs import Shape, numbers
from bolicho.agents.inputs import say_input as say_shaped
from bolicho.games.wonders.cards import BOARDS, CARDS, RESOURCES
from bolicho.games.wonders.text import name_card
from bolicho.i18n import Message

_CARD = "|".join(sorted(set(CARDS), key=len, reverse=True))
SHAPES: tuple[Shape, ...] = (
    (r"(?P<what>age|turn) (?P<n>\d)", "{what}_n", lambda what, n: numbers(n=n)),
    (r"(?P<whose>own|left|right) (?P<what>.+)", "of.{whose}", lambda whose, what: {"what": say_input(what)}),
    (rf"(?P<card>{_CARD}) (?P<block>[a-z ]+)", "card.{block}", lambda card, block: {"card": name_card(card)}),
)
"""Names of `agents.neural.compiled.wonders`."""


def say_input(name: str) -> Message:
    """Return the description of an input."""
    if name in CARDS:
        return name_card(name)
    if name in BOARDS:
        return Message(f"wonders.board.{name}")
    if name in RESOURCES:
        return Message(f"wonders.resource.{name}")
    return say_shaped(name, SHAPES)
