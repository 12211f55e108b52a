"""Page modules that draw the games, and drawings of games without one."""

from typing import Any

from bolicho.games.game import NOBODY, View
from bolicho.games.kind import Kind
from bolicho.games.small_game import drawn

GENERIC = "generic"


def look_of(kind: Kind) -> str:
    """Return the module of `pages/` that draws a game."""
    return kind.page or GENERIC


def is_drawn(kind: Kind) -> bool:
    """Return whether the generic table shows a drawing of the game's own instead of facts."""
    return look_of(kind) == GENERIC and kind.svg is not drawn


def shown(view: View, log_from: int = 0) -> dict[str, Any]:
    """Return a view for pages and programs: its JSON, with `svg` if the generic table shows a drawing."""
    data = view.data(log_from)
    if view.seat != NOBODY and is_drawn(view.game.kind):
        data["svg"] = view.svg()
    return data
