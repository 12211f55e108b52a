"""Agents that play by a learned value of after-states."""

from collections.abc import Sequence
from pathlib import Path

from bolicho.agents.agent import Explanation
from bolicho.agents.player import Compiled
from bolicho.agents.sarsa import kernel
from bolicho.agents.sarsa.model import Model, load_model, player, worth
from bolicho.agents.sarsa.names import say_feature
from bolicho.agents.saying import bar, bars, listed, named, signed
from bolicho.games.game import Game
from bolicho.store.artifact import artifact_path, has_artifact
from bolicho.words import Said

_TOLD = 5  # number of features named in an explanation


class Sarsa(Compiled):
    """Play to the after-state of the highest learned value.

    `artifact` is a name or a file of weights; by default the one shipped for the game. The agent plays the game it was
    trained on, with the same rules.
    """

    kind = "sarsa"

    def __init__(self, artifact: str = "") -> None:
        self.artifact = artifact

    def plays(self, game: Game) -> str | None:
        if self.artifact or has_artifact(self._name(game)):
            return None
        return f"it has no model for this game; `bolicho train {self.kind} {game.name}` trains one"

    def model(self, game: Game) -> Model:
        """Return the model for a game."""
        return load_model(game, self.oracle, self._name(game))

    def prepare(self, game: Game) -> None:
        self.model(game)

    def player(self, game: Game) -> kernel.Valuing:
        return player(self.model(game))

    def _name(self, game: Game) -> str:
        return self.artifact or f"{self.kind}-{game.name}"

    def files(self, game: Game) -> Sequence[Path]:
        return [artifact_path(self._name(game))]

    def explain(self) -> Explanation | None:
        if self.last is None:
            return None
        view, action = self.last
        values, parts = worth(self.model(view.game), self.player(view.game), view, self.luck)
        best = view.numbers.index(int(action))
        largest = [dict(sorted(part.items(), key=lambda item: abs(item[1]), reverse=True)[:_TOLD]) for part in parts]
        reasons = [
            Said("agents.sarsa.reason", what=say_feature(view.game.name, name), value=signed(x, ".1"))
            for name, x in largest[best].items()
        ]
        shown = [
            bar(named(view, other), value, signed(value), other == action)
            for other, value in zip(view.legal, values, strict=True)
        ]
        return Explanation(
            Said(
                "agents.sarsa.worth",
                action=named(view, action),
                value=signed(values[best]),
                reasons=listed(reasons or [Said("agents.sarsa.ends")]),
            ),
            {
                "action": str(action),
                "values": {str(action): value for action, value in zip(view.legal, values, strict=True)},
                "features": {str(action): part for action, part in zip(view.legal, largest, strict=True)},
            },
            picture=bars("sarsa.title", "value", str(action), shown),
        )


class OpenSarsa(Sarsa):
    """`sarsa` trained and played with full information: an oracle, for measurements."""

    kind = "sarsa-open"
    oracle = True
