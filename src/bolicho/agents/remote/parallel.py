"""Decisions at many tables in parallel, for agents that wait for a network."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bolicho.agents.seated import Ledger, Lucks, Rows, Seconds
from bolicho.games.game import View
from bolicho.games.tables import Actions, Numbers, Tables


class Decided(NamedTuple):
    """Number of the chosen action, the reason of a failure, and the seconds taken."""

    number: int
    why: str | None
    seconds: float


class SeatedInParallel:
    """`SeatedAgent` that decides at up to `at_once` tables in parallel; each decision has its own failure.

    `decide` gets the view, the number of the table and the luck; `begin` is called when a seat begins a game.
    """

    remembers = False  # its views contain all that it saw

    def __init__(
        self,
        tables: Tables,
        decide: Callable[[View, int, int], Decided],
        at_once: int,
        begin: Callable[[int, int], None] = lambda table, seat: None,
    ) -> None:
        self._tables = tables
        self._decide = decide
        self._begin = begin
        self._pool = ThreadPoolExecutor(at_once, "asking")

    def begin(self, table: int, seat: int, past: Rows | None) -> str | None:
        self._begin(table, seat)
        return None

    def answer(self, which: Numbers, luck: Lucks, actions: Actions, seconds: Seconds) -> dict[int, str]:
        views, plies = self._tables.views(which), self._tables.plies[which].tolist()
        for view, ply in zip(views, plies, strict=True):
            view.ply = ply
        answers = list(self._pool.map(self._decide, views, which.tolist(), luck.tolist()))
        seconds[:] = [answer.seconds for answer in answers]
        actions[:] = [answer.number for answer in answers]
        return {k: f"ply {plies[k]}: {answer.why}" for k, answer in enumerate(answers) if answer.why is not None}

    def observe_actions(self, me: int, ledger: Ledger, which: Numbers, played: NDArray[np.bool_]) -> None:
        pass

    def end(self, table: int, seat: int) -> str | None:
        return None
