"""An agent whose exploitability anybody can tell."""

from typing import NamedTuple

from bolicho.agents import kernel as players
from bolicho.agents.player import Compiled
from bolicho.games.jit import njit
from bolicho.games.kernel import implements
from bolicho.games.truco import kernel as k


class Giving(NamedTuple):
    legal: object


@implements(players.decide, Giving)
@njit
def decide(player, memory, view, seat, luck):
    return player.legal[k.legal(view, player.legal) - 1]


@implements(players.mixture, Giving)
@njit
def mixture(player, memory, view, seat, out):
    n = k.legal(view, player.legal)
    for i in range(n):
        out[i] = i == n - 1
    return n


class GivesUp(Compiled):
    """Goes to the deck, refuses, and answers a flor by the rest of it."""

    def player(self, game):
        import numpy as np

        return Giving(np.zeros(game.num_actions, np.int16))
