"""Styles of the scripted players: thresholds as data, and the agent that follows them."""

from dataclasses import astuple, dataclass

import numpy as np

from bolicho.agents.agent import Explanation
from bolicho.agents.explanation import chain
from bolicho.agents.player import Compiled
from bolicho.agents.rules import TRUCO_STYLES
from bolicho.agents.rules.truco import kernel
from bolicho.games.game import Game, View
from bolicho.games.kind import Action
from bolicho.i18n import Message


@dataclass(frozen=True)
class Style:
    """Thresholds at which a scripted player bets, accepts and gives up.

    Chances are of winning the hand by cards, as `kernel.win_chance` estimates them; points are those of the envido (0
    to 33) or the flor (20 to 38).
    """

    call_truco: float  # calls or raises the truco from this chance on
    accept_truco: float  # accepts it from this chance on
    call_envido: int  # opens with envido from these points on
    accept_envido: int  # accepts envido; real and falta require 2 and 4 points more
    raise_envido: int  # answers with real; with falta from 3 points more on
    raise_flor: int  # answers a flor with contra flor; with resto from 4 points more on
    bluff: float  # probability of a bet or a raise without the required cards
    give_up: float  # goes to the deck below this chance, when the hand is worth more than one
    thrift: float  # probability of the cheapest sufficient card; otherwise any card
    lead_high: float  # probability of leading the first round with the best card; otherwise the middle


STYLES = {name: Style(*numbers) for name, numbers in TRUCO_STYLES.items()}


class Scripted(Compiled):
    """Scripted Truco player: novice, cautious, aggressive, bluffer or balanced."""

    games = ("truco",)

    def __init__(self, style: str) -> None:
        self.name = style
        self.style = STYLES[style]
        self._told = np.zeros(3)

    def player(self, game: Game) -> kernel.Scripted:
        return kernel.Scripted(np.array(astuple(self.style)), self._told)

    def explain_choice(self, view: View, action: Action) -> Explanation:
        chance, points, bluffed = self._told
        said = Message("agents.rules.truco", name=self.name, chance=float(chance), points=int(points))
        return Explanation(
            chain([said, Message("agents.rules.bluff")]) if bluffed else said,
            {
                "action": str(action),
                "chance": float(chance),
                "envido": int(points),
                "bluff": bool(bluffed),
                "style": vars(self.style),
            },
            [self._thresholds()],
        )

    def _thresholds(self) -> Message:
        """Return its thresholds for betting and accepting."""
        style = self.style
        return Message(
            "agents.rules.habits",
            call=style.call_truco,
            accept=style.accept_truco,
            envido=style.call_envido,
            answer=style.accept_envido,
        )
