"""Agent that draws from a mixture learned by counterfactual regret minimisation."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from bolicho.agents.agent import Explanation
from bolicho.agents.cfr.compiled.player import NOT_SEEN, PAST
from bolicho.agents.cfr.model import Model, load_model
from bolicho.agents.cfr.truco.match import load_scores
from bolicho.agents.cfr.truco.model import Vectors
from bolicho.agents.player import NOTHING, Compiled
from bolicho.agents.saying import bar, bars, named, signed
from bolicho.errors import BadInput
from bolicho.games.game import Game, View
from bolicho.games.kind import Action
from bolicho.store.artifact import artifact_path, has_artifact
from bolicho.words import Fact, Said


class CFR(Compiled):
    """Draw from a learned near-equilibrium mixture (counterfactual regret minimisation).

    `artifact` is a name or a file of mixtures; by default that of the game. The agent plays the game it was trained on,
    with the same rules. Situations not met in training are played at random; in Truco by a heuristic that accepts bets
    with good cards and wins rounds as cheaply as possible. `scores` adjusts bets in matches of Truco to the score,
    where this was trained.
    """

    memory = PAST

    def __init__(self, artifact: str = "", scores: bool = True) -> None:
        self.artifact, self.scores = artifact, scores

    def plays(self, game: Game) -> str | None:
        if self.artifact:
            return None
        if not has_artifact(self._name(game)):
            return f"it has no strategy for this game; `bolicho train cfr {game.name}` trains one"
        try:
            self.model(game)
        except BadInput as problem:
            return str(problem)
        return None

    def model(self, game: Game) -> Model | Vectors:
        """Return the strategy for a game."""
        model = load_model(game, self._name(game))
        if isinstance(model, Vectors):  # which depends on the view alone
            self.memory = NOTHING
        return model

    def prepare(self, game: Game) -> None:
        self.model(game)

    def player(self, game: Game) -> NamedTuple:
        model = self.model(game)
        if isinstance(model, Vectors) and self._minds_scores(game):
            return model.player(load_scores(game))
        return model.player()

    def _minds_scores(self, game: Game) -> bool:
        return self.scores and not game.options.get("hands") and has_artifact(f"cfr-scores-{game.name}")

    def _name(self, game: Game) -> str:
        return self.artifact or f"cfr-{game.name}"

    def files(self, game: Game) -> Sequence[Path]:
        names = [self._name(game)] + ([f"cfr-scores-{game.name}"] if self._minds_scores(game) else [])
        return [artifact_path(name) for name in names]

    def explain(self) -> Explanation | None:
        if self.last is None:
            return None
        view, action = self.last
        player = self.player(view.game)
        number = self.model(view.game).situation(player, self._memory, view)
        mixture = self.mixture(view) or []
        share = mixture[view.legal.index(action)]
        seen = number != NOT_SEEN
        visits = self.model(view.game).visited(number) if seen else 0
        told: dict[str, Fact] = {"action": named(view, action), "share": share}
        values = self._values(view)
        shown = [
            bar(
                named(view, other),
                chance,
                Said("analyse.told", share=chance, value=signed(values[str(other)]))
                if values
                else Said("agents.percent", value=chance),
                other == action,
            )
            for other, chance in zip(view.legal, mixture, strict=True)
        ]
        return Explanation(
            Said("agents.cfr.draws", visits=visits, **told) if seen else Said("agents.cfr.new", **told),
            {
                "action": str(action),
                "mixture": {str(other): chance for other, chance in zip(view.legal, mixture, strict=True)},
                "visits": visits,
                **({"values": values} if values else {}),
            },
            self._of_the_score(view, action),
            picture=bars("cfr.title", "share", str(action), shown),
        )

    def _values(self, view: View) -> dict[str, float]:
        """Return the value of each action in points of the hand, where all continuations can be enumerated."""
        if not isinstance(self.model(view.game), Vectors):
            return {}
        from bolicho.agents.cfr.analyse import hand_of, judge  # imports the registry

        return judge(hand_of(view.game), f"cfr(artifact={self.artifact})" if self.artifact else "cfr").of_view(view)

    def _of_the_score(self, view: View, action: Action) -> list[Said]:
        """Return the effect of the match score, where it is considered."""
        if not isinstance(self.model(view.game), Vectors) or not self._minds_scores(view.game):
            return []
        usual = CFR(self.artifact, scores=False).mixture(view) or []
        chance = load_scores(view.game).chance(view.scores, int(view.pool["mao"][0]), view.seat)
        return [Said("agents.cfr.score", chance=chance, usual=usual[view.legal.index(action)])]
