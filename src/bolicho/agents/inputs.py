"""What the inputs of nets and the features of after-states are called, for people of whatever language.

Learners name what they look at in English (`names` of their codings); here a name is read and said.
"""

import re
from collections.abc import Callable

from bolicho.games.wonders.cards import BOARDS, CARDS, RESOURCES
from bolicho.games.wonders.text import name_card
from bolicho.words import Fact, Said, plain, words

_TILE = r"\d+-\d+"


def _numbers(**facts: str) -> dict[str, Fact]:
    return {name: int(text) for name, text in facts.items()}


_SHAPES: tuple[tuple[str, str, Callable[..., dict[str, Fact]]], ...] = (
    # Dominoes: the features of after-states (`agents.sarsa.compiled.dominoes`)
    (rf"(?P<whose>own|other|boneyard) (?P<tile>{_TILE})", "{whose}_tile", lambda whose, tile: {"tile": tile}),
    (r"(?P<n>\d+) doubles", "doubles", _numbers),
    (r"end (?P<end>\d+) is (?P<value>\d+)", "end", _numbers),
    (r"scores (?P<points>\d+)", "scores", _numbers),
    (r"scores (?P<points>\d+) or more", "scores_or_more", _numbers),
    (r"(?P<whose>other|boneyard) has (?P<n>\d+)", "{whose}_has", lambda whose, n: _numbers(n=n)),
    # 7 Wonders: the inputs of the nets (`agents.neural.compiled.wonders`)
    (r"(?P<what>age|turn) (?P<n>\d)", "{what}_n", lambda what, n: _numbers(n=n)),
    (r"(?P<whose>own|left|right) (?P<what>.+)", "of.{whose}", lambda whose, what: {"what": say_input(what)}),
    (
        rf"(?P<card>{'|'.join(sorted(set(CARDS), key=len, reverse=True))}) (?P<block>[a-z ]+)",
        "card.{block}",
        lambda card, block: {"card": name_card(card)},
    ),
)


def say_input(name: str) -> Said:
    """An input by its name; as it is written where it has no words."""
    for shape, key, facts in _SHAPES:
        if match := re.fullmatch(shape, name):
            parts = match.groupdict()
            slugs = {part: text.replace(" ", "_") for part, text in parts.items()}
            return Said(f"agents.input.{key.format(**slugs)}", **facts(**parts))
    if name in CARDS:
        return name_card(name)
    if name in BOARDS:
        return Said(f"wonders.board.{name}")
    if name in RESOURCES:
        return Said(f"wonders.resource.{name}")
    key = f"agents.input.{name.replace(': ', '_').replace(' ', '_')}"
    return Said(key) if key in words("en").templates else plain(name)
