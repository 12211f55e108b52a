"""Agents for tests of best responses: one of known exploitability, and one that depends on suits."""

from typing import NamedTuple

import numpy as np

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
    """Agent of the last legal action: it goes to the deck, refuses, and answers a flor with contra flor e resto."""

    def player(self, game):
        return Giving(np.zeros(game.num_actions, np.int16))


class FirstOf(NamedTuple):
    legal: object


@implements(players.mixture, FirstOf)
@njit
def first_of(player, memory, view, seat, out):
    n = k.legal(view, player.legal)
    out[:n] = 0
    out[0] = 1
    return n


class BySuit(Compiled):
    """Agent of the first legal action: among its cards it plays the one of the first suit."""

    def player(self, game):
        return FirstOf(np.zeros(game.num_actions, np.int16))
