"""Codings of 7 Wonders: inputs, outputs and rewards.

Three codings, all for three players: those of Pereira 2021 (`AGES`, one net per age, and `TABLE`, the one of
Q-learning) and ours (`CITIES`), which adds prices and gains, the cities of the neighbours, and the known hands to come.
"""

import numpy as np

from bolicho.agents.compiled.wonders import MARGIN, PUBLISHED, gain_of, sales
from bolicho.agents.inputs.wonders import say_input
from bolicho.agents.neural.compiled import codings
from bolicho.agents.neural.compiled.codings import FEATURES, Binding, Coding
from bolicho.games import kernel
from bolicho.games.jit import njit
from bolicho.games.kernel import implements
from bolicho.games.wonders.actions import action_of, card_of, kind_of
from bolicho.games.wonders.cards import (
    AGE,
    BLUE,
    BOARDS,
    CARDS,
    COINS,
    COLOUR,
    COLOURS,
    COPIES,
    NAME,
    NUM_BOARDS,
    NUM_CARDS,
    POINTS,
    POWER,
    POWERS,
    PURPLE,
    RED,
    RESOURCES,
    SHIELDS,
    SYMBOLS,
    YELLOW,
)
from bolicho.games.wonders.compiled.deal import hand_of
from bolicho.games.wonders.compiled.payment import can_build, can_raise, has, left_of, next_stage
from bolicho.games.wonders.compiled.scoring import TOTAL, points
from bolicho.games.wonders.kernel import can_revive, price_of
from bolicho.games.wonders.layout import BUILD, BUILT, FREE, RECORD, REVIVAL, REVIVE, WONDER
from bolicho.games.wonders.rules import HAND, NUM_AGES, TURNS

PLAYERS = 3

AGES, TABLE, CITIES = range(FEATURES + 1, FEATURES + 4)
"""Codings in addition to that of every game."""


# --- Cards and outputs --------------------------------------------------------------------------

IN_PLAY = [card for card in range(NUM_CARDS) if COPIES[PLAYERS, card] or COLOUR[card] == PURPLE]
KNOWN = [card for card in IN_PLAY if NAME[card] == card]
"""The 65 different cards in games of three players."""

CARDS_OF = np.array([sum(AGE[card] == age for card in IN_PLAY) for age in range(NUM_AGES)], np.int64)  # 21, 21, 26
PLACE = np.full(NUM_CARDS, -1, np.int64)  # index of a card among the 65
PLACE_IN_AGE = np.full(NUM_CARDS, -1, np.int64)  # index of a card in its age
for _card in IN_PLAY:
    PLACE[_card] = KNOWN.index(NAME[_card])
    PLACE_IN_AGE[_card] = sum(AGE[other] == AGE[_card] for other in IN_PLAY if other < _card)

NUM_KNOWN = len(KNOWN)
NUM_PLAIN = 3  # kinds of action in the published nets: build, wonder, sell
NUM_KINDS = 4  # kinds in our nets: building for free is separate


@implements(codings.unit, RECORD)
@njit
def unit(s, coding, action):
    kind, card = kind_of(action), card_of(action)
    if kind == REVIVE or (kind == FREE and coding != CITIES):
        kind = BUILD
    if coding == AGES:
        return kind * CARDS_OF[s.age] + PLACE_IN_AGE[card] if AGE[card] == s.age else -1
    return kind * NUM_KNOWN + PLACE[card]


@implements(codings.network, RECORD)
@njit
def network(s, coding):
    return s.age if coding == AGES else 0


# --- Inputs of the published nets ---------------------------------------------------------------


@njit
def is_offered(s, seat, card):
    """Return whether a card can be chosen now: it is in the hand, or in the pile of a revival."""
    if s.phase == REVIVAL:
        return can_revive(s, seat, NAME[card])
    row = hand_of(s, s.age, seat, s.round)
    for place in range(s.round, HAND):
        if s.cards[s.age, row, place] == card:
            return True
    return False


@njit
def encode_age(s, seat, out):
    """Encode Pereira 2021, table 3.3: the available cards of the age, and eleven counts."""
    n = CARDS_OF[s.age]
    out[:n] = 0
    for card in range(NUM_CARDS):
        if AGE[card] == s.age and PLACE_IN_AGE[card] >= 0 and is_offered(s, seat, card):
            out[PLACE_IN_AGE[card]] = 1
    for i in range(7):
        out[n + i] = s.colours[seat, COUNTED_COLOURS[i]]
    out[n + 7] = s.board[seat]
    out[n + 8] = s.stages[seat]
    out[n + 9] = s.shields[seat]
    out[n + 10] = s.coins[seat]
    return n + 11


COUNTED_COLOURS = np.array([COLOURS.index(c) for c in ("blue", "red", "yellow", "green", "brown", "grey", "purple")])
COUNTS = ("civil", "military", "commercial", "science", "raw", "manufactured", "guild")
STRUCTURES = np.array([BLUE, RED, YELLOW, PURPLE])


@njit
def encode_table(s, seat, out):
    """Encode Pereira 2021, table 3.10.

    It lists 19 attributes for 20 inputs, so the last input here is the count of the penalty.
    """
    n = NUM_KNOWN
    out[:n] = 0
    for card in range(NUM_CARDS):
        if PLACE[card] >= 0 and is_offered(s, seat, card):
            out[PLACE[card]] = 1
    for i in range(4):
        out[n + i] = s.colours[seat, STRUCTURES[i]]
        out[n + 4 + i] = s.raw[seat, 1 << i] + s.any_raw[seat]
    for i in range(3):
        out[n + 8 + i] = s.goods[seat, i] + s.any_goods[seat]
        out[n + 11 + i] = s.symbols[seat, i]
    out[n + 14] = s.shields[seat]
    out[n + 15] = s.coins[seat]
    out[n + 16] = s.board[seat]
    out[n + 17] = s.stages[seat]
    out[n + 18] = s.age
    out[n + 19] = sales(s, seat)
    return n + 20


# --- Inputs of our nets -------------------------------------------------------------------------

NUM_OWN, NUM_CITY = 29, 24
CARD_BLOCKS = ("offered", "playable", "price", "gain", "built", "comes next turn", "comes in two turns")
NUM_CITIES = len(CARD_BLOCKS) * NUM_KNOWN + NUM_OWN + PLAYERS * (NUM_CITY + NUM_BOARDS)
AGE_INPUTS = slice(len(CARD_BLOCKS) * NUM_KNOWN + 19, len(CARD_BLOCKS) * NUM_KNOWN + 22)
SCALE_COINS, SCALE_POINTS, SCALE_TOTAL = 8.0, 8.0, 50.0


@njit
def encode_offer(s, seat, card, out):
    """Encode a card that can be chosen: its presence, whether it is playable, its price, its gain."""
    place = PLACE[card]
    out[place] = 1
    out[3 * NUM_KNOWN + place] = gain_of(s, seat, card) / SCALE_POINTS
    if s.phase == REVIVAL:
        out[NUM_KNOWN + place] = 1
    elif can_build(s, seat, card):
        out[NUM_KNOWN + place] = 1
        left, right, bank = price_of(s, seat, card)
        out[2 * NUM_KNOWN + place] = (left + right + bank) / SCALE_COINS


@njit
def encode_coming(s, seat, ahead, out):
    """Encode the known cards of the hand that arrives in `ahead` turns, also those that may have left it unseen."""
    held = s.round + ahead - s.players  # turn in which the seat held that hand
    if held < 0 or s.round + ahead >= TURNS:
        return
    row = hand_of(s, s.age, seat, held)
    for place in range(held + 1, HAND):
        if s.fate[s.age, row, place] != BUILT:
            out[PLACE[s.cards[s.age, row, place]]] = 1


@njit
def encode_own(s, seat, out):
    """Encode private details of the own city: the next stage, prices, rights, the turn."""
    stage = next_stage(s, seat)
    if stage >= 0:
        out[0] = 1
        if can_raise(s, seat):
            left, right, bank = price_of(s, seat, action_of(WONDER, 0))
            out[1] = 1
            out[2] = (left + right + bank) / SCALE_COINS
        out[3] = POINTS[stage] / SCALE_POINTS
        out[4] = SHIELDS[stage]
        out[5] = COINS[stage] / SCALE_COINS
        if POWER[stage]:
            out[5 + POWER[stage]] = 1  # one of five powers
    n = 11
    out[n] = s.free[seat]
    out[n + 1] = s.phase == REVIVAL
    out[n + 2] = s.any_raw[seat]
    out[n + 3] = s.any_goods[seat]
    for i in range(3):
        out[n + 4 + i] = s.price[seat, i] == 1
    out[n + 7] = sales(s, seat) / 3.0
    out[n + 8 + s.age] = 1
    out[n + 11 + min(s.round, HAND - 1)] = 1
    return NUM_OWN


@njit
def encode_city(s, seat, me, out):
    """Encode the public state of a city."""
    for i in range(7):
        out[i] = s.colours[seat, i] / 5.0
    for i in range(4):
        out[7 + i] = s.symbols[seat, i] / 3.0
        out[11 + i] = s.raw[seat, 1 << i] / 2.0
    for i in range(3):
        out[15 + i] = s.goods[seat, i]
    out[18] = s.coins[seat] / SCALE_COINS
    out[19] = s.shields[seat] / 5.0
    out[20] = s.stages[seat] / 3.0
    out[21] = (s.victories[seat] - s.defeats[seat]) / 8.0
    out[22] = points(s, seat)[TOTAL] / SCALE_TOTAL
    out[23] = (s.shields[me] - s.shields[seat]) / 5.0
    return NUM_CITY


@njit
def encode_cities(s, seat, out):
    n = len(CARD_BLOCKS) * NUM_KNOWN
    out[:NUM_CITIES] = 0
    if s.phase == REVIVAL:
        for card in range(NUM_CARDS):
            if PLACE[card] >= 0 and NAME[card] == card and can_revive(s, seat, card):
                encode_offer(s, seat, card, out)
    else:
        row = hand_of(s, s.age, seat, s.round)
        for place in range(s.round, HAND):
            encode_offer(s, seat, s.cards[s.age, row, place], out)
    for card in range(NUM_CARDS):
        if PLACE[card] >= 0 and NAME[card] == card and has(s, seat, card):
            out[4 * NUM_KNOWN + PLACE[card]] = 1
    for ahead in range(1, 3):
        encode_coming(s, seat, ahead, out[(4 + ahead) * NUM_KNOWN :])
    n += encode_own(s, seat, out[n:])
    city = seat
    for _ in range(s.players):
        n += encode_city(s, city, seat, out[n:])
        out[n + s.board[city]] = 1
        n += NUM_BOARDS
        city = left_of(s, city)
    return n


@implements(codings.encode, RECORD)
@njit
def encode(s, seat, coding, out):
    if coding == AGES:
        return encode_age(s, seat, out)
    if coding == TABLE:
        return encode_table(s, seat, out)
    if coding == CITIES:
        return encode_cities(s, seat, out)
    return kernel.features(s, seat, out)


# --- Names of inputs ----------------------------------------------------------------------------

_AGES = [f"age {age + 1}" for age in range(NUM_AGES)]
_MOMENT = [
    "next stage", "stage payable", "price of the stage", "points of the stage", "shields of the stage",
    "coins of the stage", *(f"stage: {power}" for power in POWERS[1:]), "free building", "revival",
    "any raw material", "any good", "cheap on the left", "cheap on the right", "cheap goods", "cards sold",
    *_AGES, *(f"turn {turn + 1}" for turn in range(HAND)),
]  # fmt: skip
_CITY = [
    *(f"{colour} cards" for colour in COLOURS), *(f"{symbol}s" for symbol in SYMBOLS), "wild symbols",
    *RESOURCES, "coins", "shields", "stages", "war points", "points", "shields fewer than mine",
]  # fmt: skip


def _ages(which):
    held = [CARDS[card] for card in IN_PLAY if AGE[card] == which]
    return [*held, *(f"{kind} structures" for kind in COUNTS), "wonder", "stages", "shields", "coins"]


def _table():
    counts = [f"{kind} structures" for kind in ("civil", "military", "commercial", "guild")]
    rest = ["shields", "coins", "wonder", "stages", "age", "cards sold"]
    return [*(CARDS[card] for card in KNOWN), *counts, *RESOURCES, *(f"{s}s" for s in SYMBOLS), *rest]


def _cities():
    cards = [f"{CARDS[card]} {block}" for block in CARD_BLOCKS for card in KNOWN]
    cities = [f"{whose} {what}" for whose in ("own", "left", "right") for what in [*_CITY, *BOARDS]]
    return [*cards, *_MOMENT, *cities]


def input_names(game, coding, which):
    """Return a name for each input of a net."""
    return {"ages": lambda: _ages(which), "table": _table, "cities": _cities}[coding]()


BINDING = Binding(
    seats=PLAYERS,
    codings={
        "ages": Coding(AGES, tuple((int(n) + 11, int(n) * NUM_PLAIN) for n in CARDS_OF)),
        "table": Coding(TABLE, ((NUM_KNOWN + 20, NUM_KNOWN * NUM_PLAIN),)),
        "cities": Coding(CITIES, ((NUM_CITIES, NUM_KNOWN * NUM_KINDS),)),
    },
    schemes={"published": PUBLISHED, "margin": MARGIN},
    input_names=input_names,
    say_input=say_input,
    scripted="rules",
    coding="cities",
    scheme="margin",
)
