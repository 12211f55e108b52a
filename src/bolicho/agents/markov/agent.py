"""The agent at a table: it sees views, remembers bluffs, learns if told to, and can say why."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bolicho.agents.agent import Agent, Explanation
from bolicho.agents.markov.compiled import seat as compiled
from bolicho.agents.markov.compiled.hand import HAND
from bolicho.agents.markov.explain import explain
from bolicho.agents.markov.layout import LUCK
from bolicho.agents.markov.matrices import Learned, initial, load_learned
from bolicho.agents.markov.options import PLUS, MindPool, Options, new_mind, what_it_learned
from bolicho.errors import BadInput
from bolicho.games.game import Action, Game, View
from bolicho.games.truco.rules import LENGTH
from bolicho.store.artifact import artifact_path
from bolicho.store.made_for import check_rules

INITIAL, LEARNED = "initial", "learned"


class Markov(Agent):
    """Rossato 2020: counts of victories and defeats, hand against hand, and a roulette."""

    games = ("truco",)

    def __init__(
        self,
        base: str = LEARNED,
        learn: bool = False,
        area: float = 0.0,
        similarity: float = 0.0,
        increment: str = "fixed",
        minimums: str = "fixed",
        rounds: bool = False,
        counted: bool = False,
        roulette: bool = True,
        reading: str = "scripts",
    ) -> None:
        """Plays from `base`: `initial` matrices, the `learned` ones that ship, or an artifact's name or path.

        With `learn` it goes on learning from every hand it sees, from match to match.  The others
        are `options.Options`.
        """
        self.options = Options(area, similarity, increment, minimums, rounds, counted, roulette, reading)
        self.base = base
        self.learns = learn
        self._mind: MindPool | None = None
        self._hand = np.zeros(1, HAND)
        self._last: tuple[View, int] | None = None

    @classmethod
    def of(cls, options: Options, mind: MindPool) -> "Markov":
        """A player that is already made, at a table."""
        player = cls(INITIAL, **options.facts())
        player._mind = mind
        return player

    @property
    def mind(self) -> MindPool:
        """Everything it knows and is, read when first needed."""
        if self._mind is None:
            self._mind = new_mind(self.options, self._read_base()[0])
        return self._mind

    def _read_base(self) -> tuple[Learned, dict[str, Any]]:
        """What it begins with, and the facts of its making."""
        if self.base == INITIAL:
            return initial(), {}
        return load_learned(self._name)

    @property
    def _name(self) -> str:
        return "markov" if self.base == LEARNED else self.base

    def files(self, game: Game) -> Sequence[Path]:
        return [] if self.base == INITIAL else [artifact_path(self._name)]

    @property
    def learned(self) -> Learned:
        """A copy of what it knows now."""
        return what_it_learned(self.mind)

    def prepare(self, game: Game) -> None:
        if game.name != "truco":
            raise BadInput(f"the Markov agent plays truco, not {game.name}")
        if self.base != INITIAL:
            check_rules(self._read_base()[1], game.options, f"the artifact {self.base}", apart=LENGTH)

    def begin(self, game: Game, seat: int) -> None:
        self.prepare(game)
        compiled.begin(self.mind, seat)

    def act(self, view: View, rng: np.random.Generator) -> Action:
        mind = self._mind
        if mind is None:
            mind = self.mind
            compiled.begin(mind, view.seat)
        number: int = compiled.act(view.pool, view.seat, mind, self._hand, rng.random(LUCK), view.rows, self.learns)
        self._last = view, number
        return view.game.action(view.state, number)

    def end(self, view: View) -> None:
        compiled.end(self.mind, view.seat, self._hand, view.rows, self.learns)

    def explain(self) -> Explanation | None:
        return explain(*self._last, self.mind, self.options) if self._last else None


def markov_plus(base: str = LEARNED, learn: bool = False) -> Markov:
    """The Markov agent with everything its author wished for, and two options more."""
    return Markov("markov-plus" if base == LEARNED else base, learn, **PLUS.facts())
