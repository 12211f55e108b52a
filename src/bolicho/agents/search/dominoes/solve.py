"""Exact values of dominoes positions with full information.

>>> import bolicho
>>> from bolicho.agents.search.dominoes.solve import solve
>>> table = bolicho.game("dominoes").setup(hands=[["6-4", "4-1"], ["6-6", "5-1"]], first=0)
>>> solution = solve(table)
>>> solution.best, solution.value
('4-1', 12.0)
>>> solution.values
{'4-1': 12.0, '6-4': 6.0}
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bolicho.agents.search.dominoes.compact import CONTEXT, MAX_MOVES
from bolicho.agents.search.dominoes.compiled import root
from bolicho.errors import BadInput
from bolicho.games.dominoes.kernel import SIX
from bolicho.games.dominoes.text import held
from bolicho.games.game import Game, Table, View
from bolicho.games.kind import Pool

MEMORY_MB = 64
NODE_CAP = 50_000_000
"""Takes about ten seconds; one deal of all fives in a thousand needs more than a tenth of it."""

LEAST_CAP = 10_000
_ENTRY_PAIR = 32  # bytes
_FIRST_BITS = 14  # log2 of the pairs at the start of a search: half a megabyte


@dataclass(frozen=True)
class Solution:
    """Result of optimal play of both seats.

    Values are payoffs of the finished game for the seat to move, including the points won so far.
    """

    value: float
    best: str
    values: dict[str, float]  # by action; upper bounds except for the best, unless `every` is set
    nodes: int
    exact: bool  # False: the node cap was reached, and the values are estimates


class Memory:
    """Transposition table of a solver. Positions of the same deal reuse earlier results."""

    def __init__(self, memory_mb: int = MEMORY_MB) -> None:
        if not 1 <= memory_mb <= 1 << 16:
            raise BadInput(f"memory_mb must be 1 to {1 << 16} MB for the table of positions, not {memory_mb}")
        bits = (memory_mb * (1 << 20) // _ENTRY_PAIR).bit_length() - 1
        self.table = np.zeros(4 << bits, np.int64)
        self.context = np.zeros(1, CONTEXT)
        self.context["first_shift"], self.context["last_shift"] = 64 - _FIRST_BITS, 64 - bits
        self.actions = np.zeros(MAX_MOVES, np.int16)
        self.values = np.zeros(MAX_MOVES, np.int64)

    def clear(self) -> None:
        """Remove every position, so that a decision does not depend on earlier ones."""
        self.context["tiles"] = 0  # no deal has an empty set of tiles


_threads = threading.local()


def shared_memory(memory_mb: int = MEMORY_MB) -> Memory:
    """Return a memory of that size, one per thread, created on first use."""
    known: dict[int, Memory] = _threads.__dict__.setdefault("memories", {})
    if memory_mb not in known:
        known[memory_mb] = Memory(memory_mb)
    return known[memory_mb]


def why_not(record: np.dtype[np.void]) -> str | None:
    """Return the reason why the solver does not support the games of a record; None if it does."""
    if record == SIX:
        return None
    return "the exact solver supports dominoes up to the double-six (highest=6), not larger sets"


def _check_cap(node_cap: int) -> None:
    if node_cap < LEAST_CAP:
        raise BadInput(f"node_cap must be {LEAST_CAP} or more, not {node_cap}")


def _check_position(table: Table | View) -> None:
    if (why := why_not(table.pool.dtype)) is not None:
        raise BadInput(why)
    state = table.pool[0]
    if state["turn"] < 0:
        raise BadInput("the game is over: there is no decision to solve")
    hands = [held(hand) for hand in state["hands"]]
    drawable = state["boneyard"][state["drawn"] : state["num_boneyard"]]
    if len(hands[0]) != state["counts"][0] or len(hands[1]) != state["counts"][1] or (drawable < 0).any():
        raise BadInput("only a position with full information can be solved; a view needs a redeal first")


def solve(
    table: Table | View,
    *,
    memory_mb: int = MEMORY_MB,
    node_cap: int = NODE_CAP,
    every: bool = True,
    memory: Memory | None = None,
) -> Solution:
    """Solve a position of draw dominoes or all fives (a table, or the open view of an oracle).

    All rules up to the double-six set are supported. `every=False` is faster: only the best action's value is exact
    then. Beyond `node_cap` positions the values are estimates, by as deep a search as a quarter of the cap allows.
    """
    _check_position(table)
    _check_cap(node_cap)
    memory = memory or shared_memory(memory_mb)
    memory.context["cap"] = node_cap
    n, exact = root.solve(table.pool, memory.context, memory.table, every, memory.actions, memory.values)
    state = table.pool[0]
    mover = int(state["turn"])
    so_far = int(state["scores"][mover]) - int(state["scores"][1 - mover])
    best = int(np.argmax(memory.values[:n]))
    by_number = dict(zip(memory.actions[:n].tolist(), (memory.values[:n] + so_far).tolist(), strict=True))
    action = table.game.action
    return Solution(
        value=float(by_number[int(memory.actions[best])]),
        best=str(action(state, int(memory.actions[best]))),
        values={str(action(state, number)): float(by_number[number]) for number in sorted(by_number)},
        nodes=int(memory.context["nodes"][0]),
        exact=bool(exact),
    )


def exact_solver(node_cap: int, memory_mb: int) -> Callable[[Game, Pool, int], NDArray[np.float64]]:
    """Create a solver of worlds for a decision (`search.pimc.Solver`); beyond `node_cap` nodes a world is estimated."""
    _check_cap(node_cap)
    memory = shared_memory(memory_mb)
    memory.clear()

    def values(game: Game, pool: Pool, seed: int) -> NDArray[np.float64]:
        memory.context["cap"] = node_cap
        n, _ = root.solve(pool, memory.context, memory.table, True, memory.actions, memory.values)
        scores = pool["scores"][0].astype(np.int64)
        mover = int(pool["turn"][0])
        ascending = np.argsort(memory.actions[:n])
        return np.asarray(memory.values[:n][ascending] + float(scores[mover] - scores[1 - mover]))

    return values
