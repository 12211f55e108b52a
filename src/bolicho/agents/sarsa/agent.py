"""Agents that play by a learned value of after-states."""

from bolicho.agents.agent import Explanation
from bolicho.agents.explanation import listed, named, signed
from bolicho.agents.learned import LearnedAgent, by_action, draw_actions
from bolicho.agents.sarsa import kernel
from bolicho.agents.sarsa.model import Model, action_values, load_model, player, say_feature
from bolicho.games.game import Game, View
from bolicho.games.kind import Action
from bolicho.i18n import Message

_TOLD = 5  # number of features named in an explanation


class Sarsa(LearnedAgent):
    """Plays to the after-state of the highest learned value.

    `artifact` is a name or a file of weights; by default the one shipped for the game. The agent plays the game it was
    trained on, with the same rules.
    """

    training = "sarsa"
    reads_first = False

    def model(self, game: Game) -> Model:
        """Return the trained model of a game."""
        return load_model(game, self.oracle, self.artifact_of(game))

    def player(self, game: Game) -> kernel.Valuing:
        return player(self.model(game))

    def explain_choice(self, view: View, action: Action) -> Explanation:
        values, parts = action_values(self.model(view.game), self.player(view.game), view, self.luck)
        best = view.numbers.index(int(action))
        largest = [dict(sorted(part.items(), key=lambda item: abs(item[1]), reverse=True)[:_TOLD]) for part in parts]
        reasons = [
            Message("agents.sarsa.reason", what=say_feature(view.game.name, name), value=signed(x, ".1"))
            for name, x in largest[best].items()
        ]
        return Explanation(
            Message(
                "agents.sarsa.worth",
                action=named(view, action),
                value=signed(values[best]),
                reasons=listed(reasons or [Message("agents.sarsa.ends")]),
            ),
            {
                "action": str(action),
                "values": by_action(view, values),
                "features": {str(action): part for action, part in zip(view.legal, largest, strict=True)},
            },
            picture=draw_actions("sarsa.title", "value", view, action, values, [signed(value) for value in values]),
        )


class OpenSarsa(Sarsa):
    """`sarsa` trained and played with full information: an oracle, for measurements."""

    training = "sarsa-open"
    oracle = True
