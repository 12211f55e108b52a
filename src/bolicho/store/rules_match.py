"""Check of the rules for which an artifact was made."""

from collections.abc import Collection, Mapping
from typing import Any

from bolicho.errors import BadInput


def check_rules(
    facts: Mapping[str, Any],
    rules: Mapping[str, Any],
    where: object,
    *,
    apart: Collection[str] = (),
    instead: str = "use one made for it",
) -> None:
    """Refuse `rules` other than those of an artifact; rules named in `apart` do not affect what it learned.

    Both are the rules that differ from the default.  Facts without rules mean the default rules.  The refusal names the
    differing rules of the file and of the game, and ends with the alternative `instead`.
    """
    made = facts.get("rules") or {}
    if not isinstance(made, dict):
        raise BadInput(f"{where} has rules {made!r}, which are not names with values; train it again")
    learned, played = ({name: each[name] for name in each if name not in apart} for each in (made, rules))
    if learned != played:
        raise BadInput(f"{where} was made for {_write(learned)}, and this game has {_write(played)}; {instead}")


def _write(rules: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={value}" for name, value in sorted(rules.items())) or "the default rules"
