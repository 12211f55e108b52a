"""The agents that play by a learned value of after-states."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from bolicho.agents.agent import Agent, Explanation
from bolicho.agents.sarsa.kernel import Work
from bolicho.agents.sarsa.model import Model, buffers, load_model, worth
from bolicho.games.game import Action, Game, View
from bolicho.store.artifact import artifact_path

_TOLD = 5  # features of an action that an explanation names


class Sarsa(Agent):
    """Plays to the after-state of the highest learned value.

    `artifact` is a name or a file of weights; by default the one shipped for the game.  It plays the
    game it was trained on, under the same rules.
    """

    def __init__(self, artifact: str = "") -> None:
        self.artifact = artifact
        self._ready: tuple[Model, Work] | None = None
        self._last: tuple[View, list[float], list[dict[str, float]]] | None = None

    def prepare(self, game: Game) -> None:
        if self._ready is None or self._ready[0].game is not game:
            model = load_model(game, self.oracle, self._name(game))
            self._ready = model, buffers(model)

    def _name(self, game: Game) -> str:
        return self.artifact or f"sarsa-{game.name}" + ("-open" if self.oracle else "")

    def files(self, game: Game) -> Sequence[Path]:
        return [artifact_path(self._name(game))]

    def act(self, view: View, rng: np.random.Generator) -> Action:
        self.prepare(view.game)
        assert self._ready is not None
        values, parts = worth(*self._ready, view, int(rng.integers(1 << 63)))
        self._last = view, values.tolist(), parts
        return view.legal[int(np.argmax(values))]

    def explain(self) -> Explanation | None:
        if self._last is None:
            return None
        view, values, parts = self._last
        best = int(np.argmax(values))
        largest = [dict(sorted(part.items(), key=lambda item: abs(item[1]), reverse=True)[:_TOLD]) for part in parts]
        reasons = ", ".join(f"{name} {x:+.1f}" for name, x in largest[best].items()) or "the game ends"
        return Explanation(
            f"What comes of {view.legal[best]} is worth {values[best]:+.2f}: {reasons}.",
            {
                "values": {str(action): value for action, value in zip(view.legal, values, strict=True)},
                "features": {str(action): part for action, part in zip(view.legal, largest, strict=True)},
            },
        )


class OpenSarsa(Sarsa):
    """As `sarsa`, trained and played with everything open: an oracle, for measuring."""

    oracle = True
