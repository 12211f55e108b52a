"""Under which rules something was learned, and whether it may play others."""

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
    """Refuse `rules` under which an artifact was not made; those `apart` change nothing of what it learned.

    Both are the rules that differ from the default.  An artifact whose facts name none was made under it.  The refusal
    names the rules that matter, of the file and of the game, and ends with what works `instead`.
    """
    made = facts.get("rules") or {}
    if not isinstance(made, dict):
        raise BadInput(f"{where} names its rules as {made!r}, not by name and value; train it again")
    learned, played = ({name: each[name] for name in each if name not in apart} for each in (made, rules))
    if learned != played:
        raise BadInput(f"{where} was made for {_write(learned)}, and this game has {_write(played)}; {instead}")


def _write(rules: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={value}" for name, value in sorted(rules.items())) or "the default rules"
