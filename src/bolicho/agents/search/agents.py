"""Agents that search."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from time import perf_counter, thread_time
from typing import Any

import numpy as np

from bolicho.agents.agent import Agent, Explanation
from bolicho.agents.explanation import bar, bars, listed, named, signed
from bolicho.agents.player import Compiled, InMemoryAgent
from bolicho.agents.search import alphabeta, mcts, pimc
from bolicho.agents.search.binding import binding
from bolicho.agents.search.limits import Limits, limits
from bolicho.errors import BadInput, unknown
from bolicho.games.game import Game, Table, View
from bolicho.games.kind import Action, copy_pool
from bolicho.i18n import Fact, Message

DEFAULT_NODES = 20_000
DEFAULT_ITERATIONS = 2_000
DEFAULT_WORLDS = 100
NODES_A_WORLD = 1_000
ITERATIONS_A_WORLD = 200
MAX_LEVELS = 3  # each takes about a hundred times as long as the one below

Why = Callable[[], Explanation] | None
"""Function that makes the explanation of the last decision on demand."""


class Searcher(Agent):
    """Agent that searches at each decision; all its chance derives from one number."""

    _why: Why = None

    def act(self, view: View, rng: np.random.Generator) -> Action:
        seed = int(rng.integers(1 << 63))
        if len(view.numbers) == 1:
            self._why = _forced
            return view.legal[0]
        best, self._why = self.search(view, seed)
        return _action(view, best)

    def search(self, view: View, seed: int) -> tuple[int, Why]:
        """Return the number of the chosen action, and its explanation."""
        raise NotImplementedError(f"{type(self).__name__} does not implement search")

    def explain(self) -> Explanation | None:
        return self._why() if self._why else None


class AlphaBeta(Searcher):
    """Alpha-beta search with full information: an oracle, for measurements.

    Limited by `nodes` (the default) or `seconds` per decision, and by `depth`. `eval` evaluates the horizon: "playouts"
    (random, `playouts` of them), "scores" (the difference) or "none". `plain` searches without a transposition table
    and without move ordering.
    """

    oracle = True

    def __init__(
        self, nodes: int | None = None, seconds: float | None = None, horizon: alphabeta.Horizon = alphabeta.HORIZON
    ) -> None:
        self.limits = limits(nodes, seconds, DEFAULT_NODES, "nodes")
        self.horizon = horizon
        self.table = None if horizon.plain else alphabeta.TranspositionTable()

    def plays(self, game: Game) -> str | None:
        return alphabeta.unsearchable(game)

    def search(self, view: View, seed: int) -> tuple[int, Why]:
        found = alphabeta.search(view.game, view.pool, self.limits, self.horizon, seed=seed, table=self.table)
        return found.best, partial(_explain_alphabeta, view, found)


class MCTS(Searcher):
    """Monte Carlo tree search over worlds drawn from the seat's information.

    Limited by `iterations` (the default) or `seconds` per decision. `worlds=0` draws a new world for every iteration
    (information-set search); otherwise that many worlds are used in turn. `opponents` in the tree choose "informed" by
    their own hands, or "shared", equally in all worlds; "auto" takes the better one for the game.
    """

    def __init__(
        self,
        iterations: int | None = None,
        seconds: float | None = None,
        exploration: float = mcts.EXPLORATION,
        worlds: int = 0,
        opponents: str = "auto",
    ) -> None:
        if worlds < 0:
            raise BadInput(f"worlds must be 0 (a new one for every iteration) or more, not {worlds}")
        if not 0 <= exploration < float("inf"):
            raise BadInput(f"exploration must be a number from 0 on, not {exploration!r}")
        mcts.check_opponents(opponents)
        self.limits = limits(iterations, seconds, DEFAULT_ITERATIONS, "iterations")
        self.exploration, self.worlds, self.opponents = exploration, worlds, opponents

    def search(self, view: View, seed: int) -> tuple[int, Why]:
        means = self.means(view)  # first: a subclass sets its limits and its exploration for the game there
        found = mcts.search(
            view.game,
            view.pool,
            self.limits,
            seat=None if self.oracle else view.seat,
            worlds=self.worlds,
            opponents=self.opponents,
            exploration=self.exploration,
            seed=seed,
            means=means,
            rows=view.rows,
        )
        return found.best, partial(_explain_mcts, view, found)

    def means(self, view: View) -> mcts.Means | None:
        """Return the means beyond the rules: none."""
        return None

    def compiled(self, game: Game) -> Compiled | None:
        """Return an agent that decides the same in one compiled call; None with limits of time or other means."""
        if type(self) is not MCTS or self.limits.units is None or self.limits.seconds is not None:
            return None
        return InMemoryAgent(mcts.player(game, self.limits.units, self.worlds, self.opponents, self.exploration))


class OpenMCTS(MCTS):
    """Monte Carlo tree search with full information: an oracle, for measurements.

    Limited by `iterations` (the default) or `seconds` per decision.
    """

    oracle = True

    def __init__(
        self, iterations: int | None = None, seconds: float | None = None, exploration: float = mcts.EXPLORATION
    ) -> None:
        super().__init__(iterations, seconds, exploration)


@dataclass(frozen=True)
class Solving:
    """Options of PIMC: exact solving of a world, what the worlds are drawn from, and recursion."""

    node_cap: int = 50_000  # of a world that is solved exactly; one that takes more is estimated
    memory_mb: int = 64
    inference: str = pimc.ALL
    levels: int = 0
    level_worlds: int = 5

    def __post_init__(self) -> None:
        if self.inference not in pimc.INFERENCES:
            raise unknown("inference", self.inference, pimc.INFERENCES)
        if type(self.levels) is not int or not 0 <= self.levels <= MAX_LEVELS:
            raise BadInput(f"levels must be 0 to {MAX_LEVELS}, not {self.levels!r}")
        limits(self.level_worlds, None, 1, "level_worlds")


SOLVING = Solving()


class PIMC(Searcher):
    """Perfect-information Monte Carlo: sampled worlds, each solved with full information; the best total value wins.

    `inner` solves a world: "alphabeta" (at most `nodes`), "mcts" (at most `iterations`), "exact" (for solvable games:
    at most `node_cap` nodes, beyond which it is estimated, in `memory_mb`), "auto" (alpha-beta for two players and zero
    sum, otherwise MCTS), or "module:function", a `bolicho.agents.search.pimc.Solver`. `seconds` is for the whole
    decision, shared by the worlds; `world_seconds` is processor time for each world. `depth`, `eval`, `playouts` and
    `plain` are those of alpha-beta, `exploration` that of MCTS.

    `inference` selects the information behind the worlds of dominoes: "none" (any deal of the unseen tiles), "answered"
    (as published: the opponent lacks the value at which it played the last tile it drew), "draws" (it lacks the values
    open when it last drew or passed) or "all" information of the seat.

    With `levels` above 0 the actions of a world are valued by playing on, where every seat decides by its own view with
    the same search, one level less and `level_worlds` worlds (recursive PIMC).
    """

    def __init__(
        self,
        worlds: int = DEFAULT_WORLDS,
        inner: str = "auto",
        seconds: float | None = None,
        nodes: int | None = None,
        iterations: int | None = None,
        horizon: alphabeta.Horizon = alphabeta.HORIZON,
        exploration: float = mcts.EXPLORATION,
        solving: Solving = SOLVING,
        world_seconds: float | None = None,
    ) -> None:
        if seconds is not None and world_seconds is not None:
            raise BadInput("seconds are for the whole decision and world_seconds for a world: give one of them")
        self.inner, self.solving = inner, solving
        self.limits = Limits(limits(worlds, None, DEFAULT_WORLDS, "worlds").units, seconds)
        share = world_seconds if seconds is None else seconds / worlds
        clock = perf_counter if world_seconds is None else thread_time
        in_nodes = replace(limits(nodes, share, NODES_A_WORLD, "nodes"), clock=clock)
        in_iterations = replace(limits(iterations, share, ITERATIONS_A_WORLD, "iterations"), clock=clock)
        self._solvers: dict[str, Callable[[Game], pimc.Solver]] = {
            "alphabeta": lambda game: pimc.alphabeta_solver(in_nodes, horizon),
            "mcts": lambda game: pimc.mcts_solver(in_iterations, exploration=exploration),
            "exact": lambda game: binding(game.name).exact.exact_solver(solving.node_cap, solving.memory_mb),
        }
        if ":" in inner:
            loaded = load_solver(inner)
            self._solvers[inner] = lambda game: loaded
        elif inner not in ("auto", *self._solvers):
            raise unknown("inner solver", inner, ("auto", *self._solvers, "module:function"))

    def plays(self, game: Game) -> str | None:
        if (why := pimc.uninferred(game, self.solving.inference)) is not None:
            return why
        if self.inner == "exact":
            return pimc.unsolvable(game)
        return alphabeta.unsearchable(game) if self.inner == "alphabeta" else None

    def prepare(self, game: Game) -> None:
        self._solver(game)

    def _solver(self, game: Game) -> pimc.Solver:
        """Return the solver of the worlds of a decision."""
        searched = "mcts" if alphabeta.unsearchable(game) else "alphabeta"
        solve = self._solvers[searched if self.inner == "auto" else self.inner](game)
        for _ in range(self.solving.levels):
            solve = pimc.recursive_solver(solve, self.solving.level_worlds, pimc.drawing(game, self.solving.inference))
        return solve

    def search(self, view: View, seed: int) -> tuple[int, Why]:
        draw = pimc.drawing(view.game, self.solving.inference)
        found = pimc.search(view, self._solver(view.game), self.limits, seed=seed, draw=draw)
        return found.best, partial(_explain_pimc, view, found)


def pimc_with_solver(
    worlds: int = DEFAULT_WORLDS,
    inner: str = "exact",
    budget: int | None = None,
    seconds: float | None = None,
    solving: Solving = SOLVING,
) -> PIMC:
    """Create a PIMC agent that solves worlds exactly; the action with the best sum wins.

    The agent `pimc-search` with other defaults: worlds are solved exactly, or as published by "mcts" or "alphabeta",
    with `budget` iterations or nodes, or `seconds`, per world.
    """
    if inner == "exact" and (budget is not None or seconds is not None):
        raise BadInput("budget and seconds are for the inner searches mcts and alphabeta; exact has node_cap")
    units: dict[str, Any] = {"iterations" if inner == "mcts" else "nodes": budget}
    return PIMC(worlds, inner, world_seconds=seconds, solving=solving, **units)


def load_solver(path: str) -> pimc.Solver:
    """Load the solver that "module:function" names."""
    module, _, name = path.partition(":")
    try:
        solver: pimc.Solver = getattr(import_module(module), name)
    except (ImportError, AttributeError) as problem:
        raise BadInput(f"cannot load the inner solver {path!r}: {problem}") from None
    return solver


def _action(view: View, number: int) -> Action:
    return view.legal[view.numbers.index(number)]


def _by_action(view: View, values: Sequence[Any]) -> dict[str, Any]:
    """Return values by the text of their action; None for NaN, as in JSON."""
    return {str(action): None if value != value else value for action, value in zip(view.legal, values, strict=True)}


def _line(view: View, line: Sequence[int]) -> tuple[list[str], list[Message]]:
    """Return a line of play: the notation and the name of each action in its position."""
    table = Table(view.game, copy_pool(view.pool), {})
    names = []
    for number in line:
        names.append(named(table, view.game.action(table.state, number)))
        table.play(number)
    return [str(action) for action in table.actions], names


def _bars(
    title: str, unit: str, view: View, best: int, values: Sequence[float], told: Sequence[Fact]
) -> dict[str, Any]:
    """Return a picture with a bar for every legal action."""
    shown = [
        bar(named(view, action), value, words, action.number == best)
        for action, value, words in zip(view.legal, values, told, strict=True)
    ]
    return bars(f"search.title.{title}", unit, str(_action(view, best)), shown)


def _explain_alphabeta(view: View, found: alphabeta.AlphaBetaResult) -> Explanation:
    line, names = _line(view, found.line)
    value = signed(float(found.values[found.numbers.index(found.best)]))
    facts: dict[str, Fact] = {"nodes": found.nodes, "value": value, "line": listed(names)}
    said = (
        Message("agents.search.solved", **facts)
        if found.solved
        else Message("agents.search.deep", depth=found.depth, **facts)
    )
    values = found.values.tolist()
    return Explanation(
        said,
        {
            "action": str(_action(view, found.best)),
            "values": _by_action(view, values),
            "exact": _by_action(view, found.exact.tolist()),
            "line": line,
            "depth": found.depth,
            "solved": found.solved,
            "nodes": found.nodes,
        },
        picture=_bars("values", "value", view, found.best, values, list(map(signed, values))),
    )


def _explain_mcts(view: View, found: mcts.TreeSearchResult) -> Explanation:
    best = found.numbers.index(found.best)
    visits, values = found.visits.tolist(), found.values.tolist()
    told = [
        Message("agents.search.visits", visits=n, value=signed(value)) if value == value else n
        for n, value in zip(visits, values, strict=True)
    ]
    return Explanation(
        Message(
            "agents.search.tried",
            visits=int(found.visits[best]),
            iterations=found.iterations,
            value=signed(float(found.values[best])),
        ),
        {
            "action": str(_action(view, found.best)),
            "values": _by_action(view, values),
            "visits": _by_action(view, visits),
            "iterations": found.iterations,
            "nodes": found.nodes,
            "worlds": found.worlds,
            **({} if found.likely is None else {"likely": found.likely}),
        },
        () if found.likely is None else (Message("agents.search.likely", worlds=found.worlds, likely=found.likely),),
        picture=_bars("tries", "tries", view, found.best, visits, told),
    )


def _explain_pimc(view: View, found: pimc.WorldSearchResult) -> Explanation:
    best = found.numbers.index(found.best)
    values = found.values.tolist()
    return Explanation(
        Message(
            "agents.search.worlds",
            value=signed(float(found.values[best])),
            worlds=found.worlds,
            error=float(found.errors[best]),
        ),
        {
            "action": str(_action(view, found.best)),
            "values": _by_action(view, values),
            "errors": _by_action(view, found.errors.tolist()),
            "worlds": found.worlds,
        },
        picture=_bars("worlds", "value", view, found.best, values, list(map(signed, values))),
    )


def _forced() -> Explanation:
    return Explanation(Message("agents.forced"), {"forced": True})
