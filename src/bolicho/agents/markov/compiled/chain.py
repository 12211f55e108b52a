"""The hand as a chain of rounds: the chance to win it, carried over what was played.

Each round is a step of the chain; where it leads is decided by two cards.  The chance of the whole
is the sum over every hand the opponent may hold of where the steps lead from there (the equation
of Chapman and Kolmogorov), each player taking the step that is best against the other's hand.
"""

from bolicho.agents.markov.compiled.possible import by_level, class_of, class_played, truco_row
from bolicho.agents.markov.states import CLASSES, NUM_TRUCO, SIZE_TABLE, TRUCO_TABLE
from bolicho.games.jit import rule
from bolicho.games.truco import kernel as k

# How a round ended, seen from the player who counts.
LOSS, TIE, WIN, OPEN = -1, 0, 1, 2


@rule
def compare(a, x):
    """How a round of these two classes ends; below 0 is a card played face down."""
    return WIN if a > x else (LOSS if a < x else TIE)


@rule
def outcome(first, second, mao):
    """Where two rounds lead: WIN, LOSS, or OPEN when the third decides."""
    if first == TIE:
        return OPEN if second == TIE else second
    if second == TIE or second == first:
        return first
    return OPEN


@rule
def third(first, second, a, x, mao):
    """Whether the third round wins the hand."""
    last = compare(a, x)
    if last != TIE:
        return last == WIN
    if first == TIE:  # all three tied
        return mao
    return first == WIN


@rule
def second_round(first, a, b, x, y, mao):
    """Whether a and x in the second round, b and y in the third, win the hand."""
    second = compare(a, x)
    led = outcome(first, second, mao)
    if led == OPEN:
        return third(first, second, b, y, mao)
    return led == WIN


@rule
def answer_second(first, x, a, b, y, mao):
    """x lies there: whether one of a and b wins against it and then y."""
    return second_round(first, a, b, x, y, mao) or second_round(first, b, a, x, y, mao)


@rule
def lead_second(first, a, b, x, y, mao):
    """Whether leading a, with b to come, wins whatever the opponent answers."""
    return second_round(first, a, b, x, y, mao) and second_round(first, a, b, y, x, mao)


@rule
def after_first(first, a, b, x, y, mao):
    """Whether two cards each win the hand once the first round ended so."""
    if first == WIN or (first == TIE and mao):
        return lead_second(first, a, b, x, y, mao) or lead_second(first, b, a, x, y, mao)
    return answer_second(first, x, a, b, y, mao) and answer_second(first, y, a, b, x, mao)


@rule
def lead_first(a, b, c, x, y, z):
    """Whether the mão, leading a, wins whatever the opponent answers."""
    return (
        after_first(compare(a, x), b, c, y, z, True)
        and after_first(compare(a, y), b, c, x, z, True)
        and after_first(compare(a, z), b, c, x, y, True)
    )


@rule
def fill_leads(table):
    """For every two hands, which of the mão's leads win: bit 0 its low card, 1 middle, 2 high."""
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


# --- What the opponent may still hold -----------------------------------------------------------


@rule
def unseen(s, seat, out):
    """How many cards of each class this seat has not seen."""
    for c in range(CLASSES):
        out[c] = SIZE_TABLE[c]
    for i in range(3):
        out[class_of(s.dealt[seat, i])] -= 1
        if s.dealt[1 - seat, i] != k.NONE:
            out[class_of(s.dealt[1 - seat, i])] -= 1


@rule
def ways(left, a, b, c):
    """How many hands of unseen cards are of these classes (ascending)."""
    if a == b:
        if b == c:
            return left[a] * (left[a] - 1) * (left[a] - 2) // 6
        return left[a] * (left[a] - 1) // 2 * left[c]
    if b == c:
        return left[a] * (left[b] * (left[b] - 1) // 2)
    return left[a] * left[b] * left[c]


@rule
def round_result(s, seat, r):
    """How a finished round ended for this seat."""
    won = s.winners[r]
    return TIE if won == 2 else (WIN if won == seat else LOSS)


@rule
def card_chances(s, seat, m, out):
    """Write the chance to win the hand by playing each card in hand now; return how many.

    Call only when it is this seat's turn to play a card.
    """
    other = 1 - seat
    left = m.left
    unseen(s, seat, left)
    held = 3 - s.round
    mao = s.mao == seat
    theirs = s.played[other, s.round]
    for i in range(held):
        a = class_of(s.hands[seat, i])
        if s.round == 0:
            b = class_of(s.hands[seat, 1 if i == 0 else 0])
            c = class_of(s.hands[seat, 1 if i == 2 else 2])
            if theirs == k.NONE:
                out[i] = chance_of_lead(s, seat, i, m)
            else:
                out[i] = over_pairs(left, compare(a, class_played(theirs)), b, c, mao)
        elif s.round == 1:
            b = class_of(s.hands[seat, 1 - i])
            first = round_result(s, seat, 0)
            if theirs == k.NONE:
                out[i] = lead_over_pairs(left, first, a, b, mao)
            else:
                out[i] = over_singles(left, first, compare(a, class_played(theirs)), b, mao)
        else:
            first, second = round_result(s, seat, 0), round_result(s, seat, 1)
            if theirs == k.NONE:
                out[i] = last_over_singles(left, first, second, a, mao)
            else:
                out[i] = 1.0 if third(first, second, a, class_played(theirs), mao) else 0.0
    return held


@rule
def chance_of_lead(s, seat, i, m):
    """The chance of leading the i-th card in hand, over every hand of unseen cards."""
    levels = m.levels
    by_level(s.dealt[seat], levels)
    bit = 1
    for level in range(3):
        if levels[level] == s.hands[seat, i]:
            bit = 1 << level
    return over_hands(m.left, m.leads, truco_row(s.dealt[seat]), bit)


@rule
def over_hands(left, leads, row, bits):
    """The share of the opponent's hands against which one of these leads wins."""
    won, total = 0, 0
    for j in range(NUM_TRUCO):
        n = ways(left, TRUCO_TABLE[j, 0], TRUCO_TABLE[j, 1], TRUCO_TABLE[j, 2])
        total += n
        if leads[row, j] & bits:
            won += n
    return won / total


@rule
def against_leads(left, leads, row):
    """The share of the opponent's hands none of whose leads beat this one."""
    won, total = 0, 0
    for j in range(NUM_TRUCO):
        n = ways(left, TRUCO_TABLE[j, 0], TRUCO_TABLE[j, 1], TRUCO_TABLE[j, 2])
        total += n
        if leads[j, row] == 0:
            won += n
    return won / total


@rule
def over_pairs(left, first, b, c, mao):
    """The first round ended so: the share of the opponent's pairs that b and c then beat."""
    won, total = 0, 0
    for x in range(CLASSES):
        if left[x] == 0:
            continue
        for y in range(x, CLASSES):
            n = left[x] * (left[x] - 1) // 2 if x == y else left[x] * left[y]
            if n > 0:
                total += n
                if after_first(first, b, c, x, y, mao):
                    won += n
    return won / total


@rule
def lead_over_pairs(left, first, a, b, mao):
    """As `over_pairs`, leading a in the second round."""
    won, total = 0, 0
    for x in range(CLASSES):
        if left[x] == 0:
            continue
        for y in range(x, CLASSES):
            n = left[x] * (left[x] - 1) // 2 if x == y else left[x] * left[y]
            if n > 0:
                total += n
                if lead_second(first, a, b, x, y, mao):
                    won += n
    return won / total


@rule
def over_singles(left, first, second, b, mao):
    """The second round ended so: the share of the opponent's last cards that b then beats."""
    led = outcome(first, second, mao)
    if led != OPEN:
        return 1.0 if led == WIN else 0.0
    return last_over_singles(left, first, second, b, mao)


@rule
def last_over_singles(left, first, second, a, mao):
    """The share of the opponent's last cards that a beats in the third round."""
    won, total = 0, 0
    for x in range(CLASSES):
        total += left[x]
        if third(first, second, a, x, mao):
            won += left[x]
    return won / total


@rule
def hand_chance(s, seat, m):
    """The chance to win the hand by cards from here, whoever is to play."""
    other = 1 - seat
    mao = s.mao == seat
    mine, theirs = s.played[seat, s.round], s.played[other, s.round]
    if s.player == seat and mine == k.NONE:
        held = card_chances(s, seat, m, m.chances)
        best = 0.0
        for i in range(held):
            best = max(best, m.chances[i])
        return best
    left = m.left
    unseen(s, seat, left)
    if s.round == 0:
        row = truco_row(s.dealt[seat])
        if mine == k.NONE:
            return against_leads(left, m.leads, row)
        return chance_of_played(s, seat, m, row)
    first = round_result(s, seat, 0)
    if s.round == 1:
        a = class_of(s.hands[seat, 0])
        if mine == k.NONE:
            return over_pairs_answering(left, first, a, class_of(s.hands[seat, 1]), mao)
        return lead_over_pairs(left, first, class_played(mine), a, mao)
    second = round_result(s, seat, 1)
    a = class_of(s.hands[seat, 0]) if mine == k.NONE else class_played(mine)
    return last_over_singles(left, first, second, a, mao)


@rule
def chance_of_played(s, seat, m, row):
    """The chance once one's lead of the first round lies there."""
    levels = m.levels
    by_level(s.dealt[seat], levels)
    bit = 1
    for level in range(3):
        if levels[level] == s.played[seat, 0] % k.FACE_DOWN:
            bit = 1 << level
    return over_hands(m.left, m.leads, row, bit)


@rule
def over_pairs_answering(left, first, a, b, mao):
    """The opponent leads the second round: the share of its pairs that a and b beat."""
    won, total = 0, 0
    for x in range(CLASSES):
        if left[x] == 0:
            continue
        for y in range(x, CLASSES):
            n = left[x] * (left[x] - 1) // 2 if x == y else left[x] * left[y]
            if n > 0:
                total += n
                if answer_second(first, x, a, b, y, mao) and answer_second(first, y, a, b, x, mao):
                    won += n
    return won / total
