"""Adjustment of the strategy to the score of a match; compiled.

The strategy is learned at 0-0, and envido alone is solved at every score (`scores`). Answers to envido are those of
that solution. The shares of the calls that open envido change by the difference between the solutions at this score and
at 0-0, because openings were learned together with the cards.
"""

import numpy as np

from bolicho.agents.cfr.truco.compiled.public import bets_are_open, envido_of
from bolicho.agents.cfr.truco.compiled.scores import CHOICES, ENVIDOS, OPENER_ANSWERS, value_of
from bolicho.games.jit import rule
from bolicho.games.truco import kernel as k


@rule
def adjust_to_score(player, view, seat, n):
    """Adjust the probabilities of the choices to the score of a match."""
    if len(player.match_envido) > 0:
        if view.pending == k.ENVIDO_BET:
            answer_points(player, view, seat, n)
        elif view.pending == k.NOTHING and k.may_open_envido(view, seat):
            adjust_opening(player, view, seat, n)
    adjust_near_end(player, view, seat, n)


# --- Envido -------------------------------------------------------------------------------------


@rule
def points_of(player, view, seat):
    """Return the points of a seat in a match to the target of training where it lacks as many; at least 0."""
    return max(0, np.int64(view.scores[seat]) + len(player.match_envido) - np.int64(view.target))


@rule
def solved(player, scores, situation, value, choice):
    """Return the share of a choice in the solution of envido alone, at a score of the mão and the pé."""
    shares = player.match_envido[scores[0], scores[1], situation, value]
    total = 0.0
    for c in range(CHOICES):
        total += shares[c]
    return shares[choice] / total


@rule
def answer_points(player, view, seat, n):
    mao, node = np.int64(view.mao), envido_of(view)
    opener = seat if OPENER_ANSWERS[node] == 1 else 1 - seat
    situation = 2 + ENVIDOS * np.int64(opener != mao) + node
    value = value_of(k.envido_of(view, seat))
    scores = points_of(player, view, mao), points_of(player, view, 1 - mao)
    for c in range(n):  # both list choices in one order
        player.chances[c] = solved(player, scores, situation, value, c)


@rule
def adjust_opening(player, view, seat, n):
    """Adjust the shares of the envido calls; the other choices divide the rest."""
    mao, situation = np.int64(view.mao), np.int64(seat != view.mao)
    value = value_of(k.envido_of(view, seat))
    scores = points_of(player, view, mao), points_of(player, view, 1 - mao)
    first = place_of(player, n, k.ENVIDO)
    end = first + 3
    calls, rest = 0.0, 0.0
    for c in range(n):
        if first <= c < end:
            choice = 1 + c - first
            change = solved(player, scores, situation, value, choice) - solved(player, (0, 0), situation, value, choice)
            player.chances[c] = max(0.0, player.chances[c] + change)
            calls += player.chances[c]
        else:
            rest += player.chances[c]
    if calls == 0 and rest == 0:  # no other choice was learned
        player.chances[first] = calls = 1.0
    scale = 1.0 if calls <= 1 and rest > 0 else 1 / calls
    for c in range(n):
        if first <= c < end:
            player.chances[c] *= scale
        elif rest > 0:
            player.chances[c] *= (1 - calls * scale) / rest


# --- End of a match ------------------------------------------------------------------------------


@rule
def place_of(player, n, action):
    """Return the index of an action among the choices, or -1."""
    for a in range(n):
        if player.actions[a] == action:
            return a
    return -1


@rule
def shift(player, source, target):
    """Move the share of one choice to another."""
    if source >= 0 and target >= 0:
        player.chances[target] += player.chances[source]
        player.chances[source] = 0


@rule
def adjust_near_end(player, view, seat, n):
    """Adjust the shares near the end of a match, where one choice is clearly better.

    A seat does not fold or refuse where that loses the match, and does not raise where the hand as it stands wins the
    match. Where the hand as it stands loses the match, it raises, once envido can no longer be called.
    """
    other = 1 - seat
    stands = 1 + np.int64(view.called)
    raises = place_of(player, n, k.TRUCO + np.int64(view.called)) if view.called < 3 else -1
    if view.pending == k.NOTHING:
        if k.must_fight(view, seat):
            shift(player, place_of(player, n, k.BARALHO), 0)
    elif k.must_fight(view, seat):
        shift(player, place_of(player, n, k.NAO), place_of(player, n, k.QUERO))
    if view.pending != k.NOTHING and view.pending != k.TRUCO_BET:
        return
    calm = 0 if view.pending == k.NOTHING else place_of(player, n, k.QUERO)
    if view.scores[seat] + stands >= view.target:
        shift(player, raises, calm)
    elif raises >= 0 and view.scores[other] + stands >= view.target and not bets_are_open(view):
        for a in range(n):
            if player.actions[a] != k.NAO and a != raises:
                shift(player, a, raises)
