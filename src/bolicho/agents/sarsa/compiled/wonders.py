"""After-states of 7 Wonders: the own city with the played card, beside the current cities of the neighbours.

Most features have a different value in another age, so there is one block for each age; built cards and stages have
their own features.
"""

import numpy as np

from bolicho.agents.compiled.wonders import MARGIN
from bolicho.agents.inputs import Shape, numbers, say_input
from bolicho.agents.inputs.wonders import SHAPES as SHOWN
from bolicho.agents.inputs.wonders import say_input as say_shown
from bolicho.agents.sarsa.compiled.after import after_features, default_features, pack
from bolicho.games.jit import njit
from bolicho.games.kernel import implements
from bolicho.games.wonders.actions import card_of
from bolicho.games.wonders.cards import BOARDS, CARDS, COLOURS, NAME, NUM_CARDS, RESOURCES, SYMBOLS
from bolicho.games.wonders.compiled.payment import has, left_of, right_of
from bolicho.games.wonders.compiled.scoring import TOTAL, points, science_with
from bolicho.games.wonders.kernel import resolve, revive
from bolicho.games.wonders.layout import RECORD, REVIVAL
from bolicho.games.wonders.rules import NUM_AGES
from bolicho.i18n import Message

SCHEME = MARGIN
APART = ("sides",)
"""Reward scheme, and the rules that may differ from those of the training."""

SHIELDS = range(-3, 4)  # lead over a neighbour, cut off at 3
PURSE = (2, 4, 7, 11)  # coins from which on there is a further feature
NUM_STAGES = 5  # 0 to 4 built stages
SCALE = 10.0  # scale of points

_CITY = [
    "turn", "points", "points on the left", "points on the right", "points of science",
    *(f"{colour} cards" for colour in COLOURS),
    *(f"{symbol}s" for symbol in SYMBOLS), "wild symbols",
    *(f"{n} {resource}" for n in (1, 2) for resource in RESOURCES[:4]), *RESOURCES[4:], "any raw material", "any good",
    "cheap on the left", "cheap on the right", "cheap goods", *(f"{coins} coins or more" for coins in PURSE),
    *(f"{n:+} shields to the {side}" for side in ("left", "right") for n in SHIELDS),
]  # fmt: skip


def names(game, perfect):
    """Return the name of each feature, by index."""
    if perfect:
        return list(game.feature_names)
    return [
        *(f"age {age + 1}: {what}" for age in range(NUM_AGES) for what in _CITY),
        *(f"{CARDS[card]} built" for card in range(NUM_CARDS) if NAME[card] == card),
        *(f"{board}: {n} stages" for board in BOARDS for n in range(NUM_STAGES)),
    ]


NUM_CITY = len(_CITY)
PLACE = np.cumsum([0, *(int(NAME[card] == card) for card in range(NUM_CARDS))])  # index of a card by distinct name
FIRST_CARD = NUM_AGES * NUM_CITY
FIRST_STAGE = FIRST_CARD + int(PLACE[-1])
NUM_FEATURES = FIRST_STAGE + len(BOARDS) * NUM_STAGES


SHAPES: tuple[Shape, ...] = (
    (r"age (?P<n>\d): (?P<what>.+)", "in_age", lambda n, what: {"n": int(n), "what": say_feature(what)}),
    (r"(?P<n>\d+) coins or more", "coins_or_more", numbers),
    (r"(?P<n>[+-]\d) shields to the (?P<side>left|right)", "shields_to_the_{side}", lambda n, side: {"n": n}),
    (
        r"(?P<board>.+): (?P<n>\d) stages",
        "stages_of",
        lambda board, n: {"board": say_shown(board), "n": int(n)},
    ),
    (
        rf"(?P<n>[12]) (?P<resource>{'|'.join(RESOURCES)})",
        "of_a_resource",
        lambda n, resource: {"n": int(n), "resource": say_shown(resource)},
    ),
    *SHOWN,
)


def say_feature(name: str) -> Message:
    """Return the name of a feature for people."""
    return say_shown(name) if name in RESOURCES else say_input(name, SHAPES)


@njit
def describe(s, seat, out):
    """Write the features of a city."""
    left, right = left_of(s, seat), right_of(s, seat)
    out[0] = s.round / 6.0
    out[1] = points(s, seat)[TOTAL] / SCALE
    out[2] = points(s, left)[TOTAL] / SCALE
    out[3] = points(s, right)[TOTAL] / SCALE
    out[4] = science_with(s, seat, 0) / SCALE
    n = 5
    for i in range(7):
        out[n + i] = s.colours[seat, i] / 3.0
    n += 7
    for i in range(4):
        out[n + i] = s.symbols[seat, i]
    n += 4
    for i in range(4):
        out[n + i] = s.raw[seat, 1 << i] >= 1
        out[n + 4 + i] = s.raw[seat, 1 << i] >= 2
    n += 8
    for i in range(3):
        out[n + i] = s.goods[seat, i] >= 1
    out[n + 3] = s.any_raw[seat]
    out[n + 4] = s.any_goods[seat]
    n += 5
    for i in range(3):
        out[n + i] = s.price[seat, i] == 1
    n += 3
    for i in range(len(PURSE)):
        out[n + i] = s.coins[seat] >= PURSE[i]
    n += len(PURSE)
    for side in range(2):
        more = s.shields[seat] - s.shields[left if side == 0 else right]
        out[n + max(-3, min(3, more)) + 3] = 1
        n += 7
    return n


@implements(after_features, RECORD)
@njit
def after_choice(s, pool, seat, action, perfect, index, value):
    """Write the features after the own choice is resolved; with full information, the game's own after all choices."""
    if perfect:
        return default_features(s, pool, seat, action, perfect, index, value)
    pool[1] = s
    t = pool[1]
    t.num_events = 0
    if t.phase == REVIVAL:
        revive(t, seat, card_of(action))
    else:
        t.commit[seat] = action
        resolve(t, seat, seat + 1)
    value[:NUM_FEATURES] = 0
    describe(t, seat, value[t.age * NUM_CITY :])
    for card in range(NUM_CARDS):
        if NAME[card] == card and has(t, seat, card):
            value[FIRST_CARD + PLACE[card]] = 1
    value[FIRST_STAGE + t.board[seat] * NUM_STAGES + t.stages[seat]] = 1
    return pack(value, index, NUM_FEATURES)
