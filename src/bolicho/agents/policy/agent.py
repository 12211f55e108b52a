"""Agent that draws from the mixture of a learned policy."""

from collections.abc import Sequence
from pathlib import Path

from bolicho.agents.agent import Explanation
from bolicho.agents.player import Compiled
from bolicho.agents.policy import kernel, model
from bolicho.agents.saying import bar, bars, named, signed
from bolicho.errors import BadInput
from bolicho.games.game import Game
from bolicho.store.artifact import artifact_path, has_artifact
from bolicho.words import Said


class PolicyAgent(Compiled):
    """Draw from the mixture of a policy learned by policy gradient.

    `artifact` is a name or a file; by default that of the game. The agent plays the game it was trained on, with the
    same rules. `greedy` takes the most probable action instead of drawing.
    """

    def __init__(self, artifact: str = "", greedy: bool = False) -> None:
        self.artifact = artifact
        self.greedy = greedy

    def plays(self, game: Game) -> str | None:
        if self.artifact:
            return None
        if not has_artifact(self._name(game)):
            return f"it has no policy for this game; `bolicho train policy {game.name}` trains one"
        try:
            self.prepare(game)
        except BadInput as problem:
            return str(problem)
        return None

    def prepare(self, game: Game) -> None:
        model.load(game, self._name(game))

    def player(self, game: Game) -> kernel.Policy:
        return model.player(model.load(game, self._name(game)), game, self.greedy)

    def _name(self, game: Game) -> str:
        return self.artifact or f"policy-{game.name}"

    def files(self, game: Game) -> Sequence[Path]:
        return [artifact_path(self._name(game))]

    def explain(self) -> Explanation | None:
        if self.last is None:
            return None
        view, action = self.last
        mixture = self.mixture(view) or []
        worth = float(kernel.value(view.pool, view.seat, self.player(view.game).net))
        shown = [
            bar(named(view, other), chance, Said("agents.percent", value=chance), other == action)
            for other, chance in zip(view.legal, mixture, strict=True)
        ]
        return Explanation(
            Said(
                "agents.policy.draws",
                action=named(view, action),
                share=mixture[view.legal.index(action)],
                worth=signed(worth),
            ),
            {
                "action": str(action),
                "mixture": {str(other): chance for other, chance in zip(view.legal, mixture, strict=True)},
                "worth": worth,
            },
            picture=bars("policy.title", "share", str(action), shown),
        )
