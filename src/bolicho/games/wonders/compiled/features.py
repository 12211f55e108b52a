"""Features of 7 Wonders for learners: a seat's knowledge as numbers in [-1, 1].

Six blocks of one number for each card come first: in hand, coins left of sixteen after building it, passed on this
age and not built since, built here, built on the left, built on the right.  Then come the same numbers for each
of the three cities, the rest of the table, and the time in the game.
"""

import numpy as np

from bolicho.games import kernel
from bolicho.games.compiled.bits import lowest
from bolicho.games.jit import rule
from bolicho.games.kernel import implements
from bolicho.games.wonders.cards import AGE, BOARDS, CARDS, COLOURS, NAME, NUM_BOARDS, NUM_CARDS, RESOURCES, SYMBOLS
from bolicho.games.wonders.compiled.deal import hand_of
from bolicho.games.wonders.compiled.knowledge import first_turn_held, last_turn_seen
from bolicho.games.wonders.compiled.payment import can_raise, left_of, price_to_build, right_of
from bolicho.games.wonders.compiled.scoring import TOTAL, points
from bolicho.games.wonders.kernel import list_legal
from bolicho.games.wonders.layout import BUILT, HELD, RECORD
from bolicho.games.wonders.rules import HAND, MAX_PLAYERS, MIN_PLAYERS, NUM_AGES

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

# Divisors: about the maximum values in play.
COINS, SHIELDS, POINTS, DEAREST = 30, 12, 80, 16


@rule
def share(amount, whole):
    """Return an amount as a fraction of `whole`, clipped to [-1, 1]."""
    return max(-1.0, min(1.0, amount / whole))


@rule
def part(count, whole):
    """Return the same for a nonnegative count, in the precision of the features (the rounding is equal)."""
    return min(np.float32(1), np.float32(count) / np.float32(whole))


@rule
def hand_features(s, seat, out):
    """Write the hand, and what can be built at which price; return the buildable places as bits."""
    age, payable = s.age, 0
    row = hand_of(s, age, seat, s.round)
    for place in range(s.round, HAND):
        if s.fate[age, row, place] == HELD:
            card = s.cards[age, row, place]
            out[IN_HAND + card] = 1
            price = price_to_build(s, seat, card)
            if price >= 0:
                out[PRICE + card] = 1 - share(price, DEAREST)
                payable |= 1 << place
    return payable


@rule
def around_features(s, seat, out):
    """Write the cards of hands that the seat has passed on this age, without its own plays and built cards."""
    age, last = s.age, last_turn_seen(s, s.age)
    mine = hand_of(s, age, seat, s.round)
    for row in range(s.players):
        if row != mine:
            sight = first_turn_held(s, seat, age, row)
            for place in range(sight, HAND if sight <= last else 0):
                if place == sight and sight <= last:
                    sight += s.players
                elif s.fate[age, row, place] != BUILT:
                    out[AROUND + s.cards[age, row, place]] = 1


@rule
def built_features(s, seat, out, n):
    """Write a flag for each structure of a city."""
    for word in range(2):
        left = s.built[seat, word]
        while left:
            out[n + 64 * word + lowest(left)] = 1
            left &= left - 1


@rule
def city_points(s, seat):
    """Return the scaled points of a city."""
    return share(points(s, seat)[TOTAL], POINTS)


@rule
def city_features(s, seat, points, out, n):
    """Write one city and its points; return the next index."""
    out[n + s.board[seat]] = 1
    n += NUM_BOARDS
    out[n] = part(s.stages[seat], 4)
    out[n + 1] = part(s.coins[seat], COINS)
    out[n + 2] = part(s.shields[seat], SHIELDS)
    out[n + 3] = part(s.victories[seat], 18)
    out[n + 4] = part(s.defeats[seat], 6)
    out[n + 5] = points
    out[n + 6] = s.free[seat]
    out[n + 7] = part(s.any_raw[seat], 2)
    out[n + 8] = part(s.any_goods[seat], 2)
    out[n + 9] = part(s.raw[seat, 15], 8)
    n += 10
    for i in range(7):
        out[n + i] = part(s.colours[seat, i], 8)
    n += 7
    for i in range(4):
        out[n + i] = part(s.symbols[seat, i], 4)
        out[n + 4 + i] = part(s.raw[seat, 1 << i], 4)
    n += 8
    for i in range(3):
        out[n + i] = part(s.goods[seat, i], 2)
        out[n + 3 + i] = 2 - s.price[seat, i]
    return n + 6


@rule
def others_features(s, seat, of_left, of_right, out, n):
    """Write the maximum and the mean of the other seats' coins, shields and points; return the next index."""
    others = s.players - 1
    left, right = left_of(s, seat), right_of(s, seat)
    for other in range(s.players):
        if other != seat:
            coins = share(s.coins[other], COINS)
            shields = share(s.shields[other], SHIELDS)
            points = of_left if other == left else (of_right if other == right else city_points(s, other))
            out[n] = max(out[n], coins)
            out[n + 1] = max(out[n + 1], shields)
            out[n + 2] = max(out[n + 2], points)
            out[n + 3] += coins / others
            out[n + 4] += shields / others
            out[n + 5] += points / others
    return n + 6


@rule
def write_features(s, seat, out):
    """Write all features; return the buildable places of the hand and whether a stage can be built, for `legal`."""
    out[:NUM_FEATURES] = 0
    left, right = left_of(s, seat), right_of(s, seat)
    payable, raises = hand_features(s, seat, out), can_raise(s, seat)
    around_features(s, seat, out)
    built_features(s, seat, out, OWN)
    built_features(s, left, out, LEFT)
    built_features(s, right, out, RIGHT)
    of_left, of_right = city_points(s, left), city_points(s, right)
    n = city_features(s, seat, city_points(s, seat), out, CITIES)
    n = city_features(s, left, of_left, out, n)
    n = city_features(s, right, of_right, out, n)
    n = others_features(s, seat, of_left, of_right, out, n)
    out[n] = s.turn == seat
    out[n + 1] = raises
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
    return payable, raises


@implements(kernel.features, RECORD)
@rule
def features(s, seat, out):
    """Write the features listed in the module docstring; hidden hands and choices of others have no effect."""
    write_features(s, seat, out)
    return NUM_FEATURES


@implements(kernel.observe, RECORD)
@rule
def observe(s, features, actions):
    payable, raises = write_features(s, s.turn, features)
    return list_legal(s, payable, raises, actions)
