"""Bets: the chances of one's hand, pair or flor, and the decision to call or accept."""

import numpy as np

from bolicho.agents.markov import layout
from bolicho.agents.markov.compiled import opponent_states
from bolicho.agents.markov.compiled.chain import WIN, hand_chance, round_result, seen_by
from bolicho.agents.markov.compiled.hidden import envido_chance, holdings, ways
from bolicho.agents.markov.compiled.yes_no import ask
from bolicho.agents.markov.states import NUM_ENVIDO, NUM_FLOR, NUM_TRUCO, TRUCO_TABLE
from bolicho.games.jit import rule
from bolicho.games.truco import kernel as k
from bolicho.games.truco.compiled.hand import hand_winner, round_winner
from bolicho.games.truco.compiled.lexicon import (
    card_to_beat,
    class_of,
    class_played,
    is_face_up,
    last_envido,
    unseen_classes,
)

# --- Truco --------------------------------------------------------------------------------------


@rule
def open_truco(s, seat, m, h, luck):
    """Return truco or the next raise; NOBODY where it is illegal or declined."""
    if k.may_raise(s, seat):
        n, v, d = truco_sums(s, seat, m, h, layout.CALLING)
        if ask(s, layout.ASK_TRUCO + s.called, layout.CALLING, n, v, d, 0.0, m, h, luck):
            return k.TRUCO + s.called
    return opponent_states.NOBODY


@rule
def answer_truco(s, seat, m, h, luck):
    """Accept first, then perhaps raise: the first no stops."""
    n, v, d = truco_sums(s, seat, m, h, layout.ANSWERING)
    if not ask(s, layout.ASK_TRUCO + s.called - 1, layout.ANSWERING, n, v, d, 0.0, m, h, luck):
        return k.NAO
    if s.called < 3:
        n, v, d = truco_sums(s, seat, m, h, layout.CALLING)
        if ask(s, layout.ASK_TRUCO + s.called, layout.CALLING, n, v, d, 0.0, m, h, luck):
            return k.TRUCO + s.called
    return k.QUERO


@rule
def truco_sums(s, seat, m, h, role):
    """Return (cells, victories, defeats) of one's hand against the possible hands of the opponent."""
    if hopeless(s, seat):
        return 0, 0.0, 1.0
    if m.options[layout.ROUNDS] and s.played[s.mao, 0] != k.NONE:
        chance = hand_chance(s, seat, m)
        n = holdings(s, seat, m)
        return n, chance * n, (1 - chance) * n
    n = opponent_states.truco_columns(s.dealt[seat], s.played[1 - seat], m.marks)
    row, doubts = opponent_states.truco_row(s.dealt[seat]), role == layout.ANSWERING and h.bluffed
    if not (doubts or m.options[layout.SIMILARITY] or m.options[layout.COUNTED]):
        v, d = sum_row(m, layout.TRUCO, NUM_TRUCO, row)
        return n, v, d
    gather_truco(m, row)
    if doubts:
        doubt(m, h)
    if m.options[layout.COUNTED]:
        return count_hands(s, seat, m)
    v, d = 0.0, 0.0
    for j in range(NUM_TRUCO):
        if m.marks[j]:
            v += m.won[j]
            d += m.lost[j]
    return n, v, d


@rule
def sum_row(m, mode, size, row):
    """Return the victories and defeats of a row, over the possible columns."""
    won, lost, marks = m.block[layout.WON[mode] + row * size :], m.block[layout.LOST[mode] + row * size :], m.marks
    v, d = 0, 0
    for j in range(size):
        v += marks[j] * np.int64(won[j])
        d += marks[j] * np.int64(lost[j])
    return v / layout.UNIT, d / layout.UNIT


@rule
def hopeless(s, seat):
    """Return whether the remaining card in round 3 can no longer win."""
    theirs = card_to_beat(s, seat)
    if s.round < 2 or theirs == k.NONE:
        return False
    last = round_winner(class_of(s.hands[seat, 0]), class_played(theirs))
    return hand_winner(round_result(s, seat, 0), round_result(s, seat, 1), last, seen_by(seat, s.mao)) != WIN


@rule
def gather_truco(m, row):
    """Gather the row of a hand, with those of similar hands where similarity is on."""
    similar = m.options[layout.SIMILARITY]
    for j in range(NUM_TRUCO):
        m.won[j] = 0.0
        m.lost[j] = 0.0
    if similar == 0:
        add_row(m, row, 1.0)
        return
    for i in range(opponent_states.near_hands(row, m.near, m.steps)):
        add_row(m, m.near[i], similar ** m.steps[i])


@rule
def add_row(m, row, weight):
    """Add a row of counts to the sums by column."""
    won, lost = (
        m.block[layout.WON[layout.TRUCO] + row * NUM_TRUCO :],
        m.block[layout.LOST[layout.TRUCO] + row * NUM_TRUCO :],
    )
    scale = weight / layout.UNIT
    for j in range(NUM_TRUCO):  # slices, so that the compiler sees that j is never negative
        m.won[j] += scale * won[j]
        m.lost[j] += scale * lost[j]


@rule
def doubt(m, h):
    """Adjust hands that the opponent has bluffed with: for each bluff 10% of the total moves from won to lost."""
    for j in range(NUM_TRUCO):
        if h.bluffs[j] > 0:
            moved = min(m.won[j], layout.BLUFF * h.bluffs[j] * (m.won[j] + m.lost[j]))
            m.won[j] -= moved
            m.lost[j] += moved


@rule
def count_hands(s, seat, m):
    """Return (hands, victories, defeats): the share of each cell, weighted by the number of its possible deals."""
    unseen_classes(s, seat, m.left)
    hands, v = 0, 0.0
    for j in range(NUM_TRUCO):
        if m.marks[j]:
            n = ways_beside(m.left, j, s.dealt[1 - seat])
            if n > 0:
                hands += n
                v += n * m.won[j] / (m.won[j] + m.lost[j])
    return hands, v, hands - v


@rule
def ways_beside(left, j, shown):
    """Return the number of combinations of unseen cards that complete the shown cards to a hand of state j."""
    a, b, c = TRUCO_TABLE[j, 0], TRUCO_TABLE[j, 1], TRUCO_TABLE[j, 2]
    known = 0
    for i in range(3):  # remove each shown class; the rest moves to the front
        if shown[i] != k.NONE:
            known += 1
            if a == class_of(shown[i]):
                a, b = b, c
            elif b == class_of(shown[i]):
                b = c
    if known == 0:
        return ways(left, a, b, c)
    if known == 1:
        return left[a] * (left[a] - 1) // 2 if a == b else left[a] * left[b]
    return left[a] if known == 2 else 1


# --- Envido and flor ----------------------------------------------------------------------------


@rule
def envido_sums(s, seat, m):
    """Return (cells, victories, defeats, penalty) of one's pair; without a pair all is lost."""
    if m.options[layout.COUNTED]:
        hands, won = envido_chance(s, seat)
        return hands, float(won), float(hands - won), 0.0
    row = opponent_states.envido_row(s.dealt[seat])
    if k.envido_of(s, seat) < layout.ENVIDO_FLOOR or row == opponent_states.NOBODY:
        return 0, 0.0, 1.0, 0.0
    n = opponent_states.envido_columns(s.played[1 - seat], opponent_states.NOBODY, opponent_states.NO_BOUND, m.marks)
    v, d = sum_row(m, layout.ENVIDO, NUM_ENVIDO, row)
    shown = s.played[1 - seat, 0]
    high = is_face_up(shown) and k.VALUE[shown] > layout.HIGH_CARD
    return n, v, d, layout.HIGH_CARD_PENALTY if high else 0.0


@rule
def open_envido(s, seat, m, h, luck):
    """Return envido, real or falta, tried from the lowest up: the first no stops."""
    n, v, d, penalty = envido_sums(s, seat, m)
    call = opponent_states.NOBODY
    for kind in range(3):
        if not ask(s, layout.ASK_ENVIDO + kind, layout.CALLING, n, v, d, penalty, m, h, luck):
            break
        call = k.ENVIDO + kind
    return call


@rule
def answer_envido(s, seat, m, h, luck):
    """Accept first, then perhaps raise: the first no stops."""
    n, v, d, penalty = envido_sums(s, seat, m)
    called = last_envido(s)
    if not ask(s, layout.ASK_ENVIDO + called, layout.ANSWERING, n, v, d, penalty, m, h, luck):
        return k.NAO
    answer = k.QUERO
    for kind in range(called + 1, 3):
        if not ask(s, layout.ASK_ENVIDO + kind, layout.CALLING, n, v, d, penalty, m, h, luck):
            break
        answer = k.ENVIDO + kind
    return answer


@rule
def answer_flor(s, seat, m, h, luck):
    """Return no raise, contra flor or resto; against a raise accept first, then perhaps raise."""
    n = opponent_states.flor_columns(s.played[1 - seat], opponent_states.NOBODY, opponent_states.NO_BOUND, m.marks)
    v, d = sum_row(m, layout.FLOR, NUM_FLOR, opponent_states.flor_row(s.dealt[seat]))
    contra, resto = s.flor_by[0] != k.NONE, s.flor_by[1] != k.NONE
    if resto:
        return k.QUERO if ask(s, layout.ASK_RESTO, layout.ANSWERING, n, v, d, 0.0, m, h, luck) else k.NAO
    role = layout.ANSWERING if contra else layout.CALLING
    if not ask(s, layout.ASK_CONTRAFLOR, role, n, v, d, 0.0, m, h, luck):
        return k.NAO if contra else k.FLOR
    if ask(s, layout.ASK_RESTO, layout.CALLING, n, v, d, 0.0, m, h, luck):
        return k.RESTO
    return k.QUERO if contra else k.CONTRAFLOR
