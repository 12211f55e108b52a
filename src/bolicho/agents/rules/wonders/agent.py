"""Rule-based agent of Pereira 2021."""

import numpy as np

from bolicho.agents.agent import Explanation
from bolicho.agents.compiled.weights import SAID, WORDS
from bolicho.agents.explanation import bar, bars, named
from bolicho.agents.player import Compiled
from bolicho.agents.rules.wonders import kernel
from bolicho.games.game import Game, View
from bolicho.games.kind import Action
from bolicho.games.wonders.actions import card_of
from bolicho.games.wonders.cards import CARDS, NUM_CARDS
from bolicho.games.wonders.text import name_card
from bolicho.i18n import Message


class Weighing(Compiled):
    """Play the card of the greatest weight, as a stage if possible (Pereira 2021)."""

    games = ("wonders",)

    def player(self, game: Game) -> kernel.Weigher:
        return kernel.Weigher(np.zeros(game.num_actions, np.int16))

    def explain_choice(self, view: View, action: Action) -> Explanation:
        """Return the weights of the available cards, and the row of the table that decided."""
        card = CARDS[card_of(action.number)]
        found = weights(view)
        key = "agents.rules.sells" if action.startswith("sell") else "agents.rules.weighs"
        said = Message(key, action=named(view, action), card=name_card(card), weight=found[card], rule=SAID[card])
        shown = [bar(name_card(other), weight, weight, other == card) for other, weight in found.items()]
        picture = bars("rules.title.weights", "weight", str(action), shown)
        return Explanation(said, {"weights": found, "action": str(action), "rule": WORDS[card]}, picture=picture)


def weights(view: View) -> dict[str, int]:
    """Return the weight of each card that the seat may choose from, heaviest first."""
    cards = np.array(sorted({card_of(number) for number in view.numbers}), np.int64)
    out = np.zeros(len(cards), np.int64)
    kernel.weights(view.pool, view.seat, cards, out)
    found = {CARDS[card]: int(weight) for card, weight in zip(cards, out, strict=True)}
    return dict(sorted(found.items(), key=lambda item: -item[1]))


def every_weight(view: View) -> dict[str, int]:
    """Return the weight of every card of the game for the seat now, by name."""
    out = np.zeros(NUM_CARDS, np.int64)
    kernel.weights(view.pool, view.seat, np.arange(NUM_CARDS), out)
    return {name: int(weight) for name, weight in zip(CARDS, out, strict=True)}
