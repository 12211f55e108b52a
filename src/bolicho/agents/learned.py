"""LearnedAgent: the common face of agents that play from one trained file, AGENT-GAME."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bolicho.agents.explanation import bar, bars, named
from bolicho.agents.player import Compiled
from bolicho.errors import BadInput
from bolicho.games.game import Game, View
from bolicho.games.kind import Action
from bolicho.i18n import Fact, Message
from bolicho.store.artifact import artifact_path, has_artifact


class LearnedAgent(Compiled):
    """Player of a trained file: `artifact`, a name or a path, or the file of its training for the game.

    Override `model`, `player` and `explain_choice`.
    """

    training = ""
    """The training whose files it plays from by default."""

    reads_first = True
    """True if `plays` reads the default file, to check its rules."""

    def __init__(self, artifact: str = "") -> None:
        self.artifact = artifact

    def artifact_of(self, game: Game) -> str:
        """Return the name or the path of the file it plays a game from."""
        return self.artifact or f"{self.training}-{game.name}"

    def plays(self, game: Game) -> str | None:
        if (why := super().plays(game)) is not None or self.artifact:
            return why
        if not has_artifact(self.artifact_of(game)):
            return f"it has no file for this game; `bolicho train {self.training} {game.name}` trains one"
        try:
            if self.reads_first:
                self.prepare(game)
        except BadInput as problem:
            return str(problem)
        return None

    def model(self, game: Game) -> Any:
        """Return the trained model of a game; raise `BadInput` if the file does not fit."""
        raise NotImplementedError(f"{type(self).__name__} does not implement model")

    def prepare(self, game: Game) -> None:
        self.model(game)

    def files(self, game: Game) -> Sequence[Path]:
        return [artifact_path(self.artifact_of(game))]


def by_action(view: View, numbers: Sequence[float]) -> dict[str, float]:
    """Return numbers by the texts of the legal actions, for the facts of an explanation."""
    return dict(zip(map(str, view.legal), numbers, strict=True))


def draw_actions(
    title: str, unit: str, view: View, action: Action, numbers: Sequence[float], texts: Sequence[Fact] | None = None
) -> dict[str, Any]:
    """Return bars of a number for each legal action, with texts beside them; by default the numbers are shares."""
    texts = texts or [Message("agents.percent", value=share) for share in numbers]
    shown = [
        bar(named(view, other), number, text, other == action)
        for other, number, text in zip(view.legal, numbers, texts, strict=True)
    ]
    return bars(title, unit, str(action), shown)
