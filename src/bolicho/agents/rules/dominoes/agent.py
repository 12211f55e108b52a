"""The rule players of dominoes as agents."""

import numpy as np

from bolicho.agents.agent import Explanation
from bolicho.agents.player import Compiled
from bolicho.agents.rules.dominoes.kernel import Ruled
from bolicho.games.dominoes.kernel import HIGH, LOW, NUM_SIDES
from bolicho.games.dominoes.text import DominoesView
from bolicho.games.game import Action, Game


class Rule(Compiled):
    """A double if one fits, otherwise the heaviest tile; in fives first the play that scores most.

    Of several doubles the heaviest; of several sides the first.
    """

    games = ("dominoes", "fives")

    def player(self, game: Game) -> Ruled:
        return Ruled(np.zeros(game.num_actions, np.int16))

    def explain(self) -> Explanation | None:
        if self.last is None:
            return None
        view, action = self.last
        assert isinstance(view, DominoesView)
        points = view.points(action) if view.game.name == "fives" else 0
        if points > 0:
            return Explanation(f"{action} scores {points}, the most there is", {"action": str(action)})
        why = "a double that fits" if weight(action)[0] else "the heaviest tile that fits"
        return Explanation(f"{action} is {why}", {"action": str(action)})


def weight(action: Action) -> tuple[bool, int]:
    """Doubles first, then by pips."""
    high, low = HIGH[action.number // NUM_SIDES], LOW[action.number // NUM_SIDES]
    return bool(high == low), int(high + low)
