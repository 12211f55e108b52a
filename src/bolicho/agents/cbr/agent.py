"""The case-based agent: one class, twenty policies."""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from bolicho.agents.agent import Agent, Choice, Explanation
from bolicho.agents.cbr import kernel
from bolicho.agents.cbr.bases import load_base
from bolicho.agents.cbr.domain import END
from bolicho.agents.cbr.explain import explain
from bolicho.agents.cbr.retrieve import MINIMUM, THRESHOLD, CaseIndex, make_scratch, thousandths
from bolicho.agents.cbr.reuse import Policy, criterion_numbers
from bolicho.agents.cbr.reuse import policy as find_policy
from bolicho.agents.cbr.revise import switches
from bolicho.agents.cbr.truco import TRUCO
from bolicho.errors import unknown
from bolicho.games.game import Game, View

RETRIEVALS = ("exact", "clusters")


@cache
def load_index(base: str) -> CaseIndex:
    """The index of a base, once per process."""
    return CaseIndex(load_base(base, TRUCO))


def make_settings(policy: Policy, threshold: float, retrieval: str, revise: str) -> NDArray[np.int64]:
    """An agent's options as the compiled cycle reads them."""
    if retrieval not in RETRIEVALS:
        raise unknown("retrieval", retrieval, RETRIEVALS)
    by_group, by_item = criterion_numbers(policy)
    settings = np.zeros(6, np.int64)
    settings[kernel.BY_GROUP], settings[kernel.BY_ITEM] = by_group, by_item
    settings[kernel.THRESHOLD] = thousandths(threshold)
    settings[kernel.TWO_STEP_RETRIEVAL] = retrieval == "clusters"
    settings[kernel.SWITCHES] = switches(TRUCO, revise)
    settings[kernel.MINIMUM] = MINIMUM
    return settings


class CaseBased(Agent):
    """Reuses what was done in the most similar hands: a policy picks a cluster of them, then an action."""

    games = ("truco",)

    def __init__(
        self,
        policy: str,
        base: str = "learned",
        threshold: float = THRESHOLD,
        retrieval: str = "exact",
        revise: str = "all",
    ) -> None:
        self.name = policy
        self.policy = find_policy(policy)
        self.base = base
        self.settings = make_settings(self.policy, threshold, retrieval, revise)
        self._index: CaseIndex | None = None
        self._trace = np.zeros((kernel.MAX_STAGES + 1, 10), np.int64)
        self._trace[0, kernel.ASKED] = END
        self._last: View | None = None

    def begin(self, game: Game, seat: int) -> None:
        self._load()

    def _load(self) -> CaseIndex:
        if self._index is None:
            self._index = load_index(self.base)
            self._scratch = make_scratch(self._index.index, TRUCO)
        return self._index

    def act(self, view: View, rng: np.random.Generator) -> Choice:
        index = self._index or self._load()
        self._last = view
        number: int = kernel.act(
            view.pool, view.seat, index.index, index.groups, self.settings, rng.random(6), self._scratch, self._trace
        )
        return number

    def explain(self) -> Explanation | None:
        if self._last is None or self._index is None:
            return None
        return explain(self._index, self.name, self.policy, self.settings, self._last, self._trace)


