"""Translations of feature names of after-states, which the modules of `compiled` define."""

from bolicho.agents.inputs import Shape, numbers, say_input, truco, wonders
from bolicho.agents.saying import listed
from bolicho.games.wonders.cards import RESOURCES
from bolicho.words import Said

DOMINOES: tuple[Shape, ...] = (
    (r"(?P<whose>own|other|boneyard) (?P<tile>\d+-\d+)", "{whose}_tile", lambda whose, tile: {"tile": tile}),
    (r"(?P<n>\d+) doubles", "doubles", numbers),
    (r"end (?P<end>\d+) is (?P<value>\d+)", "end", numbers),
    (r"scores (?P<points>\d+)", "scores", numbers),
    (r"scores (?P<points>\d+) or more", "scores_or_more", numbers),
    (r"(?P<whose>other|boneyard) has (?P<n>\d+)", "{whose}_has", lambda whose, n: numbers(n=n)),
)

WONDERS: tuple[Shape, ...] = (
    (r"age (?P<n>\d): (?P<what>.+)", "in_age", lambda n, what: {"n": int(n), "what": _wonders(what)}),
    (r"(?P<n>\d+) coins or more", "coins_or_more", numbers),
    (r"(?P<n>[+-]\d) shields to the (?P<side>left|right)", "shields_to_the_{side}", lambda n, side: {"n": n}),
    (
        r"(?P<board>.+): (?P<n>\d) stages",
        "stages_of",
        lambda board, n: {"board": wonders.say_input(board), "n": int(n)},
    ),
    (
        rf"(?P<n>[12]) (?P<resource>{'|'.join(RESOURCES)})",
        "of_a_resource",
        lambda n, resource: {"n": int(n), "resource": wonders.say_input(resource)},
    ),
    *wonders.SHAPES,
)


def _wonders(name: str) -> Said:
    return wonders.say_input(name) if name in RESOURCES else say_input(name, WONDERS)


def say_feature(game: str, name: str) -> Said:
    """Return the translation of a feature's name, in the named game."""
    if game == "truco":
        return Said("agents.list", what=listed(truco.say_input(part) for part in name.split(", ")))
    return _wonders(name) if game == "wonders" else say_input(name, DOMINOES)
