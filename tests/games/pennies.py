"""Pennies: every seat lays a coin, heads or tails, covered; then all are shown.

The last seat wins if tails are even in number (with two seats: if the coins are alike), otherwise
the others do.
The smallest game of simultaneous choices taken in seat order: a seat that sees a covered coin always wins.
"""

from dataclasses import dataclass

import numba
import numpy as np

from bolicho.games import kernel
from bolicho.games.compiled.chance import below
from bolicho.games.jit import njit
from bolicho.games.kernel import CHOSE, implements
from bolicho.games.kind import Kind
from bolicho.i18n import Message, Seat

COVERED, NONE = 2, 3
TEXTS = ("heads", "tails")


@dataclass(frozen=True)
class Rules:
    seats: int = 2


STATE = np.dtype(
    [
        ("rule_seats", "i1"),
        ("turn", "i1"),
        ("coins", "i1", (3,)),
        ("num_events", "i1"),
        ("events", "i2", (1, 4)),
        ("seed", "u8"),
    ],
    align=True,
)
RECORD = numba.from_dtype(STATE)


def blank(rules: Rules) -> np.ndarray:
    pool = np.zeros(1, STATE)
    pool["rule_seats"], pool["turn"] = rules.seats, -1
    return pool


@implements(kernel.deal, RECORD)
@njit
def deal(s, seed):
    s.seed = np.uint64(seed)
    s.coins[:] = NONE
    s.turn = 0
    s.num_events = 0
    s.events[0, :] = 0


@implements(kernel.legal, RECORD)
@njit
def legal(s, out):
    out[0] = 0
    out[1] = 1
    return 2 if s.turn >= 0 else 0


@implements(kernel.apply, RECORD)
@njit
def apply(s, action):
    seat = s.turn
    s.coins[seat] = action
    s.num_events = 1
    s.events[0, 0] = CHOSE
    s.events[0, 1] = seat
    s.events[0, 2] = COVERED
    s.turn = seat + 1 if seat + 1 < s.rule_seats else -1


@implements(kernel.scores, RECORD)
@njit
def scores(s, out):
    won = np.zeros(3)
    if s.turn < 0:
        payoff(s, won)
    for seat in range(s.rule_seats):
        out[seat] = max(0, int(won[seat]))


@implements(kernel.payoff, RECORD)
@njit
def payoff(s, out):
    """Write the payoffs: the last seat plays for one coin against each of the others."""
    tails = 0
    for seat in range(s.rule_seats):
        tails += s.coins[seat]
    sign = 1 if tails % 2 == 0 else -1
    for seat in range(s.rule_seats - 1):
        out[seat] = -sign
    out[s.rule_seats - 1] = sign * (s.rule_seats - 1)


@implements(kernel.hide, RECORD)
@njit
def hide(s, seat):
    s.seed = 0
    if s.turn >= 0:
        for other in range(s.rule_seats):
            if other != seat and s.coins[other] != NONE:
                s.coins[other] = COVERED


@implements(kernel.redeal, RECORD)
@njit
def redeal(s, seat, seed):
    s.seed = np.uint64(seed)
    for other in range(s.rule_seats):
        if s.coins[other] == COVERED:
            s.coins[other] = below(seed, other, 2)


@implements(kernel.features, RECORD)
@njit
def features(s, seat, out):
    out[0] = s.coins[seat] == 0
    out[1] = s.coins[seat] == 1
    return 2


PENNIES = Kind(
    name="pennies",
    title="Pennies: covered coins, shown together",
    rules=Rules,
    seats=lambda rules: rules.seats,
    feature_names=lambda rules: ("heads", "tails"),
    blank=blank,
    entry=lambda row: {"event": "chose", "seat": int(row[1])},
    said=lambda entry: Message("terminal.does", who=Seat(entry["seat"]), what="lays a coin"),
    texts=TEXTS,
)
