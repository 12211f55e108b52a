"""Agents of the rule-based players of dominoes."""

from typing import Any

import numpy as np

from bolicho.agents.agent import Explanation
from bolicho.agents.explanation import bar, bars, named
from bolicho.agents.player import Compiled
from bolicho.agents.rules.dominoes.kernel import Ruled
from bolicho.games.dominoes.kernel import HIGH, LOW, NUM_SIDES
from bolicho.games.dominoes.text import DominoesView
from bolicho.games.game import Game, View
from bolicho.games.kind import Action
from bolicho.i18n import Message


class Rule(Compiled):
    """Play a double if one fits, otherwise the heaviest tile; in fives first the play that scores most.

    Ties: the heaviest double; the first side.
    """

    games = ("dominoes", "fives")

    def player(self, game: Game) -> Ruled:
        return Ruled(np.zeros(game.num_actions, np.int16))

    def explain_choice(self, view: View, action: Action) -> Explanation:
        assert isinstance(view, DominoesView)
        points = view.points(action) if view.game.name == "fives" else 0
        facts = {"action": str(action)}
        if points > 0:
            said = Message("agents.rules.scores", action=named(view, action), points=points)
            shown = [_bar(view, other, view.points(other), other == action) for other in view.legal]
            return Explanation(said, facts, picture=bars("rules.title.scores", "points", str(action), shown))
        double = weight(action)[0]
        said = Message("agents.rules.double" if double else "agents.rules.heaviest", action=named(view, action))
        fitting = [other for other in view.legal if weight(other)[0] or not double]
        shown = [_bar(view, other, weight(other)[1], other == action) for other in fitting]
        title = "rules.title.doubles" if double else "rules.title.pips"
        return Explanation(said, facts, picture=bars(title, "pips", str(action), shown))


def _bar(view: View, action: Action, value: int, chosen: bool) -> dict[str, Any]:
    return bar(named(view, action), value, value, chosen)


def weight(action: Action) -> tuple[bool, int]:
    """Return a sort key: doubles first, then by pips."""
    high, low = HIGH[action.number // NUM_SIDES], LOW[action.number // NUM_SIDES]
    return bool(high == low), int(high + low)
