"""Agent that solves dominoes with full information."""

import numpy as np

from bolicho.agents.agent import Agent, Explanation
from bolicho.agents.explanation import bar, bars, named, signed
from bolicho.agents.search.dominoes.solve import MEMORY_MB, NODE_CAP, Solution, shared_memory, solve
from bolicho.agents.search.pimc import unsolvable
from bolicho.games.game import Game, Table, View
from bolicho.games.kind import Action, copy_pool
from bolicho.i18n import Fact, Message


class PerfectInformation(Agent):
    """Optimal play with full information: an oracle, for measurements.

    Solves the position exactly, except for positions of all fives that take more than `node_cap` nodes. Of several best
    actions it plays the one after which a random reply of the opponent loses most.
    """

    oracle = True

    def __init__(self, memory_mb: int = MEMORY_MB, node_cap: int = NODE_CAP) -> None:
        self.memory_mb = memory_mb
        self.node_cap = node_cap
        self._last: tuple[View, Action, Solution] | None = None

    def plays(self, game: Game) -> str | None:
        return unsolvable(game)

    def act(self, view: View, rng: np.random.Generator) -> Action:
        shared_memory(self.memory_mb).clear()
        found = self._solve(view)
        best = [action for action in view.legal if found.values[action] == found.value]
        chosen = best[0] if len(best) == 1 else max(best, key=lambda action: self._temptation(view, action))
        self._last = view, chosen, found
        return chosen

    def _temptation(self, view: View, action: str) -> float:
        """Return the opponent's average loss by a random reply instead of the best one."""
        table = Table(view.game, copy_pool(view.pool), {})
        table.play(action)
        if table.turn != 1 - view.seat:
            return 0.0
        reply = self._solve(table)
        return reply.value - sum(reply.values.values()) / len(reply.values)

    def explain(self) -> Explanation | None:
        if self._last is None:
            return None
        view, chosen, found = self._last
        facts: dict[str, Fact] = {"action": named(view, chosen), "value": _points(found.value)}
        said = Message("agents.search.exactly", **facts)
        if not found.exact:
            said = Message("agents.search.nearly", cap=self.node_cap, **facts)
        shown = [
            bar(named(view, action), found.values[action], _points(found.values[action]), action == chosen)
            for action in view.legal
        ]
        return Explanation(
            said,
            {"action": str(chosen), "values": found.values, "exact": found.exact, "nodes": found.nodes},
            picture=bars("search.title.values", "points", str(chosen), shown),
        )

    def _solve(self, position: Table | View) -> Solution:
        return solve(position, node_cap=self.node_cap, memory=shared_memory(self.memory_mb))


def _points(value: float) -> Fact:
    """Return points with their sign, as an integer where exact."""
    return signed(int(value) if value == int(value) else value)
