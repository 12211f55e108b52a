"""Agent of the Markov player: its options, its artifacts, its explanations."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bolicho.agents.agent import Explanation
from bolicho.agents.learned import LearnedAgent
from bolicho.agents.markov.compiled.hand import MEMORY
from bolicho.agents.markov.compiled.player import Player
from bolicho.agents.markov.explain import explain
from bolicho.agents.markov.matrices import WEAKEST, Learned, initial, load_learned
from bolicho.agents.markov.options import PLUS, PUBLISHED, MindPool, Options, new_mind, what_it_learned
from bolicho.errors import BadInput
from bolicho.games.game import Game, View
from bolicho.games.kind import Action
from bolicho.games.truco.rules import LENGTH
from bolicho.store.rules_match import check_rules

INITIAL, LEARNED = "initial", "learned"


class Markov(LearnedAgent):
    """Markov agent of Rossato 2020: victories and defeats by pair of hands, and a random draw by their share."""

    games = ("truco",)
    memory = MEMORY
    training = "markov"
    reads_first = False

    def __init__(self, base: str = LEARNED, learn: bool = False, options: Options = PUBLISHED) -> None:
        """Create the agent from `base`: `initial` matrices, the shipped `learned` ones, or an artifact's name or path.

        With `learn` it continues to learn from every hand it sees, across matches.
        """
        if options.weakest != WEAKEST[0] and base != INITIAL:
            raise BadInput(
                f"weakest={options.weakest} applies to the initial matrices: it needs base={INITIAL}, not {base!r}"
            )
        super().__init__("" if base == LEARNED else base)
        self.options, self.learns = options, learn
        self._mind: MindPool | None = None

    @classmethod
    def of(cls, options: Options, mind: MindPool) -> "Markov":
        """Create an agent from existing options and matrices."""
        player = cls(INITIAL, options=options)
        player._mind = mind
        return player

    @property
    def mind(self) -> MindPool:
        """Complete state of the player, read on first use."""
        if self._mind is None:
            self._mind = new_mind(self.options, self._read()[0], learns=self.learns)
        return self._mind

    def _read(self) -> tuple[Learned, dict[str, Any]]:
        """Return the matrices it begins with, and the facts of their training."""
        if self.artifact == INITIAL:
            return initial(self.options.weakest), {}
        return load_learned(self.artifact or f"{self.training}-truco")

    def files(self, game: Game) -> Sequence[Path]:
        return [] if self.artifact == INITIAL else super().files(game)

    @property
    def learned(self) -> Learned:
        """Return a copy of the current matrices."""
        return what_it_learned(self.mind)

    def prepare(self, game: Game) -> None:
        if game.name != "truco":
            raise BadInput(f"the Markov agent plays truco, not {game.name}")
        if self.artifact != INITIAL:
            check_rules(self._read()[1], game.options, f"the artifact {self.artifact_of(game)}", apart=LENGTH)

    def player(self, game: Game) -> Player:
        return Player(self.mind)

    def explain_choice(self, view: View, action: Action) -> Explanation:
        return explain(view, action, self.mind, self.options)


def markov_plus(base: str = LEARNED, learn: bool = False) -> Markov:
    """Create the Markov agent with all extensions proposed by its author, and two further options."""
    made = Markov(base, learn, PLUS)
    made.training = "markov-plus"
    return made
