"""Hidden information in 7 Wonders: `hide` wipes it, and redeals draw it again.

A seat sees a hand each time it holds it.  Between two such sights it knows *which* cards left the
hand, but not their order; structures built are public, cards sold or put under a stage are not.  So
the hidden places of `cards` fall into groups within which the seat cannot distinguish the orders:

- the places of a row between two sights of it;
- the places after the last sight: cards that left secretly and those still in the hand;
- the pool of an age: every hidden place before the first sight, with the remaining cards of the deck.

`hide` sorts each group and blanks the pool; `redeal` shuffles them.  Halikarnassos also knows the cards in
the pile when it looked (`looks`).  The others know that the pile contained what it took, and nothing that
it could build if it took nothing.
"""

from bolicho.games import kernel
from bolicho.games.jit import rule
from bolicho.games.kernel import CHOSE, implements
from bolicho.games.wonders.cards import NUM_CARDS, NUM_WONDERS, WONDERS
from bolicho.games.wonders.layout import BUILT, DISCARDS, HELD, NONE, RAISES, RECORD, SELLS
from bolicho.games.wonders.rules import HAND, NUM_AGES, PASS, TURNS

HALIKARNASSOS = WONDERS.index("Halikarnassos")
POOL, KNOWN = 0, -1  # groups of a place; the others are numbered from 1


@rule
def halikarnassos(s):
    """Return the seat that may look into the pile, or NONE."""
    for seat in range(s.players):
        if s.board[seat] % NUM_WONDERS == HALIKARNASSOS:
            return seat
    return NONE


# --- Groups -------------------------------------------------------------------------------------


@rule
def first_turn_held(s, seat, age, row):
    """Return the turn on which a seat first holds a hand of an age (if the age lasts that long)."""
    turn = (seat - row) * PASS[age]
    return turn + s.players if turn < 0 else turn


@rule
def last_turn_seen(s, age):
    """Return the last turn of an age on which hands have been seen."""
    return min(s.round, TURNS - 1) if age == s.age else TURNS - 1


@rule
def group_of(s, seat, age, row, place):
    """Return the group of a place for `seat`: KNOWN, POOL, or a unique number for each other group."""
    if s.fate[age, row, place] == BUILT:
        return KNOWN
    sight, last = first_turn_held(s, seat, age, row), last_turn_seen(s, age)
    if sight > last or place < sight:
        return POOL
    while sight + s.players <= min(last, place):
        sight += s.players
    if place == sight or (sight == last and age == s.age and s.fate[age, row, sight] == HELD):
        return KNOWN  # played by the seat, or its hand
    return 1 + row * HAND + sight


@rule
def sort_group(s, age, row, first, end):
    """Sort the hidden cards among places first .. end-1."""
    for i in range(first + 1, end):
        if s.fate[age, row, i] == BUILT:
            continue
        card = s.cards[age, row, i]
        hole = i
        for j in range(i - 1, first - 1, -1):
            if s.fate[age, row, j] == BUILT:
                continue
            if s.cards[age, row, j] <= card:
                break
            s.cards[age, row, hole] = s.cards[age, row, j]
            hole = j
        s.cards[age, row, hole] = card


# --- Hiding -------------------------------------------------------------------------------------


@implements(kernel.hide, RECORD)
@rule
def hide(s, seat):
    """Keep the seat's hands as it saw them, its own plays, and everything public."""
    hide_secrets(s, seat)
    for age in range(NUM_AGES):
        for row in range(s.players):
            if age > s.age:
                for place in range(HAND):
                    s.cards[age, row, place] = NONE
            else:
                hide_row(s, seat, age, row)


@implements(kernel.hide_from_all, RECORD)
@rule
def hide_from_all(s, seats):
    """Keep the structures of the cities and the fates of all cards; spectators see no hand.

    Hiding from one seat after the other would leak information: if the groups of two seats overlap, sorting both
    reveals something about the order that neither seat knows.
    """
    hide_secrets(s, NONE)
    for age in range(NUM_AGES):
        for row in range(seats):
            for place in range(HAND):
                if s.fate[age, row, place] != BUILT:
                    s.cards[age, row, place] = NONE


@rule
def hide_secrets(s, seat):
    """Blank all hidden information other than the cards of hands."""
    s.seed = 0
    for other in range(s.players):
        if other != seat:
            s.commit[other] = NONE
    if seat == NONE or halikarnassos(s) != seat:
        for card in range(NUM_CARDS):
            s.looks[card] = 0
    hide_events(s, seat)


@rule
def hide_row(s, seat, age, row):
    sight, last = first_turn_held(s, seat, age, row), last_turn_seen(s, age)
    if sight > last:
        sight = HAND
    for place in range(sight):
        if s.fate[age, row, place] != BUILT:
            s.cards[age, row, place] = NONE
    while sight < HAND:
        following = sight + s.players
        if following > last:
            following = HAND
        sort_group(s, age, row, sight + 1, following)
        sight = following


@rule
def hide_events(s, seat):
    """Blank the choices of others, and the cards they sold, discarded or put under a stage."""
    for i in range(s.num_events):
        kind = s.events[i, 0]
        if s.events[i, 1] != seat and (kind == CHOSE or kind == RAISES or kind == SELLS or kind == DISCARDS):
            s.events[i, 2] = NONE
