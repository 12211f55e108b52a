"""Which games have codings and schemes of their own, and where: loaded when the game is asked for."""

from collections.abc import Callable

from bolicho.agents.neural.compiled.codings import NOTHING, PAYOFF, Binding


def _wonders() -> Binding:
    from bolicho.agents.neural.compiled import (
        wonders,  # an import that can be read: a run is known by the code it rests on
    )

    return wonders.BINDING


def _dominoes() -> Binding:
    from bolicho.agents.neural.compiled import dominoes

    return dominoes.BINDING


def _truco() -> Binding:
    from bolicho.agents.neural.compiled import truco

    return truco.BINDING


BINDINGS: dict[str, Callable[[], Binding]] = {
    "truco": _truco,
    "dominoes": _dominoes,
    "fives": _dominoes,
    "wonders": _wonders,
}


def binding(game: str) -> Binding:
    """What a game has of its own; from then on compiled code knows it."""
    return BINDINGS[game]() if game in BINDINGS else NOTHING


def schemes(game: str) -> dict[str, int]:
    """The schemes of a game, by name."""
    return {"payoff": PAYOFF, **binding(game).schemes}
