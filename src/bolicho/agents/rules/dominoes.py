"""The rule players of dominoes (Pinto 2018, section 5.1)."""

import numpy as np

from bolicho.agents.agent import Agent, Explanation
from bolicho.games.dominoes.rules import HALVES
from bolicho.games.dominoes.text import DominoesView
from bolicho.games.game import Action, View


class Rule(Agent):
    """A double if one fits, otherwise the heaviest tile; in fives first the play that scores most.

    Of several doubles the heaviest; of several sides the first.
    """

    games = ("dominoes", "fives")

    def __init__(self) -> None:
        self._why = ""

    def act(self, view: View, rng: np.random.Generator) -> Action:
        assert isinstance(view, DominoesView)
        if view.game.name == "fives":
            points = {action: view.points(action) for action in view.legal}
            best = max(view.legal, key=lambda action: points[action])
            if points[best] > 0:
                self._why = f"{best} scores {points[best]}, the most there is"
                return best
        best = max(view.legal, key=weight)
        self._why = f"{best} is " + ("a double that fits" if weight(best)[0] else "the heaviest tile that fits")
        return best

    def explain(self) -> Explanation:
        return Explanation(self._why)


def weight(action: Action) -> tuple[bool, int]:
    """Doubles first, then by pips."""
    high, low = HALVES[action.number // 4]
    return high == low, high + low
