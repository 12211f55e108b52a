"""What the features of after-states are called, for people (`agents.sarsa.compiled.dominoes` names them)."""

from bolicho.agents.inputs import Shape, numbers, say_input
from bolicho.words import Said

SHAPES: tuple[Shape, ...] = (
    (r"(?P<whose>own|other|boneyard) (?P<tile>\d+-\d+)", "{whose}_tile", lambda whose, tile: {"tile": tile}),
    (r"(?P<n>\d+) doubles", "doubles", numbers),
    (r"end (?P<end>\d+) is (?P<value>\d+)", "end", numbers),
    (r"scores (?P<points>\d+)", "scores", numbers),
    (r"scores (?P<points>\d+) or more", "scores_or_more", numbers),
    (r"(?P<whose>other|boneyard) has (?P<n>\d+)", "{whose}_has", lambda whose, n: numbers(n=n)),
)


def say_feature(name: str) -> Said:
    """A feature by its name."""
    return say_input(name, SHAPES)
