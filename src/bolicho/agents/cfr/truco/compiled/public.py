"""Situation and row of a view in a learned strategy; compiled.

Situations are laid out by the trees (`trees`): in the opening by kind and node, in the rounds by the card that was led
and the node of the bets.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bolicho.agents.cfr.truco.compiled.numbers import (
    FOLLOW,
    LEAD,
    MAO_LEADS,
    STATES,
    TOLD_ROOT,
    Blocks,
    second_number,
    third_number,
)
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
from bolicho.games.jit import njit, rule
from bolicho.games.truco import kernel as k
from bolicho.games.truco.compiled.hand import TIE, hand_winner
from bolicho.games.truco.compiled.lexicon import leader_of
from bolicho.games.truco.compiled.unseen import hand_code

MAO_OPENS, PE_OPENS, ENVIDO, FLOR = range(4)
"""Kinds of situations of the opening."""

NODES = 11
ANSWER = 6  # first of the answers among the nodes of the bets
ONE_P, THREE = 1, 5
NOT_LAID = -1


class Places(NamedTuple):
    """Offsets of situations in their block (NOT_LAID: none), and the begin of each block."""

    opening: NDArray[np.int64]  # (kind, mão's card, node)
    first: NDArray[np.int64]  # (look of the lead from 1, node, whether the deck is a choice)
    second: NDArray[np.int64]  # (state, look of the lead from 1, node)
    third: NDArray[np.int64]  # (state, whether the lead is shown, node)
    first_block: NDArray[np.int64]  # begin of the blocks of first rounds, and the size of each
    blocks: Blocks
    root: NDArray[np.int64]  # work array: root of a second round


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


@njit
def bets_node(pool):
    """Return the node of the bets at a record's decision."""
    return node_of(pool[0], np.int64(pool[0].turn))


@njit
def bets_state(pool, p):
    """Return the state of the bets for the seat `p` to play, with no call pending."""
    return state_of(np.int64(pool[0].level), np.int64(pool[0].raiser), p)


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
def locate(h, places, s, seat):
    """Return the begin of the situation of a seat to act, or NOT_LAID, and its row there."""
    if bets_are_open(s):
        kind, who, node = place_in_opening(s)
        return places.opening[kind, who, node], type_of(h, s, seat)
    r, leader = np.int64(s.round), leader_of(s, np.int64(s.round))
    node, lies = node_of(s, seat), class_in(h, s, leader, r)
    if r == 0:
        told = told_by(h, s)
        deck = lies < 0 and node == 0 and (told == BOTH_FLOR or told == MAO_FLOR)
        begin = places.first_block[0] + told * places.first_block[1]
        row = pair_in(h, s, seat) if lies >= 0 and seat == leader else set_in(h, s, seat)
        return joined(begin, places.first[lies + 1, node, np.int64(deck)]), row
    state = state_before(s, r, leader)
    if r == 1:
        return locate_second(h, places, s, seat, state)
    return locate_third(h, places, s, seat, state)


@rule
def joined(begin, offset):
    """Return the begin of a situation in a block, or NOT_LAID."""
    return NOT_LAID if begin < 0 or offset < 0 else begin + offset


@rule
def locate_second(h, places, s, seat, state):
    leader, root = leader_of(s, 1), places.root
    lies, node = class_in(h, s, leader, 1), node_of(s, seat)
    root[LEAD], root[FOLLOW] = class_in(h, s, leader, 0), class_in(h, s, 1 - leader, 0)
    root[MAO_LEADS], root[TOLD_ROOT] = np.int64(leader == s.mao), told_by(h, s)
    begin = places.blocks.seconds[second_number(places.blocks, root, state)]
    row = class_left(h, s, seat) if lies >= 0 and seat == leader else pair_in(h, s, seat)
    return joined(begin, places.second[state, lies + 1, node]), row


@rule
def locate_third(h, places, s, seat, state):
    leader, other = leader_of(s, 2), 1 - leader_of(s, 2)
    lies, node = class_in(h, s, leader, 2), node_of(s, seat)
    changed = np.int64(state_before(s, 1, leader) != state)
    cards = class_in(h, s, leader, 0), class_in(h, s, leader, 1), class_in(h, s, other, 0), class_in(h, s, other, 1)
    mao, won = np.int64(leader == s.mao), np.int64(s.winners[0] != TIE)
    number = third_number(places.blocks, told_by(h, s), mao, won, cards, changed * STATES + state)
    row = class_left(h, s, seat)
    if lies >= 0:
        own, row = row, lies
        if seat != leader:
            third = TIE if own == lies else (seat if own > lies else leader)
            row += CLASSES * np.int64(hand_winner(s.winners[0], s.winners[1], third, s.mao) == seat)
    return joined(places.blocks.thirds[number], places.third[state, np.int64(lies >= 0), node]), row


@rule
def place_in_opening(s):
    """Return the kind of a situation of the opening, its block, and its node."""
    lies = np.int64(s.played[s.mao, 0])
    who = 0 if lies == k.NONE else np.int64(k.strength(lies))
    if s.pending == k.NOTHING:
        return (MAO_OPENS if who == 0 else PE_OPENS), max(0, who - 1), 0
    if s.pending == k.ENVIDO_BET:
        return ENVIDO, who, envido_of(s)
    if s.flor_by[0] == k.NONE:
        return FLOR, 0, (0 if s.flor_by[1] == k.NONE else 3)
    return FLOR, 0, (1 if s.flor_by[1] == k.NONE else 2)


@njit
def opening_place(pool):
    """Return `place_in_opening` of a record."""
    return place_in_opening(pool[0])


@njit
def told_in(h, pool):
    """Return the information that envido and flor have revealed in a record."""
    return told_by(h, pool[0])
