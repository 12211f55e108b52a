"""Rules that a site offers: all combinations of the values that people choose, and those of guided games."""

import dataclasses
from collections.abc import Iterator
from itertools import product
from typing import Any, Literal, get_args, get_origin, get_type_hints

from bolicho.games.kind import Kind

CHOSEN: dict[str, dict[str, tuple[Any, ...]]] = {
    "truco": {
        "target": (12, 24, 30), "flor": (False, True), "face_down": (False, True), "envido_first": (False, True),
    },
    "dominoes": {"highest": (6, 9, 12), "hand": (5, 6, 7), "opens": ("first", "lot", "double", "heaviest")},
    "fives": {"highest": (6, 9, 12), "hand": (5, 6, 7), "opens": ("first", "lot", "double", "heaviest")},
    "wonders": {"players": (3, 4, 5, 6, 7), "sides": ("random", "A", "B"), "trade": ("cheapest", "choose")},
}  # fmt: skip
"""Rules of built-in games on the home page (`web/pages/games.js`), with their values."""

GUIDED: dict[str, dict[str, Any]] = {"truco": {"hands": 1}}
"""Rules of guided games (`web/pages/guide.js`) that are not the default ones."""

MOST = 64
"""Combinations of a game by address; one with more is offered with its default rules alone."""


def variants(kind: Kind) -> Iterator[dict[str, Any]]:
    """Yield the rules of each variant that differ from the default ones; the default variant is first."""
    values = CHOSEN.get(kind.name) or dict(_values(kind))
    usual = dataclasses.asdict(kind.rules())
    combinations = [dict(zip(values, chosen, strict=True)) for chosen in product(*values.values())]
    if len(combinations) > MOST:
        combinations = []
    changed = [{name: value for name, value in one.items() if value != usual[name]} for one in combinations]
    yield {}
    yield from (one for one in changed if one)
    if kind.name in GUIDED:
        yield GUIDED[kind.name]


def _values(kind: Kind) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """Yield the rules of a game whose values are listed."""
    listed = dict(kind.choices)
    for name, hint in get_type_hints(kind.rules).items():
        if name in listed:
            yield name, listed[name]
        elif hint is bool:
            yield name, (False, True)
        elif get_origin(hint) is Literal:
            yield name, get_args(hint)
