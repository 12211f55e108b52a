"""The decision: sum the cells, compare with the minimum, spin the roulette."""

import numpy as np

from bolicho.agents.markov.compiled.chain import card_chance, hand_chance, round_result, third
from bolicho.agents.markov.compiled.hidden import envido_chance, unseen_classes, ways, weigh_hidden
from bolicho.agents.markov.compiled.possible import (
    NOBODY,
    by_level,
    class_of,
    class_played,
    envido_columns,
    envido_row,
    flor_columns,
    flor_row,
    opponent_orders,
    shown_order,
    truco_columns,
    truco_row,
)
from bolicho.agents.markov.layout import (
    ANSWERING,
    ASK_CARD,
    ASK_CONTRAFLOR,
    ASK_ENVIDO,
    ASK_RESTO,
    ASK_TRUCO,
    BINS,
    BLUFF,
    CALLING,
    CARDS,
    COUNTED,
    ENVIDO,
    ENVIDO_FLOOR,
    EXPLORE,
    FLOR,
    HIGH_CARD,
    HIGH_CARD_PENALTY,
    LOST,
    MINIMUMS,
    ROUNDS,
    SIMILARITY,
    SURE,
    TRUCO,
    UNIT,
    WON,
)
from bolicho.agents.markov.states import (
    CLASSES,
    NUM_ENVIDO,
    NUM_FLOR,
    NUM_ORDERS,
    NUM_TRUCO,
    ORDER_TABLE,
    TRUCO_INDEX,
    TRUCO_TABLE,
)
from bolicho.games.jit import rule
from bolicho.games.truco import kernel as k

NO_BOUND = 99


@rule
def decide(s, seat, m, luck):
    """The action of a player in a position hidden for it; `luck` holds two numbers a question."""
    m.trace[-1, 0] = 0
    if s.pending == k.TRUCO_BET:
        return answer_truco(s, seat, m, luck)
    if s.pending == k.ENVIDO_BET:
        return answer_envido(s, seat, m, luck)
    if s.pending == k.FLOR_BET:
        return answer_flor(s, seat, m, luck)
    if s.called == 0 and k.may_open_envido(s, seat):
        call = open_envido(s, seat, m, luck)
        if call != NOBODY:
            return call
    if s.called < 3 and (s.raiser == k.NONE or s.raiser == seat):
        n, v, d = truco_sums(s, seat, m, CALLING)
        if ask(s, seat, ASK_TRUCO + s.called, CALLING, n, v, d, 0.0, m, luck):
            return k.TRUCO + s.called
    return choose_card(s, seat, m, luck)


# --- Questions ----------------------------------------------------------------------------------


@rule
def ask(s, seat, request, role, cells, v, d, penalty, m, luck):
    """Yes or no to one question: below the minimum no, above it as the roulette says."""
    if v + d <= 0:  # nothing known: as likely as not
        v, d = 1.0, 1.0
    chance = v / (v + d)
    used = chance
    if not m.options[SURE]:  # the document reckons in tenths
        used = np.rint(10 * chance) / 10
    if used > penalty:
        used -= penalty
    minimum = m.minima[request, role, s.round]
    if m.options[MINIMUMS]:
        minimum = at_stake(s, seat, request, role, minimum)
    n = int(m.trace[-1, 0])
    draw = luck[2 * n]
    yes = used > minimum + 1e-9
    if m.options[MINIMUMS] and minimum < 0:
        yes = True
    elif yes and not m.options[SURE]:
        yes = draw < used
    if luck[2 * n + 1] < m.options[EXPLORE]:
        yes = draw < 0.5
    remember(s, request, role, used, yes, m.memory[seat])
    row = m.trace[n]
    row[0], row[1], row[2], row[3], row[4] = request, role, cells, v, d
    row[5], row[6], row[7], row[8], row[9] = chance, used, minimum, draw, yes
    m.trace[-1, 0] = n + 1
    return yes


@rule
def at_stake(s, seat, request, role, minimum):
    """The minimum where the match hangs on it: -1 when a no loses it, 2 when a yes can only lose."""
    other = 1 - seat
    if request <= ASK_TRUCO + 2:
        if role == ANSWERING and s.scores[other] + s.called >= s.target:
            return -1.0
        if role == CALLING and s.scores[seat] + 1 + s.level >= s.target:
            return 2.0
        if role == CALLING and s.scores[other] + 1 + s.level >= s.target:
            return min(minimum, 0.0)
    elif request < ASK_CONTRAFLOR and role == ANSWERING and s.scores[other] + s.envido_refused >= s.target:
        return -1.0
    return minimum


@rule
def remember(s, request, role, used, yes, memory):
    """Note a question and its answer for the end of the hand."""
    n = memory[-1, 0]
    if n < memory.shape[0] - 1:
        memory[n, 0], memory[n, 1], memory[n, 2] = request, role, s.round
        memory[n, 3], memory[n, 4] = bin_of(used), yes
        memory[-1, 0] = n + 1


@rule
def bin_of(chance):
    """The step of 5% a chance falls in."""
    return min(BINS - 1, int(chance * BINS + 1e-9))


# --- Truco --------------------------------------------------------------------------------------


@rule
def answer_truco(s, seat, m, luck):
    """Accept first, then perhaps raise: the first no stops."""
    n, v, d = truco_sums(s, seat, m, ANSWERING)
    if not ask(s, seat, ASK_TRUCO + s.called - 1, ANSWERING, n, v, d, 0.0, m, luck):
        return k.NAO
    if s.called < 3:
        n, v, d = truco_sums(s, seat, m, CALLING)
        if ask(s, seat, ASK_TRUCO + s.called, CALLING, n, v, d, 0.0, m, luck):
            return k.TRUCO + s.called
    return k.QUERO


@rule
def truco_sums(s, seat, m, role):
    """(cells, victories, defeats) of one's hand against those the opponent may hold."""
    if hopeless(s, seat):
        return 0, 0.0, 1.0
    if m.options[ROUNDS] and s.played[s.mao, 0] != k.NONE:
        chance = hand_chance(s, seat, m)
        return 1, chance, 1 - chance
    n = truco_columns(s.dealt[seat], s.played[1 - seat], m.marks)
    clear(m, NUM_TRUCO)
    gather_truco(m, truco_row(s.dealt[seat]))
    if role == ANSWERING:
        doubt(m, seat)
    if m.options[COUNTED]:
        return weigh_hands(s, seat, m)
    v, d = sum_marked(m, NUM_TRUCO)
    return n, v, d


@rule
def clear(m, size):
    """Nothing summed yet."""
    for j in range(size):
        m.won[j] = 0.0
        m.lost[j] = 0.0


@rule
def sum_marked(m, size):
    """The victories and defeats of the columns that are possible."""
    v, d = 0.0, 0.0
    for j in range(size):
        if m.marks[j]:
            v += m.won[j]
            d += m.lost[j]
    return v, d


@rule
def hopeless(s, seat):
    """In round 3: whether the card one has left cannot win any more."""
    if s.round < 2:
        return False
    mine, theirs = s.played[seat, 2], s.played[1 - seat, 2]
    if mine == k.NONE and theirs != k.NONE:
        first, second = round_result(s, seat, 0), round_result(s, seat, 1)
        return not third(first, second, class_of(s.hands[seat, 0]), class_played(theirs), s.mao == seat)
    return False


@rule
def gather_truco(m, row):
    """The row of a hand, with those of similar hands where similarity is on."""
    similar = m.options[SIMILARITY]
    if similar == 0:
        add_row(m, TRUCO, NUM_TRUCO, row, 1.0)
        return
    a, b, c = TRUCO_TABLE[row, 0], TRUCO_TABLE[row, 1], TRUCO_TABLE[row, 2]
    for x in range(max(0, a - 1), min(CLASSES, a + 2)):
        for y in range(max(x, b - 1), min(CLASSES, b + 2)):
            for z in range(max(y, c - 1), min(CLASSES, c + 2)):
                near = TRUCO_INDEX[x, y, z]
                if near >= 0:
                    weight = similar ** (abs(x - a) + abs(y - b) + abs(z - c))
                    add_row(m, TRUCO, NUM_TRUCO, near, weight)


@rule
def add_row(m, mode, size, row, weight):
    """Add a row of counts to the sums by column."""
    v, d = WON[mode] + row * size, LOST[mode] + row * size
    scale = weight / UNIT
    for j in range(size):
        m.won[j] += scale * m.block[v + j]
        m.lost[j] += scale * m.block[d + j]


@rule
def doubt(m, seat):
    """A hand the opponent was seen to bluff with: 10% of its total go from won to lost, each time."""
    for j in range(NUM_TRUCO):
        if m.bluffs[seat, j] > 0:
            moved = min(m.won[j], BLUFF * m.bluffs[seat, j] * (m.won[j] + m.lost[j]))
            m.won[j] -= moved
            m.lost[j] += moved


@rule
def weigh_hands(s, seat, m):
    """(hands, victories, defeats): every hand the opponent may hold as often as it can be dealt."""
    unseen_classes(s, seat, m.left)
    hands, v, d = 0, 0.0, 0.0
    for j in range(NUM_TRUCO):
        if m.marks[j]:
            n = ways_beside(m.left, j, s.dealt[1 - seat])
            if n > 0:
                hands += n
                v += n * m.won[j] / (m.won[j] + m.lost[j])
                d += n * m.lost[j] / (m.won[j] + m.lost[j])
    return hands, v, d


@rule
def ways_beside(left, j, shown):
    """How many unseen cards make up a hand of state j together with those shown."""
    a, b, c = TRUCO_TABLE[j, 0], TRUCO_TABLE[j, 1], TRUCO_TABLE[j, 2]
    known = 0
    for i in range(3):  # take each shown class out, the rest moves to the front
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
    """(cells, victories, defeats, penalty) of one's pair; without a pair nothing is won."""
    if m.options[COUNTED]:
        hands, won = envido_chance(s, seat)
        return hands, float(won), float(hands - won), 0.0
    row = envido_row(s.dealt[seat])
    if k.envido_of(s, seat) < ENVIDO_FLOOR or row == NOBODY:
        return 0, 0.0, 1.0, 0.0
    n = envido_columns(s.played[1 - seat], NOBODY, NO_BOUND, m.marks)
    clear(m, NUM_ENVIDO)
    add_row(m, ENVIDO, NUM_ENVIDO, row, 1.0)
    v, d = sum_marked(m, NUM_ENVIDO)
    shown = s.played[1 - seat, 0]
    high = 0 <= shown < k.FACE_DOWN and k.VALUE[shown] > HIGH_CARD
    return n, v, d, HIGH_CARD_PENALTY if high else 0.0


@rule
def open_envido(s, seat, m, luck):
    """Envido, real or falta, from the lowest up: the first no stops."""
    n, v, d, penalty = envido_sums(s, seat, m)
    call = NOBODY
    for kind in range(3):
        if not ask(s, seat, ASK_ENVIDO + kind, CALLING, n, v, d, penalty, m, luck):
            break
        call = k.ENVIDO + kind
    return call


@rule
def answer_envido(s, seat, m, luck):
    """Accept first, then perhaps raise: the first no stops."""
    n, v, d, penalty = envido_sums(s, seat, m)
    called = 2 if s.envido_by[2] != k.NONE else (1 if s.envido_by[1] != k.NONE else 0)
    if not ask(s, seat, ASK_ENVIDO + called, ANSWERING, n, v, d, penalty, m, luck):
        return k.NAO
    answer = k.QUERO
    for kind in range(called + 1, 3):
        if not ask(s, seat, ASK_ENVIDO + kind, CALLING, n, v, d, penalty, m, luck):
            break
        answer = k.ENVIDO + kind
    return answer


@rule
def answer_flor(s, seat, m, luck):
    """Let it be, contra flor or resto; against a raise accept first, then perhaps raise."""
    n = flor_columns(s.played[1 - seat], NOBODY, NO_BOUND, m.marks)
    clear(m, NUM_FLOR)
    add_row(m, FLOR, NUM_FLOR, flor_row(s.dealt[seat]), 1.0)
    v, d = sum_marked(m, NUM_FLOR)
    contra, resto = s.flor_by[0] != k.NONE, s.flor_by[1] != k.NONE
    if resto:
        return k.QUERO if ask(s, seat, ASK_RESTO, ANSWERING, n, v, d, 0.0, m, luck) else k.NAO
    role = ANSWERING if contra else CALLING
    if not ask(s, seat, ASK_CONTRAFLOR, role, n, v, d, 0.0, m, luck):
        return k.NAO if contra else k.FLOR
    if ask(s, seat, ASK_RESTO, CALLING, n, v, d, 0.0, m, luck):
        return k.RESTO
    return k.QUERO if contra else k.CONTRAFLOR


# --- Cards --------------------------------------------------------------------------------------


@rule
def choose_card(s, seat, m, luck):
    """The card to play: by the orders that win, or by the chain of the rounds."""
    if s.round == 2:
        return s.hands[seat, 0]
    weights, levels = m.weights, m.levels
    weights[0], weights[1], weights[2] = 0.0, 0.0, 0.0
    by_level(s.dealt[seat], levels)
    if m.options[ROUNDS]:
        cells = chain_weights(s, seat, levels, m, weights)
    else:
        cells = order_weights(s, seat, levels, m, weights)
    n = int(m.trace[-1, 0])
    draw = luck[2 * n]
    level = spin(weights, draw)
    row = m.trace[n]
    row[0], row[1], row[2], row[3], row[4] = ASK_CARD, 0, cells, weights[0], weights[1]
    row[5], row[6], row[7], row[8], row[9] = weights[2], 0, 0, draw, level
    m.trace[-1, 0] = n + 1
    return levels[level]


@rule
def order_weights(s, seat, levels, m, weights):
    """Weigh low, middle and high by the victories of the orders that win more than they lose."""
    mine, theirs = m.mine, m.theirs
    shown_order(levels, s.played[seat], mine)
    opponent_orders(m.block, s.played[1 - seat], theirs)
    cells = 0
    for o in range(NUM_ORDERS):
        if mine[o]:
            v, d = 0, 0
            for j in range(NUM_ORDERS):
                if theirs[j]:
                    v += np.int64(m.block[WON[CARDS] + o * NUM_ORDERS + j])
                    d += np.int64(m.block[LOST[CARDS] + o * NUM_ORDERS + j])
                    cells += 1
            if np.rint(10 * v / (v + d)) > np.rint(10 * d / (v + d)):
                weights[ORDER_TABLE[o, s.round]] += v / UNIT
    total = weights[0] + weights[1] + weights[2]
    for level in range(3):
        if total > 0:
            weights[level] = np.rint(10 * weights[level] / total)
        elif in_hand(s, seat, levels[level]):  # nothing wins: any card
            weights[level] = 1
    return cells


@rule
def in_hand(s, seat, card):
    """Whether a card is still in hand."""
    return s.hands[seat, 0] == card or s.hands[seat, 1] == card or s.hands[seat, 2] == card


@rule
def chain_weights(s, seat, levels, m, weights):
    """Weigh low, middle and high by the chance to win the hand with them."""
    weigh_hidden(s, seat, m)
    held = 3 - s.round
    best = 0.0
    for i in range(held):
        m.chances[i] = card_chance(s, seat, i, m)
    by_level(s.dealt[seat], levels)
    for level in range(3):
        for i in range(held):
            if s.hands[seat, i] == levels[level]:
                weights[level] = m.chances[i]
                best = max(best, m.chances[i])
    if m.options[SURE] or best == 0:
        chosen = False
        for level in range(3):  # the weakest of the best
            take = not chosen and in_hand(s, seat, levels[level]) and weights[level] >= best - 1e-12
            weights[level] = 1.0 if take else 0.0
            chosen = chosen or take
    return held


@rule
def spin(weights, draw):
    """The level on which the roulette stops."""
    at = draw * (weights[0] + weights[1] + weights[2])
    if at < weights[0]:
        return 0
    if at < weights[0] + weights[1]:
        return 1
    return 2 if weights[2] > 0 else (1 if weights[1] > 0 else 0)
