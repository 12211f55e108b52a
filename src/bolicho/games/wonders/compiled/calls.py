"""Compiled entry points for notation and views, with the state given as a pool."""

from bolicho.games.jit import njit
from bolicho.games.wonders import kernel
from bolicho.games.wonders.compiled import deal, scoring
from bolicho.games.wonders.compiled.payment import (
    IMPOSSIBLE,
    bounds,
    cheapest,
    is_chained,
    next_stage,
    next_way,
    right_for,
)
from bolicho.games.wonders.layout import BUILD
from bolicho.games.wonders.rules import NUM_AGES


@njit
def price(pool, seat, action):
    """Return the coins that an action pays: to the left, to the right, to the bank."""
    return kernel.price_of(pool[0], seat, action)


@njit
def ways(pool, seat, kind, card, out):
    """Write the ways to pay for a card or stage as (left, right), the cheapest first; return their number."""
    s = pool[0]
    cost = card if kind == BUILD else next_stage(s, seat)
    if cost == IMPOSSIBLE or (kind == BUILD and is_chained(s, seat, card)):
        return 0
    out[0, 0], out[0, 1] = cheapest(s, seat, cost)
    if out[0, 0] == IMPOSSIBLE:
        return 0
    n = 1
    span = bounds(s, seat, cost)
    left = next_way(s, seat, cost, span, 0)
    while left >= 0:
        if left != out[0, 0]:
            out[n, 0], out[n, 1] = left, right_for(s, seat, span, left)
            n += 1
        left = next_way(s, seat, cost, span, left + 1)
    return n


@njit
def begin(pool):
    """Begin a game whose boards and cards are set."""
    s = pool[0]
    s.num_events = 0
    for age in range(NUM_AGES):
        for row in range(s.players):
            deal.sort_hand(s, age, row, 0)
    deal.begin(s)


@njit
def points(pool, seat):
    """Return the points of a seat by kind."""
    return scoring.points(pool[0], seat)


@njit
def is_winner(pool, seat):
    """Return whether no seat is ahead of this one."""
    return kernel.is_winner(pool[0], seat)
