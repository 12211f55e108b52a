"""The case-based agent: one class, twenty policies."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np

from bolicho.agents.agent import Agent, Explanation
from bolicho.agents.cbr.bases import file_of, load_base
from bolicho.agents.cbr.compiled import decision as compiled
from bolicho.agents.cbr.cycle import OURS, Options, make_settings, make_trace
from bolicho.agents.cbr.explain import explain
from bolicho.agents.cbr.retrieve import CaseIndex, make_scratch
from bolicho.agents.cbr.truco import TRUCO
from bolicho.games.game import Action, Game, View
from bolicho.games.truco.rules import LENGTH
from bolicho.store.made_for import check_rules


@cache
def load_index(base: str) -> CaseIndex:
    """The index of a base, once per process."""
    return CaseIndex(load_base(base, TRUCO))


class CaseBased(Agent):
    """Reuses what was done in the most similar hands: a policy picks a cluster of them, then an action."""

    games = ("truco",)

    def __init__(
        self,
        policy: str,
        base: str = "learned",
        threshold: float = OURS.threshold,
        retrieval: str = OURS.retrieval,
        revise: str = OURS.revise,
        victory: str = OURS.victory,
    ) -> None:
        self.name = policy
        self.base = base
        self.settings = make_settings(TRUCO, policy, Options(threshold, retrieval, revise, victory))
        self._index: CaseIndex | None = None
        self._trace = make_trace()
        self._last: View | None = None

    def prepare(self, game: Game) -> None:
        check_rules(self._load().base.made, game.options, f"the case base {self.base}", apart=LENGTH)

    def _load(self) -> CaseIndex:
        if self._index is None:
            self._index = load_index(self.base)
            self._scratch = make_scratch(self._index.index, TRUCO)
        return self._index

    def files(self, game: Game) -> Sequence[Path]:
        return [file_of(self.base)]

    def act(self, view: View, rng: np.random.Generator) -> Action:
        index = self._index or self._load()
        self._last = view
        number: int = compiled.act(
            view.pool, view.seat, index.index, index.groups, self.settings, rng.random(6), self._scratch, self._trace
        )
        self._action = number
        return view.game.action(view.state, number)

    def explain(self) -> Explanation | None:
        if self._last is None or self._index is None:
            return None
        return explain(self._index, self.name, self.settings, self._last, self._trace, self._action)
