"""Coins: a row of coins, each seat in turn takes the left or the right end; most points win.

A game in one file, small enough to be solved by hand: an example of what a game must offer, and
the touchstone of the searches.  Two or three seats; a coin of value `again` earns another turn.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numba
import numpy as np

from bolicho.errors import BadInput
from bolicho.games import kernel
from bolicho.games.compiled.chance import below
from bolicho.games.game import View
from bolicho.games.jit import njit
from bolicho.games.kernel import CHOSE, implements
from bolicho.games.kind import Kind

MAX_COINS = 12
TEXTS = ("left", "right")


@dataclass(frozen=True)
class Rules:
    coins: int = 8
    seats: int = 2
    again: int = 7

    def __post_init__(self) -> None:
        if not 1 <= self.coins <= MAX_COINS or self.seats not in (2, 3):
            raise BadInput(f"coins has 1 to {MAX_COINS} coins and 2 or 3 seats")


STATE = np.dtype(
    [
        ("rule_coins", "i1"),
        ("rule_seats", "i1"),
        ("rule_again", "i1"),
        ("seed", "u8"),
        ("row", "i1", (MAX_COINS,)),  # a taken coin is 0
        ("left", "i1"),
        ("right", "i1"),  # one past the last coin
        ("points", "i2", (3,)),
        ("turn", "i1"),
        ("num_events", "i1"),
        ("events", "i2", (1, 4)),
    ],
    align=True,
)
RECORD = numba.from_dtype(STATE)


def blank(rules: Rules) -> np.ndarray:
    pool = np.zeros(1, STATE)
    pool["rule_coins"], pool["rule_seats"], pool["rule_again"] = rules.coins, rules.seats, rules.again
    pool["turn"] = -1
    return pool


@implements(kernel.deal, RECORD)
@njit
def deal(s, seed):
    s.seed = np.uint64(seed)
    for i in range(MAX_COINS):
        s.row[i] = 1 + below(s.seed, i, 9) if i < s.rule_coins else 0
    start(s)


@njit
def start(s):
    s.left = 0
    s.right = s.rule_coins
    for seat in range(3):
        s.points[seat] = 0
    s.turn = 0
    s.num_events = 0
    s.events[0, :] = 0


@implements(kernel.legal, RECORD)
@njit
def legal(s, out):
    if s.turn < 0:
        return 0
    out[0] = 0
    out[1] = 1
    return 2 if s.right - s.left > 1 else 1


@implements(kernel.apply, RECORD)
@njit
def apply(s, action):
    seat = s.turn
    s.num_events = 1
    s.events[0, 0] = CHOSE
    s.events[0, 1] = seat
    s.events[0, 2] = action
    if action == 0:
        i = s.left
        s.left += 1
    else:
        s.right -= 1
        i = s.right
    coin = s.row[i]
    s.row[i] = 0
    s.points[seat] += coin
    if s.left == s.right:
        s.turn = -1
    elif coin != s.rule_again:
        s.turn = (seat + 1) % s.rule_seats


@implements(kernel.scores, RECORD)
@njit
def scores(s, out):
    for seat in range(s.rule_seats):
        out[seat] = s.points[seat]


@implements(kernel.payoff, RECORD)
@njit
def payoff(s, out):
    """Write how far each seat is ahead of the mean of the others."""
    total = s.points[0] + s.points[1] + s.points[2]
    for seat in range(s.rule_seats):
        out[seat] = s.points[seat] - (total - s.points[seat]) / (s.rule_seats - 1)


@implements(kernel.hide, RECORD)
@njit
def hide(s, seat):
    """Hide the seed, since all else is public."""
    s.seed = 0


@implements(kernel.redeal, RECORD)
@njit
def redeal(s, seat, seed):
    s.seed = np.uint64(seed)


@implements(kernel.features, RECORD)
@njit
def features(s, seat, out):
    for i in range(MAX_COINS):
        out[i] = s.row[i] / 9
    for i in range(s.rule_seats):
        out[MAX_COINS + i] = s.points[(seat + i) % s.rule_seats] / (9 * MAX_COINS)
    return MAX_COINS + s.rule_seats


@njit
def _start(pool):
    start(pool[0])


def read_setup(rules: Rules, pool: np.ndarray, setup: Mapping[str, Any]) -> None:
    """Read {"row": [3, 1, 4, ...]}, with as many coins as the rules say."""
    row = setup.get("row")
    if not isinstance(row, list) or len(row) != rules.coins or not all(1 <= coin <= 9 for coin in row):
        raise BadInput(f"setup: row must be {rules.coins} coins of 1 to 9")
    pool["row"][0, : rules.coins] = row
    _start(pool)


class CoinsView(View):
    __slots__ = ()

    @property
    def row(self) -> list[int]:
        """Return the coins still on the table."""
        return [int(coin) for coin in self.state["row"] if coin]


COINS = Kind(
    name="coins",
    title="Coins: take the left or the right end of a row",
    rules=Rules,
    seats=lambda rules: rules.seats,
    feature_names=lambda rules: (
        *(f"coin {i}" for i in range(MAX_COINS)),
        *(f"points {i}" for i in range(rules.seats)),
    ),
    perfect_information=True,
    blank=blank,
    view=CoinsView,
    read_setup=read_setup,
    texts=TEXTS,
)
