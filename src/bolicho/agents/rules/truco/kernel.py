"""Decisions of the scripted players: a pure function of the view, its luck and a style, compiled."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bolicho.agents import kernel as players
from bolicho.agents.compiled.truco import win_chance
from bolicho.games.compiled.chance import uniform
from bolicho.games.jit import njit
from bolicho.games.kernel import implements
from bolicho.games.truco import kernel as k
from bolicho.games.truco.compiled.lexicon import cheapest_winner, num_held, strongest_first, weakest_first

# Columns of a style, in the order of styles.Style.
CALL, ACCEPT, CALL_ENVIDO, ACCEPT_ENVIDO, RAISE_ENVIDO, RAISE_FLOR, BLUFF, GIVE_UP, THRIFT, LEAD_HIGH = range(10)

CHANCE, POINTS, BLUFFED = range(3)
"""Basis of a decision, for explanations."""

# Uses of the numbers drawn from luck.
BLUFFS, WHICH_BLUFF, ANY_CARD, WHICH_CARD = range(4)


class Scripted(NamedTuple):
    """Scripted player: its style, and the basis of its last decision."""

    style: NDArray[np.float64]
    told: NDArray[np.float64]


@implements(players.decide, Scripted)
@njit
def decide(player, memory, s, seat, luck):
    drawn = (uniform(luck, BLUFFS), uniform(luck, WHICH_BLUFF), uniform(luck, ANY_CARD), uniform(luck, WHICH_CARD))
    return act(s, seat, player.style, win_chance(s, seat), drawn, player.told)


@implements(players.mixture, Scripted)
@njit
def mixture(player, memory, s, seat, out):
    """Write the exact mixture: enumerate one value of each drawn number on each side of its threshold."""
    style, told, legal = player.style, np.zeros_like(player.told), np.zeros(k.NUM_ACTIONS, np.int16)
    chance, held, n = win_chance(s, seat), max(1, num_held(s, seat)), k.legal(s, legal)
    out[:n] = 0
    for bluff, p_bluff in ((0.0, style[BLUFF]), (1.0, 1 - style[BLUFF])):
        for which in (0.0, 0.5):
            for i in range(held + 2):
                if i < held:  # any card
                    drawn, p = (bluff, which, 1.0, (i + 0.5) / held), (1 - style[THRIFT]) / held
                else:
                    leads = style[LEAD_HIGH] if i == held else 1 - style[LEAD_HIGH]
                    drawn, p = (bluff, which, 0.0, float(i - held)), style[THRIFT] * leads
                if p > 0 and p_bluff > 0:
                    out[np.searchsorted(legal[:n], act(s, seat, style, chance, drawn, told))] += p_bluff * p / 2
    return n


@njit
def act(s, seat, style, chance, drawn, told):
    """Return the action of a style for four drawn numbers."""
    points = k.envido_of(s, seat)
    bluffs = drawn[BLUFFS] < style[BLUFF]
    told[CHANCE], told[POINTS], told[BLUFFED] = chance, points, 0
    if s.pending == k.TRUCO_BET:
        return answer_truco(s, style, chance, bluffs, told)
    if s.pending == k.ENVIDO_BET:
        return answer_envido(s, style, points, bluffs, told)
    if s.pending == k.FLOR_BET:
        return answer_flor(s, style, k.flor_of(s, seat))
    return open_or_play(s, seat, style, chance, points, bluffs, drawn, told)


# --- Bets ---------------------------------------------------------------------------------------


@njit
def answer_truco(s, style, chance, bluffs, told):
    seat = s.turn
    stakes = 0.05 * (s.called - 1)  # retruco and vale quatro require a little more
    if s.called < 3 and (chance >= style[CALL] + 0.1 + stakes or (bluffs and chance >= 0.2)):
        told[BLUFFED] = chance < style[CALL]
        return k.TRUCO + s.called
    if chance >= style[ACCEPT] + stakes or k.must_fight(s, seat):
        return k.QUERO
    return k.NAO


@njit
def answer_envido(s, style, points, bluffs, told):
    seat = s.turn
    called_real, called_falta = s.envido_by[1] != k.NONE, s.envido_by[2] != k.NONE
    if not called_falta:
        if points >= style[RAISE_ENVIDO] + 3:
            return k.FALTA
        if not called_real and (points >= style[RAISE_ENVIDO] or (bluffs and points < 20)):
            told[BLUFFED] = points < style[RAISE_ENVIDO]
            return k.REAL
    asked = style[ACCEPT_ENVIDO] + (2 if called_real else 0) + (4 if called_falta else 0)
    if points >= asked or k.must_fight(s, seat):
        return k.QUERO
    return k.NAO


@njit
def answer_flor(s, style, points):
    contra, resto = s.flor_by[0] != k.NONE, s.flor_by[1] != k.NONE
    if resto:
        return k.QUERO if points >= style[RAISE_FLOR] + 2 else k.NAO
    if points >= style[RAISE_FLOR] + 4:
        return k.RESTO
    if contra:
        return k.QUERO if points >= style[RAISE_FLOR] - 2 else k.NAO
    return k.CONTRAFLOR if points >= style[RAISE_FLOR] else k.FLOR


@njit
def open_or_play(s, seat, style, chance, points, bluffs, drawn, told):
    if k.may_open_envido(s, seat):
        if points >= style[RAISE_ENVIDO] + 1:
            return k.REAL
        if points >= style[CALL_ENVIDO] or (bluffs and drawn[WHICH_BLUFF] < 0.5):
            told[BLUFFED] = points < style[CALL_ENVIDO]
            return k.ENVIDO
    if k.may_raise(s, seat):
        # In the first round a bet requires a better chance: later rounds reveal more.
        wanted = style[CALL] + 0.08 * s.called + (0.06 if s.round == 0 else 0.0)
        if chance >= wanted or (bluffs and drawn[WHICH_BLUFF] >= 0.5 and s.round > 0):
            told[BLUFFED] = chance < wanted
            return k.TRUCO + s.called
    if chance < style[GIVE_UP] and s.level > 0 and not k.must_fight(s, seat):
        return k.BARALHO
    return choose_card(s, seat, style, drawn)


# --- Cards --------------------------------------------------------------------------------------


@njit
def choose_card(s, seat, style, drawn):
    hand = s.hands[seat]
    if drawn[ANY_CARD] >= style[THRIFT]:
        return hand[int(drawn[WHICH_CARD] * num_held(s, seat))]
    weakest, strongest = weakest_first(hand)[0], strongest_first(hand)[0]
    theirs = s.played[1 - seat, s.round]
    if theirs != k.NONE:
        winner = cheapest_winner(s, seat, theirs)
        return winner if winner != k.NONE else weakest
    if s.round == 0:
        return strongest if drawn[WHICH_CARD] < style[LEAD_HIGH] else middle(hand, weakest, strongest)
    if s.winners[0] == seat:  # ahead: keep the best card for last
        return weakest
    return strongest


@njit
def middle(hand, weakest, strongest):
    """Return the first of three cards that is neither of the two."""
    for i in range(2):
        if hand[i] != weakest and hand[i] != strongest:
            return hand[i]
    return hand[2]
