"""What explanations are made of: actions by their names, numbers with their signs, and pictures as data.

A picture is JSON and has a `kind`, a `title` and the `action` it explains:

- `bars`: something of every action (or card): `bars` are {"says", "value", "told", "chosen"}, `unit` says what of.
- `cells`: the cells of the Markov matrices that bets were weighed by (`agents.markov.explain`).
- `cases`: the retrieved cases and the votes (`agents.cbr.explain`).

Whatever is to be read in it is a `Said` as JSON.
"""

from collections.abc import Iterable, Sequence
from functools import reduce
from math import isfinite
from typing import Any

from bolicho.games.game import Table, View
from bolicho.games.kind import Action
from bolicho.words import Fact, Said, Several


def named(position: View | Table, action: Action) -> Said:
    """An action by its name for people."""
    return position.game.kind.name_action(position.state, str(action))


def signed(value: float, form: str = "") -> Fact:
    """A number that shows its sign: whole ones as they are, others with two decimals (`form` ".1": one)."""
    size: int | float = abs(int(value)) if value == int(value) and isinstance(value, int) else abs(float(value))
    return Said(f"agents.{'minus' if value < 0 else 'plus'}{form}", value=size)


def chain(parts: Sequence[Said]) -> Said:
    """Parts of one sentence, one after the other."""
    return reduce(lambda first, then: Said("agents.then", first=first, then=then), parts)


def listed(facts: Iterable[Fact]) -> Several:
    """Facts with commas between them."""
    return Several(tuple(facts), ",")


def bar(says: Said, value: float, told: Fact, chosen: bool) -> dict[str, Any]:
    """One bar: whose, how long, that in words, and whether it was taken."""
    shown = told if isinstance(told, Said) else Said("agents.number", value=told)
    return {"says": says.as_json(), "value": value, "told": shown.as_json(), "chosen": chosen}


def bars(title: str, unit: str, action: str, shown: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """A picture of bars; what is no finite number is left out."""
    return {
        "kind": "bars",
        "title": Said(f"agents.{title}").as_json(),
        "unit": Said(f"agents.unit.{unit}").as_json(),
        "action": action,
        "bars": [one for one in shown if isfinite(one["value"])],
    }
