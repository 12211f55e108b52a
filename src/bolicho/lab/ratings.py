"""The ratings that the full study of the gallery found, as they ship: quick to read, without what plots need."""

import json
from pathlib import Path
from typing import Any

RATINGS = Path(__file__).with_name("gallery.json")


def shipped() -> dict[str, list[dict[str, Any]]]:
    """By game who won most first, each with "agent", "rating", "interval", "won", "games"; nothing where none ship."""
    if not RATINGS.exists():
        return {}
    found: dict[str, list[dict[str, Any]]] = json.loads(RATINGS.read_text(encoding="utf-8"))["games"]
    return found
