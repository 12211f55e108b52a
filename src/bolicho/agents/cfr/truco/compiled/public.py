"""Situation and row of a view in a learned strategy; compiled.

Situations are numbered in the layout of `opening` and `blocks`: the opening of a hand, then the rounds, by block and
node.
"""

import numpy as np

from bolicho.agents.cfr.truco.compiled.bets import ANSWER, ONE_P, THREE
from bolicho.agents.cfr.truco.compiled.blocks import second_number, steps, third_number
from bolicho.agents.cfr.truco.hands import (
    BOTH_FLOR,
    CLASSES,
    MAO_FLOR,
    MAO_UNSEEN,
    PE_FLOR,
    PE_UNSEEN,
    SHOWN,
    SILENT,
)
from bolicho.games.compiled.chance import mix
from bolicho.games.jit import njit, rule
from bolicho.games.truco import kernel as k
from bolicho.games.truco.compiled.hand import TIE, hand_winner
from bolicho.games.truco.compiled.lexicon import leader_of
from bolicho.games.truco.compiled.unseen import hand_code

MAO_OPENS, PE_OPENS, ENVIDO, FLOR, FIRST_LEAD, FIRST_FOLLOW, SECOND_LEAD, SECOND_FOLLOW, THIRD_LEAD, THIRD_FOLLOW = (
    range(10)
)
"""Kinds of situation."""


@rule
def situation_key(kind, number, card, node):
    """Return the key of a situation: its kind, its block, the card on the table, the node of the bets."""
    return mix(np.uint64(((number * 16 + card) * 16 + node) * 16 + kind))


@njit
def keys(kind, numbers, card, node):
    """Return the keys of the situations of several blocks."""
    found = np.zeros(len(numbers), np.uint64)
    for i in range(len(numbers)):
        found[i] = situation_key(kind, numbers[i], card, node)
    return found


@rule
def bets_are_open(s):
    """Return whether a bet on envido or flor is pending or still possible."""
    if s.round > 0:
        return False
    return s.pending == k.ENVIDO_BET or s.pending == k.FLOR_BET or (s.envido_done == 0 and s.envido_stake == 0)


@rule
def class_in(h, s, seat, r):
    """Return the class of the card that a seat has played in a round: COVERED if face down, -1 if none."""
    return np.int64(h.class_of[s.played[seat, r] + 2])


@rule
def told_by(h, s):
    """Return the information that envido and flor have revealed."""
    mao, pe = np.int64(s.mao), 1 - np.int64(s.mao)
    if s.has_flor[mao] == 1:
        return BOTH_FLOR if s.has_flor[pe] == 1 else MAO_FLOR
    if s.has_flor[pe] == 1:
        return PE_FLOR
    if s.envido_winner == k.NONE:
        return SILENT
    if s.envido_shown == k.NONE:
        return MAO_UNSEEN if s.envido_winner == mao else PE_UNSEEN
    return SHOWN + 2 * np.int64(h.step_of[s.envido_shown]) + np.int64(s.envido_winner != mao)


@rule
def state_of(level, right, p):
    """Return the accepted level and the seat that may call, as a turn of `p`."""
    if level == 0:
        return 0
    return THREE if level == 3 else ONE_P + 2 * (level - 1) + np.int64(right != p)


@rule
def state_before(s, r, p):
    """Return the state of the bets at the start of a round."""
    level = 0
    while level < 3 and s.truco_by[level] != k.NONE and s.truco_round[level] < r:
        level += 1
    return state_of(level, 1 - s.truco_by[level - 1] if level > 0 else 0, p)


@rule
def node_of(s, seat):
    """Return the node of the bets at a decision."""
    p = np.int64(s.player)
    if s.pending == k.NOTHING:
        return state_of(np.int64(s.level), np.int64(s.raiser), p)
    called = np.int64(s.called)
    if seat == p:
        return ANSWER + 1 if called == 2 else ANSWER + 4
    return ANSWER + (0, 3, 2)[called - 1]


@rule
def envido_of(s):
    """Return the number of the pending calls of envido among E, R, F, ER, EF, RF, ERF."""
    called = np.int64(s.envido_by[0] != k.NONE) + 2 * np.int64(s.envido_by[1] != k.NONE)
    if s.envido_by[2] == k.NONE:
        return (0, 0, 1, 3)[called]
    return (2, 4, 5, 6)[called]


@rule
def type_of(h, s, seat):
    return np.int64(h.type_of[hand_code(s.dealt[seat, 0], s.dealt[seat, 1], s.dealt[seat, 2])])


@rule
def set_in(h, s, seat):
    a, b, c = s.dealt[seat, 0], s.dealt[seat, 1], s.dealt[seat, 2]
    return np.int64(h.set_of[h.class_of[a + 2], h.class_of[b + 2], h.class_of[c + 2]])


@rule
def pair_in(h, s, seat):
    return np.int64(h.pair_of[h.class_of[s.hands[seat, 0] + 2], h.class_of[s.hands[seat, 1] + 2]])


@rule
def class_left(h, s, seat):
    return np.int64(h.class_of[s.hands[seat, 0] + 2])


@rule
def locate(h, s, seat):
    """Return the key of the situation of a seat to act, and its row there."""
    if bets_are_open(s):
        return locate_opening(h, s, seat)
    r = np.int64(s.round)
    leader = leader_of(s, r)
    other = 1 - leader
    node = node_of(s, seat)
    lies = class_in(h, s, leader, r)
    if r == 0:
        told = told_by(h, s)
        if lies < 0:
            return situation_key(FIRST_LEAD, told, 0, node), set_in(h, s, seat)
        row = pair_in(h, s, seat) if seat == leader else set_in(h, s, seat)
        return situation_key(FIRST_FOLLOW, told, lies, node), row
    mao = np.int64(leader == s.mao)
    won = np.int64(s.winners[0] != TIE)
    state = state_before(s, r, leader)
    lead, follow = class_in(h, s, leader, 0), class_in(h, s, other, 0)
    if r == 1:
        number = second_number(h, steps(h, 1), mao, won, np.int64(h.told[1, told_by(h, s)]), lead, follow, state)
        if lies < 0:
            return situation_key(SECOND_LEAD, number, 0, node), pair_in(h, s, seat)
        row = class_left(h, s, seat) if seat == leader else pair_in(h, s, seat)
        return situation_key(SECOND_FOLLOW, number, lies, node), row
    changed = np.int64(state_before(s, 1, leader) != state)
    lead_2, follow_2 = class_in(h, s, leader, 1), class_in(h, s, other, 1)
    number = third_number(
        h, steps(h, 2), np.int64(h.told[2, told_by(h, s)]), mao, won, lead, lead_2, follow, follow_2, state, changed
    )
    if lies < 0:
        return situation_key(THIRD_LEAD, number, 0, node), class_left(h, s, seat)
    row = lies
    if seat != leader:
        own = class_left(h, s, seat)
        third = TIE if own == lies else (seat if own > lies else leader)
        row += CLASSES * np.int64(hand_winner(s.winners[0], s.winners[1], third, s.mao) == seat)
    return situation_key(THIRD_FOLLOW, number, 0, node), row


@rule
def locate_opening(h, s, seat):
    row = type_of(h, s, seat)
    lies = class_in(h, s, s.mao, 0)
    if s.pending == k.NOTHING:
        return situation_key(MAO_OPENS if lies < 0 else PE_OPENS, 0, max(0, lies), 0), row
    if s.pending == k.ENVIDO_BET:
        return situation_key(ENVIDO, lies + 1, 0, envido_of(s)), row
    if s.flor_by[0] == k.NONE:
        node = 0 if s.flor_by[1] == k.NONE else 3
    else:
        node = 1 if s.flor_by[1] == k.NONE else 2
    return situation_key(FLOR, 0, 0, node), row
