"""Descriptions of the inputs of Truco learners in every language."""

from bolicho.agents.inputs import Shape, numbers
from bolicho.agents.inputs import say_input as say_shaped
from bolicho.i18n import Message

SHAPES: tuple[Shape, ...] = (
    ("mão", "truco.mao", dict),
    ("pé", "truco.pe", dict),
    (r"my card (?P<n>\d): class (?P<c>\d+)", "truco.card_class", numbers),
    (r"my card (?P<n>\d): (?P<what>.+)", "truco.card_{what}", lambda n, what: numbers(n=n)),
    (r"round (?P<n>\d): other of class (?P<c>\d+)", "truco.round_class", numbers),
    (r"round (?P<n>\d): (?P<what>.+)", "truco.round_{what}", lambda n, what: numbers(n=n)),
    (r"round (?P<n>\d) now", "truco.round_now", numbers),
    (r"the hand is worth (?P<n>\d)", "truco.worth", numbers),
    (r"my envido is (?P<n>\d+) or more", "truco.envido_or_more", numbers),
    (r"(?P<who>I lack|other lacks) (?P<n>\d+) or fewer", "truco.{who}", lambda who, n: numbers(n=n)),
    (r"(?P<who>I lack|other lacks) more than (?P<n>\d+)", "truco.{who}_more", lambda who, n: numbers(n=n)),
    (r"(?P<who>I|other) called envido again", "truco.{who}_called_again", lambda who: {}),
    (r"(?P<who>I|other) called (?P<call>\w+)", "truco.{who}_called", lambda who, call: {"call": call}),
    (r"(?P<call>truco|retruco|vale4) called", "truco.called", lambda call: {"call": call}),
    (r"(?P<which>best|second|third|my) card of class (?P<c>\d+)", "truco.{which}_class", lambda which, c: numbers(c=c)),
    (r"(?P<n>\d) cards beat the table", "truco.cards_beat", numbers),
    (r"a bet of (?P<n>\d+) points at most", "truco.bet", numbers),
    (r"a bet of more than (?P<n>\d+) points", "truco.bet_more", numbers),
)
"""Names with groups in `agents.neural.compiled.truco` and `agents.sarsa.compiled.truco`."""


def say_input(name: str) -> Message:
    """Return the description of an input."""
    return say_shaped(name, SHAPES)
