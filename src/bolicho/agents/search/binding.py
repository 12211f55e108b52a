"""Game-specific knowledge of searches, beyond the rules."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from bolicho.agents.search import TECHNIQUE

RANDOM, END, HAND = "random", "end", "hand"


@dataclass(frozen=True)
class SearchSettings:
    """Opponent model, playout player, end of playouts, and the effort for about 50 ms."""

    model: str = RANDOM
    playouts: str = RANDOM
    leaves: str = END
    iterations: int = 1_000
    worlds: int = 500
    exploration: float = 1.0


@dataclass(frozen=True)
class Binding:
    """Best measured plan (docs/search.md), and code written for the game."""

    plan: SearchSettings = SearchSettings()
    otherwise: SearchSettings = SearchSettings()  # for rules other than those of the trained model
    opponents: str = "shared"  # the best measured one of `mcts.OPPONENTS`
    horizon: Callable[..., Any] | None = None  # for matches of hands: makes the leaf that ends a search with the hand
    exact: Any = None  # a module with an `exact_solver` and a `why_not`
    worlds: Any = None  # a module whose `draw_world` draws worlds from a part of the seat's information


def binding(game: str) -> Binding:
    """Return the binding of a game; by default opponents are modelled as random."""
    return TECHNIQUE.binding(game) or Binding()


def games_with(part: str) -> list[str]:
    """Return the games whose binding has that part."""
    return [game for game in TECHNIQUE.bindings if getattr(binding(game), part) is not None]
