"""What was learned at 0-0 is put right at other scores of a match; compiled.

Where it is known what every score is worth (`scores`), envido is shifted by what the solution of envido alone is here
beyond what it is at 0-0, and answers and raises of truco by how the odds differ here.  So at 0-0 nothing changes.
"""

import numpy as np

from bolicho.agents.cfr.truco.compiled.opening import ENVIDOS
from bolicho.agents.cfr.truco.compiled.public import bets_are_open, envido_of
from bolicho.agents.cfr.truco.compiled.scores import CHOICES, OPENER_ANSWERS, value_of
from bolicho.games.jit import rule
from bolicho.games.truco import kernel as k


@rule
def mind_the_score(player, view, seat, n):
    """Put the choices' chances right for the score of a match."""
    if len(player.match_chances) == view.target:
        if view.pending == k.ENVIDO_BET:
            if player.minds & 1:
                mind_answer(player, view, seat, n)
        elif view.pending == k.NOTHING and k.may_open_envido(view, seat):
            if player.minds & 2:
                mind_opening(player, view, seat, n)
        if player.minds & 4 and (view.pending == k.TRUCO_BET or view.pending == k.NOTHING):
            mind_odds(player, view, seat, n)
    mind_the_end(player, view, seat, n)


# --- Envido -------------------------------------------------------------------------------------


@rule
def beyond(player, view, seat, situation, choice):
    """By how much the share of a choice of envido alone is larger here than at 0-0."""
    mao = np.int64(view.mao)
    value = value_of(k.envido_of(view, seat))
    here = player.match_envido[view.scores[mao], view.scores[1 - mao], situation, value]
    there = player.match_envido[0, 0, situation, value]
    total_here, total_there = 0.0, 0.0
    for c in range(CHOICES):
        total_here += here[c]
        total_there += there[c]
    return here[choice] / total_here - there[choice] / total_there


@rule
def mind_answer(player, view, seat, n):
    node = envido_of(view)
    opener = seat if OPENER_ANSWERS[node] == 1 else 1 - seat
    situation = 2 + ENVIDOS * np.int64(opener != view.mao) + node
    for c in range(n):
        player.chances[c] = max(0.0, player.chances[c] + beyond(player, view, seat, situation, c))
    make_whole(player, 0, n, 1.0)


@rule
def mind_opening(player, view, seat, n):
    """The calls of envido are shifted, and all else shares what they leave."""
    first = place_of(player, n, k.ENVIDO)
    calls = 0.0
    for c in range(first, first + 3):
        shifted = player.chances[c] + beyond(player, view, seat, np.int64(seat != view.mao), 1 + c - first)
        player.chances[c] = max(0.0, shifted)
        calls += player.chances[c]
    rest = 0.0
    for c in range(n):
        if c < first or c >= first + 3:
            rest += player.chances[c]
    if calls > 1 or rest == 0:
        make_whole(player, first, first + 3, 1.0)
        calls = 1.0
    for c in range(n):
        if (c < first or c >= first + 3) and rest > 0:
            player.chances[c] *= (1 - calls) / rest


@rule
def make_whole(player, first, end, whole):
    """Let some choices add up to so much."""
    total = 0.0
    for c in range(first, end):
        total += player.chances[c]
    for c in range(first, end):
        player.chances[c] *= whole / total


# --- Truco --------------------------------------------------------------------------------------


@rule
def after(player, view, seat, own, other):
    """The chance of a seat to win the match after a hand that leaves these points."""
    if own >= view.target:
        return 1.0
    if other >= view.target:
        return 0.0
    return player.match_chances[own, other] if seat != view.mao else 1 - player.match_chances[other, own]


@rule
def mind_odds(player, view, seat, n):
    """Accepting and raising are likelier, in a mixture, by how much better the odds are than those of points."""
    own, other = np.int64(view.scores[seat]), np.int64(view.scores[1 - seat])
    stake, refused = k.standing_bet(view)
    accepts, raises = place_of(player, n, k.QUERO), -1
    if view.called < 3:
        raises = place_of(player, n, k.TRUCO + np.int64(view.called))
    if view.pending == k.TRUCO_BET:
        won, lost = after(player, view, seat, own + stake, other), after(player, view, seat, own, other + stake)
        left = after(player, view, seat, own, other + refused)
        better = odds(won - left, left - lost) * (stake - refused) / (stake + refused)
        player.chances[accepts] *= better
        if raises >= 0:
            player.chances[raises] *= better
    if raises >= 0:
        gained = after(player, view, seat, own + stake + 1, other) - after(player, view, seat, own + stake, other)
        risked = after(player, view, seat, own, other + stake) - after(player, view, seat, own, other + stake + 1)
        player.chances[raises] *= odds(gained, risked)
    make_whole(player, 0, n, 1.0)


LEAST = 1e-3


@rule
def odds(gained, risked):
    return max(LEAST, gained) / max(LEAST, risked)


# --- The end ------------------------------------------------------------------------------------


@rule
def place_of(player, n, action):
    """Where an action stands among the choices, or -1."""
    for a in range(n):
        if player.actions[a] == action:
            return a
    return -1


@rule
def shift(player, source, target):
    """Let one choice have the share of another."""
    if source >= 0 and target >= 0:
        player.chances[target] += player.chances[source]
        player.chances[source] = 0


@rule
def mind_the_end(player, view, seat, n):
    """What was learned at 0-0 is put right where the end of the match is near, in what goes without saying.

    Nobody gives up a hand, or refuses, who loses the match by it.  Nobody raises who wins the match by the hand as it
    stands.  Who loses the match by the hand as it stands raises, once there is no more envido to call.
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
