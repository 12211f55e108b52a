"""Under which rules something was learned, and whether it may play others."""

from collections.abc import Collection, Mapping
from typing import Any

from bolicho.errors import BadInput


def check_rules(
    facts: Mapping[str, Any], rules: Mapping[str, Any], where: object, *, apart: Collection[str] = ()
) -> None:
    """Refuse `rules` under which an artifact was not made; those `apart` change nothing of what it learned.

    Both are the rules that differ from the default.  An artifact whose facts name none was made under it.
    """
    made = facts.get("rules") or {}
    if not isinstance(made, dict):
        raise BadInput(f"{where} names its rules as {made!r}, not by name and value; train it again")
    if any(made.get(name) != rules.get(name) for name in {*made, *rules} - set(apart)):
        raise BadInput(f"{where} was made for {_write(made)}, and this game has {_write(rules)}; use one made for it")


def _write(rules: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={value}" for name, value in sorted(rules.items())) or "the default rules"
