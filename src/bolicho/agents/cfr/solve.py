"""Exact solution of small games: CFR+ over every deal and line of play, best responses, exploitability."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bolicho.agents.agent import Agent, is_oracle
from bolicho.agents.agent_errors import blamed
from bolicho.agents.cfr.compiled import table, tree
from bolicho.agents.cfr.kernel import Recall
from bolicho.agents.cfr.learner import room
from bolicho.agents.mixture import mixture_of, states_mixture
from bolicho.agents.player import Compiled
from bolicho.errors import BadInput
from bolicho.games.compiled.deals import deal_number, num_deals
from bolicho.games.game import Game, Table
from bolicho.games.kind import copy_pool

MOST_NODES = 20_000_000
DEEPEST = 200

Strategy = NDArray[np.float64]
"""Probability of every arm of a full game tree."""


class FullTree:
    """Full tree of a game: all deals, all lines of play, and the information sets (perfect recall)."""

    def __init__(self, game: Game, most: int = MOST_NODES) -> None:
        self.game = game
        self._room = room(game, DEEPEST)
        deals = int(num_deals(self._room.pool))
        if deals == 0:
            raise BadInput(f"{game!r} does not number its deals, so its tree cannot be enumerated")
        sizes, status = np.zeros(4, np.int64), np.zeros(table.STATUS, np.int64)
        if deals <= most:
            self._unfold(_empty(game, deals, np.zeros(4, np.int64)), sizes, status, most)
        if deals > most or sizes[tree.NODES] > most:
            raise BadInput(f"{game!r} is too large to be enumerated: it has more than {most:,} nodes")
        sizes[tree.SETS] = sizes[tree.ARMS] = sizes[tree.CHILDREN]  # upper bounds
        whole = _empty(game, deals, sizes)
        self._unfold(whole, sizes, status, most)
        self.tree = whole._replace(
            **{name: getattr(whole, name)[: sizes[tree.SETS]] for name in whole._fields if name.startswith("set_")}
        )
        self.nodes, self.sets, self.arms = int(sizes[tree.NODES]), int(sizes[tree.SETS]), int(sizes[tree.ARMS])
        self._reach = np.zeros((self.nodes, game.seats + 1))
        self._values = np.zeros(self.nodes)

    def _unfold(self, whole: tree.Tree, sizes: NDArray[np.int64], status: NDArray[np.int64], most: int) -> None:
        slots = np.zeros(1 << max(1, 2 * len(whole.set_node)).bit_length(), table.SLOT)
        tree.unfold(Recall(), self._room, whole, slots, sizes, status, most)
        if status[table.TOO_DEEP]:
            raise BadInput(f"a game of {self.game!r} has more than {DEEPEST} decisions, too many to enumerate")
        assert not status[table.CLASHED], "legal actions depend on hidden information; see check_game"

    def uniform(self) -> Strategy:
        """Return the uniform strategy."""
        strategy = np.zeros(self.arms)
        tree.match(self.tree, np.zeros(self.arms), strategy)
        return strategy

    def value(self, strategy: Strategy, seat: int = 0) -> float:
        """Return the value of the game for a seat when all play a strategy."""
        return float(tree.expected(self.tree, strategy, self._values, seat))

    def response(self, strategy: Strategy, seat: int) -> tuple[float, Strategy]:
        """Return the value of a seat's best response to a strategy of the others, and the strategy with it."""
        answer = strategy.copy()
        worth = tree.respond(self.tree, answer, self._reach, self._values, np.zeros(self.arms), seat)
        return float(worth), answer

    def exploitability(self, strategy: Strategy) -> float:
        """Return the average gain of best responses over the seats; 0 in an equilibrium of two players and zero sum."""
        gains = [self.response(strategy, seat)[0] - self.value(strategy, seat) for seat in range(self.game.seats)]
        return sum(gains) / len(gains)

    def strategy_of(self, agent: Agent, name: str = "") -> Strategy:
        """Return the mixtures of an agent in all information sets, seat by seat."""
        name = name or type(agent).__name__
        check_askable(agent, name)
        if not isinstance(agent, Compiled):
            return self._strategy_in_python(agent, name)
        player, memory, strategy = agent.player(self.game), np.zeros(1, agent.memory), self.uniform()
        path, out = np.zeros(DEEPEST, np.int16), np.zeros(self.game.num_actions)
        for seat in range(self.game.seats):
            unknown = tree.ask(Recall(), self._room, self.tree, path, player, memory, strategy, seat, out)
            if unknown >= 0:
                raise _no_mixture(name)
        return strategy

    def _strategy_in_python(self, agent: Agent, name: str) -> Strategy:
        """Ask an agent written in Python for its mixture at each information set, each time in a new game."""
        strategy = self.uniform()
        for info in range(self.sets):
            view = self._table_at(int(self.tree.set_node[info])).view()
            try:
                with blamed("cannot begin a game"):
                    agent.begin(self.game, view.seat)
                chances = mixture_of(agent, view)
            except BadInput as problem:
                raise BadInput(f"the agent {name} {problem}") from problem
            if chances is None:
                raise _no_mixture(name)
            first = self.tree.set_first[info]
            strategy[first : first + len(chances)] = chances
        return strategy

    def _table_at(self, node: int) -> Table:
        """Play a game up to a node; actions that are forced are not in the tree."""
        path = []
        while self.tree.parent[node] >= 0:
            path.append(int(self.tree.action[node]))
            node = int(self.tree.parent[node])
        pool = copy_pool(self._room.pool[:1])
        deal_number(pool, ~int(self.tree.parent[node]))
        table = Table(self.game, pool, {})
        while path or len(table.legal) == 1:
            table.play(table.legal[0] if len(table.legal) == 1 else path.pop())
        return table


def check_askable(agent: Agent, name: str) -> None:
    """Raise `BadInput` for an agent that cannot report its mixture."""
    if is_oracle(agent):
        raise BadInput(f"the agent {name} sees what is hidden, so it has no strategy to respond to")
    if not states_mixture(agent):
        raise _no_mixture(name)


def _no_mixture(name: str) -> BadInput:
    return BadInput(f"the agent {name} does not report its mixture (the probabilities of its actions)")


def _empty(game: Game, deals: int, sizes: NDArray[np.int64]) -> tree.Tree:
    nodes, children, sets = sizes[tree.NODES], sizes[tree.CHILDREN], sizes[tree.SETS]
    of_sets = {name: np.zeros(sets, np.int32) for name in tree.Tree._fields if name.startswith("set_")}
    return tree.Tree(
        seat=np.zeros(nodes, np.int8),
        parent=np.zeros(nodes, np.int32),
        action=np.zeros(nodes, np.int16),
        first=np.zeros(nodes, np.int32),
        info=np.zeros(nodes, np.int32),
        payoff=np.zeros((nodes, game.seats)),
        child=np.zeros(children, np.int32),
        deals=deals,
        **of_sets,
    )


class Solution(NamedTuple):
    """Result of CFR+."""

    strategy: Strategy
    value: float  # for seat 0
    exploitability: float
    iterations: int


@dataclass
class Solver:
    """CFR+ on a full game tree."""

    whole: FullTree

    def __post_init__(self) -> None:
        self.done = 0
        self._regrets, self._average = np.zeros(self.whole.arms), np.zeros(self.whole.arms)

    def iterate(self, count: int) -> None:
        """Run `count` more iterations."""
        whole = self.whole
        tree.improve(
            whole.tree, self._regrets, self._average, np.zeros(whole.arms), whole._reach, whole._values,
            self.done, count,
        )  # fmt: skip
        self.done += count

    def strategy(self) -> Strategy:
        """Return the average strategy so far."""
        found = np.zeros(self.whole.arms)
        tree.match(self.whole.tree, self._average, found)
        return found

    def solution(self) -> Solution:
        """Return the current solution."""
        strategy = self.strategy()
        return Solution(strategy, self.whole.value(strategy), self.whole.exploitability(strategy), self.done)


def solve(whole: FullTree, below: float, most: int = 10_000) -> Solution:
    """Iterate until the exploitability is below a bound, or `most` times."""
    solver, step = Solver(whole), 16
    while True:
        solver.iterate(min(step, most - solver.done))
        found = solver.solution()
        if found.exploitability < below or solver.done >= most:
            return found
        step = solver.done
