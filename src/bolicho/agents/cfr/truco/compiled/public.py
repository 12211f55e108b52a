"""What everybody at a hand of Truco knows, as a number, and what each seat holds beside it; compiled.

What a seat holds is counted in a *space*: all types while envido or flor may be bet on, then sets, pairs and single
classes as cards are played, and last nothing.
"""

import numpy as np

from bolicho.agents.cfr.truco.hands import (
    BOTH_FLOR,
    CLASSES,
    COVERED,
    MAO_FLOR,
    MAO_UNSEEN,
    PAIRS,
    PE_FLOR,
    PE_UNSEEN,
    SETS,
    SHOWN,
    SILENT,
)
from bolicho.agents.cfr.truco.kernel import who
from bolicho.games.compiled.chance import mix
from bolicho.games.jit import rule
from bolicho.games.truco import kernel as k
from bolicho.games.truco.compiled.hand import hand_winner, round_winner

BY_TYPE, BY_SET, BY_PAIR, BY_CLASS, EMPTY = range(5)


@rule
def bets_are_open(s):
    """Whether envido or flor is, or may still be, bet on."""
    if s.round > 0:
        return False
    return s.pending == k.ENVIDO_BET or s.pending == k.FLOR_BET or (s.envido_done == 0 and s.envido_stake == 0)


@rule
def space_of(s, seat):
    """The space of what a seat holds.  In the first round that includes the card it has played."""
    if s.round == 0:
        return BY_TYPE if bets_are_open(s) else BY_SET
    return BY_SET + np.int64(s.round) + (s.played[seat, s.round] != k.NONE)


@rule
def size_of(h, space):
    """How many holdings a space has."""
    if space == BY_TYPE:
        return len(h.type_set)
    if space == BY_SET:
        return SETS
    if space == BY_PAIR:
        return PAIRS
    return CLASSES if space == BY_CLASS else 1


@rule
def class_in(h, s, seat, r):
    """The class of the card that a seat has played in a round, or -1."""
    return np.int64(h.class_of[s.played[seat, r] + 2])


@rule
def told(h, s):
    """What envido and flor told, as it is remembered in this round."""
    mao, pe = np.int64(s.mao), 1 - np.int64(s.mao)
    what = SILENT
    if s.has_flor[mao] == 1:
        what = BOTH_FLOR if s.has_flor[pe] == 1 else MAO_FLOR
    elif s.has_flor[pe] == 1:
        what = PE_FLOR
    elif s.envido_winner != k.NONE:
        if s.envido_shown == k.NONE:
            what = MAO_UNSEEN if s.envido_winner == mao else PE_UNSEEN
        else:
            what = SHOWN + 2 * np.int64(h.step_of[s.envido_shown]) + (s.envido_winner != mao)
    return np.int64(h.told[np.int64(s.round), what])


@rule
def bets_so_far(s, seat):
    """What was called of envido and flor, and by whom, while they may be bet on."""
    story = np.int64(0)
    for kind in range(3):
        story = story * 3 + who(seat, s.envido_by[kind])
    story = story * 2 + (s.envido_again != k.NONE)
    for i in range(2):
        story = story * 3 + who(seat, s.flor_by[i])
    return (story * 3 + 1 + s.has_flor[seat]) * 3 + 1 + s.has_flor[1 - seat]


@rule
def public_key(h, s, seat):
    """What is known to both when a seat is to act, but for how envido went: who played which class, and the bets."""
    other = 1 - seat
    r = np.int64(s.round)
    cards = np.int64(0)
    for i in range(r):
        cards = (cards << 2) | who(seat, s.winners[i] if s.winners[i] < 2 else k.NONE)
        cards = (cards << 4) | np.int64(h.remembered[r, class_in(h, s, seat, i)])
        cards = (cards << 4) | np.int64(h.remembered[r, class_in(h, s, other, i)])
    if r < 2:  # of the third round it is enough who has played
        cards = (cards << 8) | ((class_in(h, s, seat, r) + 1) << 4) | (class_in(h, s, other, r) + 1)
    lead = 2 * np.int64(s.played[seat, 2] != k.NONE) + np.int64(s.played[other, 2] != k.NONE)
    state = (np.int64(s.round) << 1) | np.int64(s.mao == seat)
    state = (state << 2) | np.int64(s.pending)
    state = (state << 2) | np.int64(s.level)
    state = (state << 2) | np.int64(s.called)
    state = (state << 2) | who(seat, s.raiser)
    state = (state << 2) | (np.int64(s.truco_round[s.called - 1]) if s.called > 0 else 3)
    state = (state << 2) | lead
    bets = 64 + bets_so_far(s, seat) if bets_are_open(s) else told(h, s)
    return mix(mix((cards << 20) | state) ^ np.uint64(bets))


@rule
def wins_last(h, s, seat, own):
    """Whether a seat whose card of the third round is of a class wins the hand against the card that lies there."""
    there = class_in(h, s, 1 - seat, 2)
    won = round_winner(own, there)  # 0: the seat
    third = seat if won == 0 else (1 - seat if won == 1 else 2)
    return hand_winner(s.winners[0], s.winners[1], third, s.mao) == seat


@rule
def row_of(h, s, seat, space, holding):
    """The row of a holding in what was learned of a situation.

    In the third round whoever sees the other's card goes by that card and by who will win; who shows it, by the card.
    """
    if s.round == 2:
        if space == EMPTY:
            return class_in(h, s, seat, 2)
        if s.played[1 - seat, 2] != k.NONE:
            return 2 * class_in(h, s, 1 - seat, 2) + wins_last(h, s, seat, holding)
    return holding


@rule
def rows_of(h, s, seat, space):
    """How many rows a situation has."""
    if s.round == 2 and space == EMPTY:
        return COVERED + 1
    if s.round == 2 and s.played[1 - seat, 2] != k.NONE:
        return 2 * (COVERED + 1)
    return size_of(h, space)


@rule
def known_set(h, s, seat, space, holding):
    """The set of all cards of a seat: those in hand and those on the table."""
    if space == BY_TYPE:
        return np.int64(h.type_set[holding])
    if space == BY_SET:
        return holding
    first = class_in(h, s, seat, 0)
    if space == BY_PAIR:
        return np.int64(h.set_of[first, h.pairs[holding, 0], h.pairs[holding, 1]])
    second = class_in(h, s, seat, 1)
    if space == BY_CLASS:
        return np.int64(h.set_of[first, second, holding])
    return np.int64(h.set_of[first, second, class_in(h, s, seat, 2)])


@rule
def card_at(h, space, holding, place):
    """The class of the card of a holding at a place, weakest first; -1 where there is none."""
    if space == BY_TYPE:
        return np.int64(h.sets[h.type_set[holding], place])
    if space == BY_SET:
        return np.int64(h.sets[holding, place])
    if space == BY_PAIR:
        return np.int64(h.pairs[holding, place])
    return holding
