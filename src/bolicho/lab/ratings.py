"""Shipped ratings from the full study of the gallery, without plotting code, so that the module loads fast."""

import json
from pathlib import Path
from typing import Any

RATINGS = Path(__file__).with_name("gallery.json")


def shipped() -> dict[str, list[dict[str, Any]]]:
    """Return the rows of each game, most wins first, with "agent", "rating", "interval", "won" and "games"; empty if
    none ship."""
    if not RATINGS.exists():
        return {}
    found: dict[str, list[dict[str, Any]]] = json.loads(RATINGS.read_text(encoding="utf-8"))["games"]
    return found
