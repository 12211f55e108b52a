"""Hands, the deal, and the start of an age in 7 Wonders."""

import numpy as np

from bolicho.games import kernel
from bolicho.games.compiled.chance import below, stream
from bolicho.games.compiled.events import log, wipe_events
from bolicho.games.jit import rule
from bolicho.games.kernel import implements
from bolicho.games.wonders import cards
from bolicho.games.wonders.compiled.payment import stage_of
from bolicho.games.wonders.layout import AGE_BEGINS, HELD, NONE, PLAY, RECORD
from bolicho.games.wonders.rules import HAND, MAX_PLAYERS, NUM_AGES, SIDES, START_COINS, row_held

_row_held = rule(row_held)
SIDE_A, SIDE_B = SIDES.index("A"), SIDES.index("B")


@rule
def has_power(s, seat, power):
    """Return whether a built stage has a power."""
    for stage in range(s.stages[seat]):
        if cards.POWER[stage_of(s, seat, stage)] == power:
            return True
    return False


# --- Hands --------------------------------------------------------------------------------------


@rule
def hand_of(s, age, seat, turn):
    """Return the row of `cards` that a seat holds on a turn."""
    return _row_held(seat, s.players, age, turn)


@rule
def sort_hand(s, age, row, first):
    """Sort the cards of a hand ascending, from place `first` on."""
    for i in range(first + 1, HAND):
        card = s.cards[age, row, i]
        j = i
        while j > first and s.cards[age, row, j - 1] > card:
            s.cards[age, row, j] = s.cards[age, row, j - 1]
            j -= 1
        s.cards[age, row, j] = card


@rule
def take(s, row, card, fate):
    """Move a card of a hand to the place of this turn, with its fate."""
    place = s.round
    i = place
    while s.cards[s.age, row, i] != card:
        i += 1
    while i > place:
        s.cards[s.age, row, i] = s.cards[s.age, row, i - 1]
        i -= 1
    s.cards[s.age, row, place] = card
    s.fate[s.age, row, place] = fate


# --- The deal -----------------------------------------------------------------------------------


@rule
def deal_age(s, age, seed):
    """Deal the hands of an age: the deck for this number of players, with players + 2 guilds in age III."""
    players = s.players
    n = 0
    for card in range(cards.FIRST_GUILD):
        if cards.AGE[card] == age:
            for _ in range(cards.COPIES[players, card]):
                s.cards[age, n // HAND, n % HAND] = card
                n += 1
    if age == NUM_AGES - 1:
        wanted = players + 2
        for i in range(cards.NUM_GUILDS):
            if below(seed, 100 + i, cards.NUM_GUILDS - i) < wanted:
                s.cards[age, n // HAND, n % HAND] = cards.FIRST_GUILD + i
                n += 1
                wanted -= 1
    for i in range(n - 1, 0, -1):
        j = below(seed, i, i + 1)
        card = s.cards[age, i // HAND, i % HAND]
        s.cards[age, i // HAND, i % HAND] = s.cards[age, j // HAND, j % HAND]
        s.cards[age, j // HAND, j % HAND] = card
    for row in range(players):
        sort_hand(s, age, row, 0)


@rule
def deal_boards(s, seed):
    """Deal distinct wonders to the seats, with the side that the rules require."""
    taken = 0
    for seat in range(s.players):
        wonder = below(seed, seat, cards.NUM_WONDERS - seat)
        for other in range(cards.NUM_WONDERS):
            if (taken >> other) & 1 and other <= wonder:
                wonder += 1
        taken |= 1 << wonder
        side = below(seed, cards.NUM_WONDERS + seat, 2)
        if s.sides == SIDE_A:
            side = 0
        elif s.sides == SIDE_B:
            side = 1
        s.board[seat] = wonder + side * cards.NUM_WONDERS


@rule
def begin(s):
    """Initialise a new game except for its boards and cards."""
    for age in range(NUM_AGES):
        for row in range(MAX_PLAYERS):
            for place in range(HAND):
                s.fate[age, row, place] = HELD
                if row >= s.players:
                    s.cards[age, row, place] = NONE
    for card in range(cards.NUM_CARDS):
        s.looks[card] = 0
    for i in range(3):
        s.look_time[i] = NONE
        s.revived[i] = NONE
    for seat in range(MAX_PLAYERS):
        s.commit[seat] = NONE
        found_city(s, seat)
    open_age(s, 0)


@rule
def found_city(s, seat):
    """Initialise an empty city: three coins and the production of its board."""
    s.stages[seat] = 0
    s.free[seat] = 0
    s.built[seat, 0] = 0
    s.built[seat, 1] = 0
    s.shields[seat] = 0
    s.victories[seat] = 0
    s.defeats[seat] = 0
    s.any_raw[seat] = 0
    s.any_goods[seat] = 0
    for i in range(7):
        s.colours[seat, i] = 0
    for i in range(4):
        s.symbols[seat, i] = 0
    for i in range(16):
        s.raw[seat, i] = 0
    for i in range(3):
        s.goods[seat, i] = 0
        s.price[seat, i] = 2
    s.coins[seat] = START_COINS
    if seat >= s.players:
        s.board[seat] = NONE
        s.coins[seat] = 0
        return
    start = cards.START[s.board[seat]]
    if start >= cards.NUM_RAW:
        s.goods[seat, start - cards.NUM_RAW] = 1
    else:
        for kinds in range(16):
            s.raw[seat, kinds] = (kinds >> start) & 1


@rule
def open_age(s, age):
    """Begin an age: the first seat's turn, and Olympia's right restored."""
    s.age = age
    s.round = 0
    s.phase = PLAY
    s.turn = 0
    for seat in range(s.players):
        s.free[seat] = has_power(s, seat, cards.FREE_BUILD)
    log(s, AGE_BEGINS, NONE, age, 0)


@implements(kernel.deal, RECORD)
@rule
def deal(s, seed):
    s.seed = np.uint64(seed)
    last = s.num_events
    s.num_events = 0
    deal_boards(s, stream(seed, 0))
    for age in range(NUM_AGES):
        deal_age(s, age, stream(seed, 1 + age))
    begin(s)
    wipe_events(s, last)
