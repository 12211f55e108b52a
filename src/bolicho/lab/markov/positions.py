"""Mão and pé by hand: the analysis of logs that Rossato 2020, chapter 6, leaves to future work.

In table 5.2 most wins against three of the four opponents began as pé, against the fourth as mão. A match begun as mão
has as many hands as pé, or one less; so this module compares hands, by phase and by decision.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bolicho.games.kernel import CHOSE
from bolicho.games.truco import kernel as k
from bolicho.lab.markov import published
from bolicho.lab.study import Cell, Measured, Table, share
from bolicho.stats import Estimate, ratio, t_quantile

Rows = NDArray[np.int16]

ENVIDOS = (k.ENVIDO, k.REAL, k.FALTA)
BETS = (k.BY_ENVIDO, k.BY_FLOR)
"""Reasons of points that do not decide the hand."""


class Hand(NamedTuple):
    """A hand from the agent's view, read from the log of its match."""

    match: int
    mao: bool  # True if the agent was mão
    points: Mapping[int, int]  # the agent's minus the opponent's, by reason (BY_ENVIDO and so on)
    won: bool | None  # None if envido or flor ended the match before
    first: float | None  # the first round: 1 won, 0.5 tied, 0 lost; None if not played
    truco: bool | None  # True if the agent (or the opponent) called truco first; None without a call
    envido: bool | None  # the same for envido


def hands_of(rows: Rows, seat: int, match: int = 0) -> Iterator[Hand]:
    """Read the hands of a match from its events (`games.truco.kernel`)."""
    starts = np.flatnonzero(rows[:, 0] == k.DEALT)
    for start, end in zip(starts, [*starts[1:], len(rows)], strict=True):
        yield _hand(rows[start:end].tolist(), seat, match)


def _hand(rows: Sequence[Sequence[int]], seat: int, match: int) -> Hand:
    points: dict[int, int] = {}
    won, first, truco, envido = None, None, None, None
    for kind, who, value, extra in rows:
        mine = who == seat
        if kind == CHOSE and value == k.TRUCO:
            truco = mine
        elif kind == CHOSE and value in ENVIDOS and envido is None:
            envido = mine
        elif kind == k.ROUND and value == 0:
            first = float(mine) if who >= 0 else 0.5
        elif kind == k.POINTS:
            points[extra] = points.get(extra, 0) + (value if mine else -value)
            won = won if extra in BETS else mine
    return Hand(match, rows[0][1] == seat, points, won, first, truco, envido)


Measure = Callable[[Hand], float | None]
"""Function that returns a number for a hand; None for hands that do not count."""


def _points(why: int) -> Measure:
    return lambda hand: hand.points.get(why, 0)


def _refusals(own: bool) -> Measure:
    """Return the points by refusal of the hands in which the agent (or the opponent) called truco first."""
    return lambda hand: hand.points.get(k.BY_REFUSAL, 0) if hand.truco is own else 0


def _refuses(own: bool) -> Measure:
    """Return the share of hands, with truco called first by the agent or the opponent, that the agent ended by
    refusing.

    After its own first call the agent can only refuse a raise.
    """
    return lambda hand: hand.points.get(k.BY_REFUSAL, 0) < 0 if hand.truco is own else None


PHASES: dict[str, Measure] = {
    "envido": _points(k.BY_ENVIDO),
    "flor": _points(k.BY_FLOR),
    "refusals after the opponent's truco": _refusals(own=False),
    "refusals after the agent's truco": _refusals(own=True),
    "cards": _points(k.BY_CARDS),
    "all": lambda hand: sum(hand.points.values()),
}
"""Points of a hand by phase, the agent's minus the opponent's."""

DECISIONS: dict[str, Measure] = {
    "agent calls envido": lambda hand: hand.envido is True,
    "opponent calls envido": lambda hand: hand.envido is False,
    "agent calls truco": lambda hand: hand.truco is True,
    "opponent calls truco": lambda hand: hand.truco is False,
    "agent refuses after the opponent's truco": _refuses(own=False),
    "agent refuses after its own truco": _refuses(own=True),
    "first round won": lambda hand: hand.first,
    "hand won": lambda hand: hand.won,
}
"""Decisions and results, measured as shares of the hands."""


def as_mao_and_pe(hands: Sequence[Hand], measure: Measure) -> tuple[Estimate, Estimate, Estimate]:
    """Return the mean of a measure as mão, as pé, and the difference; intervals are over matches."""
    matches = 1 + max(hand.match for hand in hands)
    sums, counts = np.zeros((2, matches)), np.zeros((2, matches))
    for hand in hands:
        value = measure(hand)
        if value is not None:
            sums[int(not hand.mao), hand.match] += value
            counts[int(not hand.mao), hand.match] += 1
    mao, pe = (ratio(sums[role], counts[role]) for role in (0, 1))
    parts = [(sums[i] - each.value * counts[i]) / counts[i].sum() for i, each in enumerate((mao, pe))]
    error = math.sqrt(matches / (matches - 1) * float(((parts[0] - parts[1]) ** 2).sum()))
    reach, value = t_quantile(matches - 1) * error, mao.value - pe.value
    return mao, pe, Estimate(value, value - reach, value + reach)


def tables(logs: Mapping[str, Sequence[Hand]], about: str = "") -> list[Table]:
    """Tabulate points by phase and shares by decision, as mão and as pé, against each opponent."""
    hands = sum(map(len, logs.values()))
    note = f"{hands:,} hands in the matches of table 5.2; intervals are over matches. "
    return [
        _table(f"Points a hand as mão and as pé{about}", PHASES, logs, False, note + "Agent minus opponent."),
        _table(f"Decisions as mão and as pé{about}", DECISIONS, logs, True, note + "Shares of the hands."),
    ]


def _table(
    title: str, measures: Mapping[str, Measure], logs: Mapping[str, Sequence[Hand]], percent: bool, note: str
) -> Table:
    rows: list[list[Cell]] = []
    for what, measure in measures.items():
        for name, hands in logs.items():
            found = as_mao_and_pe(hands, measure)
            rows.append([what, name, *(Measured(each, percent=percent) for each in found)])
    return Table(title, ["what", "opponent", "as mão", "as pé", "difference"], rows, note)


def published_table() -> Table:
    """Tabulate the wins of table 5.2 by the role in which they began, with intervals for their number."""
    wins = {name: sum(published.TABLE_5_3[name]) for name in published.OPPONENTS}
    begun = {name: round(wins[name] * published.TABLE_5_2[name][1]) for name in wins}
    rows: list[list[Cell]] = [
        [name, wins[name], begun[name], share(np.arange(wins[name]) < begun[name])] for name in wins
    ]
    total, mao = sum(wins.values()), sum(begun.values())
    rows.append(["all four", total, mao, share(np.arange(total) < mao)])
    note = (
        f"That all four have the same share is not ruled out: p = {homogeneity(begun, wins):.2f} "
        "(chi-square, three degrees of freedom)."
    )
    return Table("The published wins as mão (table 5.2)", ["opponent", "wins", "as mão", "share"], rows, note)


def homogeneity(parts: Mapping[str, int], wholes: Mapping[str, int]) -> float:
    """Return the p-value of Pearson's chi-square test that all shares are equal."""
    from scipy.special import chdtrc  # type: ignore[import-untyped]  # slow to import

    one = sum(parts.values()) / sum(wholes.values())
    distance = sum((parts[name] - one * whole) ** 2 / (whole * one * (1 - one)) for name, whole in wholes.items())
    return float(chdtrc(len(wholes) - 1, distance))
