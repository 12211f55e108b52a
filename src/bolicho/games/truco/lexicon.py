"""Truco's vocabulary as data: strength classes, and envido bets with their points."""

from collections.abc import Sequence
from typing import NamedTuple

from bolicho.games.truco.rules import CALLS, STRENGTH_CLASSES, SUITS, Rules

CLASSES = len(STRENGTH_CLASSES)
CLASS_SIZES = tuple(len(cards) for cards in STRENGTH_CLASSES)
CLASS_NAMES = tuple(cards[0][:-1] if len(cards) == len(SUITS) else "/".join(cards) for cards in STRENGTH_CLASSES)
"""Names of the classes, weakest first: `4` to `3` if the suit does not matter, `7p/7c`, `1e`."""

CLASS_CODES = (1, 2, 3, 4, 6, 7, 8, 12, 16, 24, 40, 42, 50, 52)
"""Code of each class in the documents (Paulus 2020, table 4; Rossato 2020, appendix A): equal codes tie."""

TRUCO_CALLS, ENVIDO_CALLS, FLOR_CALLS = CALLS[:3], CALLS[3:6], CALLS[7:9]
"""Calls of each kind of bet, lowest first; a flor itself is announced and not called."""

ENVIDO_POINTS = (2, 3)
"""Points that envido and real envido add to the stake; falta envido sets it to the points that the leader lacks."""

NO_PAIR_BELOW = 20  # envido points: below, no two cards have the same suit
MOST_ENVIDO, MOST_FLOR = 33, 38  # points of a hand


class Bet(NamedTuple):
    """A call that awaits an answer: its points if accepted and if refused, and the calls that raise it."""

    call: str
    accepted: int | None  # None: as many as the leader lacks
    refused: int
    raises: tuple["Bet", ...] = ()


def envido_bets(rules: Rules, stake: int = 0, lowest: int = 0, again: bool = False) -> tuple[Bet, ...]:
    """Return the envido calls that open the betting, or raise a call of this stake.

    `lowest` is the lowest call available, `again` whether envido may answer envido once.
    """
    found = []
    for kind in range(0 if again else lowest, 3):
        accepted = stake + ENVIDO_POINTS[kind] if kind < 2 else None
        opens = kind == 0 and stake == 0 and rules.envido_envido
        raises = envido_bets(rules, accepted, kind + 1, opens) if accepted else ()
        found.append(Bet(ENVIDO_CALLS[kind], accepted, max(1, stake), raises))
    return tuple(found)


def levels(bets: Sequence[Bet]) -> list[list[Bet]]:
    """Return the calls of a betting sequence, grouped by the number of earlier calls."""
    found = [list(bets)]
    while raises := [raised for bet in found[-1] for raised in bet.raises]:
        found.append(raises)
    return found
