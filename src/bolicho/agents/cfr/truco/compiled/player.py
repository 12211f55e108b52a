"""Player that draws from mixtures learned by vectors; compiled."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bolicho.agents import kernel as players
from bolicho.agents.cfr.kernel import choices
from bolicho.agents.cfr.truco.compiled.public import NOT_LAID, Places, locate
from bolicho.agents.cfr.truco.compiled.score_adjustment import adjust_to_score
from bolicho.agents.cfr.truco.hands import Hands
from bolicho.agents.compiled.mixtures import draw, spread_mixture
from bolicho.games.compiled.chance import uniform
from bolicho.games.jit import njit, rule
from bolicho.games.kernel import implements
from bolicho.games.truco import kernel as k

NOT_LEARNED = -1


class Drawing(NamedTuple):
    """Learned shares by situation and row, and work arrays."""

    hands: Hands
    abstraction: Any  # defines the choices of the strategy
    places: Places
    shares: NDArray[np.uint8]  # by row and choice
    actions: NDArray[np.int16]
    labels: NDArray[np.int16]
    legal: NDArray[np.int16]
    chances: NDArray[np.float64]
    match_envido: NDArray[np.uint8]  # envido at the scores of a match, see `score_adjustment`; or empty


@rule
def find_row(player, view, seat, n):
    """Return the index of the shares of a seat's choices, or NOT_LEARNED."""
    begin, row = locate(player.hands, player.places, view, seat)
    at, total = begin + n * row, 0
    if begin == NOT_LAID:
        return NOT_LEARNED
    for a in range(n):
        total += player.shares[at + a]
    return at if total > 0 else NOT_LEARNED


@rule
def mix_here(player, view, seat):
    """Write the choices and their probabilities; return their number and the index of their shares."""
    n = choices(player.abstraction, view, seat, player.actions, player.labels)
    at = find_row(player, view, seat, n)
    if at == NOT_LEARNED:
        fall_back(player, view, seat, n)
    else:
        total = 0
        for a in range(n):
            total += player.shares[at + a]
        for a in range(n):
            player.chances[a] = player.shares[at + a] / total
    if view.rule_hands == 0:
        adjust_to_score(player, view, seat, n)
    return n, at


@rule
def fall_back(player, view, seat, n):
    """Choose where nothing was learned: no calls, accept bets with good cards, win rounds cheaply."""
    best = 0
    if view.pending == k.NOTHING:
        there = view.played[1 - seat, view.round]
        cards = 3 - np.int64(view.round)
        best = cards - 1 if there == k.NONE else 0
        if there != k.NONE:
            for a in range(cards - 1, -1, -1):
                if k.strength(player.actions[a]) > k.strength(there):
                    best = a
    else:
        takes = is_good(view, seat)
        for a in range(n):
            if player.actions[a] == (k.QUERO if takes else k.NAO) or player.actions[a] == k.FLOR:
                best = a
    for a in range(n):
        player.chances[a] = a == best


GOOD_POINTS, GOOD_FLOR, GOOD_CARD = 28, 33, 9  # the strength of a two


@rule
def is_good(view, seat):
    """Return whether the pending bet is accepted where nothing was learned."""
    if view.pending == k.ENVIDO_BET:
        return k.envido_of(view, seat) >= GOOD_POINTS
    if view.pending == k.FLOR_BET:
        return k.flor_of(view, seat) >= GOOD_FLOR
    best = 0
    for r in range(3):
        if view.hands[seat, r] != k.NONE:
            best = max(best, k.strength(view.hands[seat, r]))
    return best > GOOD_CARD


@implements(players.decide, Drawing)
@njit
def decide(player, memory, view, seat, luck):
    n, _ = mix_here(player, view, seat)
    return player.actions[draw(player.chances, n, uniform(luck, 0))]


@implements(players.mixture, Drawing)
@njit
def mixture(player, memory, view, seat, out):
    n, _ = mix_here(player, view, seat)
    return spread_mixture(view, player.actions, player.chances, n, player.legal, out)


@njit
def where(player, pool, seat):
    """Return the index of the shares of a view's choices, or NOT_LEARNED, for explanations."""
    return mix_here(player, pool[0], seat)[1]
