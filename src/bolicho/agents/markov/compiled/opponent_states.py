"""Possible states of the opponent from a seat's observations: the columns that are summed."""

import numpy as np

from bolicho.agents.markov import states
from bolicho.agents.markov.layout import LEVEL_COUNTS
from bolicho.games.jit import rule
from bolicho.games.truco import kernel as k
from bolicho.games.truco.compiled.hand import ascending
from bolicho.games.truco.compiled.lexicon import class_of, count_shown, is_face_up, weakest_first
from bolicho.games.truco.lexicon import CLASSES

NOBODY = -1
TAKEN = np.int8(-1)  # marks one of three classes or values that is already matched
NO_BOUND = 99  # above any points of envido or flor


@rule
def by_level(cards, out):
    """Write the low, middle and high card of three; equal ones by their number."""
    out[0], out[1], out[2] = weakest_first(cards)


@rule
def truco_row(cards):
    """Return the Truco state of three cards."""
    return states.TRUCO_INDEX[ascending(class_of(cards[0]), class_of(cards[1]), class_of(cards[2]))]


@rule
def near_hands(state, near, steps):
    """Write the hands whose cards each differ by at most one class, and their distances; return their number.

    The hand itself is included, with distance 0.
    """
    a, b, c = states.TRUCO_TABLE[state, 0], states.TRUCO_TABLE[state, 1], states.TRUCO_TABLE[state, 2]
    n = 0
    for x in range(max(0, a - 1), min(CLASSES, a + 2)):
        for y in range(max(x, b - 1), min(CLASSES, b + 2)):
            for z in range(max(y, c - 1), min(CLASSES, c + 2)):
                if states.TRUCO_INDEX[x, y, z] >= 0:
                    near[n], steps[n] = states.TRUCO_INDEX[x, y, z], abs(x - a) + abs(y - b) + abs(z - c)
                    n += 1
    return n


@rule
def pair_state(a, b):
    """Return the Envido state of two values."""
    return states.ENVIDO_INDEX[min(a, b), max(a, b)]


@rule
def envido_row(cards):
    """Return the Envido state of three cards: the best pair of one suit; NOBODY without a pair."""
    best, found = -1, NOBODY
    for i in range(2):
        for j in range(i + 1, 3):
            if cards[i] // 10 == cards[j] // 10:
                a, b = k.VALUE[cards[i]], k.VALUE[cards[j]]
                if a + b > best:
                    best, found = a + b, pair_state(a, b)
    return found


@rule
def flor_row(cards):
    """Return the Flor state of three cards of one suit."""
    return states.FLOR_INDEX[ascending(k.VALUE[cards[0]], k.VALUE[cards[1]], k.VALUE[cards[2]])]


# --- Truco --------------------------------------------------------------------------------------


@rule
def take_out(shown, a, b, c):
    """Return whether one of three equals the shown one, and the three with that one marked TAKEN."""
    if a == shown:
        return True, TAKEN, b, c
    if b == shown:
        return True, a, TAKEN, c
    if c == shown:
        return True, a, b, TAKEN
    return False, a, b, c


@rule
def truco_columns(mine, played, out):
    """Mark the hands that contain every shown class and none of one's own unique cards; return their number."""
    unique, shown = 0, False
    for i in range(3):
        if class_of(mine[i]) >= states.FIRST_UNIQUE:
            unique |= 1 << class_of(mine[i])
        shown |= is_face_up(played[i])
    count = 0
    for j in range(states.NUM_TRUCO):
        possible = states.TRUCO_BITS[j] & unique == 0
        if shown and possible:
            a, b, c = states.TRUCO_TABLE[j, 0], states.TRUCO_TABLE[j, 1], states.TRUCO_TABLE[j, 2]
            for r in range(3):
                if possible and is_face_up(played[r]):
                    possible, a, b, c = take_out(class_of(played[r]), a, b, c)
        out[j] = possible
        count += possible
    return count


# --- Envido and flor ----------------------------------------------------------------------------


@rule
def envido_columns(played, points, at_most, out):
    """Mark the pairs that agree with the shown cards and the known points; return their number.

    `points` are exact (NOBODY when unknown), `at_most` a bound. Three shown cards determine the pair; otherwise a pair
    must contain a shown value, as in Rossato 2020 (section 4.3).
    """
    shown = count_shown(played)
    exact = envido_row(played) if shown == 3 else NOBODY
    count = 0
    for j in range(states.NUM_ENVIDO):
        a, b = states.ENVIDO_TABLE[j, 0], states.ENVIDO_TABLE[j, 1]
        possible = 20 + a + b <= at_most and (points == NOBODY or points == 20 + a + b)
        if shown == 3:
            possible = possible and j == exact
        elif shown > 0:
            held = False
            for r in range(3):
                if is_face_up(played[r]):
                    held |= k.VALUE[played[r]] == a or k.VALUE[played[r]] == b
            possible = possible and held
        out[j] = possible
        count += possible
    return count


@rule
def flor_columns(played, points, at_most, out):
    """Mark the triples that contain every shown value and agree with the known points; return their number."""
    count = 0
    for j in range(states.NUM_FLOR):
        a, b, c = states.FLOR_TABLE[j, 0], states.FLOR_TABLE[j, 1], states.FLOR_TABLE[j, 2]
        total = 20 + a + b + c
        possible = total <= at_most and (points == NOBODY or points == total)
        for r in range(3):
            if possible and is_face_up(played[r]):
                possible, a, b, c = take_out(k.VALUE[played[r]], a, b, c)
        out[j] = possible
        count += possible
    return count


# --- Cards --------------------------------------------------------------------------------------


@rule
def predicted_level(block, card):
    """Return the most frequent level of this class of card; the lower one in a tie."""
    c = class_of(card)
    low = block[LEVEL_COUNTS + states.LOW * CLASSES + c]
    middle = block[LEVEL_COUNTS + states.MIDDLE * CLASSES + c]
    high = block[LEVEL_COUNTS + states.HIGH * CLASSES + c]
    if low >= middle and low >= high:
        return states.LOW
    return states.MIDDLE if middle >= high else states.HIGH


@rule
def opponent_orders(block, played, out):
    """Mark the possible orders of the opponent, from the predicted levels of its shown cards; return their number.

    Two cards with one predicted level cannot both have it: the stronger moves up, or the weaker down.
    """
    first, second = NOBODY, NOBODY
    if is_face_up(played[0]):
        first = predicted_level(block, played[0])
    if is_face_up(played[1]):
        second = predicted_level(block, played[1])
    if first != NOBODY and first == second:
        stronger_first = class_of(played[0]) > class_of(played[1])
        if first == states.HIGH:
            if stronger_first:
                second = states.MIDDLE
            else:
                first = states.MIDDLE
        elif stronger_first:
            first += 1
        else:
            second += 1
    return mark_orders(first, second, out)


@rule
def shown_order(cards, played, out):
    """Mark the possible orders of a player with known cards, from the cards played so far; return their number."""
    first, second = NOBODY, NOBODY
    for level in range(3):
        if played[0] >= 0 and played[0] % k.FACE_DOWN == cards[level]:
            first = level
        if played[1] >= 0 and played[1] % k.FACE_DOWN == cards[level]:
            second = level
    return mark_orders(first, second, out)


@rule
def mark_orders(first, second, out):
    """Mark the orders with these levels in rounds one and two (NOBODY: any); return their number."""
    count = 0
    for o in range(states.NUM_ORDERS):
        fits = (first == NOBODY or states.ORDER_TABLE[o, 0] == first) and (
            second == NOBODY or states.ORDER_TABLE[o, 1] == second
        )
        out[o] = fits
        count += fits
    return count
