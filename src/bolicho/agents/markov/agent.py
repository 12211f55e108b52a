"""Agent of the Markov player: its options, its artifacts, its explanations."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bolicho.agents.agent import Explanation
from bolicho.agents.learned import LearnedAgent
from bolicho.agents.markov.compiled.hand import MEMORY
from bolicho.agents.markov.compiled.player import MarkovPlayer
from bolicho.agents.markov.explain import explain
from bolicho.agents.markov.matrices import WEAKEST, LearnedMatrices, initial, load_learned
from bolicho.agents.markov.options import (
    PLUS,
    PUBLISHED,
    MarkovOptions,
    PlayerStates,
    learned_matrices,
    new_player_state,
)
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

    def __init__(self, base: str = LEARNED, learn: bool = False, options: MarkovOptions = PUBLISHED) -> None:
        """Create the agent from `base`: `initial` matrices, the shipped `learned` ones, or an artifact's name or path.

        With `learn` it continues to learn from every hand it sees, across matches.
        """
        if options.weakest != WEAKEST[0] and base != INITIAL:
            raise BadInput(
                f"weakest={options.weakest} applies to the initial matrices: it needs base={INITIAL}, not {base!r}"
            )
        super().__init__("" if base == LEARNED else base)
        self.options, self.learns = options, learn
        self._mind: PlayerStates | None = None

    @classmethod
    def of(cls, options: MarkovOptions, mind: PlayerStates) -> "Markov":
        """Create an agent from existing options and matrices."""
        player = cls(INITIAL, options=options)
        player._mind = mind
        return player

    @property
    def mind(self) -> PlayerStates:
        """Complete state of the player, read on first use."""
        if self._mind is None:
            self._mind = new_player_state(self.options, self._read()[0], learns=self.learns)
        return self._mind

    def _read(self) -> tuple[LearnedMatrices, dict[str, Any]]:
        """Return the matrices it begins with, and the facts of their training."""
        if self.artifact == INITIAL:
            return initial(self.options.weakest), {}
        return load_learned(self.artifact or f"{self.training}-truco")

    def files(self, game: Game) -> Sequence[Path]:
        return [] if self.artifact == INITIAL else super().files(game)

    @property
    def learned(self) -> LearnedMatrices:
        """Return a copy of the current matrices."""
        return learned_matrices(self.mind)

    def prepare(self, game: Game) -> None:
        if game.name != "truco":
            raise BadInput(f"the Markov agent plays truco, not {game.name}")
        if self.artifact != INITIAL:
            check_rules(self._read()[1], game.options, f"the artifact {self.artifact_of(game)}", apart=LENGTH)

    def player(self, game: Game) -> MarkovPlayer:
        return MarkovPlayer(self.mind)

    def explain_choice(self, view: View, action: Action) -> Explanation:
        return explain(view, action, self.mind, self.options)


def markov_plus(base: str = LEARNED, learn: bool = False) -> Markov:
    """Create the Markov agent with all extensions proposed by its author, and two further options."""
    made = Markov(base, learn, PLUS)
    made.training = "markov-plus"
    return made
