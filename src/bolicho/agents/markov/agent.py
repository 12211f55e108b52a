"""Agent of the Markov player: its options, its artifacts, its explanations."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bolicho.agents.agent import Explanation
from bolicho.agents.markov.compiled.hand import MEMORY
from bolicho.agents.markov.compiled.player import Player
from bolicho.agents.markov.explain import explain
from bolicho.agents.markov.matrices import WEAKEST, Learned, initial, load_learned
from bolicho.agents.markov.options import PLUS, MindPool, Options, new_mind, what_it_learned
from bolicho.agents.player import Compiled
from bolicho.errors import BadInput
from bolicho.games.game import Game
from bolicho.games.truco.rules import LENGTH
from bolicho.store.artifact import artifact_path
from bolicho.store.rules_match import check_rules

INITIAL, LEARNED = "initial", "learned"


class Markov(Compiled):
    """Markov agent of Rossato 2020: victories and defeats by pair of hands, and a random draw by their share."""

    games = ("truco",)
    memory = MEMORY

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
        weakest: str = WEAKEST[0],
    ) -> None:
        """Create the agent from `base`: `initial` matrices, the shipped `learned` ones, or an artifact's name or path.

        With `learn` it continues to learn from every hand it sees, across matches. The other options are those of
        `options.Options`.
        """
        self.options = Options(area, similarity, increment, minimums, rounds, counted, roulette, reading, weakest)
        if weakest != WEAKEST[0] and base != INITIAL:
            raise BadInput(f"weakest={weakest} applies to the initial matrices: it needs base={INITIAL}, not {base!r}")
        self.base = base
        self.learns = learn
        self._mind: MindPool | None = None

    @classmethod
    def of(cls, options: Options, mind: MindPool) -> "Markov":
        """Create an agent from existing options and matrices."""
        player = cls(INITIAL, **options.facts())
        player._mind = mind
        return player

    @property
    def mind(self) -> MindPool:
        """Complete state of the player, read on first use."""
        if self._mind is None:
            self._mind = new_mind(self.options, self._read_base()[0], learns=self.learns)
        return self._mind

    def _read_base(self) -> tuple[Learned, dict[str, Any]]:
        """Return the initial matrices, and the facts of their training."""
        if self.base == INITIAL:
            return initial(self.options.weakest), {}
        return load_learned(self._name)

    @property
    def _name(self) -> str:
        return "markov-truco" if self.base == LEARNED else self.base

    def files(self, game: Game) -> Sequence[Path]:
        return [] if self.base == INITIAL else [artifact_path(self._name)]

    @property
    def learned(self) -> Learned:
        """Return a copy of the current matrices."""
        return what_it_learned(self.mind)

    def prepare(self, game: Game) -> None:
        if game.name != "truco":
            raise BadInput(f"the Markov agent plays truco, not {game.name}")
        if self.base != INITIAL:
            check_rules(self._read_base()[1], game.options, f"the artifact {self.base}", apart=LENGTH)

    def player(self, game: Game) -> Player:
        return Player(self.mind)

    def explain(self) -> Explanation | None:
        return explain(*self.last, self.mind, self.options) if self.last else None


def markov_plus(base: str = LEARNED, learn: bool = False) -> Markov:
    """Create the Markov agent with all extensions proposed by its author, and two further options."""
    return Markov("markov-plus-truco" if base == LEARNED else base, learn, **PLUS.facts())
