"""Alpha-beta search for two seats, zero sum and full information.

Iterative deepening, a transposition table, moves ordered by table, killers and history; if plain, only iterative
deepening and pruning. With a limit of nodes the same position and seed always give the same result.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from bolicho.agents.search.compiled import alphabeta as compiled
from bolicho.agents.search.limits import Limits, spend
from bolicho.agents.search.positions import key_words, words_of
from bolicho.errors import BadInput, unknown
from bolicho.games.game import Game
from bolicho.games.kind import Pool

MAX_DEPTH = 256
TABLE_SLOTS = 1 << 18  # 10 MB
EVALUATIONS = {"none": compiled.BY_NOTHING, "scores": compiled.BY_SCORES, "playouts": compiled.BY_PLAYOUTS}
"""Evaluation of a position at the horizon: none (0), the score difference, or random playouts."""

_SLOPE_PLAYOUTS = 64  # random games for the estimate of payoff per point


@dataclass(frozen=True)
class Horizon:
    """Largest depth of a search, and the evaluation there; `plain` searches without a table and ordered moves."""

    depth: int = MAX_DEPTH
    eval: str = "playouts"
    playouts: int = 1
    plain: bool = False

    def __post_init__(self) -> None:
        if type(self.depth) is not int or not 1 <= self.depth <= MAX_DEPTH:
            raise BadInput(f"depth must be 1 to {MAX_DEPTH} plies, not {self.depth!r}")
        if self.eval not in EVALUATIONS:
            raise unknown("evaluation", str(self.eval), EVALUATIONS)
        if type(self.playouts) is not int or self.playouts < 1:
            raise BadInput(f"playouts must be a whole number from 1 on, not {self.playouts!r}")


HORIZON = Horizon()


class TranspositionTable:
    """Transposition table, reused by consecutive searches (each starts with it empty)."""

    def __init__(self, slots: int = TABLE_SLOTS) -> None:
        if slots < 2 or slots & (slots - 1):
            raise BadInput(f"a table has a power of two of slots, not {slots}")
        self.slots = np.zeros(slots, compiled.SLOT)
        self.generation = 0

    def empty(self) -> None:
        """Clear the table in constant time: entries of older generations count as empty."""
        self.generation += 1


@dataclass(frozen=True)
class AlphaBetaResult:
    """Result of a search for the seat to move; arrays are ordered by its legal actions, ascending."""

    numbers: list[int]
    values: NDArray[np.float64]  # value of each action
    exact: NDArray[np.bool_]  # False: the value is an upper bound
    best: int  # the number of the action to play
    depth: int  # plies searched completely
    solved: bool  # True if no evaluation was needed
    nodes: int
    line: list[int]  # the numbers of the expected continuation, the best action first


def search(
    game: Game,
    pool: Pool,
    limits: Limits,
    horizon: Horizon = HORIZON,
    *,
    every: bool = False,
    seed: int = 0,
    table: TranspositionTable | None = None,
) -> AlphaBetaResult:
    """Search the position `pool[0]`, deepening from one ply to the horizon, until solved or limited (in nodes).

    A plain search has the numerical order of actions, and its result is that of the last completed depth. `every` finds
    the exact value of every action, as needed for sums over worlds.
    """
    if (why := unsearchable(game)) is not None:
        raise BadInput(why)
    depth, plain = horizon.depth, horizon.plain
    how, amount = _evaluation(game, pool, horizon, seed)
    table = table or TranspositionTable(2 if plain else TABLE_SLOTS)
    table.empty()
    work = np.zeros(depth + 2, pool.dtype)  # one more row for playouts
    work[0] = pool[0]
    words, (used, masks) = words_of(work), key_words(pool.dtype, game.kind.past)
    frames = np.zeros(depth + 2, compiled.FRAME)
    moves = np.full((depth + 2, game.num_actions), -1, np.int32)
    killers = np.full((depth + 2, 2), -1, np.int32)
    history = np.zeros((2, game.num_actions), np.int64)
    legal, payoffs, points = np.zeros(game.num_actions, np.int16), np.zeros(2), np.zeros(2, np.int64)
    status = np.array([0, 0, table.generation, 0, plain])
    values = np.full(game.num_actions, -np.inf)  # at the current depth
    bounds = np.zeros(game.num_actions, np.int8)
    salt = np.uint64(seed)
    reached = 0
    solved = False
    complete = values, bounds, -1  # result of the last completed depth: values, whether exact, the best action

    def begin() -> None:
        compiled.begin(work, words, used, masks, frames, moves, values, status, reached + 1, legal)

    def step(n: int) -> int:
        nonlocal reached, solved, complete
        end = int(status[compiled.NODES]) + n
        while not solved and reached < depth:
            budget = end - int(status[compiled.NODES])
            if budget <= 0:
                return n
            done = compiled.advance(
                work, words, used, masks, frames, moves, killers, history, table.slots, status, values, bounds,
                every, how, amount, salt, budget, legal, payoffs, points,
            )  # fmt: skip
            if not done:
                return n
            reached += 1
            solved = not frames["horizon"][0]
            if plain:
                complete = values.copy(), bounds.copy(), int(frames["move"][0])
            if not solved and reached < depth:
                begin()
        return n - (end - int(status[compiled.NODES]))

    begin()
    numbers = sorted(moves[0, : frames["count"][0]].tolist())
    if not numbers:
        raise BadInput("the game is over: there is no decision to search")
    first = step(len(numbers))  # at least one ply, whatever the limits
    spend(step, replace(limits, units=limits.units and max(0, limits.units - first)))
    if plain:
        values, bounds, best = complete
    else:
        best = _best(frames, moves, status)
    line = np.zeros(64, np.int32)
    length = compiled.principal_variation(
        work, words, used, masks, table.slots, np.uint32(table.generation), best, legal, line
    )
    return AlphaBetaResult(
        numbers=numbers,
        values=values[numbers],
        exact=bounds[numbers] == compiled.EXACT,
        best=best,
        depth=reached,
        solved=solved,
        nodes=int(status[compiled.NODES]),
        line=line[:length].tolist(),
    )


def _best(frames: NDArray[np.void], moves: NDArray[np.int32], status: NDArray[np.int64]) -> int:
    """Return the best move of the last depth; before its first move is done, the best of the depth before."""
    begun = status[compiled.ROOT_DONE] > 0
    return int(frames["move"][0] if begun else moves[0, 0])


def unsearchable(game: Game) -> str | None:
    """Return the reason why alpha-beta cannot search a game; None if it can."""
    fits = game.seats == 2 and game.kind.zero_sum
    return None if fits else f"alpha-beta is for two players and zero sum; {game.name} is not, use mcts"


def _evaluation(game: Game, pool: Pool, horizon: Horizon, seed: int) -> tuple[int, float]:
    """Return the evaluation's number, and its amount: playouts, or payoff per point."""
    if horizon.eval != "scores":
        return EVALUATIONS[horizon.eval], float(horizon.playouts)
    work = np.concatenate([pool[:1], pool[:1]])
    legal, payoffs, points = np.zeros(game.num_actions, np.int16), np.zeros(2), np.zeros(2, np.int64)
    slope = compiled.points_to_payoff(work, _SLOPE_PLAYOUTS, np.uint64(seed), legal, payoffs, points)
    return EVALUATIONS[horizon.eval], float(slope)
