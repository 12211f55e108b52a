"""Agent that draws from the mixture of a learned policy."""

from bolicho.agents.agent import Explanation
from bolicho.agents.explanation import named, signed
from bolicho.agents.learned import LearnedAgent, by_action, draw_actions
from bolicho.agents.neural.net import Nets
from bolicho.agents.policy import kernel, model
from bolicho.games.game import Game, View
from bolicho.games.kind import Action
from bolicho.i18n import Message


class PolicyAgent(LearnedAgent):
    """Draws from the mixture of a policy learned by its gradient.

    `artifact` is a name or a file; by default that of the game. The agent plays the game it was trained on, with the
    same rules. `greedy` takes the most probable action instead of drawing.
    """

    training = "policy"

    def __init__(self, artifact: str = "", greedy: bool = False) -> None:
        super().__init__(artifact)
        self.greedy = greedy

    def model(self, game: Game) -> Nets:
        """Return the trained model of a game."""
        return model.load(game, self.artifact_of(game))

    def player(self, game: Game) -> kernel.Policy:
        return model.player(self.model(game), game, self.greedy)

    def explain_choice(self, view: View, action: Action) -> Explanation:
        mixture = self.mixture(view) or []
        worth = float(kernel.value(view.pool, view.seat, self.player(view.game).net))
        return Explanation(
            Message(
                "agents.policy.draws",
                action=named(view, action),
                share=mixture[view.legal.index(action)],
                worth=signed(worth),
            ),
            {"action": str(action), "mixture": by_action(view, mixture), "worth": worth},
            picture=draw_actions("policy.title", "share", view, action, mixture),
        )
