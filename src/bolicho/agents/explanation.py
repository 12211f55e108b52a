"""Parts of explanations: names of actions, signed numbers, and pictures as data.

A picture is JSON and has a `kind`, a `title` and the `action` it explains:

- `bars`: a number for each action (or card): `bars` are {"says", "value", "told", "chosen"}, `unit` names the number.
- `cells`: the cells of the Markov matrices that weighed the bets (`agents.markov.explain`).
- `cases`: the retrieved cases and the votes (`agents.cbr.explain`).

All of its texts are `Message` as JSON.
"""

from collections.abc import Iterable, Sequence
from functools import reduce
from math import isfinite
from typing import Any

from bolicho.games.game import Table, View
from bolicho.games.kind import Action
from bolicho.i18n import Fact, Message, Several


def named(position: View | Table, action: Action) -> Message:
    """Return the display name of an action."""
    return position.game.kind.name_action(position.state, str(action))


def signed(value: float, form: str = "") -> Fact:
    """Return a number with its sign: integers unchanged, others with two decimals (`form` ".1": one)."""
    size: int | float = abs(int(value)) if value == int(value) and isinstance(value, int) else abs(float(value))
    return Message(f"agents.{'minus' if value < 0 else 'plus'}{form}", value=size)


def chain(parts: Sequence[Message]) -> Message:
    """Join parts into one sentence."""
    return reduce(lambda first, then: Message("agents.then", first=first, then=then), parts)


def listed(facts: Iterable[Fact]) -> Several:
    """Return facts separated by commas."""
    return Several(tuple(facts), ",")


def bar(says: Message, value: float, told: Fact, chosen: bool) -> dict[str, Any]:
    """Return one bar: label, length, length in words, and whether the action was taken."""
    shown = told if isinstance(told, Message) else Message("agents.number", value=told)
    return {"says": says.as_json(), "value": value, "told": shown.as_json(), "chosen": chosen}


def bars(title: str, unit: str, action: str, shown: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """Return a picture of bars, without those that are not finite."""
    return {
        "kind": "bars",
        "title": Message(f"agents.{title}").as_json(),
        "unit": Message(f"agents.unit.{unit}").as_json(),
        "action": action,
        "bars": [one for one in shown if isfinite(one["value"])],
    }
