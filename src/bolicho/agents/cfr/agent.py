"""Agent that draws from a mixture learned by counterfactual regret minimisation."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from bolicho.agents.agent import Explanation
from bolicho.agents.cfr.compiled.player import NOT_SEEN, PAST
from bolicho.agents.cfr.model import Model, load_model
from bolicho.agents.cfr.truco.match import load_scores
from bolicho.agents.cfr.truco.model import Vectors
from bolicho.agents.explanation import named, signed
from bolicho.agents.learned import LearnedAgent, by_action, draw_actions
from bolicho.agents.player import NOTHING
from bolicho.games.game import Game, View
from bolicho.games.kind import Action
from bolicho.i18n import Fact, Message
from bolicho.store.artifact import artifact_path, has_artifact


class CFR(LearnedAgent):
    """Draws from a learned mixture near equilibrium (counterfactual regret).

    `artifact` is a name or a file of mixtures; by default that of the game. The agent plays the game it was trained on,
    with the same rules. Situations not met in training are played at random; in Truco by a heuristic that accepts bets
    with good cards and wins rounds as cheaply as possible. `scores` adjusts bets in matches of Truco to the score,
    where this was trained.
    """

    training = "cfr"
    memory = PAST

    def __init__(self, artifact: str = "", scores: bool = True) -> None:
        super().__init__(artifact)
        self.scores = scores

    def model(self, game: Game) -> Model | Vectors:
        """Return the trained model of a game."""
        model = load_model(game, self.artifact_of(game))
        if isinstance(model, Vectors):  # it needs the view alone, not past events
            self.memory = NOTHING
        return model

    def player(self, game: Game) -> NamedTuple:
        model = self.model(game)
        if isinstance(model, Vectors) and self._uses_scores(game):
            return model.player(load_scores(game))
        return model.player()

    def _uses_scores(self, game: Game) -> bool:
        return self.scores and not game.options.get("hands") and has_artifact(f"cfr-scores-{game.name}")

    def files(self, game: Game) -> Sequence[Path]:
        scores = [artifact_path(f"cfr-scores-{game.name}")] if self._uses_scores(game) else []
        return [*super().files(game), *scores]

    def explain_choice(self, view: View, action: Action) -> Explanation:
        player = self.player(view.game)
        number = self.model(view.game).situation(player, self._memory, view)
        mixture = self.mixture(view) or []
        share = mixture[view.legal.index(action)]
        seen = number != NOT_SEEN
        visits = self.model(view.game).visited(number) if seen else 0
        told: dict[str, Fact] = {"action": named(view, action), "share": share}
        values = self._values(view, mixture)
        texts = [
            Message("analyse.told", share=chance, value=signed(values[str(other)]))
            for other, chance in zip(view.legal if values else (), mixture, strict=False)
        ]
        return Explanation(
            Message("agents.cfr.draws", visits=visits, **told) if seen else Message("agents.cfr.new", **told),
            {
                "action": str(action),
                "mixture": by_action(view, mixture),
                "visits": visits,
                **({"values": values} if values else {}),
            },
            self._of_the_score(view, action),
            picture=draw_actions("cfr.title", "share", view, action, mixture, texts),
        )

    def _values(self, view: View, mixture: list[float]) -> dict[str, float]:
        """Return the value of each action in points of the hand.

        There are none where continuations cannot be enumerated, and where the score of a match has changed the mixture,
        which then does not go by points.
        """
        if not isinstance(self.model(view.game), Vectors):
            return {}
        if self._uses_scores(view.game) and CFR(self.artifact, scores=False).mixture(view) != mixture:
            return {}
        from bolicho.agents.cfr.analyse import hand_of, judge  # imports the registry

        return judge(hand_of(view.game), f"cfr(artifact={self.artifact})" if self.artifact else "cfr").of_view(view)

    def _of_the_score(self, view: View, action: Action) -> list[Message]:
        """Return the effect of the match score, where it is considered."""
        if not isinstance(self.model(view.game), Vectors) or not self._uses_scores(view.game):
            return []
        usual = CFR(self.artifact, scores=False).mixture(view) or []
        chance = load_scores(view.game).chance(
            view.scores, int(view.pool["target"][0]), int(view.pool["mao"][0]), view.seat
        )
        return [Message("agents.cfr.score", chance=chance, usual=usual[view.legal.index(action)])]
