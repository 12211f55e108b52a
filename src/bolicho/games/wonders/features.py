"""What a seat knows as numbers in [-1, 1], for learners.

Six blocks of one number for each card (in hand, what building it leaves of sixteen coins, seen this
age and perhaps in another hand, built here, built on the left, built on the right), then the same
numbers for the three cities, then the rest of the table and the moment of the game.
"""

from bolicho.games import kernel
from bolicho.games.jit import rule
from bolicho.games.kernel import implements
from bolicho.games.wonders.cards import (
    AGE,
    BOARDS,
    CARDS,
    COIN_COST,
    COLOURS,
    NAME,
    NUM_BOARDS,
    NUM_CARDS,
    RESOURCES,
    SYMBOLS,
)
from bolicho.games.wonders.deal import hand_of
from bolicho.games.wonders.knowledge import POOL, group_of
from bolicho.games.wonders.payment import can_build, can_raise, cheapest, has, is_chained, left_of, right_of
from bolicho.games.wonders.rules import HAND, MAX_PLAYERS, MIN_PLAYERS, NUM_AGES
from bolicho.games.wonders.scoring import TOTAL, points
from bolicho.games.wonders.state import HELD, RECORD

IN_HAND, PRICE, AROUND, OWN, LEFT, RIGHT = (NUM_CARDS * block for block in range(6))
CITIES = 6 * NUM_CARDS
_CARD_NAMES = [name if NAME[card] == card else f"{name} of age {AGE[card] + 1}" for card, name in enumerate(CARDS)]
_CITY = [
    *BOARDS, "stages", "coins", "shields", "war points", "defeats", "points", "free building", "any raw material",
    "any good", "raw materials", *(f"{colour} cards" for colour in COLOURS), *(f"{symbol}s" for symbol in SYMBOLS),
    "wild symbols", *RESOURCES[:4], *RESOURCES[4:], "cheap on the left", "cheap on the right", "cheap goods",
]  # fmt: skip
NAMES = (
    *(f"{card} {how}" for how in ("in hand", "affordable", "around", "mine", "left", "right") for card in _CARD_NAMES),
    *(f"{whose} {what}" for whose in ("my", "left", "right") for what in _CITY),
    *(f"{how} {what} of the others" for how in ("most", "mean") for what in ("coins", "shields", "points")),
    "my turn", "a stage can be raised", "hands pass right", *(f"age {age + 1}" for age in range(NUM_AGES)),
    *(f"turn {turn + 1}" for turn in range(HAND)), "choosing", "reviving", "seventh card",
    *(f"{players} players" for players in range(MIN_PLAYERS, MAX_PLAYERS + 1)),
)  # fmt: skip
NUM_FEATURES = len(NAMES)

# What counts as one: about the most that is seen in play.
COINS, SHIELDS, POINTS, DEAREST = 30, 12, 80, 16


@rule
def share(amount, whole):
    """An amount as a part of what counts as one, and no more than one."""
    return max(-1.0, min(1.0, amount / whole))


@rule
def hand_features(s, seat, out):
    """The hand, what can be built and how cheaply, and what may be in the other hands."""
    age = s.age
    row = hand_of(s, age, seat, s.round)
    for place in range(HAND):
        if s.fate[age, row, place] == HELD:
            card = s.cards[age, row, place]
            out[IN_HAND + card] = 1
            if can_build(s, seat, card):
                out[PRICE + card] = 1
                if not is_chained(s, seat, card):
                    left, right = cheapest(s, seat, card)
                    out[PRICE + card] = 1 - share(left + right + COIN_COST[card], DEAREST)
    for other in range(s.players):
        for place in range(HAND):
            if group_of(s, seat, age, other, place) > POOL and other != row:
                out[AROUND + s.cards[age, other, place]] = 1


@rule
def city_features(s, seat, out, n):
    """One city; returns where its numbers end."""
    out[n + s.board[seat]] = 1
    n += NUM_BOARDS
    out[n] = s.stages[seat] / 4
    out[n + 1] = share(s.coins[seat], COINS)
    out[n + 2] = share(s.shields[seat], SHIELDS)
    out[n + 3] = s.victories[seat] / 18
    out[n + 4] = s.defeats[seat] / 6
    out[n + 5] = share(points(s, seat)[TOTAL], POINTS)
    out[n + 6] = s.free[seat]
    out[n + 7] = share(s.any_raw[seat], 2)
    out[n + 8] = share(s.any_goods[seat], 2)
    out[n + 9] = share(s.raw[seat, 15], 8)
    n += 10
    for i in range(7):
        out[n + i] = share(s.colours[seat, i], 8)
    n += 7
    for i in range(4):
        out[n + i] = share(s.symbols[seat, i], 4)
        out[n + 4 + i] = share(s.raw[seat, 1 << i], 4)
    n += 8
    for i in range(3):
        out[n + i] = share(s.goods[seat, i], 2)
        out[n + 3 + i] = 2 - s.price[seat, i]
    return n + 6


@rule
def others_features(s, seat, out, n):
    """The most and the mean of the other seats' coins, shields and points; returns where they end."""
    others = s.players - 1
    for other in range(s.players):
        if other != seat:
            coins = share(s.coins[other], COINS)
            shields = share(s.shields[other], SHIELDS)
            worth = share(points(s, other)[TOTAL], POINTS)
            out[n] = max(out[n], coins)
            out[n + 1] = max(out[n + 1], shields)
            out[n + 2] = max(out[n + 2], worth)
            out[n + 3] += coins / others
            out[n + 4] += shields / others
            out[n + 5] += worth / others
    return n + 6


@implements(kernel.features, RECORD)
@rule
def features(s, seat, out):
    """See the head of this file; what others hold or chose secretly plays no part."""
    out[:NUM_FEATURES] = 0
    left, right = left_of(s, seat), right_of(s, seat)
    hand_features(s, seat, out)
    for card in range(NUM_CARDS):
        if NAME[card] == card:
            out[OWN + card] = has(s, seat, card)
            out[LEFT + card] = has(s, left, card)
            out[RIGHT + card] = has(s, right, card)
    n = city_features(s, seat, out, CITIES)
    n = city_features(s, left, out, n)
    n = city_features(s, right, out, n)
    n = others_features(s, seat, out, n)
    out[n] = s.turn == seat
    out[n + 1] = can_raise(s, seat)
    out[n + 2] = s.age == 1
    n += 3
    out[n + s.age] = 1
    n += NUM_AGES
    if s.round < HAND:
        out[n + s.round] = 1
    n += HAND
    out[n + s.phase] = 1
    n += 3
    out[n + s.players - MIN_PLAYERS] = 1
    return n + MAX_PLAYERS - MIN_PLAYERS + 1
