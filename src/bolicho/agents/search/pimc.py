"""Perfect-information Monte Carlo (PIMC): solve many deals that agree with the view, play the best action on average.

The solver of a world is any function `(game, pool, seed) -> values`: the value of each legal action of the fully known
position `pool[0]` for the seat to move, by ascending action number.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bolicho.agents.search import alphabeta, mcts
from bolicho.agents.search.binding import binding, games_with
from bolicho.agents.search.limits import Limits, spend
from bolicho.errors import BadInput
from bolicho.games.compiled.chance import stream
from bolicho.games.game import Game, Table, View
from bolicho.games.kind import Pool, copy_pool

Solver = Callable[[Game, Pool, int], NDArray[np.float64]]
"""Solver of worlds; created anew for each decision, so that decisions are independent."""

Draw = Callable[[View, int], Table]
"""Function that draws a world from a view and a seed."""


def unsolvable(game: Game) -> str | None:
    """Return the reason why a game cannot be solved exactly; None if it can."""
    exact = binding(game.name).exact
    if exact is None:
        return f"exact solvers exist for {', '.join(games_with('exact'))} only"
    why: str | None = exact.why_not(game.dtype)
    return why


ALL = "all"
INFERENCES = ("none", "answered", "draws", ALL)
"""Information behind worlds.

"none": the visible tiles; "answered": also the value at which the other seat played the last tile it drew (as
published: Pinto 2018, section 4.7); "draws": also all values open when it last drew or passed; "all": everything that
the seat knows (`redeal`).
"""


def uninferred(game: Game, inference: str) -> str | None:
    """Return the reason why the worlds of a game cannot be drawn by that inference; None if they can."""
    if inference == ALL or binding(game.name).worlds is not None:
        return None
    return f"inference={inference} is for {', '.join(games_with('worlds'))} only"


def drawing(game: Game, inference: str) -> Draw:
    """Return the function that draws the worlds of a game."""
    if inference == ALL:
        return View.redeal
    worlds = binding(game.name).worlds
    return lambda view, seed: worlds.draw_world(view, inference, seed)


@dataclass(frozen=True)
class WorldSearchResult:
    """Result of a search over worlds; arrays are ordered by the legal actions, ascending."""

    numbers: list[int]
    values: NDArray[np.float64]  # mean over worlds
    errors: NDArray[np.float64]  # standard error of the mean
    best: int
    worlds: int


def alphabeta_solver(limits: Limits, horizon: alphabeta.Horizon = alphabeta.HORIZON) -> Solver:
    """Return a solver by alpha-beta, limited in nodes."""
    table = None if horizon.plain else alphabeta.TranspositionTable(1 << 16)

    def solve(game: Game, pool: Pool, seed: int) -> NDArray[np.float64]:
        return alphabeta.search(game, pool, limits, horizon, every=True, seed=seed, table=table).values

    return solve


def mcts_solver(limits: Limits, *, exploration: float = mcts.EXPLORATION) -> Solver:
    """Return a solver by Monte Carlo tree search, limited in iterations."""

    def solve(game: Game, pool: Pool, seed: int) -> NDArray[np.float64]:
        values = mcts.search(game, pool, limits, exploration=exploration, seed=seed).values
        return np.where(np.isnan(values), np.nanmin(values), values)  # untried actions count as the worst

    return solve


def recursive_solver(solve: Solver, worlds: int, draw: Draw = View.redeal) -> Solver:
    """Return a solver that values each action by playing on: every seat decides by its own view, by PIMC of `worlds`.

    Recursive Monte Carlo search (Furtak and Buro 2013): no seat uses hidden information, as it does in a solved world.
    `solve` is the solver of the level below, and may be recursive itself.
    """

    def play_on(game: Game, pool: Pool, seed: int) -> NDArray[np.float64]:
        seat = int(pool["turn"][0])
        values = []
        for number in Table(game, pool, {}).view().numbers:
            table = Table(game, copy_pool(pool), {})
            table.play(number)
            ply = 0
            while not table.over:
                view = table.view()
                reply = view.numbers[0]
                if len(view.numbers) > 1:
                    luck = int(stream(np.uint64(seed), ply))
                    reply = search(view, solve, Limits(worlds), seed=luck, draw=draw).best
                table.play(reply)
                ply += 1
            values.append(table.payoffs[seat])
        return np.array(values, np.float64)

    return play_on


def search(view: View, solve: Solver, limits: Limits, *, seed: int = 0, draw: Draw = View.redeal) -> WorldSearchResult:
    """Draw worlds from `view` until a limit (in worlds), and average the values of `solve`."""
    numbers = view.numbers
    if not numbers:
        raise BadInput("the game is over: there is nothing to search")
    total, squares = np.zeros(len(numbers)), np.zeros(len(numbers))
    worlds = 0

    def step(n: int) -> int:
        nonlocal worlds
        for _ in range(n):
            world = draw(view, int(stream(np.uint64(seed), 2 * worlds)))
            values = solve(view.game, world.pool, int(stream(np.uint64(seed), 2 * worlds + 1)))
            total[:] += values
            squares[:] += values * values
            worlds += 1
        return n

    spend(step, limits)
    means = total / worlds
    spread = np.maximum(squares / worlds - means * means, 0)
    errors = np.sqrt(spread / max(1, worlds - 1))
    return WorldSearchResult(list(numbers), means, errors, numbers[int(np.argmax(means))], worlds)
