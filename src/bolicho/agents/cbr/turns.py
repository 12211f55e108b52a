"""Domains whose cases are turns: the information, the choice, and its gain over the alternatives.

In Truco the result of a hand evaluates its bets. A tile of dominoes or a card of 7 Wonders is one of many that affect a
result, so the result of a whole game says little about one turn. Here turns are evaluated by trials instead: from the
same position every item is played, the game is played to its end, and the outcome of an item is its gain over the
others (`compiled.trial`). So a case is "won" if it did better than the alternatives, and its points are the difference.

Such a game asks one question per turn. Its items are properties of a play ("the heaviest tile"); a play with several
properties counts as the first, so every play is at most one item.
"""

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from bolicho.agents.cbr.casebase import Cases, Column, Schema
from bolicho.agents.cbr.domain import MAX_EQUAL, MAX_ITEMS, MAX_NUMERIC, Decision, Domain, Feature
from bolicho.i18n import Message, catalogue, plain

SCALE = 24  # range of the interval similarity: attributes are from 0 to this
ABOUT = 6  # capacity for a game's features of an item's play
SCENARIO, PARTITION = 0, 1
LOOKED_AT = 3  # number of attributes used for clustering; a game lists its most important ones first
MOST_POINTS = 999
MINIMUM = 1000  # similar cases per decision: a single outcome says little
POLICY = "nps"  # measured: docs/cases.md

TURN = np.dtype(
    [
        ("item", "i1"),
        ("halves", "i1"),  # 2 better than the alternatives, 1 equal, 0 worse
        ("points", "i2"),  # difference in points
        ("numeric", "i1", (MAX_NUMERIC,)),
        ("equal", "i1", (MAX_EQUAL,)),
        ("label", "i1", (2,)),
        # Work fields while a position is evaluated; unused in stored cases.
        ("actions", "i2", (MAX_ITEMS,)),  # action of every item here, -1: none
        ("merits", "i4", (MAX_ITEMS,)),  # merit of that action for the item
        ("about", "i2", (MAX_ITEMS, ABOUT)),
    ],
    align=True,
)
TURN_RECORD = numba.from_dtype(TURN)


class Attribute(NamedTuple):
    """Attribute of a turn, compared by interval: its value `times` a factor, `plus` an offset, from 0 to `SCALE`.

    A larger factor gives a difference of one unit more weight in the similarity.
    """

    name: str
    meaning: str
    times: float = 1
    plus: int = 0
    percent: bool = False


PERCENT = SCALE / 100  # factor that maps a percentage to the whole scale


def factors(attributes: Sequence[Attribute]) -> NDArray[np.float64]:
    """Return the factors and offsets of attributes for the compiled part."""
    return np.array([(one.times, one.plus) for one in attributes])


def say_value(attributes: Sequence[Attribute], equal: Sequence[str], name: str, value: int) -> str:
    """Return an attribute's value in its original unit.

    >>> tiles = Attribute("own tiles", "tiles in hand", 3)
    >>> say_value([tiles], [], "own tiles", 21), say_value([tiles], [], "own tiles", SCALE)
    ('7', '≥ 8')
    """
    if name in equal:
        return str(value + 1)  # ages and similar attributes count from 1 for readers
    one = next(one for one in attributes if one.name == name)
    counted = round((value - one.plus) / one.times, 1)
    if one.percent:
        return f"{counted:.0f}%"
    bound = "≥ " if value == SCALE else ("≤ " if value == 0 and one.plus else "")
    return f"{bound}{counted:g}"


def _contradicts(cases: Cases) -> NDArray[np.bool_]:
    wrong: NDArray[np.bool_] = cases["halves"] != 1 + np.sign(cases["points"])
    return wrong


def _column_name(attribute: str) -> str:
    return attribute.replace("'", "").replace(" ", "_")


def _columns(
    numeric: Sequence[Attribute], equal: Sequence[tuple[str, int]], items: Sequence[str]
) -> tuple[Column, ...]:
    done = ", ".join(f"{number} {name}" for number, name in enumerate(items))
    return (
        *(
            Column(_column_name(one.name), "numeric", i, tuple(range(SCALE + 1)), _meaning(one))
            for i, one in enumerate(numeric)
        ),
        *(Column(name, "equal", i, tuple(range(most + 1)), f"{name}, from 0") for i, (name, most) in enumerate(equal)),
        Column("item", "item", 0, tuple(range(len(items))), f"what was done: {done}"),
        Column("halves", "halves", 0, (0, 1, 2), "2 better than the rest of what could be done, 1 as good, 0 worse"),
        Column("points", "points", 0, tuple(range(-MOST_POINTS, MOST_POINTS + 1)), "by how many points"),
        Column("group_plays", "label", SCENARIO, tuple(range(13)), "group in 'turns and what was done'", derived=True),
        Column("group_index", "label", PARTITION, tuple(range(13)), "group in 'index of turns'", derived=True),
    )


def _meaning(one: Attribute) -> str:
    times = "" if one.times == 1 else (f"; {100 * one.times:g} is all" if one.percent else f", times {one.times:g}")
    return f"{one.meaning}{times}{f', plus {one.plus}' if one.plus else ''}"


def turn_domain(
    game: str,
    numeric: Sequence[Attribute],
    equal: Sequence[tuple[str, int]],
    items: Sequence[str],
    together: int,
    catalogue: str,
    observed: tuple[str, ...],
) -> Domain:
    """Return the domain of a game whose cases are turns.

    Attributes compared by equality have a name and their largest value; `catalogue` is the part of the catalogue keys
    for the domain's texts.
    """
    names = tuple(one.name for one in numeric)
    alike = tuple(name for name, _ in equal)
    looked = tuple(map(Feature, names[:LOOKED_AT]))
    rules = (("the outcome and its points contradict each other", _contradicts),)
    return Domain(
        game=game,
        schema=Schema(game, TURN, _columns(numeric, equal, items), rules),
        scale=SCALE,
        decisions=(Decision("what to play", names, alike, tuple(items), SCENARIO, PARTITION, points=True),),
        clusterings=("turns and what was done", "index of turns"),
        features=((*looked, Feature("what was done", tuple(enumerate(items)))), looked),
        predicates=(),
        max_instances=1,
        say_value=partial(say_value, numeric, alike),
        said=partial(_said, catalogue),
        minimum=MINIMUM,
        policy=POLICY,
        together=together,
        tried=True,
        observed=observed,
    )


def _said(family: str, name: str) -> Message:
    """Return the translation of the question, an attribute or an item; numbers are unchanged."""
    key = f"agents.cbr.{family}.{_column_name(name)}"
    return Message(key) if key in catalogue("en").templates else plain(name)
