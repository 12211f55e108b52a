"""The hand as a Markov chain of rounds: the chance to win it from the current state.

Each round is a step of the chain; two cards determine the next state. The total chance is the sum over all possible
hands of the opponent (the equation of Chapman and Kolmogorov), where each player takes the best step against the
other's hand.
"""

import numpy as np

from bolicho.agents.markov.compiled.hidden import weigh_hidden
from bolicho.agents.markov.compiled.opponent_states import by_level, truco_row
from bolicho.agents.markov.states import NUM_TRUCO, TRUCO_TABLE
from bolicho.games.jit import rule
from bolicho.games.truco import kernel as k
from bolicho.games.truco.compiled.hand import OPEN, TIE, hand_winner, leader_after, round_winner
from bolicho.games.truco.compiled.lexicon import class_of, class_played
from bolicho.games.truco.lexicon import CLASSES

# Result of a round (or TIE), and the mão, from the perspective of the first of two players.
WIN, LOSS = 0, 1


@rule
def second_round(first, a, b, x, y, mao):
    """Return whether a and x in the second round, b and y in the third, win the hand."""
    return hand_winner(first, round_winner(a, x), round_winner(b, y), mao) == WIN


@rule
def answer_second(first, x, a, b, y, mao):
    """Return whether one of a and b wins against x on the table and then y."""
    return second_round(first, a, b, x, y, mao) or second_round(first, b, a, x, y, mao)


@rule
def lead_second(first, a, b, x, y, mao):
    """Return whether leading a, with b to come, wins against every answer."""
    return second_round(first, a, b, x, y, mao) and second_round(first, a, b, y, x, mao)


@rule
def after_first(first, a, b, x, y, mao):
    """Return whether two cards each win the hand after this result of the first round."""
    if leader_after(first, mao) == WIN:
        return lead_second(first, a, b, x, y, mao) or lead_second(first, b, a, x, y, mao)
    return answer_second(first, x, a, b, y, mao) and answer_second(first, y, a, b, x, mao)


@rule
def lead_first(a, b, c, x, y, z):
    """Return whether the mão, leading a, wins against every answer."""
    return (
        after_first(round_winner(a, x), b, c, y, z, WIN)
        and after_first(round_winner(a, y), b, c, x, z, WIN)
        and after_first(round_winner(a, z), b, c, x, y, WIN)
    )


@rule
def fill_leads(table):
    """Write for every two hands which of the mão's leads win: bit 0 its low card, 1 middle, 2 high."""
    for i in range(NUM_TRUCO):
        a, b, c = TRUCO_TABLE[i, 0], TRUCO_TABLE[i, 1], TRUCO_TABLE[i, 2]
        for j in range(NUM_TRUCO):
            x, y, z = TRUCO_TABLE[j, 0], TRUCO_TABLE[j, 1], TRUCO_TABLE[j, 2]
            bits = 0
            if lead_first(a, b, c, x, y, z):
                bits |= 1
            if lead_first(b, a, c, x, y, z):
                bits |= 2
            if lead_first(c, a, b, x, y, z):
                bits |= 4
            table[i, j] = bits


# --- Chances from the current state -------------------------------------------------------------


@rule
def round_result(s, seat, r):
    """Return the result of a finished round for this seat."""
    return seen_by(seat, s.winners[r])


@rule
def seen_by(seat, winner):
    """Return WIN, LOSS or TIE for this seat; also used for the mão."""
    return TIE if winner == TIE else (WIN if winner == seat else LOSS)


@rule
def weight_cards(s, seat, m):
    """Weight the opponent's possible cards and, where this seat plays next, each of its own; once per decision."""
    if m.weighed:
        return
    m.weighed = 1
    weigh_hidden(s, seat, m)
    if s.player == seat:
        for i in range(3 - s.round):
            m.chances[i] = card_chance(s, seat, i, m)


@rule
def hand_chance(s, seat, m):
    """Return the chance to win the hand by cards from here, whichever seat plays next."""
    weight_cards(s, seat, m)
    mao = seen_by(seat, s.mao)
    mine = s.played[seat, s.round]
    if s.player == seat:
        best = 0.0
        for i in range(3 - s.round):
            best = max(best, m.chances[i])
        return best
    if s.round == 0:
        row = truco_row(s.dealt[seat])
        if mine == k.NONE:
            return against_leads(m, row)
        return over_hands(m, row, lead_bit(s.dealt[seat], mine % k.FACE_DOWN, m.levels))
    first = round_result(s, seat, 0)
    if s.round == 1:
        a = class_of(s.hands[seat, 0])
        if mine == k.NONE:
            return over_pairs(m, first, a, class_of(s.hands[seat, 1]), mao, THEY_LEAD)
        return over_pairs(m, first, class_played(mine), a, mao, LEAD)
    second = round_result(s, seat, 1)
    a = class_of(s.hands[seat, 0]) if mine == k.NONE else class_played(mine)
    return over_singles(m, first, second, a, mao)


@rule
def card_chance(s, seat, i, m):
    """Return the chance to win the hand by playing the i-th card in hand now; requires `weigh_hidden`."""
    mao = seen_by(seat, s.mao)
    theirs = s.played[1 - seat, s.round]
    a = class_of(s.hands[seat, i])
    if s.round == 0:
        if theirs == k.NONE:
            return over_hands(m, truco_row(s.dealt[seat]), lead_bit(s.dealt[seat], s.hands[seat, i], m.levels))
        b = class_of(s.hands[seat, 1 if i == 0 else 0])
        c = class_of(s.hands[seat, 1 if i == 2 else 2])
        return over_pairs(m, round_winner(a, class_played(theirs)), b, c, mao, AFTER)
    first = round_result(s, seat, 0)
    if s.round == 1:
        b = class_of(s.hands[seat, 1 - i])
        if theirs == k.NONE:
            return over_pairs(m, first, a, b, mao, LEAD)
        second = round_winner(a, class_played(theirs))
        led = hand_winner(first, second, OPEN, mao)
        if led != OPEN:
            return 1.0 if led == WIN else 0.0
        return over_singles(m, first, second, b, mao)
    second = round_result(s, seat, 1)
    if theirs == k.NONE:
        return over_singles(m, first, second, a, mao)
    return 1.0 if hand_winner(first, second, round_winner(a, class_played(theirs)), mao) == WIN else 0.0


# --- Sums over the opponent's possible cards ----------------------------------------------------


@rule
def lead_bit(dealt, card, levels):
    """Return the bit of `leads` for leading this card."""
    by_level(dealt, levels)
    return 1 if levels[0] == card else (2 if levels[1] == card else 4)


@rule
def over_hands(m, row, bit):
    """Return the share of the opponent's hands that a lead beats."""
    won, total = 0.0, 0.0
    for j in range(NUM_TRUCO):
        total += m.hands[j]
        if m.leads[row, j] & bit:
            won += m.hands[j]
    return won / total


@rule
def against_leads(m, row):
    """Return the share of the opponent's hands without a lead that beats this one."""
    won, total = 0.0, 0.0
    for j in range(NUM_TRUCO):
        total += m.hands[j]
        if m.leads[j, row] == 0:
            won += m.hands[j]
    return won / total


LEAD, THEY_LEAD, AFTER = np.arange(3)
"""Leaders of the second round: one's own seat with the first of two cards; the opponent; the winner of the first."""


@rule
def over_pairs(m, first, a, b, mao, how):
    """Return the share of the opponent's pairs that a and b beat in the second and third round."""
    won, total = 0.0, 0.0
    for x in range(CLASSES):
        for y in range(x, CLASSES):
            n = m.pairs[x, y]
            if n > 0:
                total += n
                if how == LEAD:
                    wins = lead_second(first, a, b, x, y, mao)
                elif how == THEY_LEAD:
                    wins = answer_second(first, x, a, b, y, mao) and answer_second(first, y, a, b, x, mao)
                else:
                    wins = after_first(first, a, b, x, y, mao)
                if wins:
                    won += n
    return won / total if total > 0 else 0.5


@rule
def over_singles(m, first, second, a, mao):
    """Return the share of the opponent's last cards that a beats in the third round."""
    won, total = 0.0, 0.0
    for x in range(CLASSES):
        total += m.singles[x]
        if hand_winner(first, second, round_winner(a, x), mao) == WIN:
            won += m.singles[x]
    return won / total if total > 0 else 0.5
