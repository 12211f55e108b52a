"""Descriptions of the inputs of dominoes nets in every language."""

from bolicho.agents.inputs import Shape, numbers
from bolicho.agents.inputs import say_input as say_shaped
from bolicho.i18n import Message

SHAPES: tuple[Shape, ...] = (
    (r"(?P<tile>\d+-\d+) (?P<where>.+)", "tile_{where}", lambda tile, where: {"tile": tile}),
    (r"(?P<value>\d+) open at (?P<side>[lrud])", "open_at_{side}", lambda value, side: numbers(value=value)),
    (
        r"(?P<whose>my|unseen) tiles with (?P<value>\d+)",
        "{whose}_tiles_with",
        lambda whose, value: numbers(value=value),
    ),
    (r"play (?P<n>\d+): has (?P<value>\d+)", "play_has", numbers),
    (r"play (?P<n>\d+): (?P<what>.+)", "play_{what}", lambda n, what: numbers(n=n)),
)
"""Names of `agents.neural.compiled.dominoes`, and of the game's features."""


def say_input(name: str) -> Message:
    """Return the description of an input."""
    return say_shaped(name, SHAPES)
