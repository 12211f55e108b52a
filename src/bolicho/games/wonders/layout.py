"""The state record of 7 Wonders, and the numbers of its actions and events.

`cards` holds every card of the game in one table.  A row is one dealt hand, which travels: the card at
place k of a row is the k-th to leave that hand, and the places not yet played are the hand itself,
ascending.  `fate` stores, place by place, what became of the card.  The holder of a row on a turn follows
from the direction of the age, so the record stores nothing else about hands.

An action below `SPLIT` is kind * 78 + card.  With `trade="choose"` the ways to pay that are not the
cheapest have their own numbers: `SPLIT` + (kind * 78 + card) * 13 + coins paid to the left.
"""

import numba
import numpy as np
from numpy.typing import NDArray

from bolicho.games.wonders.cards import NUM_CARDS
from bolicho.games.wonders.rules import HAND, MAX_PLAYERS, NUM_AGES, SIDES, TRADES, Rules

NONE = -1

# Kinds of action.
BUILD, WONDER, SELL, FREE, REVIVE = range(5)
KINDS = ("build", "wonder", "sell", "free", "revive")
SPLIT = len(KINDS) * NUM_CARDS
MAX_LEFT = 12  # coins to one neighbour: at most six units are bought, since the board itself gives one
NUM_ACTIONS = SPLIT + 2 * NUM_CARDS * (MAX_LEFT + 1)

# Fates of a card.
HELD, BUILT, STAGE, SOLD, LEFT_OVER = range(5)

# Phases: the decision to make.
PLAY, REVIVAL, SEVENTH = range(3)

# Kinds of event, as rows of (kind, seat, value, extra); kind 0 is CHOSE.
AGE_BEGINS, BUILDS, RAISES, SELLS, INCOME, NO_REVIVAL, DISCARDS, WAR = range(1, 9)
"""CHOSE: (seat, action, time).  AGE_BEGINS: (-1, age, 0).
BUILDS: (seat, card, left | right << 4 | split << 8 | bank << 9 | how << 10).
RAISES a stage: (seat, card, left | right << 4 | split << 8 | stage << 9).  SELLS, DISCARDS: (seat, card, 0).
INCOME: (seat, coins, 0).  NO_REVIVAL: (seat, stage, 0).  WAR: (seat, points against left, points against right).
A time is age * 7 + turn; `split` is 1 if the way to pay was chosen.  Cards put under a stage, sold or
discarded are NONE for the other seats.
"""

# Ways in which a structure was built.
PAID, CHAINED, FREED, REVIVED = range(4)

MAX_EVENTS = 32  # seven seats: a choice, 7 plays, 7 incomes, 1 lost revival, 7 discards, 7 wars, a new age

SPARE = 3

STATE = np.dtype(
    [
        # The widest fields first: without gaps between fields, equal positions are equal bytes.
        ("seed", "u8"),
        ("built", "i8", (MAX_PLAYERS, 2)),  # names of the structures of each city, as bits
        ("coins", "i2", (MAX_PLAYERS,)),
        ("commit", "i2", (MAX_PLAYERS,)),  # actions chosen and not yet revealed
        ("events", "i2", (MAX_EVENTS, 4)),  # events of the last action
        ("num_events", "i1"),
        # Rules, set before the deal.
        ("players", "i1"),
        ("trade", "i1"),
        ("sides", "i1"),
        ("turn", "i1"),
        ("age", "i1"),  # 0, 1, 2
        ("round", "i1"),  # 0..5; 6 when the seventh card is played; 7 when over
        ("phase", "i1"),
        # The cards of the three ages: by age, hand and place.
        ("cards", "i1", (NUM_AGES, MAX_PLAYERS, HAND)),
        ("fate", "i1", (NUM_AGES, MAX_PLAYERS, HAND)),
        # The discard pile as Halikarnassos has seen it: for each card the new copies at each look, two bits a look.
        ("looks", "u1", (NUM_CARDS,)),
        ("look_time", "i1", (3,)),  # time at which each of its stages opened the pile, or NONE
        ("revived", "i1", (3,)),  # card revived at each, or NONE
        # The cities.
        ("board", "i1", (MAX_PLAYERS,)),
        ("stages", "i1", (MAX_PLAYERS,)),
        ("free", "i1", (MAX_PLAYERS,)),  # 1 if Olympia may build for free
        ("colours", "i1", (MAX_PLAYERS, 7)),  # cards of each colour
        ("symbols", "i1", (MAX_PLAYERS, 4)),  # the three, and wild ones
        ("shields", "i1", (MAX_PLAYERS,)),
        ("victories", "i1", (MAX_PLAYERS,)),  # points of the victory tokens
        ("defeats", "i1", (MAX_PLAYERS,)),  # tokens
        ("raw", "i1", (MAX_PLAYERS, 16)),  # units for sale that can be of a kind in each subset of the four
        ("goods", "i1", (MAX_PLAYERS, 3)),  # units for sale of each
        ("any_raw", "i1", (MAX_PLAYERS,)),  # units of any raw material, not for sale
        ("any_goods", "i1", (MAX_PLAYERS,)),
        ("price", "i1", (MAX_PLAYERS, 3)),  # price of raw materials from the left, from the right, and of goods
        ("spare", "i1", (SPARE,)),  # padding up to eight bytes
    ],
    align=True,
)
RECORD = numba.from_dtype(STATE)


def blank(rules: Rules) -> NDArray[np.void]:
    """Return a pool of one blank record with the rules set, ready for `deal`."""
    pool = np.zeros(1, STATE)
    s = pool[0]
    s["players"], s["trade"], s["sides"] = rules.players, TRADES.index(rules.trade), SIDES.index(rules.sides)
    s["turn"] = NONE
    return pool
