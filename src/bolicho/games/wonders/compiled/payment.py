"""Costs of building: exact, by counting instead of searching.

Sources (a city's own production, the left neighbour's, the right one's) are matched with the required
units.  By Hall's theorem the number of units that a set of sources cannot cover is

    deficit(sources) = max over kinds A of [ required units of kinds in A - sources that can give a kind in A ],

and the second count is a table of sixteen sums kept with each city (`raw`), additive over cities.
The sources that can be matched together form a matroid, so taking the cheapest first is optimal:
one's own, then the cheaper neighbour (the right one at equal prices), then the other.  The units
bought are differences of deficits.  By the same matroid, the ways to pay that are not dominated for the
two neighbours buy as few units as possible, and any number of them between two bounds from the left.
Raw materials and goods never compete for a source, so they add up.
"""

import numpy as np

from bolicho.games.jit import rule
from bolicho.games.wonders.cards import COIN_COST, FREED_BY, GOODS_COST, NAME, NUM_STAGES, RAW_COST, stage_cost
from bolicho.games.wonders.layout import MAX_LEFT
from bolicho.games.wonders.rules import left_seat, right_seat

IMPOSSIBLE = -1

_left, _right, _stage = rule(left_seat), rule(right_seat), rule(stage_cost)


@rule
def left_of(s, seat):
    """Return the left neighbour."""
    return _left(seat, s.players)


@rule
def right_of(s, seat):
    """Return the right neighbour."""
    return _right(seat, s.players)


@rule
def has(s, seat, name):
    """Return whether a city has built a structure of that name."""
    return (s.built[seat, name >> 6] >> (name & 63)) & 1 != 0


# No branches here: whether something is lacking is unpredictable, and this runs for every card of every hand.


@rule
def raw_deficits(s, seat, cost):
    """Return the units of raw material not covered by: own sources, own and left, own and right, all three.

    The loop counts all sixteen sets of kinds, as bytes side by side; kinds not required never increase the maximum.
    """
    left, right = left_of(s, seat), right_of(s, seat)
    own = with_left = with_right = with_all = np.int8(0)
    for kinds in range(16):
        lack = np.int8(RAW_COST[cost, kinds] - s.raw[seat, kinds] - s.any_raw[seat])
        from_left, from_right = s.raw[left, kinds], s.raw[right, kinds]
        own = max(own, lack)
        with_left = max(with_left, np.int8(lack - from_left))
        with_right = max(with_right, np.int8(lack - from_right))
        with_all = max(with_all, np.int8(lack - from_left - from_right))
    return np.int64(own), np.int64(with_left), np.int64(with_right), np.int64(with_all)


@rule
def goods_deficits(s, seat, cost):
    """Return the same for goods; only the city's own sources of any good offer alternatives."""
    left, right = left_of(s, seat), right_of(s, seat)
    own = with_left = with_right = with_all = -s.any_goods[seat]
    for kind in range(3):
        lack = GOODS_COST[cost, kind] - s.goods[seat, kind]
        from_left, from_right = s.goods[left, kind], s.goods[right, kind]
        own += max(0, lack)
        with_left += max(0, lack - from_left)
        with_right += max(0, lack - from_right)
        with_all += max(0, lack - from_left - from_right)
    return max(0, own), max(0, with_left), max(0, with_right), max(0, with_all)


@rule
def cheapest(s, seat, cost):
    """Return the coins to the left and to the right neighbour: minimal in sum, then minimal to the left.

    IMPOSSIBLE twice if the resources are not available; the seat's coins are not considered.
    """
    own, with_left, with_right, nowhere = raw_deficits(s, seat, cost)
    price_left, price_right = s.price[seat, 0], s.price[seat, 1]
    from_left = own - with_left if price_left < price_right else with_right
    left, right = from_left * price_left, (own - from_left) * price_right
    own, with_left, with_right, nowhere_else = goods_deficits(s, seat, cost)
    price = s.price[seat, 2]
    left += with_right * price
    right += (own - with_right) * price
    lacking = nowhere + nowhere_else != 0
    return IMPOSSIBLE if lacking else left, IMPOSSIBLE if lacking else right


@rule
def bounds(s, seat, cost):
    """Return the units to buy, and the minimum and maximum of them from the left: raw materials, then goods.

    The cost must be one that `cheapest` finds possible.
    """
    raw, raw_left, raw_right, _ = raw_deficits(s, seat, cost)
    goods, goods_left, goods_right, _ = goods_deficits(s, seat, cost)
    return raw, raw_right, raw - raw_left, goods, goods_right, goods - goods_left


@rule
def right_for(s, seat, bounds, coins):
    """Return the minimum coins to the right if exactly `coins` go to the left, or IMPOSSIBLE."""
    raw, raw_least, raw_most, goods, goods_least, goods_most = bounds
    price_left, price_right, price = s.price[seat, 0], s.price[seat, 1], s.price[seat, 2]
    best = IMPOSSIBLE
    for bought in range(raw_least, raw_most + 1):  # raw materials from the left
        rest = coins - bought * price_left
        more = rest // price  # goods from the left
        if rest == more * price and goods_least <= more <= goods_most:
            right = (raw - bought) * price_right + (goods - more) * price
            if best == IMPOSSIBLE or right < best:
                best = right
    return best


@rule
def next_way(s, seat, cost, bounds, coins):
    """Return the minimum coins to the left, at least `coins`, of an affordable, undominated payment, or IMPOSSIBLE."""
    least = IMPOSSIBLE
    for left in range(MAX_LEFT + 1):
        right = right_for(s, seat, bounds, left)
        if right != IMPOSSIBLE and (least == IMPOSSIBLE or right < least):
            if left >= coins and left + right + COIN_COST[cost] <= s.coins[seat]:
                return left
            least = right
    return IMPOSSIBLE


@rule
def is_chained(s, seat, card):
    """Return whether an earlier structure makes the card free."""
    return (s.built[seat, 0] & FREED_BY[card, 0]) | (s.built[seat, 1] & FREED_BY[card, 1]) != 0


@rule
def stage_of(s, seat, stage):
    """Return the number of a stage of a city's wonder in the tables of cards.py."""
    return _stage(s.board[seat], stage)


@rule
def next_stage(s, seat):
    """Return the number of the next stage; IMPOSSIBLE if all are built."""
    stage = s.stages[seat]
    if stage >= NUM_STAGES[s.board[seat]]:
        return IMPOSSIBLE
    return stage_of(s, seat, stage)


@rule
def can_pay(s, seat, cost):
    """Return whether the seat has the coins for the cheapest way."""
    left, right = cheapest(s, seat, cost)
    return left >= 0 and left + right + COIN_COST[cost] <= s.coins[seat]


@rule
def price_to_build(s, seat, card):
    """Return the total coins for building a card, 0 by a chain; IMPOSSIBLE if it cannot be built."""
    left, right = cheapest(s, seat, card)
    price = left + right + COIN_COST[card]
    price = price if (left >= 0) & (price <= s.coins[seat]) else IMPOSSIBLE
    price = 0 if is_chained(s, seat, card) else price
    return IMPOSSIBLE if has(s, seat, NAME[card]) else price


@rule
def can_build(s, seat, card):
    """Return whether a card can be built: its name not yet built, and free by a chain or affordable."""
    return price_to_build(s, seat, card) >= 0


@rule
def can_raise(s, seat):
    """Return whether the next stage of the wonder can be built."""
    stage = next_stage(s, seat)
    return stage >= 0 and can_pay(s, seat, stage)
