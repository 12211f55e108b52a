"""A hand of Truco without bets on points, solved exactly: every second round in every pass.

Seats hold sets as they are dealt, and what would be revealed by envido or flor is not known. Nothing is sampled, so
update rules and memories are compared without intervals.
"""

import numpy as np
from numpy.typing import NDArray

from bolicho.agents.cfr.compiled.vector import NO_FLOOR, NOBODY, Step
from bolicho.agents.cfr.rules import LINEAR, Rule
from bolicho.agents.cfr.truco.compiled.rounds import First, walk_from_deal
from bolicho.agents.cfr.truco.hands import SETS, hands
from bolicho.agents.cfr.truco.solver import Memory, solver

ROOM = {Memory(7, 7): 60_000_000, Memory(14, 7): 100_000_000, Memory(14, 14): 300_000_000}
"""Shares by memory: more than all blocks without revealed points."""

POINTS = np.array([[1, 2, 3, 4], [-1, -2, -3, -4]], np.float32)


class CardsAlone:
    """Regrets of the hand, and exact best responses to their average strategy."""

    def __init__(self, memory: Memory, rule: Rule = LINEAR) -> None:
        self.rule, self.done = rule, 0
        made = solver(24, memory, ROOM[memory], rule.predictive)
        self._first: First = made.opening.first._replace(floor=np.float32(0) if rule.floored else NO_FLOOR)
        self._first.pays[:] = POINTS
        self._first.rate[0] = np.inf  # every second round is walked
        h = hands()
        self._prior: NDArray[np.float32] = np.bincount(h.type_set, h.prior, SETS).astype(np.float32)

    def iterate(self, passes: int, seed: int = 1) -> None:
        """Run more passes through the hand."""
        for number, (regret, average) in enumerate(self.rule.weights(self.done, passes), start=self.done):
            for learner in self.rule.learners.tolist():
                luck = np.uint64(seed + number)
                walk_from_deal(
                    self._first, self._prior, Step(np.float32(regret), np.float32(average), learner, NOBODY, luck)
                )
        self.done += passes

    def exploitability(self) -> float:
        """Return the mean gain of a best response over both seats, in points a hand."""
        return sum(self.values(seat)[seat] for seat in range(2)) / 2

    def value(self) -> float:
        """Return the value of the average strategy to the mão."""
        return self.values(NOBODY)[0]

    def values(self, responder: int) -> tuple[float, float]:
        """Return the values of the average strategy to both seats, where one may play its best response."""
        step = Step(np.float32(0), np.float32(0), NOBODY, responder, np.uint64(0))
        level = with_regrets(self._first, self._first.learned.average)
        found: tuple[float, float] = walk_from_deal(level, self._prior, step)
        return found


def with_regrets(first: First, shares: NDArray[np.float32]) -> First:
    """Return the levels from the first round on with a strategy in the place of regrets."""
    learned = first.learned._replace(regret=shares, predicted=shares[:0])
    last = first.second.third.last._replace(learned=learned)
    third = first.second.third._replace(learned=learned, last=last)
    return first._replace(learned=learned, second=first.second._replace(learned=learned, third=third))
