"""The agents that solve dominoes: the oracle, and sampled worlds."""

from typing import TYPE_CHECKING, Any

import numpy as np

from bolicho.agents.agent import Agent, Explanation
from bolicho.agents.search.dominoes.solve import (
    MEMORY_MB,
    NODE_CAP,
    WORLD_CAP,
    Sampled,
    Solution,
    check_game,
    sample,
    shared_memory,
    solve,
)
from bolicho.errors import BadInput, unknown
from bolicho.games.game import Action, Game, Table, View, copy_pool

if TYPE_CHECKING:
    from bolicho.agents.search.agents import PIMC

GAMES = ("dominoes", "fives")
INNER = ("exact", "mcts", "alphabeta")
FORCED = Explanation("The only legal action.", {"forced": True})


class PerfectInformation(Agent):
    """Sees everything and plays the best there is: an oracle, for measuring.

    Solves the position exactly, but for positions of all fives that take more than `node_cap` nodes.  Of
    several best actions it plays the one after which the other has most to lose by replying at random.
    """

    games = GAMES
    oracle = True

    def __init__(self, memory_mb: int = MEMORY_MB, node_cap: int = NODE_CAP) -> None:
        self.memory_mb = memory_mb
        self.node_cap = node_cap
        self._view: View | None = None

    def prepare(self, game: Game) -> None:
        check_game(game.dtype)

    def act(self, view: View, rng: np.random.Generator) -> Action:
        self._view = view
        if len(view.numbers) == 1:
            return view.legal[0]
        solution = self._solve(view, every=True)
        best = [action for action in view.legal if solution.values[action] == solution.value]
        return best[0] if len(best) == 1 else max(best, key=lambda action: self._temptation(view, action))

    def _temptation(self, view: View, action: str) -> float:
        """What the other loses on average by any reply instead of the best one."""
        table = Table(view.game, copy_pool(view.pool), {})
        table.play(action)
        if table.turn != 1 - view.seat:
            return 0.0
        reply = solve(table, node_cap=self.node_cap, memory=shared_memory(self.memory_mb))
        return reply.value - sum(reply.values.values()) / len(reply.values)

    def explain(self) -> Explanation | None:
        if self._view is None:
            return None
        solution = self._solve(self._view, every=True)
        how = "exactly" if solution.exact else f"as far as {self.node_cap} positions go"
        return Explanation(
            f"Solved {how}: {solution.best} brings {solution.value:+g} with best play of both.",
            {"values": solution.values, "exact": solution.exact, "nodes": solution.nodes},
        )

    def _solve(self, view: View, every: bool) -> Solution:
        return solve(view, every=every, node_cap=self.node_cap, memory=shared_memory(self.memory_mb))


class ExactPIMC(Agent):
    """Solves many worlds that agree with what it sees; the action with the best sum wins (PIMC).

    `inner` says how a world is solved: "exact" (positions beyond `node_cap` nodes are estimated), or as published by
    "mcts" or "alphabeta", with `budget` iterations or nodes, or with `seconds`, a world.
    """

    games = GAMES

    def __init__(
        self,
        worlds: int = 100,
        inner: str = "exact",
        node_cap: int = WORLD_CAP,
        budget: int | None = None,
        seconds: float | None = None,
        memory_mb: int = MEMORY_MB,
    ) -> None:
        if worlds < 1:
            raise BadInput(f"worlds must be 1 or more, not {worlds}")
        if inner not in INNER:
            raise unknown("inner search", inner, INNER)
        if inner == "exact" and (budget is not None or seconds is not None):
            raise BadInput("budget and seconds are for the inner searches mcts and alphabeta; exact has node_cap")
        self.worlds = worlds
        self.inner = inner
        self.node_cap = node_cap
        self.memory_mb = memory_mb
        self._generic = None if inner == "exact" else _generic(worlds, inner, budget, seconds)
        self._sampled: Sampled | None = None

    def prepare(self, game: Game) -> None:
        check_game(game.dtype)
        if self._generic is not None:
            self._generic.prepare(game)

    def act(self, view: View, rng: np.random.Generator) -> Action:
        if self._generic is not None:
            return self._generic.act(view, rng)
        seed = int(rng.integers(1 << 63))
        self._sampled = None
        if len(view.numbers) == 1:
            return view.legal[0]
        self._sampled = sample(view, self.worlds, seed, node_cap=self.node_cap, memory=shared_memory(self.memory_mb))
        return view.legal[self._sampled.best]

    def explain(self) -> Explanation | None:
        if self._generic is not None:
            return self._generic.explain()
        return FORCED if self._sampled is None else _explain(self._sampled)


def _generic(worlds: int, inner: str, budget: int | None, seconds: float | None) -> "PIMC":
    """Sampled worlds solved by a search that plays every game."""
    from bolicho.agents.search.agents import PIMC

    options: dict[str, Any] = {"iterations" if inner == "mcts" else "nodes": budget}
    return PIMC(worlds, inner, seconds=None if seconds is None else worlds * seconds, **options)


def _explain(sampled: Sampled) -> Explanation:
    best = sampled.best
    return Explanation(
        f"{sampled.actions[best]} brings {sampled.values[best]:+.2f} on average over {sampled.worlds} worlds"
        f" (standard error {sampled.errors[best]:.2f}), each solved as if all could see it.",
        {
            "values": dict(zip(sampled.actions, sampled.values.tolist(), strict=True)),
            "errors": dict(zip(sampled.actions, sampled.errors.tolist(), strict=True)),
            "worlds": sampled.worlds,
            "estimated": sampled.estimated,
            "nodes": sampled.nodes,
        },
    )
